package command

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxAnswer is the longest answer in bytes; a longer one is a failure.
const maxAnswer = 2 << 20

// maxStderr is how much of stderr is kept: half of it the beginning, half the end.
const maxStderr = 64 << 10

// capture keeps what a program writes up to a limit. Safe for one writer and
// any number of readers.
type capture struct {
	mu   sync.Mutex
	buf  []byte
	over chan struct{} // closed when more came than the limit

	lookout bool          // for a first line that says that the program goes on in the background
	async   chan struct{} // closed when it came
}

func newCapture() *capture {
	return &capture{over: make(chan struct{}), async: make(chan struct{})}
}

// read takes everything from a pipe until it ends. What is beyond the limit is
// dropped, so that the program is not held up while it is being ended.
func (c *capture) read(r io.Reader) {
	chunk := make([]byte, 4096)
	flooded := false
	for {
		n, err := r.Read(chunk)
		if n > 0 && !flooded {
			c.mu.Lock()
			c.buf = append(c.buf, chunk[:n]...)
			flooded = len(c.buf) > maxAnswer
			async := false
			if c.lookout && bytes.IndexByte(c.buf, '}') >= 0 {
				c.lookout = false // the first line is looked at once
				_, async = background(c.buf)
			}
			c.mu.Unlock()
			if async {
				close(c.async)
			}
			if flooded {
				close(c.over)
			}
		}
		if err != nil {
			return
		}
		if n == len(chunk) && len(chunk) < 64<<10 {
			chunk = make([]byte, 64<<10) // a long answer: fewer calls
		}
	}
}

// bytes returns what came so far.
func (c *capture) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.buf[:len(c.buf):len(c.buf)]
}

// headTail keeps the beginning and the end of a stream. Safe for concurrent use.
type headTail struct {
	mu   sync.Mutex
	head []byte
	tail []byte // a ring once it is full
	next int    // where the ring goes on
	lost int64
}

func newHeadTail() *headTail { return new(headTail) }

// read takes everything from a pipe until it ends.
func (h *headTail) read(r io.Reader) {
	var chunk [4096]byte
	for {
		n, err := r.Read(chunk[:])
		h.add(chunk[:n])
		if err != nil {
			return
		}
	}
}

func (h *headTail) add(p []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if room := maxStderr/2 - len(h.head); room > 0 {
		n := min(room, len(p))
		h.head = append(h.head, p[:n]...)
		p = p[n:]
	}
	if room := maxStderr/2 - len(h.tail); room > 0 {
		n := min(room, len(p))
		h.tail = append(h.tail, p[:n]...)
		p = p[n:]
	}
	h.lost += int64(len(p))
	for len(p) > 0 {
		n := copy(h.tail[h.next:], p)
		h.next = (h.next + n) % len(h.tail)
		p = p[n:]
	}
}

// bytes returns what was kept, with a line where the middle is missing.
func (h *headTail) bytes() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.tail) == 0 {
		return bytes.Clone(h.head)
	}
	out := bytes.Clone(h.head)
	if h.lost > 0 {
		out = fmt.Appendf(out, "\n… %d bytes left out …\n", h.lost)
	}
	out = append(out, h.tail[h.next:]...)
	return append(out, h.tail[:h.next]...)
}
