package rpc

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/mdlayher/vsock"
)

// TestVsock asks a server over a real AF_VSOCK socket, where the kernel leads one of
// this machine back to it.
func TestVsock(t *testing.T) {
	l, err := Listen("vsock://:0")
	if err != nil {
		t.Skipf("SKIPPED, no vsock was tried: this kernel has no AF_VSOCK: %v", err)
	}
	port := l.Addr().(*vsock.Addr).Port
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, hook.Static(hook.Block("from another machine"))) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	ids := []uint32{vsock.Local}
	if own, err := vsock.ContextID(); err == nil {
		ids = append(ids, own)
	}
	var why []string
	for _, id := range ids {
		dialed, stop := context.WithTimeout(t.Context(), 5*time.Second)
		conn, err := vsock.DialContext(dialed, id, port, nil)
		stop()
		if err != nil {
			why = append(why, fmt.Sprintf("context id %d: %v", id, err))
			continue
		}
		_ = conn.Close() // it was only to see whether there is a way
		d, err := newHandler(t, Config{Target: fmt.Sprintf("vsock://%d:%d", id, port)}).Handle(t.Context(), bash("ls"))
		if err != nil || d.Reason != "from another machine" {
			t.Errorf("context id %d: %q, %v", id, d.Reason, err)
		}
		return
	}
	t.Skipf("SKIPPED, a server listens on AF_VSOCK, but nothing of this machine reaches it (modprobe vsock_loopback): %v", why)
}

// TestVsockThatLeadsNowhere: the kernel's refusal, not a mock's.
func TestVsockThatLeadsNowhere(t *testing.T) {
	l, err := Listen("vsock://:0")
	if err != nil {
		t.Skipf("SKIPPED: this kernel has no AF_VSOCK: %v", err)
	}
	port := l.Addr().(*vsock.Addr).Port
	l.Close()
	own, err := vsock.ContextID()
	if err != nil {
		t.Skipf("SKIPPED: this machine has no context id: %v", err)
	}
	target := fmt.Sprintf("vsock://%d:%d", own, port)
	fails(t, newHandler(t, Config{Target: target}), bash("ls"), target+": it cannot be reached, 3 tries: dial vsock")
}
