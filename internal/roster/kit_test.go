//go:build linux || darwin

package roster_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/roster"
)

// TestMain lets the test binary be a session of another process.
func TestMain(m *testing.M) {
	if dir := os.Getenv("ROSTER_TEST_DIR"); dir != "" {
		s, err := roster.Serve(context.Background(), dir, roster.Member{Name: "other", Session: "other-session", PID: os.Getpid()},
			func(context.Context, roster.Request) roster.Reply { return roster.Reply{} })
		if err != nil {
			panic(err)
		}
		fmt.Println("announced")
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
		if err := s.Close(); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// folder is one whose name is short enough for a socket.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "roster")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func serve(t *testing.T, dir string, m roster.Member, h roster.Handler) *roster.Server {
	t.Helper()
	if h == nil {
		h = func(context.Context, roster.Request) roster.Reply { return roster.Reply{} }
	}
	s, err := roster.Serve(t.Context(), dir, m, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func list(t *testing.T, dir string) []*roster.Remote {
	t.Helper()
	all, err := roster.List(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func find(t *testing.T, dir, name string) *roster.Remote {
	t.Helper()
	r, err := roster.Find(t.Context(), dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// another starts a process that has announced itself.
func another(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ROSTER_TEST_DIR="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || strings.TrimSpace(line) != "announced" {
		t.Fatalf(`got %q, %v, want err == nil and strings.TrimSpace(line) == "announced"`, line, err)
	}
	return cmd
}

// soon receives what must come.
func soon[T any](t *testing.T, what string, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(2 * time.Minute):
		t.Fatalf("it never came: %s", what)
	}
	return v
}
