package command

import "sync"

// tally counts what is under way, and lets one wait for its end. Unlike a
// sync.WaitGroup it can be closed: then nothing more begins.
type tally struct {
	mu     sync.Mutex
	n      int
	closed bool
	idle   chan struct{} // made by close; closed when nothing is under way
}

// begin counts one more, unless the tally is closed.
func (t *tally) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.n++
	return true
}

// end is called once for each begin that was granted.
func (t *tally) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
	if t.closed && t.n == 0 {
		close(t.idle)
	}
}

// close lets nothing more begin. The channel is closed when all has ended.
func (t *tally) close() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed, t.idle = true, make(chan struct{})
		if t.n == 0 {
			close(t.idle)
		}
	}
	return t.idle
}
