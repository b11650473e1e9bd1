package bus_test

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay/bus"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// newServer starts a server of the user's own at an address, with two users: one may
// do all, the other nearly nothing.
func newServer(t *testing.T, at, dir string, set ...func(*server.Options)) *server.Server {
	t.Helper()
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	o := &server.Options{Host: "127.0.0.1", Port: n, JetStream: true, StoreDir: dir, JetStreamMaxStore: 8 << 30, NoLog: true, NoSigs: true, Users: []*server.User{
		{Username: "all", Password: "secret-of-all"},
		{Username: "few", Password: "secret-of-few", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: []string{"other.>"}}, Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>", "hookway.>"}}}}}}
	for _, change := range set {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

// messagesFor counts what a server has for a machine; -1 is that there is no stream.
func messagesFor(t *testing.T, at, machine string) func() int {
	t.Helper()
	nc, err := nats.Connect("nats://all:secret-of-all@" + at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return func() int {
		s, err := js.Stream(t.Context(), "HW_default_"+machine)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return -1
		}
		if err != nil {
			t.Fatal(err)
		}
		return int(s.CachedInfo().State.Msgs)
	}
}

// TestAServerOfOnesOwn is off at first, then there, gone with all that it had, and
// there again.
func TestAServerOfOnesOwn(t *testing.T) {
	t.Parallel()
	at, b, m2 := freeAddress(t), newBox("m1"), newBox("m2")
	user := bus.Config{NATS: "nats://all:secret-of-all@" + at, Log: nil}
	running := start(t, b, user)
	start(t, m2, user)
	want := ids("m", 200)
	b.send("m2", want[:100]...)
	eventually.True(t, "the status", func() bool { return strings.Contains(running.Status().LastError, at) })
	if s := running.Status(); s.Connected || strings.Contains(s.LastError, "secret") {
		t.Errorf(`got %+v, want !s.Connected and !strings.Contains(s.LastError, "secret")`, s)
	}
	first := newServer(t, at, t.TempDir())
	m2.gets(t, want[:100])
	if s := running.Status(); !s.Connected || s.Server == "" {
		t.Errorf(`got %+v, want s.Connected and s.Server != ""`, s)
	}
	m2.change(func() { m2.refuse = errFull })
	b.send("m2", want[100:150]...)
	b.until(t, "the outbox", func() bool { return b.rows[149].published })
	first.Shutdown()
	first.WaitForShutdown()
	m2.change(func() { m2.refuse = nil })
	newServer(t, at, t.TempDir()) // it has nothing of what the first had
	b.send("m2", want[150:]...)
	m2.gets(t, want)
}

// TestAWrongPasswordIsTold and not what follows of it.
func TestAWrongPasswordIsTold(t *testing.T) {
	t.Parallel()
	at, b := freeAddress(t), newBox("m1")
	newServer(t, at, t.TempDir())
	said := make(chan string, 64)
	running := start(t, b, bus.Config{NATS: "nats://all:wrong@" + at, Log: logline.New(func(line string) {
		select {
		case said <- line:
		default:
		}
	})})
	b.send("m2", "one")
	var refused, failed bool
	for !refused || !failed {
		line := <-said
		refused = refused || strings.Contains(line, "Authorization Violation")
		failed = failed || strings.Contains(line, "cannot be looked at")
	}
	if s := running.Status(); !strings.Contains(s.LastError, "Authorization Violation") {
		t.Errorf("it says %q", s.LastError)
	}
}

func TestRightsThatAreMissingAreTold(t *testing.T) {
	at, b := freeAddress(t), newBox("m1")
	newServer(t, at, t.TempDir())
	running := start(t, b, bus.Config{NATS: "nats://few:secret-of-few@" + at, Log: nil})
	b.send("m2", "one")
	eventually.True(t, "a word of it", func() bool { return strings.Contains(running.Status().LastError, "give these credentials the rights") })
}
