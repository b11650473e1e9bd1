package daemon

import (
	"sync"
	"time"
)

// activity knows what runs, and since when nothing does. Its methods may be
// called from many goroutines.
type activity struct {
	mu       sync.Mutex
	running  int
	requests int64
	last     time.Time     // of the last change
	none     chan struct{} // if not nil, closed when nothing runs
	over     bool          // nothing more may begin by tryBegin
}

func (a *activity) note() {
	a.mu.Lock()
	a.last = time.Now()
	a.mu.Unlock()
}

func (a *activity) begin() {
	a.mu.Lock()
	a.running++
	a.mu.Unlock()
}

// tryBegin is begin, unless the server has stopped.
func (a *activity) tryBegin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return false
	}
	a.running++
	return true
}

// beginNoMore has tryBegin refuse from now on.
func (a *activity) beginNoMore() {
	a.mu.Lock()
	a.over = true
	a.mu.Unlock()
}

func (a *activity) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running--
	a.last = time.Now()
	if a.running == 0 && a.none != nil {
		close(a.none)
		a.none = nil
	}
}

// count counts a request.
func (a *activity) count() {
	a.mu.Lock()
	a.requests++
	a.mu.Unlock()
}

// quiet is for how long nothing has run; ok is false if something does.
func (a *activity) quiet() (d time.Duration, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Since(a.last), a.running == 0
}

func (a *activity) numbers() (requests int64, running int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requests, a.running
}

// awaitNone waits until nothing runs.
func (a *activity) awaitNone() {
	a.mu.Lock()
	if a.running == 0 {
		a.mu.Unlock()
		return
	}
	if a.none == nil {
		a.none = make(chan struct{})
	}
	none := a.none
	a.mu.Unlock()
	<-none
}
