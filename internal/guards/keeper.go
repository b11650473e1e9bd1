package guards

import (
	"context"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// Keeper notes what a decision about one event is made of, so that the event can be fired
// again. Its methods may be called from many goroutines.
type Keeper interface {
	// Analyse finds what the call of an event would do in a world, as [facts.Of] does,
	// and notes what was seen.
	Analyse(ev hook.AnyEvent, w facts.World) []hook.Fact

	// Found notes what the session's earlier events said of the call, under which budget.
	Found(before []hook.Fact, budget string)

	// Granted notes who let the call through.
	Granted(by string)
}

// Past is what was noted when an event was first fired.
type Past interface {
	// Facts are those of a payload of the event, where these places may be emptied.
	Facts(ev hook.AnyEvent, scratch []string) []hook.Fact

	// Earlier are the facts of the session's earlier events, and the budget under which
	// they were found; known is false if nobody asked for them then.
	Earlier() (before []hook.Fact, budget string, known bool)
}

type (
	keeperKey struct{}
	pastKey   struct{}
)

// WithKeeper is a context in which what is found about an event is noted.
func WithKeeper(ctx context.Context, k Keeper) context.Context {
	return context.WithValue(ctx, keeperKey{}, k)
}

// WithPast is a context in which an event is decided by what was known of it then.
func WithPast(ctx context.Context, p Past) context.Context {
	return context.WithValue(ctx, pastKey{}, p)
}

func keeperOf(ctx context.Context) Keeper {
	if k, ok := ctx.Value(keeperKey{}).(Keeper); ok {
		return k
	}
	return unkept{}
}

func pastOf(ctx context.Context) Past {
	p, _ := ctx.Value(pastKey{}).(Past)
	return p
}

// unkept notes nothing.
type unkept struct{}

func (unkept) Analyse(ev hook.AnyEvent, w facts.World) []hook.Fact { return facts.Of(ev, w) }
func (unkept) Found([]hook.Fact, string)                           {}
func (unkept) Granted(string)                                      {}
