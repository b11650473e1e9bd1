// Command hookway-hook is what an agent starts at every event. It hands the event
// to hookway's daemon, starting it if need be, and prints the answer. If there is
// no daemon, the full hookway judges; if that fails too, it answers by itself, in
// the agent's own words, so that a guard stays closed. It always answers before
// the agent loses patience.
package main

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hookway/hookway/wire/call"
)

func main() { os.Exit(run(time.Now())) }

// run answers one event, and gives the exit code. Whatever happens elsewhere, it
// waits for nothing but an answer, a signal and the deadline.
func run(start time.Time) (code int) {
	o, text, err := parse(os.Args[1:])
	switch {
	case text != "":
		_, _ = os.Stdout.WriteString(text)
		return 0
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endings...)
	s := &shim{options: o, answers: make(chan call.Reply, 4)}
	if err != nil { // an agent that nobody knows is told in every way
		s.note(err.Error())
		code = show(call.Refuse(o.agent, o.event, nil, o.policy, err.Error()), 2)
		s.end()
		return code
	}
	defer func() {
		if p := recover(); p != nil {
			code = show(s.refuse("it panicked"), s.unheard())
		}
	}()
	s.deadline = start.Add(patience(o))
	timer := time.NewTimer(time.Until(s.deadline))
	go s.guarded(s.work)
	for {
		select {
		case reply := <-s.answers:
			code = show(reply, s.unheard())
		case <-timer.C:
			s.note("no answer in time")
			code = show(s.refuse("there was no answer in time"), s.unheard())
		case sig := <-signals:
			if sig == syscall.SIGPIPE { // whoever does not listen need not hear the end
				continue
			}
			s.note("ended by the signal " + sig.String())
			code = show(s.refuse("it was ended by the signal "+sig.String()), s.unheard())
		}
		s.end()
		return code
	}
}

// shim answers one event.
type shim struct {
	options
	deadline time.Time

	answers chan call.Reply // the first one counts
	event   atomic.Pointer[[]byte]
	child   child
	inside  atomic.Bool // the full binary judges
	notes   notes
}

// guarded runs a part of the work. A panic there is an answer like another.
func (s *shim) guarded(part func()) {
	defer func() {
		if p := recover(); p != nil {
			s.note("panic: " + words(p))
			s.answer(s.refuse("it panicked: " + words(p)))
		}
	}()
	part()
}

func words(p any) string {
	switch v := p.(type) {
	case error:
		return v.Error()
	case string:
		return v
	}
	return "unknown"
}

func (s *shim) answer(r call.Reply) {
	select {
	case s.answers <- r:
	default: // there are answers enough
	}
}

// work gets the answer: from the daemon, else from the full binary.
func (s *shim) work() {
	stdin, err := s.readStdin()
	if err != nil {
		s.note(err.Error())
		s.answer(s.refuse(err.Error()))
		return
	}
	s.event.Store(&stdin)
	reply, err := s.ask(stdin)
	if err == nil {
		s.answer(*reply)
		return
	}
	s.without(err.Error())
}

// without gets the answer without the daemon, once.
func (s *shim) without(why string) {
	if !s.inside.CompareAndSwap(false, true) {
		return
	}
	s.note(why)
	reply, err := s.judge(*s.event.Load())
	if err != nil {
		s.note(err.Error())
		s.answer(s.refuse(why + "; without it: " + err.Error()))
		return
	}
	s.answer(*reply)
}

// refuse is the answer if there is none.
func (s *shim) refuse(why string) call.Reply {
	var stdin []byte
	if event := s.event.Load(); event != nil {
		stdin = *event
	}
	return call.Refuse(s.agent, s.options.event, stdin, s.policy, "hookway could not decide: "+why+". Run hookway doctor to see why.")
}

// unheard is the exit code if the answer cannot be printed.
func (s *shim) unheard() int {
	name := s.options.event
	if event := s.event.Load(); name == "" && event != nil {
		name = call.EventName(*event)
	}
	switch {
	case s.policy == call.PolicyContinue:
		return 0
	case call.Gates(s.agent, name):
		return 2
	}
	return 1
}

// show prints an answer, and gives the exit code: another one if stdout took not
// all of it.
func show(r call.Reply, unheard int) int {
	code := r.ExitCode
	if len(r.Stdout) > 0 {
		if _, err := os.Stdout.Write(r.Stdout); err != nil {
			r.Stderr = append(r.Stderr, "hookway's answer could not be printed: "+err.Error()+"\n"...)
			code = unheard
		}
	}
	if len(r.Stderr) > 0 {
		_, _ = os.Stderr.Write(r.Stderr)
	}
	return code
}

// end leaves nothing behind. The answer is out, so it takes its time only within
// the margin.
func (s *shim) end() {
	_ = os.Stdout.Close() // nobody need wait for more
	s.child.end()
	s.notes.write(s.agent, s.options.event)
}
