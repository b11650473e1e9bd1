// Command hookway-hook is what an agent starts at every event. It hands the event
// to hookway's daemon, starting it if need be, and prints the answer. If there is
// no daemon, the full hookway judges; if that fails too, it answers by itself, in
// the agent's own words, so that a guard stays closed. It always answers before
// the agent loses patience.
package main

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/wire/call"
)

func main() {
	call.DropOneThread()
	o, text, err := parse(os.Args[1:])
	if text != "" {
		_, _ = os.Stdout.WriteString(text)
		return
	}
	if o.stream && err == nil {
		runStream(o)
		return
	}
	s := &shim{options: o}
	s.guarded(func() { s.run(err) })
}

// shim answers one event. What it waits for is waited for in the main goroutine,
// so that the usual case starts no thread; the clock and signals answer from
// theirs. The first answer counts, and ends the process.
type shim struct {
	options
	deadline time.Time

	heeding  sync.Once
	answered atomic.Bool
	code     atomic.Int32           // of the exit, should the answer not get out
	event    atomic.Pointer[[]byte] // the whole event, once it is read
	reading  reading
	inside   atomic.Bool // the full binary judges
	child    child
	notes    notes
	asks     atomic.Pointer[os.File] // the daemon that wants to know when its answer is printed
	waits    atomic.Pointer[os.File] // the daemon whose answer is waited for
}

// run gets the answer: from the daemon, else from the full binary.
func (s *shim) run(wrong error) {
	left := patience(s.options)
	s.deadline = time.Now().Add(left)
	if wrong != nil && (s.options.event != "" || s.agent == "") {
		s.refuseLine(wrong)
	}
	time.AfterFunc(left, s.guard(func() { s.giveUp("there was no answer in time") }))
	signal.Ignore(endings...) // it would end without an answer
	time.AfterFunc(heedAfter, s.guard(s.heed))
	stdin, err := s.readStdin()
	if err != nil {
		s.giveUp(err.Error())
	}
	if wrong != nil { // the payload knows the event, and a Stop is not refused
		s.event.Store(&stdin)
		s.refuseLine(wrong)
	}
	s.decide(stdin)
}

// heedAfter is when signals begin to be heeded. Until then they are ignored: most
// answers come sooner, and to listen costs more than all else that is done here.
const heedAfter = 10 * time.Millisecond

// heed makes a signal end the process, with an answer. It comes before
// every start of another process, which would otherwise ignore signals too.
func (s *shim) heed() {
	s.heeding.Do(func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, endings...)
		go s.guarded(func() { s.giveUp("it was ended by the signal: " + (<-signals).String()) })
	})
}

// refuseLine answers a wrong command line. An unknown agent is refused
// in every dialect.
func (s *shim) refuseLine(wrong error) {
	var stdin []byte
	if event := s.event.Load(); event != nil {
		stdin = *event
	}
	s.note(wrong.Error())
	s.answer(call.Refuse(s.agent, s.options.event, stdin, s.policy, wrong.Error()))
}

func (s *shim) decide(stdin []byte) {
	s.event.Store(&stdin)
	if os.Getenv("HOOKWAY_DAEMON") == "off" { // as the user wants, so it is not noted
		s.without("the daemon is switched off by HOOKWAY_DAEMON")
	}
	reply, err := s.ask(stdin)
	if err != nil {
		if !errors.Is(err, errOwnProcess) {
			s.note(err.Error())
		}
		s.without(err.Error())
	}
	s.answer(*reply)
}

// guarded runs a part of the work. A panic there is an answer like another.
func (s *shim) guarded(part func()) {
	defer func() {
		if p := recover(); p != nil {
			s.giveUp("it panicked: " + words(p))
		}
	}()
	part()
}

func (s *shim) guard(part func()) func() { return func() { s.guarded(part) } }

func words(p any) string {
	switch v := p.(type) {
	case error:
		return v.Error()
	case string:
		return v
	}
	return "unknown"
}

// longestShow bounds how long an answer is printed past the deadline, and once
// there is a signal: perhaps the agent does not read. It is within the margin.
const longestShow = 100 * time.Millisecond

// answer prints an answer and ends the process. A second one waits for
// the end, and brings it about if the first one is stuck.
func (s *shim) answer(r call.Reply) { s.answerSelf(r, "") }

// answerSelf is answer for a reply that the shim makes by itself: why says why.
func (s *shim) answerSelf(r call.Reply, why string) {
	if !s.answered.CompareAndSwap(false, true) {
		time.Sleep(longestShow)
		s.exit()
	}
	s.code.Store(int32(s.unprinted())) //nolint:gosec // 0 to 2
	time.AfterFunc(max(time.Until(s.deadline), 0)+longestShow, s.exit)
	defer s.exit()
	s.show(r, why)
	s.end()
}

func (s *shim) exit() { os.Exit(int(s.code.Load())) }

// without gets the answer without the daemon, once.
func (s *shim) without(why string) {
	if !s.inside.CompareAndSwap(false, true) {
		select {}
	}
	reply, err := s.judge(*s.event.Load())
	if err != nil {
		s.note(err.Error())
		if !strings.HasSuffix(why, err.Error()) { // once is enough
			why += "; without it: " + err.Error()
		}
		s.answerSelf(s.refusal(why), why)
	}
	s.answer(*reply)
}

// giveUp answers by itself.
func (s *shim) giveUp(why string) {
	s.note(why)
	s.answerSelf(s.refusal(why), why)
}

func (s *shim) refusal(why string) call.Reply {
	var stdin []byte
	if event := s.event.Load(); event != nil {
		stdin = *event
	}
	return call.Refuse(s.agent, s.options.event, stdin, s.policy, "hookway could not decide: "+why+". Run hookway doctor to see why.")
}

// unprinted is the exit code if the answer cannot be printed.
func (s *shim) unprinted() int {
	switch {
	case s.policy == call.PolicyContinue:
		return 0
	case s.gates():
		return 2
	}
	return 1
}

// show prints an answer. Once stdout took all of it, the exit code is the answer's.
func (s *shim) show(r call.Reply, why string) {
	if err := write(stdout, r.Stdout); err != nil {
		r.Stderr = append(r.Stderr, "hookway's answer could not be printed: "+err.Error()+"\n"...)
	} else {
		s.code.Store(int32(r.ExitCode)) //nolint:gosec // as it came from a process
		s.tell(r, why)
	}
	_ = write(stderr, r.Stderr)
}

// tell says to the daemon that its answer is printed, or that it is not waited for
// any more.
func (s *shim) tell(r call.Reply, why string) {
	if conn := s.asks.Load(); r.Ask && conn != nil {
		_ = call.WriteRequest(conn, &call.Request{Kind: call.KindShown, Version: version})
	} else if conn := s.waits.Load(); conn != nil && why != "" {
		policy := call.PolicyContinue
		if s.gates() && s.policy != call.PolicyContinue {
			policy = call.PolicyBlock
		}
		_ = call.GaveUp(conn, &call.GaveUpError{Why: why, Policy: policy})
	}
}

// gates reports whether the event is one that a refusal stops.
func (s *shim) gates() bool {
	name := s.options.event
	if event := s.event.Load(); name == "" && event != nil {
		name = call.EventName(*event)
	}
	return call.Gates(s.agent, name)
}

// end leaves nothing behind. The answer is out, so it takes its time only within
// the margin.
func (s *shim) end() {
	_ = os.Stdout.Close() // the agent need not wait for more
	s.child.end()
	s.notes.write(s.agent, s.options.event, s.deadline)
}
