package hooktest

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// probe sees work on the far side of a handler begin and end: the performer
// is connected to it as long as it works, wherever it runs.
type probe struct {
	listener net.Listener
	began    chan struct{}
	ended    chan struct{}
	wg       sync.WaitGroup
}

// maxProbed bounds how many performers a probe sees.
const maxProbed = 128

func newProbe() (*probe, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &probe{listener: l, began: make(chan struct{}, maxProbed), ended: make(chan struct{}, maxProbed)}
	w.wg.Go(w.accept)
	return w, nil
}

func (w *probe) address() string { return w.listener.Addr().String() }

func (w *probe) accept() {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.wg.Go(func() {
			defer conn.Close()
			w.began <- struct{}{}
			_, _ = io.Copy(io.Discard, conn) // until the performer is gone
			w.ended <- struct{}{}
		})
	}
}

// close ends the probe. Performers that are still there are let go by the
// handler's end, which comes first.
func (w *probe) close() {
	w.listener.Close()
}

var errNotSeen = errors.New("nothing of the kind was seen")

func await(what <-chan struct{}, atMost time.Duration) error {
	t := time.NewTimer(atMost)
	defer t.Stop()
	select {
	case <-what:
		return nil
	case <-t.C:
		return errNotSeen
	}
}
