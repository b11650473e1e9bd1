//go:build unix

package doctor

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/wire/call"
)

// meeting is a Checkup with a folder for a socket, whose name is short.
func meeting(t *testing.T) *Checkup {
	t.Helper()
	dir, err := os.MkdirTemp("", "hd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &Checkup{
		Getenv: func(string) string { return "" }, state: dir, Now: time.Now(), Version: "v2",
		places: call.Places{Dir: dir, Socket: filepath.Join(dir, "s.sock"), Lock: filepath.Join(dir, "start.lock")},
	}
}

// TestADaemonOfAnotherVersion is asked by the new program.
func TestADaemonOfAnotherVersion(t *testing.T) {
	c := meeting(t)
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- daemon.Serve(ctx, daemon.Config{
			Places: c.places, Version: "v1", Ready: func() { close(ready) },
			Handle: func(context.Context, daemon.Peer, *call.Request) call.Reply { return call.Reply{} },
		})
	}()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	s := c.daemon(t.Context())
	stop()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if f := s.find(t, "hookway v1 runs (pid "); f.Level != OK {
		t.Errorf("%+v", f)
	}
	if f := s.find(t, "it is hookway v1, and this is v2"); f.Level != Warning || f.Mend != "hookway stop; the next event starts this one" {
		t.Errorf("%+v", f)
	}
}

// TestADaemonThatSaysNothing hangs up on everybody.
func TestADaemonThatSaysNothing(t *testing.T) {
	c := meeting(t)
	l, err := net.Listen("unix", c.places.Socket)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	c.places.MarkStuck()
	s := c.daemon(t.Context())
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	<-ended
	if f := s.find(t, "it hung a moment ago"); f.Level != Warning || f.Mend == "" {
		t.Errorf("%+v", f)
	}
	if f := s.find(t, "it does not answer at "); f.Level != Failure || f.Mend == "" {
		t.Errorf("%+v", f)
	}
}
