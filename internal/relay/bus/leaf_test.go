package bus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay/bus"
)

// fromOf are the ids with a prefix, in the order in which they came.
func (b *box) fromOf(prefix string) (out []string) {
	for _, id := range b.got {
		if strings.HasPrefix(id, prefix) {
			out = append(out, id)
		}
	}
	return out
}

// getsFrom waits until these messages of one sender have come, in this order.
func (b *box) getsFrom(t testing.TB, prefix string, want []string) {
	t.Helper()
	b.until(t, fmt.Sprintf("%d messages of %s", len(want), prefix), func() bool { return len(b.fromOf(prefix)) >= len(want) })
	b.mu.Lock()
	defer b.mu.Unlock()
	if got := b.fromOf(prefix); !slices.Equal(got, want) {
		t.Fatalf("%s: the messages of %s came in another order: %v", b.machine, prefix, got[:min(len(got), 20)])
	}
}

func TestTwoMachinesTalkOverALeafLink(t *testing.T) {
	t.Parallel()
	at := freeAddress(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a secret of many characters\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cable := newProxy(t, at)
	hub := newMachine(t, "hub", bus.Leaf{Listen: at, TokenFile: token})
	hub.change(func() { hub.agents = "Bob" })
	to, back := ids("a", 1000), ids("b", 1000)
	hub.send("far", to[:100]...) // before the other is there
	far := newMachine(t, "far", bus.Leaf{Remotes: []bus.Remote{{URL: "nats://" + cable.address(), TokenFile: token}}})
	far.until(t, "the directory", func() bool { return far.learned["hub"] == "hub has Bob" })
	hub.until(t, "the directory", func() bool { return hub.learned["far"] == "far has " })
	far.send("hub", back[:100]...)
	far.getsFrom(t, "a", to[:100])
	hub.getsFrom(t, "b", back[:100])
	far.change(func() { far.agents = "Eve" })
	hub.until(t, "what has changed", func() bool { return hub.learned["far"] == "far has Eve" })

	for i := range 5 { // the link is cut while messages are on their way
		part := 100 + i*180
		hub.send("far", to[part:part+90]...)
		far.send("hub", back[part:part+90]...)
		far.until(t, "something", func() bool { return len(far.fromOf("a")) > part })
		cable.sever()
		hub.send("far", to[part+90:part+180]...)
		far.send("hub", back[part+90:part+180]...)
		hub.until(t, "the outbox", func() bool { return hub.rows[len(hub.rows)-1].published })
		cable.mend()
	}
	far.getsFrom(t, "a", to)
	hub.getsFrom(t, "b", back)

	far.mu.Lock()
	for source := range far.sources { // else they came by two ways, and in two orders
		if !strings.HasPrefix(source, "hub/HW_default_far ") {
			t.Errorf("messages came out of the stream %s", source)
		}
	}
	far.mu.Unlock()

	stop(t, far.bus) // a machine that is off, and comes back
	eventually.True(t, "that the link is closed", func() bool {
		s := hub.bus.Status()
		return len(s.Peers) == 1 && !s.Peers[0].Reachable
	})
	hub.send("far", "a-late")
	far.bus = start(t, far.box, far.c)
	far.getsFrom(t, "a", append(to, "a-late"))
	eventually.True(t, "the status", func() bool {
		s := hub.bus.Status()
		return s.Mode == bus.ModeLeaf && len(s.Peers) == 1 && s.Peers[0].Machine == "far" && s.Peers[0].Reachable && !s.Peers[0].LastContact.IsZero()
	})
}

func TestThreeMachinesTalkOverAHub(t *testing.T) {
	t.Parallel()
	at := freeAddress(t)
	hub := newMachine(t, "hub", bus.Leaf{Listen: at})
	cable := newProxy(t, at)
	a := newMachine(t, "a", bus.Leaf{Remotes: []bus.Remote{{URL: "nats://" + at}}})
	b := newMachine(t, "b", bus.Leaf{Remotes: []bus.Remote{{URL: "nats://" + cable.address()}}})
	ab, ba, bh := ids("ab", 400), ids("ba", 400), ids("bh", 400)
	a.until(t, "b", func() bool { return a.learned["b"] != "" })
	for i := range 4 {
		a.send("b", ab[i*100:i*100+100]...)
		b.send("a", ba[i*100:i*100+100]...)
		b.send("hub", bh[i*100:i*100+100]...)
		a.until(t, "something", func() bool { return len(a.fromOf("ba")) > i*100 })
		cable.sever()
		b.until(t, "the outbox", func() bool { return b.rows[len(b.rows)-1].published })
		cable.mend()
	}
	b.getsFrom(t, "ab", ab)
	a.getsFrom(t, "ba", ba)
	hub.getsFrom(t, "bh", bh)
	hub.mu.Lock()
	defer hub.mu.Unlock()
	if got := hub.fromOf("ab"); len(got) > 0 {
		t.Errorf("the hub took messages for another: %v", got)
	}
}

func TestAWrongTokenIsToldAndLetsNobodyIn(t *testing.T) {
	dir, at := t.TempDir(), freeAddress(t)
	for name, text := range map[string]string{"right": "the right secret of all", "wrong": "another secret than that"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hub, d := newMachine(t, "hub", bus.Leaf{Listen: at, TokenFile: filepath.Join(dir, "right")}), &hooktest.Log{}
	far := newBox("far")
	running, err := bus.Start(context.Background(), far, bus.Config{Dir: t.TempDir(), Log: logline.New(d.Add), Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "nats://" + at, TokenFile: filepath.Join(dir, "wrong")}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, running)
	eventually.True(t, "a word of it", func() bool { return strings.Contains(strings.ToLower(d.String()), "authorization") })
	hub.mu.Lock()
	defer hub.mu.Unlock()
	if len(hub.learned) > 0 {
		t.Error("it was let in")
	}
}

func TestTwoMachinesOfOneNameAreTold(t *testing.T) {
	at := freeAddress(t)
	newMachine(t, "hub", bus.Leaf{Listen: at})
	d := &hooktest.Log{}
	for range 2 {
		start(t, newBox("same"), bus.Config{Log: logline.New(d.Add), Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "nats://" + at}}}})
	}
	eventually.True(t, "a word of it", func() bool { return strings.Contains(d.String(), "another machine calls itself same") })
}
