//go:build linux || darwin

package session_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// printed joins Output events to what they say was printed.
func printed(events []hook.AnyEvent) string {
	var b strings.Builder
	for _, out := range now[hook.OutputText](events) {
		b.WriteString(out.Text)
		if out.Complete {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestOutputIsSeenWhole(t *testing.T) {
	w := newWrapped(t)
	w.hook("Output", nil)
	w.run(session.Config{Command: sh(`printf '\033[32mone\033[0m\n\ntwo\n'; seq 2000; printf 'the end'`)})
	w.clean()
	var want strings.Builder
	want.WriteString("one\n\ntwo\n")
	for i := range 2000 {
		fmt.Fprintln(&want, i+1)
	}
	want.WriteString("the end\n")
	if got := printed(w.events.list()); got != want.String() {
		t.Errorf("the hooks saw %q", got)
	}
}

func TestOutputEventsKeepTheirDistance(t *testing.T) {
	w := newWrapped(t)
	w.hook("Output", nil)
	began := time.Now()
	w.run(session.Config{Command: sh(`i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo $i; done`)})
	w.clean()
	events := w.events.list()
	for i, ev := range events { // one alone may be late, and then nearer to the next
		if took := ev.Time().Sub(began); took < time.Duration(i)*100*time.Millisecond {
			t.Errorf("there were %d events in %v", i+1, took)
		}
	}
	if n := strings.Count(printed(events), "\n"); n != 20000 {
		t.Errorf("the hooks saw %d lines", n)
	}
}

// The program prints once more when the hooks have seen its first line, and ends: that
// falls into the time in which they are not asked.
func TestTheLastOutputIsNotLostToTheDistance(t *testing.T) {
	w := newWrapped(t)
	file := t.TempDir() + "/seen"
	w.hook("Output", func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		return hook.Decision{}, os.WriteFile(file, nil, 0o600)
	})
	w.run(session.Config{Command: sh(`echo one; while [ ! -e "` + file + `" ]; do sleep 0.01; done; echo two; printf 'the last'`)})
	w.clean()
	if got := printed(w.events.list()); got != "one\ntwo\nthe last\n" {
		t.Errorf("the hooks saw %q", got)
	}
}

func TestPromptIsSeenAndWhatIsTypedIsNot(t *testing.T) {
	w := newWrapped(t)
	w.hook("Output", nil)
	in, keys := keyboard(t)
	w.run(session.Config{Stdin: in, Command: sh(`printf 'Name? '; read name; echo "Hello $name"`)})
	if first := of[hook.OutputText](w, 1)[0]; first != (hook.OutputText{Text: "Name? "}) {
		t.Errorf("the first event is %+v", first)
	}
	write(t, keys, "Ada\n")
	w.clean()
	got := now[hook.OutputText](w.events.list())
	want := []hook.OutputText{{Text: "Name? "}, {Text: "Hello Ada", Complete: true}}
	if !slices.Equal(got, want) {
		t.Errorf("the events are %+v, want %+v", got, want)
	}
}

// heldOutput adds a hook of Output that tells when it is called, and waits for its release.
func (w *wrapped) heldOutput() (called <-chan struct{}, release func()) {
	calls, held := make(chan struct{}, 1000), make(chan struct{})
	w.hook("Output", func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		calls <- struct{}{}
		select {
		case <-held:
		case <-ctx.Done():
			w.t.Error("the hook was not released")
		}
		return hook.Decision{}, nil
	})
	return calls, func() { close(held) }
}

func TestSlowOutputHookDelaysNeitherTheUserNorDirectives(t *testing.T) {
	w := newWrapped(t)
	called, release := w.heldOutput()
	w.hook("Directive", injects("go on"))
	w.run(session.Config{Command: sh(`echo first; seq 50000; echo '@deploy:x go'; read line; echo "got: $line"`)})
	<-called
	w.screen.await(t, "got: go on")
	if n := len(now[hook.OutputText](w.events.list())); n != 1 {
		t.Errorf("there were %d Output events while the first hook was busy", n)
	}
	release()
	w.clean()
	got := printed(w.events.list())
	if !strings.HasPrefix(got, "first\n1\n") || !strings.HasSuffix(got, "\n50000\n@deploy:x go\ngot: go on\n") {
		t.Errorf("the hooks saw %d bytes: %.40q … %q", len(got), got, got[max(0, len(got)-40):])
	}
}

func TestOutputBeyondTheBoundIsCounted(t *testing.T) {
	w := newWrapped(t)
	called, release := w.heldOutput()
	// 30,000 lines of 100 bytes, not faster than lines are read.
	line := strings.Repeat("x", 99)
	w.run(session.Config{Command: sh(`echo first; read start; i=0; while [ $i -lt 60 ]; do i=$((i+1)); yes ` + line + ` | head -n 500; sleep 0.01; done; echo end`),
		Stdin: strings.NewReader("go\n")})
	<-called
	w.screen.await(t, "end\r\n")
	release()
	w.clean()
	seen := strings.Count(printed(w.events.list()), line)
	if seen == 30000 || seen < 5000 {
		t.Errorf("the hooks saw %d lines", seen)
	}
	warnings := strings.Join(w.warnings.list(), "\n")
	if !strings.Contains(warnings, "Output hooks were too slow") {
		t.Errorf("told %q", warnings)
	}
}

func TestHooksThatComeAndGoAreNoticed(t *testing.T) {
	w := newWrapped(t)
	in, keys := keyboard(t)
	w.run(session.Config{Stdin: in, Command: sh(`echo one; read a; echo two; read b; echo three; read c; echo four`)})
	w.screen.await(t, "one")
	w.hook("Output", nil)
	write(t, keys, "a\n")
	w.events.await(t, "two", func(all []hook.AnyEvent) bool { return strings.Contains(printed(all), "two") })
	w.engine.Remove("on-Output")
	write(t, keys, "b\n")
	w.screen.await(t, "three")
	write(t, keys, "c\n")
	w.clean()
	if got := printed(w.events.list()); strings.Contains(got, "three") || strings.Contains(got, "four") {
		t.Errorf("a hook that was removed saw %q", got)
	}
}

func TestIdleComesOnceAPeriod(t *testing.T) {
	t.Parallel()
	const threshold = 200 * time.Millisecond
	w := newWrapped(t)
	w.hook("Idle", nil)
	w.run(session.Config{IdleThreshold: threshold, Command: sh(`echo one; sleep 1.2; echo two; sleep 1.2; echo three`)})
	w.clean()
	events := w.events.list()
	if len(events) < 2 {
		t.Fatalf("Idle came %d times in two periods", len(events))
	}
	var last time.Time
	for i, ev := range events {
		idle := ev.Body().(hook.Silence)
		if idle.Count != i+1 || idle.IdleMS < threshold.Milliseconds() {
			t.Errorf("event %d is %+v", i, idle)
		}
		began := ev.Time().Add(-time.Duration(idle.IdleMS) * time.Millisecond)
		if began.Sub(last) < threshold {
			t.Errorf("event %d is of the same period as the one before", i)
		}
		last = began
	}
}

func TestTypingEndsAnIdlePeriod(t *testing.T) {
	w := newWrapped(t)
	w.hook("Idle", func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		return hook.Inject(fmt.Sprintf("nudge %d", ev.Body().(hook.Silence).Count)), nil
	})
	w.run(session.Config{IdleThreshold: 100 * time.Millisecond,
		Command: sh(`stty -echo; echo ready; read a; read b; read c; echo "got: $a, $b, $c"`)})
	w.screen.await(t, "got: nudge 1, nudge 2, nudge 3")
	w.clean()
}

func TestAgentThatWaitsForADirectiveIsNotIdle(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Idle", nil)
	var began, ended time.Time
	w.hook("Directive", func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		began = time.Now()
		select { // longer than the threshold
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
		ended = time.Now()
		return hook.Inject("done"), nil
	})
	w.run(session.Config{IdleThreshold: 700 * time.Millisecond, Command: sh(`echo '@deploy:x go'; read line; echo "got: $line"`)})
	w.screen.await(t, "got: done")
	w.clean()
	if ended.IsZero() {
		t.Fatal("the directive's hook was not asked")
	}
	for _, ev := range w.events.list() { // a slow machine may be idle before and after
		if _, idle := ev.Body().(hook.Silence); idle && ev.Time().After(began) && ev.Time().Before(ended) {
			t.Error("Idle came while the directive's hook was at work")
		}
	}
}
