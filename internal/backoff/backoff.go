// Package backoff waits between tries of something: longer after each failure, and
// not for exactly the same time, so that those who failed together do not all come
// back together.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff gives the pauses between tries of one thing. Each is about twice the one
// before it.
type Backoff struct {
	First, Most time.Duration // bounds of the pauses

	last time.Duration
}

// Next is the pause after one more failure.
func (b *Backoff) Next() time.Duration {
	b.last = min(max(2*b.last, b.First), b.Most)
	return Jitter(b.last)
}

// Reset says that a try was successful.
func (b *Backoff) Reset() { b.last = 0 }

// Wait waits for the next pause. It ends sooner with the context, whose error it
// gives, or when there is something in the channel, which counts as a success.
func (b *Backoff) Wait(ctx context.Context, sooner <-chan struct{}) error {
	t := time.NewTimer(b.Next())
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-sooner:
		b.Reset()
	}
	return ctx.Err()
}

// Jitter takes up to a fifth off a time.
func Jitter(d time.Duration) time.Duration { return d - rand.N(d/5+1) }

// Sleep waits for a time. The error is that of the context, if that has ended by
// then: it ends the wait.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
