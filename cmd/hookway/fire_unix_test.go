//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAPipeIsWaitedForUntilTheContextEnds(t *testing.T) {
	silent, pipe := filepath.Join(t.TempDir(), "silent"), filepath.Join(t.TempDir(), "pipe")
	if err := errors.Join(syscall.Mkfifo(silent, 0o600), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openWithin(ended, silent); !errors.Is(err, context.Canceled) {
		t.Errorf("a pipe that nobody writes to gives %v", err)
	}
	writing := make(chan error, 1)
	go func() { writing <- os.WriteFile(pipe, []byte("{}"), 0) }()
	f, err := openWithin(t.Context(), pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "{}" {
		t.Errorf("one that somebody writes to gives %q, %v", text, err)
	}
	if err := <-writing; err != nil {
		t.Error(err)
	}
}
