package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
)

// patient bounds every wait of these tests; none comes near it.
const patient = 2 * time.Minute

// box is a store in memory, so that a test can see each step and make each fail.
// The crash tests use the real one.
type box struct {
	machine string

	mu       sync.Mutex
	changed  chan struct{} // closed at each change
	notified chan struct{}
	rows     []row
	got      []string        // ids, in the order in which they were taken in
	has      map[string]bool // the same
	refuse   error           // of Ingest
	refused  []string        // ids, and why
	learned  map[string]string
	agents   string
	sources  map[string]uint64 // by stream and time
	gone     []string          // machines that were forgotten
}

type row struct {
	relay.Envelope
	published bool
}

func newBox(machine string) *box {
	return &box{machine: machine, changed: make(chan struct{}), notified: make(chan struct{}, 1), has: map[string]bool{}, learned: map[string]string{}, sources: map[string]uint64{}}
}

func (b *box) Machine() string { return b.machine }

// change does something to a box and tells those who wait.
func (b *box) change(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do()
	close(b.changed)
	b.changed = make(chan struct{})
}

// send puts messages into the outbox. Long ones have the first of their text as id.
func (b *box) send(to string, ids ...string) {
	b.change(func() {
		for _, id := range ids {
			b.rows = append(b.rows, row{Envelope: relay.Envelope{Seq: int64(len(b.rows) + 1), ID: id[:min(len(id), 20)], Machine: to, Data: []byte(id)}})
		}
	})
	b.NotifyOutgoing()
}

// outgoing are the rows that are not published, for one machine or for all.
func (b *box) outgoing(machine string) (out []relay.Envelope) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rows {
		if !r.published && (machine == "" || r.Machine == machine) {
			out = append(out, r.Envelope)
		}
	}
	return out
}

func (b *box) OutgoingTo(_ context.Context, machine string, most int) ([]relay.Envelope, error) {
	out := b.outgoing(machine)
	return out[:min(len(out), most)], nil
}

func (b *box) Unconfirmed(context.Context) (machines []string, _ error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rows {
		if r.Machine != "forgotten" && !slices.Contains(machines, r.Machine) {
			machines = append(machines, r.Machine)
		}
	}
	return machines, nil
}

func (b *box) Unpublished(context.Context) (int, error) { return len(b.outgoing("")), nil }

func (b *box) Refuse(_ context.Context, seq int64, reason string) error {
	b.change(func() {
		b.rows[seq-1].published = true
		b.refused = append(b.refused, b.rows[seq-1].ID+": "+reason)
	})
	return nil
}

func (b *box) Published(_ context.Context, seqs []int64) error {
	b.change(func() {
		for _, seq := range seqs {
			b.rows[seq-1].published = true
		}
	})
	return nil
}

func (b *box) Republish(_ context.Context, machine string) error {
	b.change(func() {
		for i := range b.rows {
			if b.rows[i].Machine == machine {
				b.rows[i].published = false
			}
		}
	})
	b.NotifyOutgoing()
	return nil
}

func (b *box) Targets(ctx context.Context, passOver func(string) bool) (machines []string, _ error) {
	for {
		for _, r := range b.outgoing("") {
			if !slices.Contains(machines, r.Machine) && !passOver(r.Machine) {
				machines = append(machines, r.Machine)
			}
		}
		if len(machines) > 0 {
			return machines, nil
		}
		select {
		case <-b.notified:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (b *box) NotifyOutgoing() {
	select {
	case b.notified <- struct{}{}:
	default:
	}
}

func (b *box) Ingest(_ context.Context, from relay.Source, last uint64, data [][]byte) error {
	b.mu.Lock()
	refuse := b.refuse
	b.mu.Unlock()
	if refuse != nil {
		return refuse
	}
	b.change(func() {
		for _, d := range data {
			id := string(d)
			if b.has[id] {
				continue // it comes again when a link is new
			}
			b.has[id] = true
			b.got = append(b.got, id)
		}
		b.sources[from.Stream+" "+from.Created.String()] = last
	})
	return nil
}

func (b *box) Directory(context.Context) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return []byte(b.machine + " has " + b.agents), nil
}

func (b *box) Learn(_ context.Context, machine string, directory []byte) error {
	b.change(func() { b.learned[machine] = string(directory) })
	return nil
}

func (b *box) Forgotten(ctx context.Context, passOver func(string) bool) ([]string, error) {
	for {
		b.mu.Lock()
		machines, changed := slices.DeleteFunc(slices.Clone(b.gone), passOver), b.changed
		b.mu.Unlock()
		if len(machines) > 0 {
			return machines, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (b *box) Dropped(_ context.Context, machine string) error {
	b.change(func() { b.gone = slices.DeleteFunc(b.gone, func(m string) bool { return m == machine }) })
	return nil
}

// until waits until something holds.
func (b *box) until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	for {
		b.mu.Lock()
		ok, changed, n := holds(), b.changed, len(b.got)
		b.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("%s: %s did not come (%d messages did)", b.machine, what, n)
		}
	}
}

// gets waits until these messages have come, and no others, in this order.
func (b *box) gets(t testing.TB, want []string) {
	t.Helper()
	b.until(t, fmt.Sprintf("%d messages", len(want)), func() bool { return len(b.got) >= len(want) })
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Equal(b.got, want) {
		for i := range want {
			if b.got[i] != want[i] {
				t.Fatalf("%s: message %d of %d is %s, not %s", b.machine, i, len(want), b.got[i], want[i])
			}
		}
		t.Fatalf("%s: %d messages came, not %d", b.machine, len(b.got), len(want))
	}
}

// ids are n different ids.
func ids(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s-%06d", prefix, i)
	}
	return out
}

// start runs a bus until the test ends.
func start(t testing.TB, b bus.Store, c bus.Config) *bus.Bus {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Log == nil {
		c.Log = logline.New(func(line string) { t.Logf("%s: %s", b.Machine(), line) })
	}
	live := true
	var mu sync.Mutex
	log := c.Log
	c.Log = logline.New(func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if live {
			log.Info(line)
		}
	})
	out, err := bus.Start(context.Background(), b, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop(t, out)
		mu.Lock()
		defer mu.Unlock()
		live = false
	})
	return out
}

// machine is one with a box and a bus.
type machine struct {
	*box
	c   bus.Config
	bus *bus.Bus
}

func newMachine(t testing.TB, name string, leaf bus.Leaf) *machine {
	t.Helper()
	m := &machine{box: newBox(name), c: bus.Config{Dir: t.TempDir(), Leaf: leaf}}
	m.bus = start(t, m.box, m.c)
	return m
}

// linked starts two machines, m1 with a configuration and m2, that are joined.
func linked(t testing.TB, c bus.Config) (m1, m2 *machine) {
	t.Helper()
	m1 = listening(t, newBox("m1"), c)
	return m1, newMachine(t, "m2", m1.joined())
}

// listening starts a machine that others may join.
func listening(t testing.TB, b *box, c bus.Config) *machine {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Leaf.Listen == "" {
		c.Leaf.Listen = freeAddress(t)
	}
	return &machine{box: b, c: c, bus: start(t, b, c)}
}

// joined is how another machine joins one that listens.
func (m *machine) joined() bus.Leaf {
	return bus.Leaf{Remotes: []bus.Remote{{URL: "nats://" + m.c.Leaf.Listen}}}
}

// again stops a machine, if it runs, and starts it with what it had.
func (m *machine) again(t testing.TB) {
	t.Helper()
	stop(t, m.bus)
	m.bus = start(t, m.box, m.c)
}

// stop ends a bus.
func stop(t testing.TB, b *bus.Bus) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

var errFull = errors.New("no space left on device")
