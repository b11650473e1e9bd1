package wasm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hookway/hookway/handler/wasm/testdata/wat"
	"github.com/hookway/hookway/hook"
)

// built is the example in Go, and a cache of what it is compiled to, which takes
// longer than all else here.
var built struct {
	once   sync.Once
	dir    string
	module *Module
	err    error
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(besideVariable); dir != "" {
		if err := beside(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// goGuest builds the example in Go once.
func goGuest(t testing.TB) (*Module, string) {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "hookway-wasm-"); built.err != nil {
			return
		}
		file := filepath.Join(built.dir, "exam.wasm")
		build := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", file, ".")
		build.Dir = filepath.Join("testdata", "guests", "go")
		build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Logf("%s", out)
			built.err = err
			return
		}
		if built.module, built.err = Read(file); built.err != nil {
			return
		}
		h := New(built.module, Config{Cache: filepath.Join(built.dir, "cache")})
		e, err := h.compile() // on a slow machine it takes longer than the exam waits
		if err == nil {
			err = e.close()
		}
		built.err = err
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.module, filepath.Join(built.dir, "cache")
}

// assemble writes a module in the text format into a file, and gives that.
func assemble(t testing.TB, text string) string {
	t.Helper()
	module, err := wat.Assemble(text)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, module)
}

func write(t testing.TB, module []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hook.wasm")
	if err := os.WriteFile(file, module, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// open makes a handler of a file.
func open(t testing.TB, file string, c Config) *Handler {
	t.Helper()
	m, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	h := New(m, c)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func bash(command string) hook.AnyEvent {
	return hook.PreToolUse.New(hook.Envelope{Session: "s", Agent: "a"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}})
}

func decide(t testing.TB, h *Handler, command string) hook.Decision {
	t.Helper()
	d, err := h.Handle(context.Background(), bash(command))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
