package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/terminal"
)

// Run runs the program until its end and returns how it ended. The program
// finds the session's id and the agent's name in HOOKWAY_SESSION and
// HOOKWAY_AGENT, so that what it reports by itself has the same session.
//
// When ctx ends, or this process gets SIGINT or SIGTERM, the agent is warned by
// SessionEnd's hooks and then ended; the error wraps that of ctx. A second
// signal makes that quick. A ctx that ends by these signals too, as that of
// signal.NotifyContext does, changes nothing of that.
//
// The error is about the running, not about the exit status. If the program
// could not be started the status has Code -1.
func Run(ctx context.Context, cfg Config) (terminal.ExitStatus, error) {
	failed := terminal.ExitStatus{Code: -1}
	switch {
	case cfg.Engine == nil:
		return failed, errors.New("a session needs an engine: set Config.Engine")
	case len(cfg.Command) == 0:
		return failed, errors.New("no command to run: give a program and its arguments")
	case ctx.Err() != nil:
		return failed, fmt.Errorf("run %s: %w", cfg.Command[0], ctx.Err())
	}
	s, err := newSession(cfg)
	if err != nil {
		return failed, err
	}
	signal.Notify(s.signals, stopSignals...)
	defer func() { signal.Stop(s.signals) }()
	defer s.warnings.release()
	defer s.interest.close()
	defer s.open(cfg)()

	inject, cause := s.start(ctx)
	if cause == nil {
		s.begin(inject)
		cause = s.launch(ctx, cfg)
	}
	if cause != nil {
		s.warnings.release()
		s.end(ctx, hook.SessionSummary{Reason: startReason(cause)})
		return failed, cause
	}
	defer s.program.Close() // also when this goroutine panics
	return s.supervise(ctx)
}

func newSession(cfg Config) (*session, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the working directory: %w", err)
	}
	env := hook.Envelope{Session: cfg.ID, Agent: cfg.Name, Source: cfg.Source, CWD: dir}
	if env.Session == "" {
		env.Session = NewID()
	}
	if env.Agent == "" {
		env.Agent = filepath.Base(cfg.Command[0])
	}
	if env.Source == "" {
		env.Source = "run"
	}
	s := &session{
		engine: cfg.Engine, env: env, command: cfg.Command, native: cfg.Native && cfg.AgentHooks == nil, hooks: cfg.AgentHooks,
		ended:     cfg.Native && cfg.AgentHooks == nil,
		record:    cfg.Record,
		unknown:   cfg.Unknown,
		attending: cfg.Attend,
		threshold: max(cfg.IdleThreshold, 0),
		began:     time.Now(),
		signals:   make(chan os.Signal, 4),
		warnings:  newWarnings(cfg.Warn),
		interest:  newInterest(cfg.Engine),
		output:    newOutbox(),
		calls:     newCalls(),
		lull:      make(chan struct{}),
		endings:   make(chan ending),
	}
	s.seen = env
	s.seen.Metadata = map[string]any{"via": "screen"}
	if cfg.IdleThreshold == 0 {
		s.threshold = DefaultIdleThreshold
	}
	if s.quotes = cfg.Quotes; s.quotes == nil {
		s.quotes = &Quotes{}
	}
	s.typist = newTypist(s)
	s.history = newHistory(cfg.History, env.Session, func(err error) { s.warnings.addf("%v", err) })
	s.mail, s.memory = newMail(s, cfg.Mail), cfg.Memory
	s.view = newView(s, cfg)
	return s, nil
}

// start fires SessionStart. The error says that the session is to end before
// it has begun.
func (s *session) start(ctx context.Context) (inject string, stopped error) {
	sig := s.interruptible(ctx, hooksLimit, func(ctx context.Context) {
		if !s.native {
			inject = fire(ctx, s, hook.SessionStart, hook.SessionInfo{Source: "startup"})
		}
	})
	if sig == nil && ctx.Err() != nil {
		if sig = s.caught(); sig != nil {
			s.heed()
		}
	}
	if sig != nil {
		return "", &signalled{s.command[0], sig}
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("run %s: %w", s.command[0], err)
	}
	return inject, nil
}

// launch starts the program.
func (s *session) launch(ctx context.Context, cfg Config) (err error) {
	// The program outlives ctx: its end is announced first.
	s.program, err = terminal.Start(context.WithoutCancel(ctx), terminal.Config{
		Command: cfg.Command, Dir: cfg.Dir,
		Env:   s.view.Env(),
		Stdin: cfg.Stdin, Stdout: cfg.Stdout, End: s.inputEnd(),
		Leaving: s.part("interrupted"), Hangup: s.part("hangup"),
		Signals: passedOn, // SessionEnd announces the others
	})
	return err
}

// supervise accompanies the program to its end.
func (s *session) supervise(ctx context.Context) (terminal.ExitStatus, error) {
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	s.follow = newFollow(s)
	drained := s.work(work)
	attended := s.attend(work)

	cause := s.accompany(ctx)
	status, err := s.program.Wait()
	attended()
	s.warnings.release()

	s.interruptible(context.WithoutCancel(ctx), drainLimit, func(ctx context.Context) {
		select {
		case <-drained:
		case <-ctx.Done():
		}
	})
	abandon()
	<-drained
	s.account()
	s.end(ctx, s.exitSummary(status))
	return status, errors.Join(err, cause)
}

// accompany waits until the program has ended, or is to end.
func (s *session) accompany(ctx context.Context) (cause error) {
	for {
		select {
		case <-s.program.Done():
		case p := <-s.endings:
			s.announce(ctx, p.reason)
			close(p.done)
			continue
		case <-ctx.Done():
			reason, sig := "cancelled", s.caught()
			if sig != nil {
				s.heed()
				reason = signalReason(sig)
			} else {
				cause, sig = fmt.Errorf("run %s: %w", s.command[0], ctx.Err()), syscall.SIGTERM
			}
			s.stop(ctx, reason, sig)
		case sig := <-s.signals:
			s.heed()
			s.stop(ctx, signalReason(sig), sig)
		}
		return cause
	}
}

// work starts the goroutines between terminal and hooks. The channel is closed
// when all of them have ended, which they do after the program's end or, if
// that takes too long, soon after the end of ctx.
func (s *session) work(ctx context.Context) (drained <-chan struct{}) {
	var firing, typing sync.WaitGroup
	s.spawn(&firing, func() {
		terminal.Behind() // the user's bytes go before ours
		newListener(s).run()
	})
	s.spawn(&firing, func() { s.fireOutput(ctx) })
	s.spawn(&firing, func() { s.fireCalls(ctx) })
	s.spawn(&firing, func() { s.mail.Run(ctx) })
	s.spawn(&typing, func() { s.typist.run(ctx) })
	s.spawn(&typing, func() { s.carryFirst(ctx) })
	if s.follow != nil {
		s.spawn(&firing, func() { s.follow.run(ctx) })
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		firing.Wait()
		s.typist.close()
		typing.Wait()
	}()
	return done
}

// spawn starts a goroutine that gives the user's terminal back if it panics.
func (s *session) spawn(group *sync.WaitGroup, do func()) {
	group.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				s.program.Close()
				panic(v)
			}
		}()
		do()
	})
}

// attend starts what looks after the user's terminal beside the program, and gives what
// ends it. It is not waited for: a terminal that takes nothing may have it.
func (s *session) attend(ctx context.Context) (end func()) {
	ctx, end = context.WithCancel(ctx)
	if s.attending != nil {
		s.spawn(&sync.WaitGroup{}, func() { s.attending(ctx, s.program.Title) })
	}
	return end
}

// account tells the user what did not reach the hooks.
func (s *session) account() {
	if n := s.program.Dropped(); n > 0 {
		s.warnings.addf("hookway was too slow to read %d bytes of the output; hooks have not seen them", n)
	}
	if n := s.output.droppedLines(); n > 0 {
		s.warnings.addf("the Output hooks were too slow: they have not seen %d lines", n)
	}
	if n := s.calls.dropped.Load(); n > 1 {
		s.warnings.addf("the Directive hooks were too slow: %d directives were dropped", n)
	}
	if n := s.typist.late.Load(); n > 0 {
		s.warnings.addf("the program ended before all texts of hooks were typed; not typed: %d", n)
	}
}

// open lets the session be reached, and registers the built-in directives. What
// it returns undoes both.
func (s *session) open(cfg Config) (closed func()) {
	remove, err := s.builtins()
	if err != nil {
		s.warnings.addf("%v", err)
	}
	stop := func() {}
	if cfg.Reach != nil {
		stop = cfg.Reach(&Control{s})
	}
	return func() {
		stop()
		s.mail.Close()
		remove()
		s.history.close()
	}
}
