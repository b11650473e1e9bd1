//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/procgroup"
	"github.com/hookway/hookway/wire/call"
)

// killedHooks are a worker, and a program for one event, each with a child. Both
// are asked at once.
const killedHooks = `hooks:
  - id: worker
    on: PreToolUse
    lane: guard
    mode: worker
    command: 'sleep 1000 & echo $$ >worker; sleep 1000; :'
  - id: once
    on: PreToolUse
    lane: guard
    command: 'sleep 1000 & echo $$ >once; sleep 1000; :'
`

// TestKilledDaemonLeavesNothing kills the real daemon while hooks run. Their
// groups end with it, and nothing stops the next daemon.
func TestKilledDaemonLeavesNothing(t *testing.T) {
	dir, err := os.MkdirTemp("", "h") // a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "hookway") // by that name, this binary is hookway
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, program)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "hookway.yaml"), []byte(killedHooks), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+dir, "PWD="+dir, "HOOKWAY_HOME="+filepath.Join(dir, "home"), "GORACE=atexit_sleep_ms=0")
	trust := exec.Command(program, "trust", "-C", dir)
	trust.Env = env
	if out, err := trust.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	at, err := call.Find(func(name string) string {
		if name == "HOOKWAY_HOME" {
			return filepath.Join(dir, "home")
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := daemon.Start(t.Context(), at, program, env)
	if err != nil {
		t.Fatal(err)
	}
	st, err := c.Status(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(st.PID, syscall.SIGKILL)
	asked := make(chan error, 1)
	go func() {
		_, err := c.Do(context.Background(), &call.Request{
			Kind: call.KindHook, Agent: "claude", Event: "PreToolUse", Dir: dir, Env: env,
			Stdin: []byte(`{"session_id":"s-1","cwd":` + strconv.Quote(dir) + `,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t-1","tool_input":{"command":"ls"}}`),
		})
		asked <- err
	}()
	groups := map[string]int{}
	for _, name := range []string{"worker", "once"} {
		groups[name] = awaitNumber(t, filepath.Join(dir, name))
	}
	if err := syscall.Kill(st.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-asked; err == nil {
		t.Error("the call was answered; the test shows nothing")
	}
	for name, group := range groups {
		eventually.True(t, name+" and its child end", func() bool { return !procgroup.Populated(group) })
	}
	next, err := daemon.Start(t.Context(), at, program, env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := next.Stop(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

// awaitNumber waits for a hook to write its process number.
func awaitNumber(t *testing.T, path string) (n int) {
	t.Helper()
	eventually.True(t, path+" holds a number", func() bool {
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(text), "\n") {
			return false
		}
		n, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	return n
}
