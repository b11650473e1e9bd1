package relay

import (
	"context"
	"time"
)

// slowly is how often a wait looks by itself: what another process has done gives
// no sign here.
const slowly = time.Second

// poke wakes one that waits; a poke that comes before is not lost.
type poke chan struct{}

func newPoke() poke { return make(poke, 1) }

func (p poke) now() {
	select {
	case p <- struct{}{}:
	default: // one is due already
	}
}

// until waits until there says so, and asks it at each poke and from time to time.
func (p poke) until(ctx context.Context, there func() (bool, error)) error {
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
