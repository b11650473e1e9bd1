// Package sleep waits for a time, or until a context has ended.
package sleep

import (
	"context"
	"time"
)

// For waits for a time. The error is that of the context, if that has ended by then:
// it ends the wait.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
