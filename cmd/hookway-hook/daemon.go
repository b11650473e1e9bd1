package main

import (
	"errors"
	"os"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/wire/call"
)

// Bounds of how long the daemon is waited for, beside the deadline.
const (
	longestStart = 5 * time.Second
	firstCheck   = time.Second // then it is asked whether it is still there
	longestPing  = time.Second
	secondChance = 250 * time.Millisecond // for one that hung before
)

// errHangs is why a daemon that is there is not waited for.
var errHangs = errors.New("the daemon hangs; hookway stop ends it")

// ask gets the daemon's answer. An error means that it has none. A daemon that
// ended just now, as an idle one does, is replaced once.
func (s *shim) ask(stdin []byte) (*call.Reply, error) {
	places, err := call.Find(os.Getenv)
	if err != nil {
		return nil, err
	}
	if lately, ever := places.Stuck(); lately {
		return nil, errors.New("the daemon hung a moment ago; hookway stop ends it")
	} else if ever {
		if !s.pings(places, min(secondChance, time.Until(s.deadline)/4)) {
			places.MarkStuck()
			return nil, errHangs
		}
		places.ClearStuck()
	}
	reply, err := s.askOnce(places, stdin)
	var gone *goneError
	if errors.As(err, &gone) && !s.inside.Load() {
		reply, err = s.askOnce(places, stdin)
	}
	return reply, err
}

// errOwnProcess says that the daemon leaves the event to the full binary. It is not noted.
var errOwnProcess = errors.New(call.OwnProcess)

// goneError says that the daemon ended before it answered.
type goneError struct{ why string }

func (e *goneError) Error() string { return "the daemon gave no answer: " + e.why }

func (s *shim) askOnce(places call.Places, stdin []byte) (*call.Reply, error) {
	conn, err := s.connect(places)
	if err != nil {
		return nil, errors.New("the daemon cannot be reached: " + err.Error())
	}
	keep := false
	defer func() {
		if !keep {
			conn.Close()
		}
	}()
	left := time.Until(s.deadline)
	check := time.AfterFunc(min(firstCheck, left/4), s.guard(func() { s.checkDaemon(places, min(longestPing, left/4)) }))
	defer check.Stop()
	dir, _ := os.Getwd() // the daemon finds another, or says that it needs one
	sent := call.WriteRequest(conn, &call.Request{
		Kind: call.KindTold, Version: version, Agent: s.agent, Event: s.options.event, Policy: s.policy,
		Dir: dir, Env: os.Environ(), Timeout: left, Stdin: stdin,
	})
	if sent == nil {
		s.waits.Store(conn)
	}
	reply, err := call.ReadReply(conn) // also if it took not all: it may have said why
	s.waits.Store(nil)
	switch {
	case err == nil && reply.Err == "":
		if reply.Ask {
			keep = true // until the end of the process
			s.asks.Store(conn)
		}
		return reply, nil
	case err == nil && reply.Err == call.OwnProcess:
		return nil, errOwnProcess
	case err == nil:
		return nil, errors.New("the daemon could not answer: " + reply.Err)
	case sent != nil:
		err = sent
	}
	if understood(err) {
		return nil, &goneError{err.Error()}
	}
	return nil, errors.New("the daemon gave no answer: " + err.Error())
}

// understood reports whether an error is one of the connection, and not of what
// was said on it.
func understood(err error) bool {
	var version *call.VersionError
	return !errors.Is(err, call.ErrNoFrame) && !errors.Is(err, call.ErrMalformed) && !errors.Is(err, call.ErrTooLarge) &&
		!errors.As(err, &version)
}

// checkDaemon asks a daemon that does not answer whether it is still there. Its hooks may take their
// time, as long as it is there itself.
func (s *shim) checkDaemon(places call.Places, most time.Duration) {
	if !s.pings(places, most) {
		places.MarkStuck()
		s.note(errHangs.Error())
		s.without(errHangs.Error())
	}
}

// busyPause gives the pauses while the daemon's queue is full.
var busyPause = backoff.Backoff{First: time.Millisecond, Most: 8 * time.Millisecond}

// pings asks whether the daemon still takes calls. Silence means that it hangs. Any
// answer will do, a refused connection too: a daemon that is ending does not
// listen any more, but answers what it was asked. If it dies, askOnce hears of it.
func (s *shim) pings(places call.Places, most time.Duration) bool {
	alive := make(chan struct{})
	go s.guarded(func() {
		conn, err := dial(places.Socket, time.Now().Add(2*most))
		if err != nil && busy(err) {
			return // a full queue is silence
		}
		defer close(alive)
		if err != nil {
			return
		}
		defer conn.Close()
		if call.WriteRequest(conn, &call.Request{Kind: call.KindPing, Version: version}) == nil {
			_, _ = call.ReadReply(conn)
		}
	})
	select {
	case <-alive:
		return true
	case <-time.After(most):
		return false
	}
}

// errStranger is why a socket is left alone.
var errStranger = errors.New("another user listens there, and is not asked; remove it")

// connect connects to the daemon, and starts it if there is none.
func (s *shim) connect(places call.Places) (*os.File, error) {
	left := time.Until(s.deadline)
	deadline := time.Now().Add(min(left/3, longestStart))
	var conn *os.File
	var err error
	up := func() bool {
		conn, err = dial(places.Socket, time.Now().Add(min(firstCheck, left/4)))
		return err == nil
	}
	if err := call.CheckDir(places.Dir); err == nil {
		if up() {
			return conn, nil
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err // never ask a stranger
	}
	if errors.Is(err, errStranger) {
		return nil, err
	}
	if err != nil && busy(err) { // its queue is full, and it accepts no connection
		places.MarkStuck()
		return nil, errHangs
	}
	program, err := full()
	if err != nil {
		return nil, err
	}
	s.heed()
	starter := call.Starter{Places: places, Program: program, Up: up, Deadline: deadline}
	if err := starter.Start(); err != nil {
		return nil, err
	}
	return conn, nil
}
