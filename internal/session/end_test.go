//go:build linux || darwin

package session_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// null is the input of a program that is started without a user.
func null(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// piped is an input that holds some text, and its end.
func piped(t *testing.T, text string) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	write(t, w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

func gone(t *testing.T) *os.File {
	t.Helper()
	f := null(t)
	f.Close()
	return f
}

// answers is a hook that injects what a directive says.
func answers(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	return hook.Inject("re " + ev.Body().(hook.DirectiveCall).Body), nil
}

func TestHooksAnswerAProgramWhoseInputHasEnded(t *testing.T) {
	t.Parallel()
	closedPipe := func(t *testing.T) *os.File { return piped(t, "") }
	tests := map[string]struct {
		input        func(*testing.T) *os.File
		script, want string
	}{
		"rounds":                     {null, `for i in 1 2 3; do echo "@a:x $i"; read p; echo "[$p]"; done; read p; echo "end $? [$p]"`, "[re 3]\r\nend 1 []"},
		"closed file":                {gone, `echo '@a:x 1'; read p; read q; echo "[$p, $q]"`, "[re 1, ]"},
		"closed pipe, two at a time": {closedPipe, `echo '@a:x 1'; echo '@a:x 2'; read p; read q; echo "[$p, $q]"`, "[re 1, re 2]"},
		"work in between":            {null, `for i in 1 2 3 4; do echo $i; sleep 0.4; done; echo '@a:x 5'; read p; echo "[$p]"`, "[re 5]"},
		"nothing to say":             {closedPipe, `echo hello; read p; echo "end $? [$p]"`, "end 1 []"},
		"a mute program":             {null, `read p; echo "end $? [$p]"`, "end 1 []"},
		"reads up to the end":        {null, `echo '@a:x 1'; got=$(cat); echo "[$got]"`, "[re 1]"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWrapped(t)
			w.hook("Directive", answers)
			w.run(session.Config{Stdin: test.input(t), Command: sh(test.script)})
			w.clean()
			if !strings.Contains(w.screen.String(), test.want) {
				t.Errorf("the screen is %q, want %q there", w.screen.String(), test.want)
			}
		})
	}
}

func TestHooksAnswerAfterWhatTheInputHolds(t *testing.T) {
	tests := map[string]struct{ input, script, want string }{
		"lines, then the answer":  {"a\nb\n", `read p; read q; echo "@a:x $p$q"; read r; read s; echo "[$p $q $r $s]"`, "[a b re ab ]"},
		"a last line with no end": {"a", `read p; echo "@a:x $p"; read q; read r; echo "[$p $q $r]"`, "[a re a ]"},
		"what is typed fires not": {"@a:x no", `read p; echo "@a:x 1"; read q; echo "[$p, $q]"`, "[@a:x no, re 1]"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWrapped(t)
			w.hook("Directive", answers)
			w.run(session.Config{Stdin: piped(t, test.input), Command: sh(test.script)})
			w.clean()
			if !strings.Contains(w.screen.String(), test.want) {
				t.Errorf("the screen is %q, want %q there", w.screen.String(), test.want)
			}
		})
	}
}

func TestInputThatEndsIsPassedThrough(t *testing.T) {
	for name, event := range map[string]string{"no hook": "", "a hook": "Directive"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWrapped(t)
			if event != "" {
				w.hook(event, nil)
			}
			w.run(session.Config{Stdin: piped(t, "hi\n"), Command: []string{"cat"}})
			w.clean()
			if got := w.screen.String(); got != "hi\r\nhi\r\n" {
				t.Errorf("the screen is %q, want the echo and what cat prints", got)
			}
		})
	}
}

func TestEveryTextIsTypedBeforeTheEndOfTheInput(t *testing.T) {
	t.Parallel()
	slow := func(ctx context.Context, inject string) (hook.Decision, error) {
		select { // longer than the silence after which the input's end is due
		case <-time.After(1500 * time.Millisecond):
		case <-ctx.Done():
		}
		return hook.Inject(inject), nil
	}
	tests := map[string]struct {
		event  string
		decide func(context.Context, hook.AnyEvent) (hook.Decision, error)
		script string
	}{
		"SessionStart": {"SessionStart", injects("text"), `read a; read b; echo "[$a] $?"`},
		"slow directive": {"Directive", func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
			return slow(ctx, "text")
		}, `echo '@a:x go'; read a; read b; echo "[$a] $?"`},
		"slow output": {"Output", func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			if ev.Body().(hook.OutputText).Text == "What now?" {
				return slow(ctx, "text")
			}
			return hook.Decision{}, nil
		}, `echo 'What now?'; read a; read b; echo "[$a] $?"`},
		"Idle": {"Idle", injects("text"), `stty -echo; echo ready; read a; echo "[$a] 1"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWrapped(t)
			w.hook(test.event, test.decide)
			w.run(session.Config{Stdin: null(t), IdleThreshold: 300 * time.Millisecond, Command: sh(test.script)})
			w.clean()
			if !strings.Contains(w.screen.String(), "[text] 1") {
				t.Errorf("the screen is %q", w.screen.String())
			}
		})
	}
}

// A program that is never silent shows whether the end of the input waits for
// silence.
func TestTheEndOfTheInputWaitsForNobodyIfNoHookSpeaks(t *testing.T) {
	for _, input := range []func(*testing.T) io.Reader{
		func(t *testing.T) io.Reader { return null(t) },
		func(t *testing.T) io.Reader { return strings.NewReader("") },
	} {
		w := newWrapped(t)
		w.hook("SessionEnd", injects("not read by the program"))
		w.hook("Idle", injects("nor this")) // Idle is off
		w.run(session.Config{Stdin: input(t), Env: append(os.Environ(), "FLAG="+t.TempDir()+"/stop"), Command: sh(`
			(while [ ! -e "$FLAG" ]; do printf '\033[0m'; sleep 0.05; done) &
			read line; echo "end $?"; touch "$FLAG"; wait`)})
		w.clean()
	}
}
