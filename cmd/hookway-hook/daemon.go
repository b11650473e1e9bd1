package main

import (
	"errors"
	"os"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// Bounds of how long the daemon is waited for, beside the deadline.
const (
	longestStart = 5 * time.Second
	firstDoubt   = 2 * time.Second // then it is asked whether it is still there
	longestPing  = 3 * time.Second
)

// ask gets the daemon's answer. An error means that it has none.
func (s *shim) ask(stdin []byte) (*call.Reply, error) {
	places, err := call.Find(os.Getenv)
	if err != nil {
		return nil, err
	}
	conn, err := s.connect(places)
	if err != nil {
		return nil, errors.New("the daemon cannot be reached: " + err.Error())
	}
	defer conn.Close()
	left := time.Until(s.deadline)
	doubt := time.AfterFunc(min(firstDoubt, left/4), func() {
		s.guarded(func() { s.ping(places, min(longestPing, left/4)) })
	})
	defer doubt.Stop()
	dir, _ := os.Getwd() // the daemon finds another, or says that it needs one
	sent := call.WriteRequest(conn, &call.Request{
		Kind: call.KindHook, Version: version, Agent: s.agent, Event: s.options.event, Policy: s.policy,
		Dir: dir, Env: os.Environ(), Timeout: left, Stdin: stdin,
	})
	reply, err := call.ReadReply(conn) // also if it took not all: it may have said why
	switch {
	case err == nil && reply.Err == "":
		return reply, nil
	case err == nil:
		return nil, errors.New("the daemon could not answer: " + reply.Err)
	case sent != nil:
		err = sent
	}
	return nil, errors.New("the daemon gave no answer: " + err.Error())
}

// ping asks whether the daemon still takes calls. Silence means that it hangs. Any
// answer will do, a refused connection too: a daemon that is ending does not
// listen any more, but answers what it was asked. If it dies, ask hears of it.
func (s *shim) ping(places call.Places, most time.Duration) {
	alive := make(chan struct{})
	go s.guarded(func() {
		defer close(alive)
		conn, err := dial(places.Socket, time.Now().Add(2*most)) // a full queue is silence
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
	case <-time.After(most):
		s.note("the daemon hangs")
		s.without("the daemon hangs")
	}
}

// connect connects to the daemon, and starts it if there is none.
func (s *shim) connect(places call.Places) (*os.File, error) {
	left := min(time.Until(s.deadline)/3, longestStart)
	deadline := time.Now().Add(left)
	var conn *os.File
	up := func() bool {
		var err error
		conn, err = dial(places.Socket, deadline)
		return err == nil
	}
	if err := call.CheckDir(places.Dir); err == nil {
		if up() {
			return conn, nil
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err // never ask a stranger
	}
	program, err := full()
	if err != nil {
		return nil, err
	}
	starter := call.Starter{Places: places, Program: program, Up: up, Deadline: deadline}
	if err := starter.Start(); err != nil {
		return nil, err
	}
	return conn, nil
}
