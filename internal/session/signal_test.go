//go:build linux || darwin

package session_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
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
			t.Run(name+", "+reason, func(t *testing.T) {
				t.Parallel()
				cmd, out := wrapping(t, `echo ready; while read line; do echo "heard: $line"; done`, "any last words?", caller)
				out.await(t, "under way")
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				out.await(t, "SessionEnd "+reason)
				out.await(t, "heard: any last words?")
				out.await(t, "code 143 error <nil>")
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

func TestHangUpEndsTheSession(t *testing.T) {
	cmd, out := wrapping(t, `echo ready; exec cat >/dev/null`, "nobody reads this")
	out.await(t, "under way")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	out.await(t, "SessionEnd signal")
	out.await(t, "code 129 error <nil>")
}
