package relay

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// slowly is how often a wait looks by itself: what another process has done gives
// no sign here.
const slowly = time.Second

// signal wakes one that waits; a signal that comes before is not lost.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (p signal) notify() {
	select {
	case p <- struct{}{}:
	default: // one is due already
	}
}

// until waits until there says so, and asks it at each signal and from time to time.
func (p signal) until(ctx context.Context, there func() (bool, error)) error {
	for {
		if ok, err := there(); ok || err != nil {
			return err
		}
		timer := time.NewTimer(slowly)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-p:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// waker tells other processes that something has come, one after the other: what comes
// meanwhile is notified at once after that.
type waker struct {
	wake func(ctx context.Context, agents []string)

	mu   sync.Mutex
	due  map[string]string // agents to notify: key to name
	busy chan struct{}     // closed when all are notified; nil: no notification runs
}

func (w *waker) tell(agents map[string]string) {
	if w.wake == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.due == nil {
		w.due = map[string]string{}
	}
	maps.Copy(w.due, agents)
	if w.busy == nil {
		w.busy = make(chan struct{})
		go w.run(w.busy)
	}
}

func (w *waker) run(busy chan struct{}) {
	defer close(busy)
	for {
		w.mu.Lock()
		due := w.due
		w.due = nil
		if due == nil {
			w.busy = nil
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		// One that has not answered by then has looked by itself.
		ctx, cancel := context.WithTimeout(context.Background(), slowly)
		w.wake(ctx, slices.Sorted(maps.Values(due)))
		cancel()
	}
}

// wait waits until all were notified.
func (w *waker) wait() {
	w.mu.Lock()
	busy := w.busy
	w.mu.Unlock()
	if busy != nil {
		<-busy
	}
}
