package hooktest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hookway/hookway/hook"
)

// Recorder is a handler that keeps the events that it is given. The zero value
// is ready and has no opinion. It may be used from many goroutines at once.
type Recorder struct {
	// Then decides, after the event was kept; nil has no opinion. Set it before
	// the first event.
	Then hook.Handler

	mu      sync.Mutex
	events  []hook.AnyEvent
	changed chan struct{} // closed at the next event; made by who waits
}

// Handle keeps a copy of the event.
func (r *Recorder) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	r.mu.Lock()
	r.events = append(r.events, ev.Clone())
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
	r.mu.Unlock()
	if r.Then == nil {
		return hook.Decision{}, nil
	}
	return r.Then.Handle(ctx, ev)
}

// Events returns what was recorded, in order.
func (r *Recorder) Events() []hook.AnyEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// Names returns the canonical names of what was recorded, in order.
func (r *Recorder) Names() []string {
	events := r.Events()
	names := make([]string, len(events))
	for i, ev := range events {
		names[i] = ev.Info().Name
	}
	return names
}

// Reset forgets what was recorded.
func (r *Recorder) Reset() {
	r.mu.Lock()
	r.events = nil
	r.mu.Unlock()
}

// Wait waits until n events were recorded and gives all there are. When the
// context ends first, the error says how many came.
func (r *Recorder) Wait(ctx context.Context, n int) ([]hook.AnyEvent, error) {
	for {
		r.mu.Lock()
		events := slices.Clone(r.events)
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		if len(events) >= n {
			return events, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return events, fmt.Errorf("%d of %d events came: %w", len(events), n, ctx.Err())
		}
	}
}
