//go:build linux || darwin

package session_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

// wrapping starts the wrapper around a script in a process of its own.
func wrapping(t *testing.T, script, inject string, env ...string) (cmd *exec.Cmd, out *screen) {
	t.Helper()
	out = new(screen)
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SESSION_TEST_PROGRAM=wrapper", "WRAPPER_SCRIPT="+script, "WRAPPER_INJECT="+inject)
	cmd.Env = append(cmd.Env, env...)
	var errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Writer(out), &errors
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if errors.Len() > 0 {
			t.Errorf("the wrapper says: %s", &errors)
		}
	})
	return cmd, out
}

// callers are the environments of both kinds of caller: one that leaves the
// signals to the session, and one whose context ends by them.
var callers = map[string]string{"context stays": "WRAPPER_CONTEXT=", "context ends too": "WRAPPER_CONTEXT=1"}

func TestSignalsLetTheAgentAnswer(t *testing.T) {
	t.Parallel()
	for name, caller := range callers {
		for signal, reason := range map[syscall.Signal]string{syscall.SIGTERM: "terminated", syscall.SIGINT: "interrupted"} {
			code := fmt.Sprintf("code %d error <nil>", 128+int(signal))
			t.Run(name+", "+reason, func(t *testing.T) {
				t.Parallel()
				cmd, out := wrapping(t, `echo ready; while read line; do echo "got: $line"; done`, "any last words?", caller)
				out.await(t, "under way")
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				out.await(t, "SessionEnd "+reason)
				out.await(t, "got: any last words?")
				out.await(t, code)
				if n := strings.Count(out.String(), "SessionEnd"); n != 1 {
					t.Errorf("SessionEnd was fired %d times", n)
				}
			})
		}
	}
}

func TestSecondSignalEndsTheWait(t *testing.T) {
	t.Parallel()
	for name, caller := range callers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atOnce(t, func() time.Duration {
				cmd, out := wrapping(t, `trap 'exit 9' TERM; stty -echo; echo ready; read line; echo asked; while :; do sleep 0.05; done`, "any last words?", caller)
				out.await(t, "under way")
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				out.await(t, "asked")
				asked := time.Now()
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				out.await(t, "code 9 error <nil>")
				return time.Since(asked)
			})
		})
	}
}

func TestSignalsOfTheProgramArePassedOn(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "QUIT": syscall.SIGQUIT} {
		cmd, out := wrapping(t, `trap 'exit 5' `+name+`; echo ready; while :; do sleep 0.05; done`, "")
		out.await(t, "under way")
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		out.await(t, "code 5 error <nil>")
	}
}

func TestTheAgentAnswersBeforeItIsToldOfAHangUp(t *testing.T) {
	cmd, out := wrapping(t, `stty -echo; echo ready; while read line; do echo "got: $line"; done`, "any last words?")
	out.await(t, "under way")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	out.await(t, "SessionEnd hangup")
	out.await(t, "got: any last words?")
	out.await(t, "code 129 error <nil>")
	if n := strings.Count(out.String(), "SessionEnd"); n != 1 {
		t.Errorf("SessionEnd was fired %d times", n)
	}
}

// The program says that the next Ctrl-C ends it; so it is asked before.
func TestTheAgentAnswersBeforeTheCtrlCThatEndsIt(t *testing.T) {
	for name, test := range map[string]struct {
		inject string
		keys   int // times that Ctrl-C is pressed after the hint
		want   []string
	}{
		"an answer":            {"save it", 1, []string{"got: save it", "bye"}},
		"nothing to say":       {"", 1, []string{"bye"}},
		"nothing waits for it": {"save it", 2, []string{"bye"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWrapped(t)
			w.hook("SessionEnd", injects(test.inject))
			in, keys := keyboard(t)
			w.run(session.Config{Stdin: in, Command: sh(`stty -icanon -isig -echo min 1; printf '> '; n=0; line=
				while :; do
					k=$(dd bs=1 count=1 2>/dev/null; echo .); k=${k%.}
					case "$k" in
					"$(printf '\003')") n=$((n+1)); [ $n = 1 ] && printf '\r\nPress Ctrl-C again to exit\r\n> ' || { printf '\r\nbye\r\n'; exit 130; };;
					"$(printf '\r')"|"
") printf '\r\ngot: %s\r\n> ' "$line"; line=;;
					*) line=$line$k;;
					esac
				done`)})
			w.screen.await(t, "> ")
			write(t, keys, "\x03")
			w.screen.await(t, "again to exit")
			for range test.keys {
				write(t, keys, "\x03")
			}
			if r := w.end(); r.status.Code != 130 {
				t.Errorf("it ended with %+v", r)
			}
			for _, want := range test.want {
				if !strings.Contains(w.screen.String(), want) {
					t.Errorf("the screen is %q, want %q there", w.screen.String(), want)
				}
			}
			ends := now[hook.SessionSummary](w.events.list())
			if len(ends) != 1 || ends[0].Reason != "interrupted" {
				t.Errorf("SessionEnd was fired as %+v", ends)
			}
		})
	}
}
