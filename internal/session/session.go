// Package session wraps one agent: it runs the agent's program in a terminal,
// makes events of what the program prints, and types what hooks inject.
//
// # Events
//
//   - SessionStart is fired before the program is started. What its hooks
//     inject is typed when the program is ready: see below.
//   - Output carries the lines that were finished since the last one, joined
//     by line breaks, at most every 100 ms. A line that stands unfinished for a
//     quarter of a second is shown as it is, with Complete false; the next
//     event goes on where it ended, if only with the line's end. What was typed
//     is not output.
//   - Directive is fired for every @namespace:target line that the program
//     prints or paints; not for what was typed. Package directive says what
//     belongs to one. It is complete when the output goes on with something else;
//     15 ms after a line that was printed at once; half a second after one that
//     came in pieces; or at the end of a painted block. Where the agent's own hooks
//     tell what it wrote, that decides whether a painted line is one.
//   - MessageReceived is fired for every message to the agent, before it is typed;
//     MessageSending and MessageSent for what the agent sends. Of what comes from
//     outside nothing is obeyed: see package delivery, and harmless.
//   - Idle is fired once for every time in which nothing was printed or typed
//     for IdleThreshold, unless a directive's hooks are still running or text
//     waits to be typed: then the program waits for us.
//   - The end of Config.Stdin is not an event. If there are hooks whose text may be
//     typed, the program gets the end when they have nothing more to say:
//     no directive or output is with its hooks, no text waits to be typed, and
//     nothing was printed or typed for a second. So a program that reads answers
//     gets them also where no user types.
//   - An agent that calls hooks of its own reports its begin and end too. Through
//     AgentHooks each is fired once, here or there, and a text that is injected
//     while the agent works is in the answer to one of its events, and not typed.
//   - SessionEnd is fired exactly once for every SessionStart. Its reasons are
//     exit and signal (the program has ended; all its output has been seen by
//     hooks), start_failed, interrupted for SIGINT and for the Ctrl-C after which
//     the program says on its screen that it ends, terminated for SIGTERM, hangup
//     for SIGHUP and a terminal that is gone, and cancelled for the end of the
//     caller's context. In the last four the program is alive: what hooks inject
//     is typed to it, and it has five seconds to answer before it is ended.
//     Directives in its answer are fired after SessionEnd.
//
// # Typing
//
// A text is typed when that is safe; until then it waits, in order. It is safe
// when all of this holds:
//
//   - Texts are not held by a human.
//   - The program that reads is one that takes text: not an editor or a pager, and
//     on the alternate screen only an agent whose input is known.
//   - It asks the user nothing: no permission, no password, no menu.
//   - The user is not typing and has left no half-written line, by their keys and
//     by what the screen shows, and no suggestion stands at the prompt.
//   - An agent shows its empty input, and does not work. Another program that
//     reads keys shows a prompt, or has asked for bracketed paste.
//   - What was typed before is read, and the screen has been still for 0.1 s, or
//     0.2 s of a program that reads keys at no known prompt. A new program that shows
//     no prompt has printed something and is then still for half a second, or has
//     printed nothing for two. One that reads whole lines, which the terminal keeps apart, is not
//     waited for longer than five seconds.
//
// That is asked once more when no key of the user can come in between; then text
// and Enter are one write, as a paste where the program has asked for that. What
// agents are and how they are typed to is a table: see profile. A text that five
// minutes are not enough for fails, with the reason; the time in which texts are
// held, or an agent works, does not count.
//
// Each text ends in a known state: submitted, if it was seen that the program took
// it; echoed or written, if only that was seen in three seconds; or failed. None is
// typed twice. Where an agent swallows the Enter and the text is still in its
// input, only Enter is pressed again.
//
// # Messages
//
// Messages are taken from the agent's inbox in the relay's store, at most 16 at
// once, and are typed like other texts. That one is about to be given to the agent
// is on disk before it is, and that the agent has it, after; so whatever is killed,
// the next session of the agent knows which ones are unconfirmed, and looks for them
// in the agent's transcript and in the output that was kept. One that could not be
// typed goes back, and those behind it go back too, so that they stay in order.
//
// # Who waits for whom
//
// The user's bytes wait for nothing here. One goroutine reads lines and never
// calls a hook. The hooks of Output run on a second goroutine, those of
// Directive and Idle on a third, one event after the other, so that slow
// Output hooks do not hold directives up. A fourth goroutine types, one text
// after the other, in the order in which the hooks have answered. A fifth
// hands messages to their hooks, a sixth writes the output to disk, and a seventh
// follows the agent's record.
//
// Every queue between them is bounded. Output that the hooks are too slow for
// is dropped by whole lines and counted; directives that find 128 others
// waiting are dropped. The user is warned of both, and of text that could not be
// typed.
package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/terminal"
)

// session is one run of one agent.
type session struct {
	engine    *hook.Engine
	env       hook.Envelope
	seen      hook.Envelope // of what only the terminal has shown
	command   []string
	threshold time.Duration // of Idle; 0 is never
	began     time.Time
	signals   chan os.Signal
	stopping  bool // a signal came: the session ends
	hurried   bool // another came after it
	warnings  *warnings
	quotes    *Quotes
	record    func(context.Context, hook.AnyEvent, hook.Outcome[any], time.Duration, error) // may be nil

	program *terminal.Program // nil until it was started
	native  bool              // the agent fires SessionStart and SessionEnd itself
	ended   bool              // SessionEnd was fired

	attending func(context.Context, func(string, bool)) // may be nil

	hooks     AgentHooks     // may be nil
	first     delivery.Offer // what SessionStart's hooks inject; nil if it is typed
	firstText string

	memory   hook.Memory // may be nil
	view     *view
	mail     *delivery.Terminal // may be nil
	messages messages
	history  *history

	unknown  Unknown    // may be nil
	shown    shownTimes // for the goroutine that fires directives
	interest *interest
	output   *outbox
	follow   *follow // nil: no record is known of such a program
	calls    *calls
	typist   *typist
	outputs  atomic.Int64 // how often the program has said something
	busy     atomic.Int64 // directives and texts on their way
	endings  chan ending
	leaving  atomic.Pointer[string] // why the user is about to end the program; nil: is not
	lull     chan struct{}          // the listener offers a token while hooks have nothing to say
}

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

// NewID makes the id of a session.
func NewID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
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
