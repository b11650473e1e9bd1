package daemon

import (
	"runtime/debug"
	"sync"
	"time"
)

// Memory goes back to the system soon, not minutes later, as the runtime would do
// it: the daemon stays all day for the sake of a few events.
const (
	largeEvent = 8 << 20                // after one of these, memory goes back at once
	largeWait  = 200 * time.Millisecond // that is, when its record is written too
	calmTime   = 2 * time.Second        // without a request, what is held beyond calmHeld goes back
	calmHeld   = 16 << 20
)

// easing gives memory back. Giving back what the next event needs again would
// cost that event time, so it is done only if there is much of it.
type easing struct {
	large, calm *time.Timer
	free        func()
	started     sync.Once // what only the start needed is given back
}

func newEasing(s *server) *easing {
	e := &easing{free: debug.FreeOSMemory}
	e.large = time.AfterFunc(time.Hour, func() { e.free() })
	e.calm = time.AfterFunc(time.Hour, func() {
		if quiet, ok := s.activity.quiet(); ok && quiet >= calmTime && goMemory() > calmHeld {
			e.free()
		}
		e.started.Do(forgetProgram)
	})
	e.stop()
	return e
}

// ended notes that a request has ended, with an event of that size.
func (e *easing) ended(size int) {
	if size > largeEvent {
		e.large.Reset(largeWait)
	}
	e.calm.Reset(calmTime)
}

func (e *easing) stop() {
	e.large.Stop()
	e.calm.Stop()
}
