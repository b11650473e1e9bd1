//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// TestHookwayHookDoesNotWaitForAStuckDaemon: one that is known to hang is not
// asked, and one that hung is asked whether it is well before it is given an event.
func TestHookwayHookDoesNotWaitForAStuckDaemon(t *testing.T) {
	dir, err := os.MkdirTemp("", "h") // a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "hookway") // by that name, this binary is hookway
	placeSelf(t, program)
	home := filepath.Join(dir, "home")
	at, err := call.Find(func(name string) string { return map[string]string{"HOOKWAY_HOME": home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(at.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", at.Socket)
	if err != nil {
		t.Fatal(err)
	}
	var calls, hooks atomic.Int32
	ended := make(chan struct{})
	go func() { // takes calls, and answers none
		defer close(ended)
		var held []net.Conn
		for {
			conn, err := l.Accept()
			if err != nil {
				break
			}
			held = append(held, conn)
			calls.Add(1)
			if r, err := call.ReadRequest(conn); err == nil && (r.Kind == call.KindHook || r.Kind == call.KindTold) {
				hooks.Add(1)
			}
		}
		for _, conn := range held {
			_ = conn.Close()
		}
	}()
	defer func() {
		_ = l.Close()
		<-ended
	}()
	ask := func(when, says string) {
		t.Helper()
		cmd := exec.Command(program, "hook", "claude", "--timeout", "10m")
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "HOOKWAY_HOME=" + home, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
		cmd.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}`)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || strings.TrimSpace(string(out)) != "{}" || !strings.Contains(stderr.String(), says) {
			t.Errorf("%s: %q, %v, and on stderr %s", when, out, err, stderr.String())
		}
	}
	at.MarkStuck()
	ask("it hung a moment ago", "hung a moment ago")
	if n := calls.Load(); n > 0 {
		t.Errorf("it was asked %d times", n)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(at.Dir, "stuck"), long, long); err != nil {
		t.Fatal(err)
	}
	ask("it hung an hour ago", "the daemon hangs")
	if lately, _ := at.Stuck(); !lately || hooks.Load() > 0 {
		t.Errorf("remembered: %v, and given %d events", lately, hooks.Load())
	}
}
