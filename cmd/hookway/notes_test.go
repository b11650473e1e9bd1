package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/memory"
)

// TestMemoryComplainsWhenTheTerminalIsOurs: what it says while a program is wrapped
// does not go into the program's screen.
func TestMemoryComplainsWhenTheTerminalIsOurs(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	away := "http://" + l.Addr().String()
	if err := errors.Join(l.Close(), os.Mkdir(filepath.Join(home, "config"), 0o700),
		os.WriteFile(filepath.Join(home, "config", "hookway.yaml"), []byte("memory: {backend: mem0, mem0: {url: "+away+"}}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	a := appWith(nil, nil, &screen, func(name string) string { return map[string]string{"HOOKWAY_HOME": home}[name] })
	said := make(chan string, 100)
	a.later = func(line string) { said <- line }
	held, err := a.home.Memories().At(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Save(t.Context(), memory.Memory{Workspace: dir, Text: "likes tea"}); err != nil {
		t.Errorf("it is kept in the outbox: %v", err)
	}
	held.Done()
	if err := a.home.Memories().Close(); err != nil {
		t.Error(err)
	}
	if screen.Len() > 0 {
		t.Errorf("the screen has %q", screen.String())
	}
	select {
	case line := <-said:
		if !strings.Contains(line, "mem0") && !strings.Contains(line, "memor") {
			t.Errorf("it said %q", line)
		}
	default:
		t.Error("no line says that memories wait")
	}
}
