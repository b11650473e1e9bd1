package terminal

import (
	"sync"
	"time"
)

// tap is a bounded buffer between the output and the reader of lines. Writing
// never waits. When the buffer is full, the older half of it is dropped and
// counted: how a flood ends, with its last screen, is always to be read.
type tap struct {
	limit int
	wake  chan struct{} // holds one token while there is news

	mu      sync.Mutex
	buf     []byte
	spare   []byte // what was taken last, and is written to next
	resized []resized
	lost    bool // output is missing before buf
	ended   bool
	dropped int64
	last    time.Time
}

// resized is a change of the terminal's size, and after how many bytes of the
// buffer it came.
type resized struct {
	after      int
	cols, rows int
}

// mostResized bounds how many changes of size are kept apart; of a storm of them
// only the last ones matter.
const mostResized = 64

func newTap(limit int) *tap {
	return &tap{limit: limit, wake: make(chan struct{}, 1), last: time.Now()}
}

func (t *tap) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = time.Now()
	if len(t.buf)+len(p) > t.limit {
		t.forget(len(t.buf) + len(p) - t.limit/2)
		if more := len(p) - t.limit; more > 0 {
			t.dropped += int64(more)
			p = p[more:]
		}
	}
	t.buf = append(t.buf, p...)
	t.ring()
}

// forget drops the oldest n bytes, or all there are. Of the changes of size before
// them, the last one counts.
func (t *tap) forget(n int) {
	n = min(n, len(t.buf))
	t.buf = t.buf[:copy(t.buf, t.buf[n:])]
	t.dropped += int64(n)
	t.lost = true
	past := 0
	for i := range t.resized {
		r := &t.resized[i]
		if r.after = max(r.after-n, 0); r.after == 0 {
			past = i
		}
	}
	t.resized = t.resized[past:]
}

// resize says that what is written from now on is for a terminal of this size.
func (t *tap) resize(cols, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := resized{len(t.buf), cols, rows}
	if n := len(t.resized); n > 0 && (t.resized[n-1].after == now.after || n == mostResized) {
		t.resized[n-1] = now
	} else {
		t.resized = append(t.resized, now)
	}
	t.ring()
}

// end marks the end of the output.
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

// piece is what a tap holds.
type piece struct {
	bytes   []byte
	resized []resized // while the bytes were written, in order
	lost    bool      // output is missing before the bytes
	ended   bool      // nothing comes after it
}

// take empties the buffer. What it returns is good until the next call: there are
// two buffers, so that a flood allocates nothing.
func (t *tap) take() piece {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := piece{t.buf, t.resized, t.lost, t.ended}
	t.buf, t.spare = t.spare[:0], t.buf
	t.resized, t.lost = nil, false
	return p
}

func (t *tap) lastWrite() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// drop counts bytes that were taken and not read.
func (t *tap) drop(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropped += int64(n)
}

func (t *tap) droppedBytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped
}
