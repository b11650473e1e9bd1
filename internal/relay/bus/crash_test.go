package bus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
)

// home is a state folder with the real store, as a command of hookway has it open
// beside the daemon.
type home struct {
	dir   string
	store *relay.Store
}

func newHome(t testing.TB, machine string) *home {
	t.Helper()
	h := &home{dir: filepath.Join(t.TempDir(), "relay")}
	var err error
	if h.store, err = relay.Open(t.Context(), h.dir, relay.Options{Machine: machine, Limits: relay.Limits{Inbox: -1}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.store.Close() })
	return h
}

// reader is an agent that takes what comes, and tells of each.
type reader struct {
	t        testing.TB
	consumer *relay.Consumer
	got      []string
}

func (h *home) join(t testing.TB, name string) *reader {
	t.Helper()
	consumer, err := h.store.Join(t.Context(), relay.Presence{Session: "s-" + name, Name: name, Kind: "wrapped"})
	if err != nil {
		t.Fatal(err)
	}
	return &reader{t: t, consumer: consumer}
}

// read takes messages until there are n.
func (r *reader) read(n int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patient)
	defer cancel()
	for len(r.got) < n {
		if err := r.consumer.Wait(ctx); err != nil {
			r.t.Fatalf("%d messages came of %d: %v", len(r.got), n, err)
		}
		all, err := r.consumer.Take(ctx, 100)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, m := range all {
			id := m.Message.ID
			if err := r.consumer.Begin(ctx, id, m.Message.Content, "typed"); err != nil {
				r.t.Fatal(err)
			}
			if err := r.consumer.Done(ctx, id, false); err != nil {
				r.t.Fatal(err)
			}
			r.got = append(r.got, m.Message.Content)
		}
	}
}

// has fails unless just these came, in this order.
func (r *reader) has(want []string) {
	r.t.Helper()
	r.read(len(want))
	if !slices.Equal(r.got, want) {
		for i := range want {
			if r.got[i] != want[i] {
				r.t.Fatalf("message %d of %d is %q, not %q; they are %q", i, len(want), r.got[i], want[i], r.got[max(0, i-3):min(len(r.got), i+40)])
			}
		}
		r.t.Fatalf("%d messages came, not %d", len(r.got), len(want))
	}
}

// sendAll sends texts one after the other, in the background.
func (h *home) sendAll(t testing.TB, from, to string, texts []string, daemon *child) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		for _, text := range texts {
			if _, err := h.store.Send(t.Context(), relay.Message{From: from, To: to, Content: text}); err != nil {
				t.Errorf("%s: %v", text, err)
				return
			}
			daemon.signal()
		}
	}()
	return done
}

// roundsOf gives how often the drill below cuts or kills; make proof sets more.
func roundsOf(t testing.TB) int {
	t.Helper()
	text := os.Getenv("HOOKWAY_LINK_ROUNDS")
	if text == "" {
		return 6
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestALeafLinkBetweenDaemonsThatAreKilled: two machines with a cable between them;
// the cable is cut, and either daemon is killed, while both send. Each message comes
// once, in order.
func TestALeafLinkBetweenDaemonsThatAreKilled(t *testing.T) {
	t.Parallel()
	at := freeAddress(t)
	cable := newProxy(t, at)
	m1, m2 := newHome(t, "m1"), newHome(t, "m2")
	alice, bob := m1.join(t, "Alice"), m2.join(t, "Bob")
	hub := launch(t, "m1", job{Daemon: &daemonJob{State: m1.dir, Machine: "m1", Leaf: bus.Leaf{Listen: at}}}, alice.consumer.Notify)
	far := launch(t, "m2", job{Daemon: &daemonJob{State: m2.dir, Machine: "m2", Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "nats://" + cable.address()}}}}}, bob.consumer.Notify)
	m1.knows(t, "Bob")
	m2.knows(t, "Alice")
	const part = 30
	rounds := roundsOf(t)
	there, back := ids("there", rounds*part), ids("back", rounds*part)
	for i := range rounds {
		mine := m1.sendAll(t, "Alice", "Bob@m2", there[i*part:(i+1)*part], hub)
		theirs := m2.sendAll(t, "Bob", "Alice@m1", back[i*part:(i+1)*part], far)
		bob.read(i*part + 10)
		switch i % 3 {
		case 0:
			cable.sever()
			<-mine
			<-theirs
			cable.mend()
		case 1:
			hub.kill()
			hub.start()
		case 2:
			far.kill()
			far.start()
		}
		<-mine
		<-theirs
		bob.read((i + 1) * part)
		alice.read((i + 1) * part)
	}
	bob.has(there)
	alice.has(back)
	t.Logf("%d messages, %d rounds", 2*rounds*part, rounds)
	eventually.True(t, "all receipts", func() bool {
		list, err := m1.store.SentBy(t.Context(), "Alice", rounds*part)
		if err != nil {
			t.Fatal(err)
		}
		_, receipts, err := m1.store.Receipts(t.Context(), list[len(list)-1].ID)
		return err == nil && len(receipts) == 1 && receipts[0].State == relay.StateInjected
	})
}

// knows waits until an agent of another machine is known.
func (h *home) knows(t testing.TB, name string) {
	t.Helper()
	eventually.True(t, fmt.Sprint(name, " to be known"), func() bool {
		all, err := h.store.Agents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(all, func(a relay.Agent) bool { return a.Name == name && a.Machine != h.store.Machine() })
	})
}
