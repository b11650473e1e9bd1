package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/terminal"
)

const (
	hooksLimit  = time.Minute     // for all hooks of SessionStart or SessionEnd
	drainLimit  = time.Minute     // for hooks that still run after the program's end
	typeLimit   = 5 * time.Second // to type what SessionEnd's hooks inject
	answerLimit = 5 * time.Second // for the agent to answer that
	answerStill = time.Second     // an answer is over after that much silence
)

// stop announces the end to the living program, gives it time to answer, and
// ends it. A program that has just ended by itself needs none of that. A signal
// that comes meanwhile ends the waiting for its answer, and one that comes then
// kills it.
func (s *session) stop(ctx context.Context, reason string, sig os.Signal) {
	select {
	case <-s.program.Done():
		return
	default:
	}
	s.announce(ctx, reason)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.program.Stop(sig)
	}()
	for {
		select {
		case <-stopped:
			return
		case <-s.signals:
			s.heed()
			s.program.Kill()
		}
	}
}

// announce announces the end to the living program and gives it time to answer.
func (s *session) announce(ctx context.Context, reason string) {
	if inject := s.end(ctx, hook.SessionSummary{Reason: reason}); inject != "" {
		s.awaitAnswer(s.typist.put(inject))
	}
}

// ending is an end that comes from the user's terminal.
type ending struct {
	reason string
	done   chan struct{}
}

// part returns what the terminal calls when the user is about to end the program,
// or is gone.
func (s *session) part(reason string) func(context.Context) {
	return func(ctx context.Context) {
		if !s.interest.in(hook.SessionEnd) {
			return
		}
		s.leaving.Store(&reason)
		p := ending{reason, make(chan struct{})}
		select {
		case s.endings <- p:
		case <-ctx.Done():
			return
		}
		select {
		case <-p.done:
		case <-ctx.Done():
		}
	}
}

// end fires SessionEnd, unless that was done. It also does when ctx has ended.
func (s *session) end(ctx context.Context, summary hook.SessionSummary) (inject string) {
	if s.ended {
		return ""
	}
	s.ended = true
	summary.DurationMS = time.Since(s.began).Milliseconds()
	tell := func(ctx context.Context) { inject = fire(ctx, s, hook.SessionEnd, summary) }
	if s.hooks != nil { // the agent may have reported it
		first := tell
		tell = func(ctx context.Context) { s.hooks.End(ctx, first) }
	}
	s.interruptible(context.WithoutCancel(ctx), hooksLimit, tell)
	return inject
}

// awaitAnswer waits until the program has answered to the text and is still,
// has ended, or has had its time.
func (s *session) awaitAnswer(text *injection) {
	limit := time.NewTimer(typeLimit)
	defer limit.Stop()
	typed := text.written
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-typed:
			if !text.typed() {
				return
			}
			typed = nil
			limit.Reset(answerLimit)
		case <-look.C:
			answered := typed == nil && s.outputs.Load() > text.outputsBefore
			if answered && s.busy.Load() == 0 && time.Since(s.program.LastOutput()) >= answerStill {
				return
			}
		case <-limit.C:
			return
		case <-s.signals:
			s.heed()
			return
		case <-s.program.Done():
			return
		}
	}
}

// interruptible calls do with a context that ends with ctx, after the limit,
// or with the next signal, which it returns.
func (s *session) interruptible(ctx context.Context, limit time.Duration, do func(context.Context)) os.Signal {
	if s.hurried {
		limit = 0
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(ctx)
	}()
	select {
	case <-done:
		return nil
	case sig := <-s.signals:
		s.heed()
		cancel()
		<-done
		return sig
	}
}

// heed notes a signal. After the second one nothing is waited for.
func (s *session) heed() { s.stopping, s.hurried = true, s.stopping }

// stopSignals are those that ask a session to end.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// caught returns the signal that has ended the caller's context, or nil if that
// was something else. One signal reaches all who have asked for it, in any
// order; signal.Stop waits until this session has its own copy.
func (s *session) caught() os.Signal {
	old := s.signals
	s.signals = make(chan os.Signal, cap(old))
	signal.Notify(s.signals, stopSignals...)
	signal.Stop(old)
	select {
	case sig := <-old:
		return sig
	default:
		return nil
	}
}

// signalled is the error of a session that a signal has stopped before the
// program was started.
type signalled struct {
	program string
	signal  os.Signal
}

func (e *signalled) Error() string {
	return fmt.Sprintf("%s was not started: hookway got the signal %q", e.program, e.signal)
}

func signalReason(sig os.Signal) string {
	if sig == os.Interrupt {
		return "interrupted"
	}
	return "terminated"
}

// startReason says why a session has ended before the program has run.
func startReason(cause error) string {
	var sig *signalled
	switch {
	case errors.As(cause, &sig):
		return signalReason(sig.signal)
	case errors.Is(cause, context.Canceled), errors.Is(cause, context.DeadlineExceeded):
		return "cancelled"
	}
	return "start_failed"
}

func (s *session) exitSummary(status terminal.ExitStatus) hook.SessionSummary {
	summary := hook.SessionSummary{Reason: "exit", ExitCode: &status.Code}
	if reason := s.leaving.Load(); reason != nil { // too late to announce it
		summary.Reason = *reason
	} else if status.Signal != nil {
		summary.Reason = "signal"
	}
	return summary
}

// lullAfter is how long a program is silent before it waits for its input, and
// not for us.
const lullAfter = time.Second

// inputEnd returns what keeps the end of the input from the program, or nil if
// there are no hooks whose text is typed to it.
func (s *session) inputEnd() func(context.Context) {
	if s.interest.in(hook.SessionStart) || s.interest.in(hook.Output) || s.interest.in(hook.Directive) ||
		s.threshold > 0 && s.interest.in(hook.Idle) {
		return s.awaitLull
	}
	return nil
}

// awaitLull waits until the hooks have nothing to say to the program.
func (s *session) awaitLull(ctx context.Context) {
	select {
	case <-s.lull:
	case <-ctx.Done():
	}
}

// offerLull ends awaitLull if the hooks have nothing to say. The listener
// calls it, so everything printed before has been handed to the hooks. They
// are asked before the clock: a text that was just typed counts as typed.
func (l *listener) offerLull() {
	if l.output.busy() || l.busy.Load() > 0 {
		return
	}
	if time.Since(l.program.LastOutput()) < lullAfter || time.Since(l.typist.lastTyped()) < lullAfter {
		return
	}
	select {
	case l.lull <- struct{}{}:
	default: // nothing waits for it
	}
}
