package guards

import (
	"context"
	"sync"

	"github.com/hookway/hookway/hook"
)

// oneCall is what several guards that judge one call have in common: an agent may work
// on several folders at once, each with rules of its own.
type oneCall struct {
	mu      sync.Mutex
	counted bool
	before  []hook.Fact // what the session's earlier events say of it
	granted string      // the hash of the call that a person let through
	by      string
}

type oneCallKey struct{}

// OneCall is a context in which all guards judge one call: its session counts it once,
// and what a person let through passes them all.
func OneCall(ctx context.Context) context.Context {
	return context.WithValue(ctx, oneCallKey{}, new(oneCall))
}

func oneCallOf(ctx context.Context) *oneCall {
	if o, ok := ctx.Value(oneCallKey{}).(*oneCall); ok {
		return o
	}
	return new(oneCall)
}

// earlier gives what count does, which is called once. first: it was now.
func (o *oneCall) earlier(count func() []hook.Fact) (before []hook.Fact, first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if first = !o.counted; first {
		o.counted, o.before = true, count()
	}
	return o.before, first
}

// use takes the grant for a call, unless another guard has taken it for the same one.
func (o *oneCall) use(ctx context.Context, grants Grants, c Call) (by string, ok bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	hash := callHash(c.Tool, c.Input)
	if o.granted == hash {
		return o.by, true, nil
	}
	if by, ok, err = grants.Use(ctx, c); ok && err == nil {
		o.granted, o.by = hash, by
	}
	return by, ok, err
}
