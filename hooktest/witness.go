package hooktest

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// witness sees work on the far side of a handler begin and end: the performer
// is connected to it as long as it works, wherever it runs.
type witness struct {
	listener net.Listener
	began    chan struct{}
	ended    chan struct{}
	wg       sync.WaitGroup
}

// maxWitnessed bounds how many performers a witness sees.
const maxWitnessed = 128

func newWitness() (*witness, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &witness{listener: l, began: make(chan struct{}, maxWitnessed), ended: make(chan struct{}, maxWitnessed)}
	w.wg.Go(w.accept)
	return w, nil
}

func (w *witness) address() string { return w.listener.Addr().String() }

func (w *witness) accept() {
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

// close ends the witness. Performers that are still there are let go by the
// handler's end, which comes first.
func (w *witness) close() {
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
