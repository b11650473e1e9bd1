//go:build linux || darwin

package session_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

func TestDirectiveIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", injects("Deployed to staging"))
	in, keys := keyboard(t)
	dir := t.TempDir()
	w.agent("@deploy:staging Release v1.2.3", session.Config{ID: "s-1", Name: "Alice", Stdin: in, Dir: dir})
	w.screen.await(t, "got: Deployed to staging")
	write(t, keys, "bye\n")
	w.clean()

	if !strings.Contains(w.screen.String(), "session s-1 agent Alice") {
		t.Errorf("the program does not know its session: %q", w.screen.String())
	}
	want := hook.DirectiveCall{
		Namespace: "deploy", Target: "staging", Body: "Release v1.2.3", Line: "@deploy:staging Release v1.2.3",
	}
	events := w.events.list()
	if got := now[hook.DirectiveCall](events); len(got) != 1 || got[0] != want {
		t.Fatalf("got %+v, want one %+v", got, want)
	}
	head := events[0].Head()
	if got, want := fmt.Sprint([]any{head.Session, head.Agent, head.Source, head.CWD}), fmt.Sprint([]any{"s-1", "Alice", "run", dir}); got != want {
		t.Errorf("the envelope is %+v: got %s, want %s", head, got, want)
	}
}

func TestAnIDIsMadeAndTheProgramNamesTheAgent(t *testing.T) {
	w := newWrapped(t)
	w.hook("SessionEnd", nil)
	w.run(session.Config{Command: sh(`echo "$HOOKWAY_SESSION/$HOOKWAY_AGENT"`)})
	w.clean()
	head := w.events.list()[0].Head()
	if len(head.Session) != 32 || head.Agent != "sh" {
		t.Errorf("the envelope is %+v", head)
	}
	if want := head.Session + "/sh\r\n"; w.screen.String() != want {
		t.Errorf("the program printed %q, want %q", w.screen.String(), want)
	}
}

func TestWhatFires(t *testing.T) {
	tests := []struct {
		name   string
		script string
		want   []string // target and body
	}{
		{"the same directive twice", `echo '@deploy:x go'; echo '@deploy:x go'`, []string{"x go", "x go"}},
		{"in the last line, unfinished", `printf '@deploy:x go'`, []string{"x go"}},
		{"its end after a pause", `printf '@deploy:x go'; sleep 0.6; echo; echo other`, []string{"x go"}},
		{"a pause in its line", `printf '@deploy:x go '; sleep 0.6; echo now`, []string{"x go now"}},
		{"two pauses in its line", `printf '@deploy:x '; sleep 0.6; printf 'go '; sleep 0.6; echo now`, []string{"x go now"}},
		{"several lines", `printf '@deploy:x go\n  and on\n'`, []string{"x go\nand on"}},
		{"a fence", `printf '@deploy:x <<<\na\n\nb\n>>>\n'`, []string{"x a\n\nb"}},
		{"in colour", `printf '\033[31m@deploy:x\033[0m go\n'`, []string{"x go"}},
		{"drawn with the cursor, again and again", `printf '\033[5;1H@deploy:x go\n\033[5;1H@deploy:x go\n'`, []string{"x go"}},
		{"in the middle of a line", `echo 'see @deploy:x go'`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWrapped(t)
			w.hook("Directive", nil)
			w.hook("SessionEnd", nil)
			w.run(session.Config{Command: sh(test.script)})
			w.clean()
			var got []string
			for _, d := range now[hook.DirectiveCall](w.events.list()) {
				got = append(got, d.Target+" "+d.Body)
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("fired %q, want %q", got, test.want)
			}
			all := names(w.events.list())
			if n := len(all); n == 0 || all[n-1] != "SessionEnd" {
				t.Errorf("SessionEnd is not the last of %v", all)
			}
		})
	}
}

// The end of the line comes after a pause, and then a hidden spinner,
// so that no later pause can stand for the line's end.
func TestDirectiveFiresWhenItsLineEnds(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", nil)
	flag := t.TempDir() + "/stop"
	w.run(session.Config{Env: append(os.Environ(), "FLAG="+flag), Command: sh(`printf '@deploy:x <<<\ngo\n>>>'; sleep 0.6; echo
		while [ ! -e "$FLAG" ]; do printf '\033[0m'; sleep 0.05; done`)})
	of[hook.DirectiveCall](w, 1)
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.clean()
}

func TestTypedAndInjectedTextDoesNotFire(t *testing.T) {
	w := newWrapped(t)
	w.hook("Directive", nil)
	w.hook("SessionStart", injects("@deploy:injected x"))
	in, keys := keyboard(t)
	w.run(session.Config{Stdin: in, Command: sh(`echo ready
		read a; printf 'Name? '; read b; echo "got: $a, $b"; echo '@deploy:real z'`)})
	w.screen.await(t, "Name? ")
	write(t, keys, "@deploy:typed y\n")
	w.clean()
	if want := "got: @deploy:injected x, @deploy:typed y"; !strings.Contains(w.screen.String(), want) {
		t.Errorf("the screen is %q, want %q there", w.screen.String(), want)
	}
	got := now[hook.DirectiveCall](w.events.list())
	if len(got) != 1 || got[0].Target != "real" {
		t.Errorf("fired %+v, want only that with target real", got)
	}
}

func TestInjectsAreTypedInOrder(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		return hook.Inject("answer " + ev.Body().(hook.DirectiveCall).Body), nil
	})
	w.run(session.Config{Command: sh(`echo '@a:x 1'; echo '@b:x 2'; echo '@a:x 3'
		read p; read q; read r; echo "got: $p, $q, $r"`)})
	w.clean()
	if want := "got: answer 1, answer 2, answer 3"; !strings.Contains(w.screen.String(), want) {
		t.Errorf("the screen is %q, want %q there", w.screen.String(), want)
	}
}

func TestProgramThatIsNeverStillIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWrapped(t)
	w.hook("Directive", injects("stop"))
	flag := t.TempDir() + "/stop"
	w.run(session.Config{Dir: t.TempDir(), Env: append(os.Environ(), "FLAG="+flag), Command: sh(`echo '@ask:x when'
		(while [ ! -e "$FLAG" ]; do printf '.'; sleep 0.05; done) & 
		read line; touch "$FLAG"; wait; echo; echo "got: $line"`)})
	w.screen.await(t, "got: stop")
	w.clean()
}

func TestDirectivesBeyondTheBoundAreToldToTheUser(t *testing.T) {
	const all = 300
	w := newWrapped(t)
	warned := make(chan struct{})
	w.hook("Directive", func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		select { // the warning comes after the program's end, when all lines were printed
		case <-warned:
		case <-ctx.Done():
			t.Error("no warning came while a directive's hook was busy")
		}
		return hook.Decision{}, nil
	})
	w.run(session.Config{Command: sh(fmt.Sprintf(`i=0; while [ $i -lt %d ]; do i=$((i+1)); echo "@n:x $i"; done`, all))})
	lines := w.warnings.await(t, "a warning", func(l []string) bool { return len(l) > 0 })
	close(warned)
	w.clean()
	if !strings.Contains(lines[0], "@n:x") || !strings.Contains(lines[0], "dropped") {
		t.Errorf("the warning is %q", lines[0])
	}
	fired := len(now[hook.DirectiveCall](w.events.list()))
	lines = w.warnings.list()
	if want := fmt.Sprintf("%d directives were dropped", all-fired); !strings.Contains(lines[len(lines)-1], want) {
		t.Errorf("%d directives were fired, and the warnings are %q", fired, lines)
	}
	if fired < 128 {
		t.Errorf("only %d directives were fired", fired)
	}
}
