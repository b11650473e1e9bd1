package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/terminal"
)

const (
	textsBound = 128 // how many texts may wait to be typed

	stillFor  = 200 * time.Millisecond // a pause of the program in which to type
	stillMost = 5 * time.Second        // after that a program that never pauses is typed to anyway

	readyStill  = 500 * time.Millisecond // the pause after which a new program is ready
	readySilent = 2 * time.Second        // the same for one that prints nothing

	// keysMost is how long a user who goes on typing a line, or a program that
	// does not read, may hold a text back.
	keysMost = 5 * time.Minute
)

// text is to be typed.
type text struct {
	body       string
	saidBefore int64         // what session.said was before typing
	typed      bool          // false if that was not possible
	done       chan struct{} // closed when the above holds
}

// typist types what hooks inject, one text after the other.
type typist struct {
	session *session
	waiting chan *text
	last    atomic.Int64 // when a text was typed last, in Unix nanoseconds
	late    atomic.Int64 // texts that came too late

	mu     sync.Mutex
	closed bool
}

func newTypist(s *session) *typist {
	return &typist{session: s, waiting: make(chan *text, textsBound)}
}

// put queues a text without waiting; an empty one needs no typing. One that
// cannot be queued is told to the user.
func (t *typist) put(body string) *text {
	item := &text{body: body, done: make(chan struct{})}
	if strings.TrimSpace(body) == "" {
		close(item.done)
		return item
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		t.late.Add(1)
		close(item.done)
		return item
	}
	t.session.busy.Add(1)
	select {
	case t.waiting <- item:
	default:
		t.session.busy.Add(-1)
		t.session.warnings.addf("a hook's text was not typed, because %d others wait: %s", textsBound, body)
		close(item.done)
	}
	return item
}

// close says that no more is put, except by those who are too late.
func (t *typist) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	close(t.waiting)
}

// lastTyped is when a text was typed last; zero before the first.
func (t *typist) lastTyped() time.Time {
	if ns := t.last.Load(); ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Time{}
}

// run types until close.
func (t *typist) run(ctx context.Context) {
	started := t.session.program.LastOutput()
	ready := false
	for item := range t.waiting {
		if ready {
			t.awaitStill(ctx, stillFor)
		} else {
			t.awaitReady(ctx, started)
			ready = true
		}
		item.saidBefore = t.session.said.Load()
		item.typed = t.write(ctx, item.body)
		t.session.busy.Add(-1)
		close(item.done)
	}
}

func (t *typist) write(ctx context.Context, body string) bool {
	ctx, cancel := context.WithTimeout(ctx, keysMost)
	defer cancel()
	err := t.session.program.Type(ctx, body)
	switch {
	case err == nil:
		t.last.Store(time.Now().UnixNano())
	case errors.Is(err, terminal.ErrEnded), errors.Is(err, context.Canceled):
		t.late.Add(1)
	default:
		t.session.warnings.addf("a hook's text was not typed (%v): %s", err, body)
	}
	return err == nil
}

// awaitReady waits until a new program reads what is typed, as far as one can
// see that from outside.
func (t *typist) awaitReady(ctx context.Context, started time.Time) {
	begin := time.Now()
	p := t.session.program
	for time.Since(begin) < readySilent {
		if t.session.said.Load() > 0 || !p.LastOutput().Equal(started) {
			t.awaitStill(ctx, readyStill)
			return
		}
		if !t.pause(ctx, 20*time.Millisecond) {
			return
		}
	}
}

// awaitStill waits for a pause in the output, at most for stillMost.
func (t *typist) awaitStill(ctx context.Context, still time.Duration) {
	begin := time.Now()
	for {
		missing := still - time.Since(t.session.program.LastOutput())
		left := stillMost - time.Since(begin)
		if missing <= 0 || left <= 0 || !t.pause(ctx, min(missing, left)) {
			return
		}
	}
}

// pause waits and reports whether there is still a program to type to.
func (t *typist) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.session.program.Done():
	case <-ctx.Done():
	}
	return false
}
