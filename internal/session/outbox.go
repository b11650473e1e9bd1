package session

import (
	"context"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/terminal"
)

const (
	outboxBound = 1 << 20                // bytes that may wait for the Output hooks
	outboxFull  = outboxBound / 2        // bytes that do not wait
	outputPause = 100 * time.Millisecond // least time between two Output events
)

// outbox gathers lines until the hooks of Output are ready for them. Adding
// never waits: lines that do not fit are dropped and counted.
type outbox struct {
	wake chan struct{} // holds one token while there is news

	mu      sync.Mutex
	text    []byte
	any     bool // there are lines, if only empty ones
	open    bool // the last line is unfinished
	out     bool // what was taken is with the hooks
	resting bool // the hooks were asked just now: news can wait
	closed  bool
	dropped int64
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// add takes what is new in the lines, without what was typed.
func (o *outbox) add(lines []terminal.Line) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, line := range lines {
		if line.Echo {
			continue
		}
		piece := line.Text[line.Seen:]
		if len(o.text)+len(piece) >= outboxBound {
			o.dropped++
			continue
		}
		if o.any && !(o.open && line.Seen > 0) {
			o.text = append(o.text, '\n')
		}
		o.text = append(o.text, piece...)
		o.any, o.open = true, line.Partial
	}
	if o.any && (!o.resting || len(o.text) > outboxFull) {
		o.ring()
	}
}

// close says that no more is added.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.ring()
}

func (o *outbox) ring() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take empties the box. It reports whether there was something, and whether
// that was the last.
func (o *outbox) take() (out hook.OutputText, any, last bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	out = hook.OutputText{Text: string(o.text), Complete: !o.open}
	any = o.any
	o.text, o.any, o.open = o.text[:0], false, false
	o.out = any
	return out, any, o.closed
}

// back says that the hooks are through with what was taken, and are not asked again
// until rest has ended.
func (o *outbox) back() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.out, o.resting = false, true
}

// rest waits for the time of the next event. It does not wait to see that there is none,
// because the box is closed, nor until so much waits that some of it would be dropped.
func (o *outbox) rest(ctx context.Context, next <-chan time.Time) {
	for rested := false; !rested; {
		select {
		case <-next:
			rested = true
		case <-ctx.Done():
			rested = true
		case <-o.wake:
		}
		o.mu.Lock()
		if rested = rested || o.closed && !o.any || len(o.text) > outboxFull; rested {
			if o.resting = false; o.any || o.closed {
				o.ring()
			}
		}
		o.mu.Unlock()
	}
}

// busy reports whether there is something for the hooks, or with them.
func (o *outbox) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.any || o.out
}

func (o *outbox) droppedLines() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped
}

// fireOutput runs the hooks of Output until the box is closed or ctx ends.
func (s *session) fireOutput(ctx context.Context) {
	for {
		select {
		case <-s.output.wake:
		case <-ctx.Done():
			return
		}
		out, any, last := s.output.take()
		if any {
			next := time.NewTimer(outputPause)
			s.typist.put(fire(ctx, s, hook.Output, out))
			s.output.back()
			if !last {
				s.output.rest(ctx, next.C)
			}
			next.Stop()
		}
		if last {
			return
		}
	}
}
