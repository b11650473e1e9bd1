package judge

import (
	"context"
	"sync"
)

// order has the events of a session answered one after the other, in the order
// in which they came, and those of different sessions side by side.
type order struct {
	mu   sync.Mutex
	last map[string]chan struct{} // by session: closed when its latest event is answered
}

// enter waits for the events that came before. The caller leaves when its own is
// answered. An error is the context's; then there is nothing to leave.
func (o *order) enter(ctx context.Context, session string) (leave func(), err error) {
	if session == "" {
		return func() {}, nil
	}
	mine := make(chan struct{})
	o.mu.Lock()
	if o.last == nil {
		o.last = map[string]chan struct{}{}
	}
	before := o.last[session]
	o.last[session] = mine
	o.mu.Unlock()
	leave = func() {
		o.mu.Lock()
		if o.last[session] == mine {
			delete(o.last, session)
		}
		o.mu.Unlock()
		close(mine)
	}
	if before == nil {
		return leave, nil
	}
	select {
	case <-before:
		return leave, nil
	case <-ctx.Done():
		go func() { // those behind us still wait for those before us
			<-before
			leave()
		}()
		return nil, ctx.Err()
	}
}
