package environ

import (
	"context"
	"slices"
)

type addedKey struct{}

// Add has the programs that hooks start under the context find more variables in
// their environment, NAME=value each.
func Add(ctx context.Context, variables ...string) context.Context {
	return context.WithValue(ctx, addedKey{}, slices.Concat(Added(ctx), variables))
}

// Added are the variables of Add. The list is not to be changed.
func Added(ctx context.Context) []string {
	added, _ := ctx.Value(addedKey{}).([]string)
	return slices.Clip(added)
}
