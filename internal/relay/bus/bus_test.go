package bus_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay/bus"
)

func TestManyMessagesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	m1 := newBox("m1")
	want := ids("m", 3000)
	m1.send("m2", want[:1000]...) // before the bus is there
	m2 := newMachine(t, "m2", listening(t, m1, bus.Config{}).joined())
	for i := 1000; i < len(want); i++ {
		m1.send("m2", want[i])
	}
	m2.gets(t, want)
}

// TestAStreamTakesEachMessageOnce, though all are offered again.
func TestAStreamTakesEachMessageOnce(t *testing.T) {
	t.Parallel()
	at, m1 := freeAddress(t), newBox("m1")
	newServer(t, at, t.TempDir())
	kept := messagesFor(t, at, "m2")
	start(t, m1, bus.Config{NATS: "nats://all:secret-of-all@" + at})
	m1.send("m2", ids("m", 300)...)
	m1.until(t, "the outbox", func() bool { return m1.rows[299].published })
	if err := m1.Republish(context.Background(), "m2"); err != nil {
		t.Fatal(err)
	}
	m1.send("m2", "last")
	m1.until(t, "the outbox", func() bool { return m1.rows[300].published })
	if got := kept(); got != 301 {
		t.Errorf("the stream has %d messages, want 301", got)
	}
}

func TestMessagesOutliveTheBus(t *testing.T) {
	t.Parallel()
	m1, m2 := linked(t, bus.Config{})
	want := ids("m", 500)
	m1.send("m2", want[:100]...)
	m2.gets(t, want[:100])
	m1.send("m3", "elsewhere")
	m1.until(t, "the outbox", func() bool { return m1.rows[100].published })
	stop(t, m1.bus)
	m1.send("m2", want[100:]...)
	m1.again(t)
	m2.gets(t, want)
}

// TestALedgerThatCannotBeWrittenLosesNothing: the disk of the ledger is full for a
// while.
func TestALedgerThatCannotBeWrittenLosesNothing(t *testing.T) {
	t.Parallel()
	m1 := listening(t, newBox("m1"), bus.Config{})
	b, d := newBox("m2"), &hooktest.Log{}
	b.refuse = errFull
	m2 := start(t, b, bus.Config{Log: logline.New(d.Add), Leaf: m1.joined()})
	want := ids("m", 50)
	m1.send("m2", want...)
	m1.until(t, "the outbox", func() bool { return m1.rows[49].published })
	eventually.True(t, "the status", func() bool { return strings.Contains(m2.Status().LastError, "no space left") })
	b.change(func() { b.refuse = nil })
	b.gets(t, want)
	eventually.True(t, "the status", func() bool { return m2.Status().LastError == "" })
	if n := strings.Count(d.String(), "no space left"); n != 1 {
		t.Errorf("it was told %d times:\n%s", n, d)
	}
}

// TestWhatAnOlderVersionKeptForThisMachineGoes: its stream, and what is known of it.
func TestWhatAnOlderVersionKeptForThisMachineGoes(t *testing.T) {
	t.Parallel()
	m1 := listening(t, newBox("old"), bus.Config{}) // which has a stream for m1
	m1.send("m1", "one")
	m1.until(t, "the outbox", func() bool { return m1.rows[0].published })
	stop(t, m1.bus)
	h := &home{dir: filepath.Dir(m1.c.Dir)}
	if err := os.Rename(m1.c.Dir, filepath.Join(h.dir, "nats")); err != nil {
		t.Fatal(err)
	}
	if stream, mark := h.keeps(t, "m1"); !stream || !mark {
		t.Fatalf("stream %t, mark %t", stream, mark)
	}
	listening(t, newBox("m1"), bus.Config{Dir: filepath.Join(h.dir, "nats")})
	eventually.True(t, "nothing of it", func() bool { stream, mark := h.keeps(t, "m1"); return !stream && !mark })
}

func TestOnlyOneProcessHasTheFiles(t *testing.T) {
	first := listening(t, newBox("m1"), bus.Config{})
	_, err := bus.Start(context.Background(), newBox("m1"), first.c)
	if !errors.Is(err, bus.ErrInUse) || !strings.Contains(err.Error(), "hookway stop") || !strings.Contains(err.Error(), first.c.Dir) {
		t.Errorf("the second: %v", err)
	}
	first.again(t)
}

func TestStatusSaysHowItIs(t *testing.T) {
	m := listening(t, newBox("m1"), bus.Config{})
	if got, want := m.bus.Status(), (bus.Status{Mode: bus.ModeLeaf, Machine: "m1", Connected: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	stop(t, m.bus)
	if s := m.bus.Status(); s.Connected {
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
		"leave one of the two out":             {NATS: "nats://127.0.0.1:1", Leaf: bus.Leaf{Listen: "127.0.0.1:7422"}},
		"credentials for":                      {NATS: "nats://me:geheim@127.0.0.1:1", Creds: filepath.Join(dir, "none")},
		"is not an address for other machines": {Leaf: bus.Leaf{Listen: "7422"}},
		"in the clear":                         {Leaf: bus.Leaf{Listen: "0.0.0.0:7422"}},
		"is not the address of a machine":      {Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "hub:7422"}}}},
		"would send messages in the":           {Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "nats://hub:7422"}}}},
		"at least 16 are needed":               {Leaf: bus.Leaf{Listen: "127.0.0.1:7422", TokenFile: short}},
		"certificate authority":                {NATS: "tls://127.0.0.1:1", TLS: bus.TLS{CA: filepath.Join(dir, "none")}},
		"is not a short word":                  {Namespace: "a.b"},
		"links no machines":                    {},
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
	m := &machine{box: newBox("m1"), c: bus.Config{Dir: t.TempDir(), Leaf: bus.Leaf{Listen: freeAddress(t)}}}
	var err error
	if m.bus, err = bus.Start(ctx, m.box, m.c); err != nil {
		t.Fatal(err)
	}
	cancel()
	m.again(t) // waits for what is ended already
}

// TestCloseEndsEveryGoroutine starts and ends buses of all kinds. Both machines have fetched
// before one ends: NATS' server leaves a stream open that another machine has it make while
// it is shut down.
func TestCloseEndsEveryGoroutine(t *testing.T) {
	once := func() {
		m1, m2 := linked(t, bus.Config{})
		outside := start(t, newBox("m3"), bus.Config{NATS: "nats://" + freeAddress(t)})
		m1.send("m2", "one")
		m1.send("m4", "two")
		m2.send("m1", "three")
		m2.gets(t, []string{"one"})
		m1.gets(t, []string{"three"})
		for _, b := range []*bus.Bus{m2.bus, m1.bus, outside} {
			stop(t, b)
		}
	}
	once() // what is made once for a process
	before := runtime.NumGoroutine()
	once()
	eventually.Goroutines(t, before)
}
