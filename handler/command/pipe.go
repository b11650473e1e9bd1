package command

import (
	"errors"
	"os"
	"time"
)

// outPipe is our end of a program's stdout or stderr. One goroutine reads it.
type outPipe struct {
	*os.File
	done chan struct{} // closed when it is read no more
	rest int           // how much is still read after the deadline
}

// maxRest is more than a pipe holds on any system: what children that live on
// write meanwhile would go on for ever.
const maxRest = 2 << 20

func newOutPipe(f *os.File) *outPipe {
	return &outPipe{File: f, done: make(chan struct{}), rest: maxRest}
}

// Read reads what comes, and from its deadline on only what is there already.
func (o *outPipe) Read(b []byte) (int, error) {
	n, err := o.File.Read(b)
	if n > 0 || o.rest <= 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	n, err = readNow(o.File, b)
	o.rest -= n
	return n, err
}

// ended is called by the reader.
func (o *outPipe) ended() { close(o.done) }

func waitBoth(a, b <-chan struct{}, atMost time.Duration) bool {
	t := time.NewTimer(atMost)
	defer t.Stop()
	for _, done := range []<-chan struct{}{a, b} {
		select {
		case <-done:
			continue
		default:
		}
		select {
		case <-done:
		case <-t.C:
			return false
		}
	}
	return true
}
