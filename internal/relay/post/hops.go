package post

import (
	"context"
	"strconv"

	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/relay"
)

// hopsVariable tells the programs of hooks how often what they send was passed on.
const hopsVariable = "HOOKWAY_HOPS"

// mostHops bounds what an environment may tell; a store refuses long before that.
const mostHops = 1 << 20

// Passing is a context for the hooks that are asked about a message: what their
// programs send is that message, passed on once more.
func Passing(ctx context.Context, m relay.Message) context.Context {
	return WithHops(ctx, m.Hops+1)
}

// WithHops is a context for hooks that send what was passed on so often.
func WithHops(ctx context.Context, hops int) context.Context {
	return environ.Add(context.WithValue(ctx, hopsKey{}, hops), hopsVariable+"="+strconv.Itoa(hops))
}

// hopsKey finds in a context what WithHops says.
type hopsKey struct{}

// HopsIn is how often what hooks send under a context was passed on.
func HopsIn(ctx context.Context) int {
	hops, _ := ctx.Value(hopsKey{}).(int)
	return hops
}

// ByHook reports whether what is sent in an environment is sent by a hook: nobody
// stands behind each message, whoever has begun it.
func ByHook(getenv func(string) string) bool {
	return environ.Depth(getenv(environ.DepthVariable)) > 0 || HopsOf(getenv) > 0
}

// HopsOf is how often what is sent in an environment was passed on; it is 0 outside
// of hooks. What is no number counts as none.
func HopsOf(getenv func(string) string) int {
	n, err := strconv.Atoi(getenv(hopsVariable))
	if err != nil {
		return 0
	}
	return min(max(0, n), mostHops)
}
