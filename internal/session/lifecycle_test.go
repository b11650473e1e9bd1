//go:build linux || darwin

package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/session"
	"github.com/hookway/hookway/internal/terminal"
)

func TestExitStatusIsPassedThroughAndTold(t *testing.T) {
	tests := []struct {
		script string
		want   terminal.ExitStatus
		reason string
	}{
		{"exit 0", terminal.ExitStatus{}, "exit"},
		{"exit 7", terminal.ExitStatus{Code: 7}, "exit"},
		{"exit 255", terminal.ExitStatus{Code: 255}, "exit"},
		{"kill -TERM $$", terminal.ExitStatus{Code: 143, Signal: syscall.SIGTERM}, "signal"},
		{"kill -HUP $$", terminal.ExitStatus{Code: 129, Signal: syscall.SIGHUP}, "signal"},
		{"kill -KILL $$", terminal.ExitStatus{Code: 137, Signal: syscall.SIGKILL}, "signal"},
	}
	for _, test := range tests {
		t.Run(test.script, func(t *testing.T) {
			w := newWrapped(t)
			w.hook("SessionStart", nil)
			w.hook("SessionEnd", func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
				s, _ := hook.SessionOf(ctx)
				if err := s.Inject("nor this"); !errors.Is(err, hook.ErrSessionOver) {
					t.Errorf("a text for a program that has ended: %v", err)
				}
				return hook.Inject("not read by the program"), nil
			})
			w.run(session.Config{Command: sh(test.script)})
			if r := w.end(); r.status != test.want || r.err != nil {
				t.Errorf("ended with %+v, %v; want %+v", r.status, r.err, test.want)
			}
			if got := names(w.events.list()); !slices.Equal(got, []string{"SessionStart", "SessionEnd"}) {
				t.Fatalf("the events were %v", got)
			}
			if got := of[hook.SessionInfo](w, 1)[0].Source; got != "startup" {
				t.Errorf("SessionStart says %q", got)
			}
			end := of[hook.SessionSummary](w, 1)[0]
			if end.Reason != test.reason || end.ExitCode == nil {
				t.Errorf("SessionEnd says %+v", end)
			} else if *end.ExitCode != test.want.Code || end.DurationMS < 0 {
				t.Errorf("SessionEnd says %+v", end)
			}
		})
	}
}

func TestProgramThatCannotBeStarted(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"/no/such/program", "no-such-program-in-path", plain} {
		t.Run(program, func(t *testing.T) {
			w := newWrapped(t)
			w.hook("SessionStart", injects("in vain"))
			w.hook("SessionEnd", nil)
			w.run(session.Config{Command: []string{program}})
			r := w.end()
			if r.err == nil || !strings.Contains(r.err.Error(), program) || r.status.Code != -1 {
				t.Errorf("ended with %+v, %v", r.status, r.err)
			}
			if got := names(w.events.list()); !slices.Equal(got, []string{"SessionStart", "SessionEnd"}) {
				t.Fatalf("the events were %v", got)
			}
			if end := of[hook.SessionSummary](w, 1)[0]; end.Reason != "start_failed" || end.ExitCode != nil {
				t.Errorf("SessionEnd says %+v", end)
			}
		})
	}
}

func TestWhatIsNoSessionFiresNothing(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	var engine hook.Engine
	err := engine.Add(hook.New("never", hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		t.Errorf("%s was fired", ev.Info().Name)
		return hook.Decision{}, nil
	}), hook.For("*")))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		ctx context.Context
		cfg session.Config
	}{
		"no engine":     {context.Background(), session.Config{Command: sh("true")}},
		"no command":    {context.Background(), session.Config{Engine: &engine}},
		"ended context": {ended, session.Config{Engine: &engine, Command: sh("true")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if status, err := session.Run(test.ctx, test.cfg); err == nil || status.Code != -1 {
				t.Errorf("Run gave %+v, %v", status, err)
			}
		})
	}
}

func TestSessionStartComesBeforeTheProgram(t *testing.T) {
	w := newWrapped(t)
	proof := filepath.Join(t.TempDir(), "started")
	w.hook("SessionStart", func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		if _, err := os.Stat(proof); err == nil || w.screen.String() != "" {
			t.Errorf("the program runs already; the screen is %q", w.screen.String())
		}
		return hook.Decision{}, nil
	})
	w.run(session.Config{Command: []string{"sh", "-c", `touch "$1"; echo hello`, "sh", proof}})
	w.clean()
	if _, err := os.Stat(proof); err != nil || w.screen.String() != "hello\r\n" {
		t.Errorf("the program did not run: %v, %q", err, w.screen.String())
	}
	of[hook.SessionInfo](w, 1)
}

func TestAnAgentWithHooksOfItsOwnTellsItsBeginAndEndItself(t *testing.T) {
	w := newWrapped(t)
	w.run(session.Config{Command: sh(`echo "$HOOKWAY_SESSION"`), ID: "s-1", Native: true})
	w.clean()
	if w.screen.String() != "s-1\r\n" {
		t.Errorf("the program did not run in the session: %q", w.screen.String())
	}
	of[hook.SessionInfo](w, 0)
	of[hook.SessionSummary](w, 0)
}

func TestSessionStartInjectArrives(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"at a prompt":       `printf 'Ready. '; sleep 0.1; printf '> '; read line; echo "got: $line"`,
		"after its output":  `echo one; sleep 0.2; echo two; read line; echo "got: $line"`,
		"in a mute program": `read line; echo "got: $line"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWrapped(t)
			w.hook("SessionStart", injects("remember\nthis"))
			w.run(session.Config{Command: sh(script)})
			w.screen.await(t, "got: remember this")
			w.clean()
		})
	}
}

func TestCancelDuringSessionStart(t *testing.T) {
	w := newWrapped(t)
	w.hook("SessionStart", func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		w.cancel()
		<-ctx.Done()
		return hook.Decision{}, ctx.Err()
	})
	w.hook("SessionEnd", nil)
	w.run(session.Config{Command: sh("echo started")})
	if r := w.end(); !errors.Is(r.err, context.Canceled) {
		t.Errorf("ended with %+v, %v", r.status, r.err)
	}
	if w.screen.String() != "" {
		t.Errorf("the program has run: %q", w.screen.String())
	}
	if end := of[hook.SessionSummary](w, 1); len(end) != 1 || end[0].Reason != "cancelled" {
		t.Errorf("SessionEnd says %+v", end)
	}
}

func TestCancelledAgentAnswersBeforeItIsEnded(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("SessionEnd", injects("any last words?"))
	w.hook("Directive", nil)
	w.run(session.Config{Command: sh(`echo ready; while read line; do echo "got: $line"; echo '@memory:save learnt'; done`)})
	w.screen.await(t, "ready")
	w.cancel()
	r := w.end()
	if !errors.Is(r.err, context.Canceled) || r.status.Signal != syscall.SIGTERM {
		t.Errorf("ended with %+v, %v", r.status, r.err)
	}
	if !strings.Contains(w.screen.String(), "got: any last words?") {
		t.Errorf("the agent did not answer: %q", w.screen.String())
	}
	events := w.events.list()
	if got := names(events); !slices.Equal(got, []string{"SessionEnd", "Directive"}) {
		t.Fatalf("the events were %v", got)
	}
	if end := now[hook.SessionSummary](events)[0]; end.Reason != "cancelled" || end.ExitCode != nil {
		t.Errorf("SessionEnd says %+v", end)
	}
}

func TestAgentThatExitsAtTheEndIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("SessionEnd", injects("any last words?"))
	w.run(session.Config{Command: sh(`echo ready; read line; echo "got: $line"; exit 3`)})
	w.screen.await(t, "ready")
	w.cancel()
	if r := w.end(); r.status != (terminal.ExitStatus{Code: 3}) {
		t.Errorf("ended with %+v, %v", r.status, r.err)
	}
	if got := names(w.events.list()); !slices.Equal(got, []string{"SessionEnd"}) {
		t.Errorf("the events were %v", got)
	}
}

func TestAgentThatDoesNotAnswerIsEndedAfterFiveSeconds(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("SessionEnd", injects("any last words?"))
	w.run(session.Config{Command: sh(`stty -echo; echo ready; exec cat >/dev/null`)})
	w.screen.await(t, "ready")
	asked := time.Now()
	w.cancel()
	r := w.end()
	if took := time.Since(asked); took < 5*time.Second {
		t.Errorf("the agent had only %v", took)
	}
	if r.status.Signal != syscall.SIGTERM {
		t.Errorf("ended with %+v, %v", r.status, r.err)
	}
}

func TestWithoutLastWordsTheAgentIsEndedAtOnce(t *testing.T) {
	atOnce(t, func() time.Duration {
		w := newWrapped(t)
		w.hook("SessionEnd", nil)
		w.run(session.Config{Command: sh(`echo ready; exec cat >/dev/null`)})
		w.screen.await(t, "ready")
		asked := time.Now()
		w.cancel()
		w.end()
		took := time.Since(asked)
		if n := len(of[hook.SessionSummary](w, 1)); n != 1 {
			t.Errorf("SessionEnd was fired %d times", n)
		}
		return took
	})
}

func TestNothingIsLeftBehind(t *testing.T) {
	once := func(end func(w *wrapped)) {
		w := newWrapped(t)
		for _, event := range []string{"SessionStart", "SessionEnd", "Directive", "Output", "Idle"} {
			w.hook(event, injects("text"))
		}
		in, _ := keyboard(t)
		w.run(session.Config{Stdin: in, IdleThreshold: time.Second,
			Command: sh(`echo '@deploy:x go'; read a; read b; echo "got: $a $b"; [ "$a" != text ]`)})
		end(w)
		if n := len(of[hook.SessionSummary](w, 1)); n != 1 {
			t.Errorf("SessionEnd was fired %d times", n)
		}
		w.cancel()
	}
	exits := func(w *wrapped) { w.end() }
	once(exits) // the first one starts what the process keeps, such as the watch for signals
	before := runtime.NumGoroutine()
	once(exits)
	once(func(w *wrapped) {
		w.screen.await(t, "@deploy:x go")
		w.cancel()
		w.end()
	})
	eventually.Goroutines(t, before)
}

func TestMessagesForTheUserWaitForTheEnd(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		d := hook.Inject("next")
		d.UserMessage = "\x1b[31mred\x1b[0m " + ev.Body().(hook.DirectiveCall).Body + "\nsecond\x07 line"
		return d, nil
	})
	w.hook("Output", func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		return hook.Decision{}, errors.New("out of order")
	})
	w.hook("SessionEnd", func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		if n := len(w.warnings.list()); n == 0 {
			t.Error("nothing was told after the program's end")
		}
		return hook.Decision{UserMessage: "bye"}, nil
	})
	in, keys := keyboard(t)
	w.agent("@deploy:x go", session.Config{Stdin: in})
	w.screen.await(t, "got: next")
	if early := w.warnings.list(); len(early) > 0 {
		t.Errorf("told while the program had the screen: %q", early)
	}
	write(t, keys, "bye\n")
	w.clean()
	got := w.warnings.list()
	slices.Sort(got) // the hooks run side by side
	want := []string{"bye", "hook on-Output failed at Output: out of order", "red go", "second line"}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestTextThatComesTooLateIsCounted(t *testing.T) {
	w := newWrapped(t)
	w.hook("Directive", injects("too late"))
	w.run(session.Config{Command: sh(`echo '@deploy:x go'`)})
	w.clean()
	want := "the program ended before all texts of hooks were typed; not typed: 1"
	if got := w.warnings.list(); !slices.Equal(got, []string{want}) {
		t.Errorf("told %q, want %q", got, want)
	}
}
