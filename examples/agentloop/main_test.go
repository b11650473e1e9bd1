package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestTheLoopIsHeldByItsHooks runs the loop against the real daemon.
func TestTheLoopIsHeldByItsHooks(t *testing.T) {
	if testing.Short() {
		t.Skip("it links all of hookway")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the daemon listens at a named pipe, which grpc does not dial by itself")
	}
	dir, err := os.MkdirTemp("", "loop") // a path that is short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	hookway := filepath.Join(dir, "hookway")
	if built := os.Getenv("HOOKWAY_E2E_BIN"); built != "" { // make test has it already
		hookway = filepath.Join(built, "hookway")
	} else if out, err := exec.Command("go", "build", "-o", hookway, "../../cmd/hookway").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	workspace := filepath.Join(dir, "repo")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	rules := "hooks:\n  - {id: note, on: PostToolUse, match: {command: files}, inject: noted}\n"
	if err := os.WriteFile(filepath.Join(workspace, "hookway.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	trust := exec.Command(hookway, "-C", workspace, "trust")
	trust.Env = environ(dir)
	if out, err := trust.CombinedOutput(); err != nil {
		t.Fatalf("trusting: %v\n%s", err, out)
	}
	socket := serve(t, hookway, dir)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	if err := run(ctx, "unix://"+socket, "", workspace, &out); err != nil {
		t.Fatal(err)
	}
	want := `model: Let me look around.
tool: a few files
noted
model: I clean up first.
tool: refused: recursive deletes are not allowed here
model: One more look.
tool: done

stopped: 1500 of 1200 tokens are used
`
	if out.String() != want {
		t.Errorf("it printed:\n%s\nwant:\n%s", out.String(), want)
	}
	if err := run(ctx, "vsock://host", "", "", &out); err == nil || !strings.Contains(err.Error(), "CID:PORT") {
		t.Errorf("a wrong target gave %v", err)
	}
}

// environ keeps hookway away from what the user has.
func environ(home string) []string {
	return append(os.Environ(), "HOOKWAY_HOME="+home, "HOME="+home, "XDG_CONFIG_HOME="+home, "HOOKWAY_LISTEN=")
}

// serve runs the daemon until the test ends, and gives its socket.
func serve(t *testing.T, hookway, home string) string {
	t.Helper()
	daemon := exec.Command(hookway, "serve")
	daemon.Env = environ(home)
	var said bytes.Buffer
	daemon.Stderr = &said
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	t.Cleanup(func() {
		_ = daemon.Process.Signal(os.Interrupt)
		<-ended
	})
	socket := filepath.Join(home, "run", "hookway.sock")
	for end := time.Now().Add(time.Minute); ; { // nothing tells of the moment
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
			return socket
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the daemon ended: %v\n%s", err, said.String())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatalf("got %v, want !time.Now().After(end)", errors.New("the daemon did not come up"))
		}
	}
}
