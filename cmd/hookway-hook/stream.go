package main

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// A stream answers the events of an agent that keeps this process: one after
// another, and several at once. It knows one way to an answer, the daemon. Of an
// event that it has none for it says so, and the agent starts a hookway-hook for
// that event alone, which knows the others, and how to refuse.
//
// An event comes as three numbers of four bytes, the highest first: its own, which
// the answer repeats, and the lengths of its name and its JSON, which follow. An
// answer has its number, how it ends, and the length of what follows.
const (
	streamAnswered = 0 // with what hookway-hook would print
	streamRefused  = 2 // with the reason
	streamUnable   = 3 // another one is to be started

	mostStreamed = 64 // events that wait for the daemon at once
)

type stream struct {
	*shim
	environ []string
	dir     string

	waiting chan struct{} // as many as wait for the daemon
	writing sync.Mutex
}

// runStream answers until the agent has no more events, or is gone.
func runStream(o options) {
	t := &stream{shim: &shim{options: o}, environ: os.Environ(), waiting: make(chan struct{}, mostStreamed)}
	t.dir, _ = os.Getwd()
	for {
		id, event, stdin, err := readStreamed(os.Stdin)
		if err != nil {
			return
		}
		select {
		case t.waiting <- struct{}{}:
			t.begin(id, event, stdin)
		default:
			t.say(id, streamUnable, nil)
		}
	}
}

func readStreamed(r io.Reader) (id uint32, event string, stdin []byte, err error) {
	var head [12]byte
	if _, err = io.ReadFull(r, head[:]); err != nil {
		return
	}
	id = uint32At(head[:])
	n, m := uint32At(head[4:]), uint32At(head[8:])
	if n > call.MaxText || m > call.MaxStdin {
		return id, "", nil, errors.New("the event is too large")
	}
	text := make([]byte, n+m)
	_, err = io.ReadFull(r, text)
	return id, string(text[:n]), text[n:], err
}

// begin hands an event to the daemon, in the order in which they came. A daemon
// that hangs ends this process: then nothing waits for it.
func (t *stream) begin(id uint32, event string, stdin []byte) {
	wait := t.timeout
	if call.Holds(t.agent, event) {
		wait = max(wait, t.hold)
	}
	left := patience(options{agent: t.agent, event: event, timeout: wait})
	places, err := call.Find(os.Getenv)
	if err != nil || os.Getenv("HOOKWAY_DAEMON") == "off" || call.CheckDir(places.Dir) != nil {
		t.done(id, streamUnable, nil)
		return
	}
	if _, ever := places.Stuck(); ever {
		t.done(id, streamUnable, nil)
		return
	}
	check := time.AfterFunc(min(firstCheck, left/4), func() {
		if !t.pings(places, min(longestPing, left/4)) {
			places.MarkStuck()
			os.Exit(1)
		}
	})
	conn, err := dial(places.Socket, time.Now().Add(min(firstCheck, left/4)))
	if err == nil {
		err = call.WriteRequest(conn, &call.Request{
			Kind: call.KindTold, Version: version, Agent: t.agent, Event: event, Policy: t.policy,
			Dir: t.dir, Env: t.environ, Timeout: left, Stdin: stdin,
		})
		if err != nil {
			conn.Close()
		}
	}
	if err != nil {
		check.Stop()
		t.done(id, streamUnable, nil)
		return
	}
	go func() {
		defer conn.Close()
		reply, err := call.ReadReply(conn)
		check.Stop()
		switch {
		case err != nil || reply.Err != "":
			t.done(id, streamUnable, nil)
			return
		case reply.ExitCode == streamAnswered:
			t.done(id, streamAnswered, reply.Stdout)
		case reply.ExitCode == streamRefused:
			t.done(id, streamRefused, reply.Stderr)
		default:
			t.done(id, streamUnable, nil)
			return
		}
		if reply.Ask {
			_ = call.WriteRequest(conn, &call.Request{Kind: call.KindShown, Version: version})
		}
	}()
}

// done answers an event that waited.
func (t *stream) done(id uint32, how int, text []byte) {
	t.say(id, how, text)
	<-t.waiting
}

// say writes an answer. Without anybody who reads it there is nothing left to do.
func (t *stream) say(id uint32, how int, text []byte) {
	t.writing.Lock()
	defer t.writing.Unlock()
	out := make([]byte, 0, 12+len(text))
	for _, n := range [...]uint32{id, uint32(how), uint32(len(text))} { //nolint:gosec // what is read is bounded
		out = append(out, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	if write(stdout, append(out, text...)) != nil {
		os.Exit(1)
	}
}

func uint32At(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}
