package rpc

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"google.golang.org/grpc"
)

func newHandler(t testing.TB, c Config) *Handler {
	t.Helper()
	if c.Environ == nil {
		c.Environ = environFrom()
	}
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// environFrom is an environment of these variables only.
func environFrom(entries ...string) func(context.Context) []string {
	return func(context.Context) []string { return entries }
}

func bash(command string) hook.AnyEvent {
	return hook.PreToolUse.New(hook.Envelope{Session: "s-1"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}})
}

// place is a target for a socket of the test's own.
func place(t testing.TB) string {
	t.Helper()
	return "unix://" + filepath.ToSlash(filepath.Join(t.TempDir(), "s"))
}

// fragile is a listener all of whose connections can be broken.
type fragile struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (f *fragile) Accept() (net.Conn, error) {
	conn, err := f.Listener.Accept()
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.conns = append(f.conns, conn)
	}
	return conn, err
}

func (f *fragile) breakAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, conn := range f.conns {
		_ = conn.Close() // grpc may have closed it before
	}
	f.conns = nil
}

// listen listens at a target.
func listen(t testing.TB, target string) *fragile {
	t.Helper()
	l, err := Listen(target)
	if err != nil {
		t.Fatal(err)
	}
	return &fragile{Listener: l}
}

// run serves until the test ends, or stop is called.
func run(t testing.TB, l net.Listener, s *grpc.Server) (stop func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			s.Stop()
			if err := <-done; err != nil && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

// serving serves a handler with Server.Serve, until the test ends or stop is called.
func serving(t testing.TB, target string, s *Server) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	l := listen(t, target)
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

// handles is a server that has Handle, and no Stream.
type handles struct {
	hookwayv1.UnimplementedHooksServer
	handle func(context.Context, *hookwayv1.HandleRequest) (*hookwayv1.HandleResponse, error)
}

func (h *handles) Handle(ctx context.Context, r *hookwayv1.HandleRequest) (*hookwayv1.HandleResponse, error) {
	return h.handle(ctx, r)
}
