package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/wire/call"
)

func TestManyRequestsOnOneConnection(t *testing.T) {
	d := start(t, Config{Version: "1.2.3"})
	c := dial(t, d.Places)
	large := strings.Repeat("x", 3<<20) // one that waits for its turn
	for _, text := range []string{"first", "", large, "last"} {
		if got := ask(t, c, text); got != text {
			t.Errorf("asked %.10q (%d), answered %.10q (%d)", text, len(text), got, len(got))
		}
	}
	r, err := c.Do(t.Context(), &call.Request{Kind: call.KindPing})
	if err != nil || string(r.Stdout) != "1.2.3" {
		t.Errorf("ping: %q, %v", r.Stdout, err)
	}
	st, err := c.Status(t.Context(), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint([]any{st.PID, st.Requests, st.Running, st.Connections}), fmt.Sprint([]any{os.Getpid(), 6, 0, 1}); got != want {
		t.Errorf("status: %+v: got %s, want %s", st, got, want)
	} else if st.Workspaces == nil || st.Sessions == nil {
		t.Errorf("status: %+v", st)
	}
}

// No client waits for another: each of 64 is in the handler at the same time.
func TestManyClientsAtOnce(t *testing.T) {
	const clients = 64
	var all sync.WaitGroup
	all.Add(clients)
	d := start(t, Config{Handle: func(_ context.Context, _ Peer, r *call.Request) call.Reply {
		all.Done()
		all.Wait()
		return call.Reply{Stdout: r.Stdin}
	}})
	var asked sync.WaitGroup
	for i := range clients {
		c := dial(t, d.Places)
		asked.Go(func() {
			text := fmt.Sprint("client ", i)
			r, err := c.Do(t.Context(), event(text))
			if err != nil || string(r.Stdout) != text {
				t.Errorf("%s: got %q, %v, want err == nil and string(r.Stdout) == text", text, r.Stdout, err)
			}
		})
	}
	asked.Wait()
}

func TestTheHandlerKnowsWhoAsks(t *testing.T) {
	peers := make(chan Peer, 1)
	d := start(t, Config{Handle: func(_ context.Context, p Peer, _ *call.Request) call.Reply {
		peers <- p
		return call.Reply{}
	}})
	ask(t, dial(t, d.Places), "")
	if p := <-peers; p.UID != ownUID() || p.PID != os.Getpid() {
		t.Errorf("it is %+v", p)
	}
}

func TestARequestEndsWithItsClient(t *testing.T) {
	began, causes := make(chan struct{}), make(chan error, 1)
	d := start(t, Config{Handle: func(ctx context.Context, _ Peer, _ *call.Request) call.Reply {
		close(began)
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return call.Reply{}
	}})
	c := dial(t, d.Places)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	if _, err := c.Do(ctx, event("")); !errors.Is(err, context.Canceled) {
		t.Errorf("Do gave %v", err)
	}
	if err := <-causes; !errors.Is(err, errGone) {
		t.Errorf("the request ended by %v", err)
	}
}

func TestARequestEndsWithItsTime(t *testing.T) {
	d := start(t, Config{Handle: func(ctx context.Context, _ Peer, _ *call.Request) call.Reply {
		<-ctx.Done()
		return call.Reply{Err: ctx.Err().Error()}
	}})
	r := event("")
	r.Timeout = time.Millisecond
	reply, err := dial(t, d.Places).Do(t.Context(), r)
	if err != nil || reply.Err != context.DeadlineExceeded.Error() {
		t.Errorf("got %+v, %v, want err == nil and reply.Err == context.DeadlineExceeded.Error()", reply, err)
	}
}

func TestAPanicIsAnsweredAndLogged(t *testing.T) {
	d := start(t, Config{Handle: func(context.Context, Peer, *call.Request) call.Reply { panic("at the disco") }})
	c := dial(t, d.Places)
	for range 2 { // the daemon goes on, on the same connection
		r, err := c.Do(t.Context(), event(""))
		if err != nil || r.Err != "hookway panicked: at the disco" {
			t.Errorf(`got %+v, %v, want err == nil and r.Err == "hookway panicked: at the disco"`, r, err)
		}
	}
	if !d.logged("at the disco") || !d.logged("serve_test.go") {
		t.Errorf("the log says %q", d.lines)
	}
}

func TestRubbishIsAnsweredAndTheConnectionClosed(t *testing.T) {
	d := start(t, Config{})
	nc, err := dialSocket(t.Context(), d.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := nc.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	r, err := call.ReadReply(nc)
	if err != nil || !strings.Contains(r.Err, "not a frame of hookway") {
		t.Errorf(`got %+v, %v, want err == nil and strings.Contains(r.Err, "not a frame of hookway")`, r, err)
	}
	if _, err := call.ReadReply(nc); err == nil {
		t.Error("the connection goes on")
	}
}

func TestThereAreNotMoreConnectionsThanThat(t *testing.T) {
	d := start(t, Config{})
	files := 0
	for range maxConns {
		nc, err := dialSocket(t.Context(), d.Socket)
		if err != nil {
			t.Skipf("after %d connections: %v", files, err)
		}
		defer nc.Close()
		files++
	}
	r, err := dial(t, d.Places).Do(t.Context(), event(""))
	if err != nil || !strings.Contains(r.Err, "takes no more") {
		t.Errorf(`got %+v, %v, want err == nil and strings.Contains(r.Err, "takes no more")`, r, err)
	}
}

func TestWhoIsSomebodyElseIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pipe itself keeps others out")
	}
	s := newServer(Config{Handle: func(context.Context, Peer, *call.Request) call.Reply {
		t.Error("it was answered")
		return call.Reply{}
	}})
	s.uid++ // the daemon of somebody else
	l, err := net.Listen("unix", folder(t)+"/s")
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		s.accept(l, s.admit)
	}()
	r, err := dial(t, call.Places{Socket: l.Addr().String()}).Do(t.Context(), event(""))
	if err != nil || !strings.Contains(r.Err, "another user") {
		t.Errorf(`got %+v, %v, want err == nil and strings.Contains(r.Err, "another user")`, r, err)
	}
	l.Close()
	<-accepted
	s.drain(0)
}

// What runs when the daemon is stopped ends first; nothing else begins.
func TestStopLetsRequestsEnd(t *testing.T) {
	began, proceed := make(chan struct{}), make(chan struct{})
	closed := make(chan struct{})
	d := start(t, Config{
		Handle: func(context.Context, Peer, *call.Request) call.Reply {
			close(began)
			<-proceed
			return call.Reply{Stdout: []byte("done")}
		},
		Close: func() { close(closed) },
	})
	quiet, busy := dial(t, d.Places), dial(t, d.Places)
	replies := make(chan call.Reply, 1)
	go func() {
		r, err := busy.Do(context.Background(), event(""))
		if err != nil {
			t.Error(err)
		}
		replies <- r
	}()
	<-began
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if _, err := dial(t, d.Places).Stop(t.Context(), "test"); err != nil {
			t.Error(err)
		}
		select {
		case <-closed:
		default:
			t.Error("stop returns before the daemon is closed")
		}
	}()
	eventually.True(t, "nothing listens", func() bool {
		c, err := Dial(t.Context(), d.Socket)
		if err == nil {
			c.Close()
		}
		return errors.Is(err, ErrNone)
	})
	_ = quiet.nc.SetReadDeadline(time.Now().Add(time.Minute))
	if n, err := quiet.nc.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("a connection without a request is not closed: %d bytes, %v", n, err)
	}
	select {
	case <-stopped:
		t.Error("stop does not wait")
	default:
	}
	close(proceed)
	if r := <-replies; string(r.Stdout) != "done" {
		t.Errorf("the request under way got %+v", r)
	}
	within(t, "stop", stopped)
	d.await(t)
}

// The socket and the lock are free while requests of the old daemon still run.
func TestTheNextDaemonNeedNotWait(t *testing.T) {
	began, proceed := make(chan struct{}), make(chan struct{})
	old := start(t, Config{Handle: func(context.Context, Peer, *call.Request) call.Reply {
		close(began)
		<-proceed
		return call.Reply{Stdout: []byte("old")}
	}})
	c := dial(t, old.Places)
	replies := make(chan string, 1)
	go func() { replies <- ask(t, c, "") }()
	<-began
	old.stop()
	var next *running
	eventually.True(t, "the lock is free", func() bool {
		lock, err := call.TryLock(old.Dir + "/daemon.lock")
		if err != nil {
			t.Fatal(err)
		}
		if lock != nil {
			lock.Close()
		}
		return lock != nil
	})
	next = start(t, Config{Places: old.Places})
	if got := ask(t, dial(t, next.Places), "new"); got != "new" {
		t.Errorf("it says %q", got)
	}
	close(proceed)
	if got := <-replies; got != "old" {
		t.Errorf("the old daemon says %q", got)
	}
	old.await(t)
	if got := ask(t, dial(t, next.Places), "still"); got != "still" {
		t.Errorf("it says %q", got)
	}
}

func TestRequestsThatDoNotEndAreCancelled(t *testing.T) {
	s := newServer(Config{})
	s.activity.begin()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		s.drain(time.Millisecond)
	}()
	<-s.base.Done()
	if err := context.Cause(s.base); !errors.Is(err, errStopped) {
		t.Errorf("cancelled by %v", err)
	}
	s.activity.end()
	within(t, "the end", drained)
}

func TestASecondDaemonSaysWhoRuns(t *testing.T) {
	d := start(t, Config{})
	err := Serve(t.Context(), Config{Places: d.Places})
	var running *RunningError
	if !errors.As(err, &running) {
		t.Fatalf("it gives %v", err)
	}
	if want := os.Getpid(); running.PID != want && runtime.GOOS != "windows" {
		t.Errorf("it names process %d, want %d", running.PID, want)
	}
	if got := ask(t, dial(t, d.Places), "on"); got != "on" {
		t.Errorf("the first says %q", got)
	}
}

func TestMeterTakesTurns(t *testing.T) {
	large := make(chan struct{}, 1)
	body := bytes.Repeat([]byte{1}, 2*largeSize)
	drink := func(m *meter) error {
		var all bytes.Buffer
		_, err := all.ReadFrom(m)
		return err
	}
	first := &meter{from: bytes.NewReader(body), large: large, within: patience}
	if err := drink(first); err != nil || !first.held {
		t.Fatalf("held %v, %v", first.held, err)
	}
	small := &meter{from: bytes.NewReader(body[:largeSize-1]), large: large, within: patience}
	if err := drink(small); err != nil || small.held {
		t.Errorf("a small one: held %v, %v", small.held, err)
	}
	late := &meter{from: bytes.NewReader(body), large: large, within: time.Millisecond}
	if err := drink(late); err == nil {
		t.Error("the second has a turn while the first holds the only one")
	}
	first.release()
	next := &meter{from: bytes.NewReader(body), large: large, within: patience}
	if err := drink(next); err != nil {
		t.Errorf("after the first: %v", err)
	}
	next.release()
}
