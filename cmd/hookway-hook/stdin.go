package main

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// Bounds of reading stdin.
const (
	longestRead = 10 * time.Second
	quiet       = 300 * time.Millisecond // after so long a silence a whole object is taken for all
)

// reading is what was read so far.
type reading struct {
	mu      sync.Mutex
	b       []byte
	at      time.Time // when the last of it came
	end     bool
	waiting *time.Timer
}

// readStdin reads the event to its end. Some agents leave stdin open, so an
// object that has ended is enough once nothing more comes: then the decision is
// made while this one goes on reading.
func (s *shim) readStdin() ([]byte, error) {
	r := &s.reading
	limit := time.Now().Add(min(time.Until(s.deadline)/2, longestRead))
	r.mu.Lock()
	r.at, r.waiting = time.Now(), time.AfterFunc(quiet, s.guard(func() { s.lookAtStdin(limit) }))
	r.mu.Unlock()
	b := make([]byte, 0, 8<<10)
	for {
		n, err := os.Stdin.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > call.MaxEvent:
			return nil, errors.New("the event on stdin is larger than 16 MiB")
		case err != nil && !errors.Is(err, io.EOF):
			return nil, errors.New("stdin cannot be read: " + err.Error())
		}
		if !r.grown(b, err != nil) {
			select {} // the decision is being made
		}
		if err != nil {
			return b, nil
		}
		if len(b) == cap(b) {
			b = append(make([]byte, 0, 2*cap(b)), b...)
		}
	}
}

// grown notes what was read. What was shown is not changed any more. It reports
// false if the end was found without it.
func (r *reading) grown(b []byte, end bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end {
		return false
	}
	r.b, r.at, r.end = b[:len(b):len(b)], time.Now(), end
	return true
}

// lookAtStdin decides without the end of stdin, if there is an event.
func (s *shim) lookAtStdin(limit time.Time) {
	r := &s.reading
	r.mu.Lock()
	if r.end {
		r.mu.Unlock()
		return
	}
	late := time.Until(limit) <= 0
	if wait := quiet - time.Since(r.at); wait > 0 && !late { // it still comes
		r.waiting.Reset(wait)
		r.mu.Unlock()
		return
	}
	whole := call.Complete(r.b)
	if r.end = whole || late; !r.end {
		r.waiting.Reset(quiet)
	}
	b := r.b
	r.mu.Unlock()
	switch {
	case whole:
		s.decide(b)
	case late:
		s.giveUp("the event on stdin did not end in time")
	}
}
