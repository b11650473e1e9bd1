package judge

import (
	"context"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
)

// Listing is what would run in a folder.
type Listing struct {
	Set        *config.Set // it must not be edited, filled or closed
	Registered []hook.Hook // those that were added from outside
	Open       []string    // ids of those whose circuit is open
}

// Hooks lists the hooks that an event from a folder would meet; "" is for the
// user's own.
func (j *Judge) Hooks(ctx context.Context, cwd string) (Listing, error) {
	at, err := j.placeOf(cwd, nil)
	if err != nil {
		return Listing{}, err
	}
	w, err := j.workspaces.openAt(ctx, j, at)
	if err != nil {
		return Listing{}, err
	}
	defer w.leave()
	l := Listing{Set: w.set, Registered: w.registered()}
	for _, h := range w.Engine.All() {
		if w.Engine.CircuitOpen(h.ID) {
			l.Open = append(l.Open, h.ID)
		}
	}
	return l, nil
}
