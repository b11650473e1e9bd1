package main

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// Bounds of reading stdin.
const (
	longestRead = 10 * time.Second
	quiet       = 300 * time.Millisecond // after so long a silence a whole object is taken for all
)

// readStdin reads the event. Some agents leave stdin open, so an object that has
// ended is enough once nothing more comes.
func (s *shim) readStdin() ([]byte, error) {
	type state struct {
		b   []byte
		err error
	}
	read := make(chan state, 1)
	grown := make(chan []byte, 1)
	go s.guarded(func() {
		b, err := readAll(os.Stdin, grown)
		read <- state{b, err}
	})
	deadline := time.NewTimer(min(time.Until(s.deadline)/2, longestRead))
	silence := time.NewTimer(quiet)
	var soFar []byte
	for {
		select {
		case r := <-read:
			return r.b, r.err
		case soFar = <-grown:
			silence.Reset(quiet)
		case <-silence.C:
			if call.Complete(soFar) {
				return soFar, nil
			}
		case <-deadline.C:
			if call.Complete(soFar) {
				return soFar, nil
			}
			return nil, errors.New("the event on stdin did not end in time")
		}
	}
}

// readAll reads to the end, and shows what it has when somebody looks. What it
// showed it does not change.
func readAll(r io.Reader, grown chan []byte) ([]byte, error) {
	b := make([]byte, 0, 8<<10)
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > call.MaxStdin:
			return nil, errors.New("the event on stdin is larger than 64 MiB")
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, errors.New("stdin cannot be read: " + err.Error())
		}
		select {
		case <-grown: // nobody looked
		default:
		}
		grown <- b[:len(b):len(b)]
		if len(b) == cap(b) {
			b = append(make([]byte, 0, 2*cap(b)), b...)
		}
	}
}
