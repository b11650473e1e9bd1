package bus_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay/bus"
)

func TestAMessageComesBackFromTheStream(t *testing.T) {
	b := newBox("m1")
	start(t, b, bus.Config{})
	b.send("m1", "one")
	b.gets(t, []string{"one"})
	b.until(t, "the outbox", func() bool { return b.rows[0].published })
}

func TestManyMessagesKeepTheirOrder(t *testing.T) {
	b := newBox("m1")
	want := ids("m", 3000)
	b.send("m1", want[:1000]...) // before the bus is there
	start(t, b, bus.Config{})
	for i := 1000; i < len(want); i++ {
		b.send("m1", want[i])
	}
	b.gets(t, want)
	if b.repeats > 0 {
		t.Errorf("%d messages came twice", b.repeats)
	}
}

func TestWhatWasOfferedTwiceComesOnce(t *testing.T) {
	b := newBox("m1")
	start(t, b, bus.Config{})
	want := ids("m", 300)
	b.send("m1", want...)
	b.gets(t, want)
	if err := b.Republish(context.Background(), "m1"); err != nil {
		t.Fatal(err)
	}
	b.send("m1", "last")
	b.gets(t, append(want, "last"))
	if b.repeats > 0 {
		t.Errorf("the stream took %d messages that it had", b.repeats)
	}
}

func TestMessagesOutliveTheBus(t *testing.T) {
	b, dir := newBox("m1"), t.TempDir()
	want := ids("m", 500)
	first := start(t, b, bus.Config{Dir: dir})
	b.send("m1", want[:100]...)
	b.gets(t, want[:100])
	b.send("m2", "elsewhere")
	b.until(t, "the outbox", func() bool { return b.rows[100].published })
	stop(t, first)
	b.send("m1", want[100:]...)
	start(t, b, bus.Config{Dir: dir})
	b.gets(t, want)
}

// TestALedgerThatCannotBeWrittenLosesNothing: the disk of the ledger is full for a
// while.
func TestALedgerThatCannotBeWrittenLosesNothing(t *testing.T) {
	b := newBox("m1")
	b.refuse = errFull
	d := &hooktest.Log{}
	running := start(t, b, bus.Config{Log: d.Add})
	want := ids("m", 50)
	b.send("m1", want...)
	b.until(t, "the outbox", func() bool { return b.rows[49].published })
	eventually.True(t, "the status", func() bool { return strings.Contains(running.Status().LastError, "no space left") })
	b.change(func() { b.refuse = nil })
	b.gets(t, want)
	eventually.True(t, "the status", func() bool { return running.Status().LastError == "" })
	if n := strings.Count(d.String(), "no space left"); n != 1 {
		t.Errorf("it was told %d times:\n%s", n, d)
	}
}

func TestOnlyOneProcessHasTheFiles(t *testing.T) {
	dir := t.TempDir()
	first := start(t, newBox("m1"), bus.Config{Dir: dir})
	_, err := bus.Start(context.Background(), newBox("m1"), bus.Config{Dir: dir})
	if !errors.Is(err, bus.ErrInUse) || !strings.Contains(err.Error(), "hookway stop") || !strings.Contains(err.Error(), dir) {
		t.Errorf("the second: %v", err)
	}
	stop(t, first)
	start(t, newBox("m1"), bus.Config{Dir: dir})
}

func TestStatusSaysHowItIs(t *testing.T) {
	b := newBox("m1")
	running := start(t, b, bus.Config{})
	if s := running.Status(); s.Mode != bus.ModeEmbedded || !s.Connected || s.Machine != "m1" || s.LastError != "" || s.Outgoing != 0 {
		t.Errorf("%+v", s)
	}
	stop(t, running)
	if s := running.Status(); s.Connected {
		t.Errorf("closed: %+v", s)
	}
}

func TestMistakesOfTheConfigurationAreErrors(t *testing.T) {
	dir := t.TempDir()
	short, open := filepath.Join(dir, "short"), filepath.Join(dir, "open")
	for path, mode := range map[string]os.FileMode{short: 0o600, open: 0o644} {
		if err := os.WriteFile(path, []byte("secret"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for want, c := range map[string]bus.Config{
		"leave one of the two out":   {NATS: "nats://127.0.0.1:1", Leaf: bus.Leaf{Listen: "127.0.0.1:7422"}},
		"credentials for":            {NATS: "nats://me:geheim@127.0.0.1:1", Creds: filepath.Join(dir, "none")},
		"no address to listen at":    {Leaf: bus.Leaf{Listen: "7422"}},
		"in the clear":               {Leaf: bus.Leaf{Listen: "0.0.0.0:7422"}},
		"no address of a machine":    {Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "hub:7422"}}}},
		"would send messages in the": {Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "nats://hub:7422"}}}},
		"at least 16 are needed":     {Leaf: bus.Leaf{Listen: "127.0.0.1:7422", TokenFile: short}},
		"certificate authority":      {NATS: "tls://127.0.0.1:1", TLS: bus.TLS{CA: filepath.Join(dir, "none")}},
		"is no short word":           {Namespace: "a.b"},
	} {
		c.Dir = t.TempDir()
		if _, err := bus.Start(context.Background(), newBox("m1"), c); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if runtime.GOOS != "windows" {
		_, err := bus.Start(context.Background(), newBox("m1"), bus.Config{Dir: t.TempDir(), Leaf: bus.Leaf{Listen: "127.0.0.1:7422", TokenFile: open}})
		if err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a token that others may read: %v", err)
		}
	}
}

func TestTheContextEndsTheBus(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b, dir := newBox("m1"), t.TempDir()
	running, err := bus.Start(ctx, b, bus.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	stop(t, running) // waits for what is ended already
	start(t, b, bus.Config{Dir: dir})
}

// TestCloseEndsEveryGoroutine starts and ends buses of all kinds.
func TestCloseEndsEveryGoroutine(t *testing.T) {
	once := func() {
		for _, c := range []bus.Config{{}, {Leaf: bus.Leaf{Listen: freeAddress(t)}}, {NATS: "nats://" + freeAddress(t)}} {
			c.Dir = t.TempDir()
			b := newBox("m1")
			running, err := bus.Start(context.Background(), b, c)
			if err != nil {
				t.Fatal(err)
			}
			b.send("m1", "one")
			b.send("m2", "two")
			if c.NATS == "" {
				b.gets(t, []string{"one"})
			}
			stop(t, running)
		}
	}
	once() // what is made once for a process
	before := runtime.NumGoroutine()
	once()
	eventually.Goroutines(t, before)
}
