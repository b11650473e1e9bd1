package api

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/logline"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
)

// patience bounds every wait of these tests; what is waited for comes at once.
const patience = 2 * time.Minute

// bench is an engine without a configuration: real hooks, real firing.
type bench struct {
	hook.Engine

	mu       sync.Mutex
	watchers map[chan judge.Watched]*watch
	firing   []judge.Firing
	latest   map[string]int // registrations, by id
}

type watch struct {
	filter judge.WatchFilter
	missed int64
}

func (b *bench) Fire(ctx context.Context, f judge.Firing) (hook.Outcome[any], error) {
	b.mu.Lock()
	b.firing = append(b.firing, f)
	b.mu.Unlock()
	info, err := b.Lookup(f.Event)
	if err != nil {
		return hook.Outcome[any]{}, &judge.RequestError{Err: err}
	}
	ev, err := wire.NewEvent(info, f.Payload)
	if err != nil {
		return hook.Outcome[any]{}, &judge.RequestError{Err: err}
	}
	head := *ev.Head()
	if head.Session == "" {
		head.Session = f.Session
	}
	if ev, err = info.New(head, ev.Body()); err != nil {
		return hook.Outcome[any]{}, err
	}
	began := time.Now()
	out, err := b.Engine.Fire(ctx, ev)
	if err == nil {
		b.publish(audit.FromOutcome(ev, &out, time.Since(began)))
	}
	return out, err
}

func (b *bench) Register(_ context.Context, _ string, h hook.Hook) (func(), bool, error) {
	if h.ID == "panics" {
		panic("a registration that panics")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	replaced, err := b.Replace(h)
	if err != nil {
		return nil, false, &judge.RequestError{Err: err}
	}
	if b.latest == nil {
		b.latest = map[string]int{}
	}
	b.latest[h.ID]++
	mine := b.latest[h.ID]
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.latest[h.ID] == mine {
			b.Remove(h.ID)
		}
	}, replaced, nil
}

func (b *bench) publish(r audit.Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for to, w := range b.watchers {
		if w.filter.Session != "" && w.filter.Session != r.Session {
			continue
		}
		select {
		case to <- judge.Watched{Record: r, Missed: w.missed}:
			w.missed = 0
		default:
			w.missed++
		}
	}
}

func (b *bench) Follow(ctx context.Context, f judge.WatchFilter) (<-chan judge.Watched, error) {
	to := make(chan judge.Watched, 4)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watchers == nil {
		b.watchers = map[chan judge.Watched]*watch{}
	}
	b.watchers[to] = &watch{filter: f}
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers, to)
		close(to)
	})
	return to, nil
}

// serve serves a service at a listener until the test ends.
func serve(t testing.TB, s *Service, l net.Listener) {
	t.Helper()
	server := s.Server()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		s.Close(ctx)
		<-done
	})
}

// socket is a Unix socket in a folder of its own, whose path is short enough.
func socket(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(shortDir(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// dialTo is a connection to a server.
func dialTo(t testing.TB, a net.Addr, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	target := "dns:///" + a.String()
	if a.Network() == "unix" {
		target = "unix://" + a.String()
	}
	options = append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}, options...)
	c, err := grpc.NewClient(target, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// open is an engine behind a service on a Unix socket, and a client of it.
func open(t testing.TB, o ServiceOptions) (*bench, *Service, hookwayv1.EngineClient) {
	t.Helper()
	noGoroutinesLeft(t)
	if o.Log == nil {
		o.Log = logline.New(func(line string) { t.Log(line) })
	}
	b := new(bench)
	s, l := NewService(b, o), socket(t)
	serve(t, s, l)
	return b, s, hookwayv1.NewEngineClient(dialTo(t, l.Addr()))
}

// within is a context that ends with the patience of the test.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// noGoroutinesLeft fails the test if goroutines of this package or of gRPC are
// left when everything that it started is closed.
func noGoroutinesLeft(t testing.TB) {
	t.Helper()
	before := ours()
	t.Cleanup(func() {
		eventually.True(t, "no goroutine of gRPC is left over", func() bool { return len(ours()) <= len(before) }, func() string { return strings.Join(ours(), "\n\n") })
	})
}

// ours are the stacks of goroutines that this package or gRPC started.
func ours() []string {
	buf := make([]byte, 1<<20)
	var out []string
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "internal/api.(*") || strings.Contains(g, "google.golang.org/grpc") {
			if !strings.Contains(g, "testing.tRunner") {
				out = append(out, g)
			}
		}
	}
	return out
}

func bash(command string) *hookwayv1.Event {
	return &hookwayv1.Event{Name: "PreToolUse", SessionId: "s-1", Json: []byte(`{"tool_name":"Bash","tool_input":{"command":` + quote(command) + `}}`)}
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// wantStatus compares the code of an error, and what its message has.
func wantStatus(t testing.TB, err error, code codes.Code, parts ...string) {
	t.Helper()
	got := status.Convert(err)
	if got.Code() != code {
		t.Errorf("status %v (%s), want %v", got.Code(), got.Message(), code)
		return
	}
	for _, part := range parts {
		if !strings.Contains(got.Message(), part) {
			t.Errorf("the message %q lacks %q", got.Message(), part)
		}
	}
}

// largest lets a client take what the daemon may send.
var largest = grpc.MaxCallRecvMsgSize(wire.MaxSize + 1<<20)

// with puts an authorization into the metadata of calls.
func with(ctx context.Context, authorization string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", authorization)
}

// shortDir is a folder whose path leaves room for a socket's name.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
