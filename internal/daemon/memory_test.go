package daemon

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire/call"
)

func TestMemoryGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(Config{})
		defer s.cancel(nil)
		defer s.easing.stop()
		freed := 0
		s.easing.free = func() { freed++ }
		after := func(d time.Duration, want int, when string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if freed != want {
				t.Errorf("%s: given back %d times, want %d", when, freed, want)
			}
		}
		s.easing.ended(largeEvent)
		after(calmTime/2, 0, "after a small event")
		s.easing.ended(largeEvent + 1)
		after(calmTime/2, 1, "soon after a large one")
		ballast := make([]byte, 2*calmHeld) // much is held
		s.easing.ended(1)
		s.activity.begin()
		after(2*calmTime, 1, "while something runs")
		s.activity.end()
		s.easing.ended(1)
		after(2*calmTime, 2, "when it is calm")
		after(time.Hour, 2, "later")
		ballast[0] = 1
	})
}

// TestALargeEventIsNotKept measures what a daemon of this process still holds.
func TestALargeEventIsNotKept(t *testing.T) {
	const size = 48 << 20
	d := start(t, Config{Handle: func(context.Context, Peer, *call.Request) call.Reply { return call.Reply{} }})
	c := dial(t, d.Places)
	before := goMemory()
	ask(t, c, strings.Repeat("x", size))
	eventually.True(t, "the memory is given back, while the connection is open", func() bool { return goMemory() < before+size/2 })
	ask(t, c, "on")
}
