package terminal

import (
	"sync"
	"time"
)

// tap is a bounded buffer between the output and whoever reads lines. Writing
// never waits. When the buffer is full, all that is written until the reader
// has emptied it is dropped and counted.
type tap struct {
	limit int
	wake  chan struct{} // holds one token while there is news

	mu      sync.Mutex
	buf     []byte
	lost    bool // output is missing after buf
	ended   bool
	dropped int64
	last    time.Time
}

func newTap(limit int) *tap {
	return &tap{limit: limit, wake: make(chan struct{}, 1), last: time.Now()}
}

func (t *tap) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = time.Now()
	n := 0
	if !t.lost {
		n = min(len(p), t.limit-len(t.buf))
		t.buf = append(t.buf, p[:n]...)
	}
	if n < len(p) {
		t.lost = true
		t.dropped += int64(len(p) - n)
	}
	t.ring()
}

// end says that there is no more.
func (t *tap) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.ring()
}

func (t *tap) ring() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// take returns what was written, whether output is missing after it, and
// whether it is the last.
func (t *tap) take() (p []byte, lost, ended bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, lost = t.buf, t.lost
	t.buf, t.lost = nil, false
	return p, lost, t.ended
}

func (t *tap) lastWrite() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

func (t *tap) droppedBytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped
}
