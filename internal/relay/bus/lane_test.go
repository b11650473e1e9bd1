package bus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// long are n messages of a size.
func long(prefix string, n, size int) []string {
	out := ids(prefix, n)
	for i := range out {
		out[i] += strings.Repeat("x", size-len(out[i]))
	}
	return out
}

// TestAMachineThatIsAwayHoldsUpNoOther: more waits for it than the server may keep
// and than is read at once; what is for another machine passes, and what waits is
// counted. When it comes it gets all, in order.
func TestAMachineThatIsAwayHoldsUpNoOther(t *testing.T) {
	if testing.Short() {
		t.Skip("megabytes wait for a machine that is away")
	}
	t.Parallel()
	hub := listening(t, newBox("hub"), bus.Config{MaxBytes: 1 << 20, Log: nil})
	away := long("away", 400, 4<<10)
	hub.send("far", away...)
	eventually.True(t, "a word of it", func() bool {
		s := hub.bus.Status().LastError
		return strings.Contains(s, "messages for far cannot be stored") && strings.Contains(s, "was not fetched")
	})
	passes := long("near", 200, 4<<10) // more than there is room for
	hub.send("near", passes...)
	newMachine(t, "near", hub.joined()).gets(t, passes)
	eventually.True(t, "what waits to be counted", func() bool {
		n := hub.bus.Status().Outgoing
		return n == len(hub.outgoing("far")) && n > 150 && n < 400
	})
	far := newMachine(t, "far", hub.joined())
	far.gets(t, away)
	eventually.True(t, "the status", func() bool { s := hub.bus.Status(); return s.Outgoing == 0 && s.LastError == "" })
}

// TestAStreamThatIsFullHoldsUpNoOther is the same in a server of the user's own,
// where each stream is bounded.
func TestAStreamThatIsFullHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	at, b, near := freeAddress(t), newBox("m1"), newBox("m3")
	newServer(t, at, t.TempDir())
	for _, one := range []*box{b, near} {
		start(t, one, bus.Config{NATS: "nats://all:secret-of-all@" + at, MaxBytes: 256 << 10, Log: nil})
	}
	b.send("m2", long("away", 600, 4<<10)...)
	b.until(t, "a full stream", func() bool { return b.rows[40].published })
	want := long("near", 300, 4<<10)
	b.send("m3", want...)
	near.gets(t, want)
	if left := len(b.outgoing("m2")); left < 500 {
		t.Errorf("%d messages wait, of 600", left)
	}
}

// TestWhatIsTooLargeIsRefusedOnce: the others go on.
func TestWhatIsTooLargeIsRefusedOnce(t *testing.T) {
	t.Parallel()
	at, outside, d := freeAddress(t), newBox("m1"), &hooktest.Log{}
	newServer(t, at, t.TempDir(), func(o *server.Options) { o.MaxPayload = 64 << 10 })
	user := bus.Config{NATS: "nats://all:secret-of-all@" + at, Log: logline.New(d.Add)}
	start(t, outside, user)
	there := newBox("m2")
	start(t, there, user)
	inside, joined := linked(t, bus.Config{Log: logline.New(d.Add)})
	for b, to := range map[*box]*box{outside: there, inside.box: joined.box} {
		size := 64 << 10
		if b != outside {
			size = 8 << 20
		}
		first, large, fits := "first", long("large", 1, size), long("fits", 1, size-1<<10)
		b.send("m2", first, large[0], fits[0], "last")
		to.gets(t, []string{first, fits[0], "last"})
		b.mu.Lock()
		want := fmt.Sprintf("%s: too large for the servers (%d bytes; limit %d)", large[0][:20], size, size-1<<10)
		if !slices.Equal(b.refused, []string{want}) {
			t.Errorf("refused: %q", b.refused)
		}
		b.mu.Unlock()
	}
	if n := strings.Count(d.String(), "too large"); n != 2 {
		t.Errorf("it was told %d times", n)
	}
}

// TestASenderIsToldOfWhatIsTooLarge has the real store.
func TestASenderIsToldOfWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	s, err := relay.Open(t.Context(), t.TempDir(), relay.Options{Machine: "m1", Limits: relay.Limits{MaxContent: -1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	alice := (&home{store: s}).join(t, "Alice")
	if err := s.Learn(t.Context(), "m2", []byte(`{"v":1,"agents":[{"n":"Bob"}]}`)); err != nil {
		t.Fatal(err)
	}
	start(t, s, bus.Config{Leaf: bus.Leaf{Listen: freeAddress(t)}})
	large, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "Bob@m2", Content: strings.Repeat("x", 10<<20)})
	if err != nil {
		t.Fatal(err)
	}
	alice.read(1)
	_, receipts, err := s.Receipts(t.Context(), large.Message.ID)
	if err != nil || len(receipts) != 1 {
		t.Errorf("got %+v %v, want err == nil and len(receipts) == 1", receipts, err)
	} else if receipts[0].State != relay.StateRefused || !strings.HasPrefix(receipts[0].Reason, "too large for the servers (1048") {
		t.Errorf(`got %+v %v, want receipts[0].State == relay.StateRefused and strings.HasPrefix(receipts[0].Reason, "too large for the servers (1048")`, receipts, err)
	}
	if !strings.Contains(alice.got[0], "was not delivered: too large") {
		t.Errorf("Alice was told %.200q", alice.got)
	}
}

// TestABatchThatFailsHalfWayIsNotWaitedFor: the server keeps its beginning and
// answers nothing. The rest waits for room, and comes in order.
func TestABatchThatFailsHalfWayIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	at, b, m2, d := freeAddress(t), newBox("m1"), newBox("m2"), &hooktest.Log{}
	newServer(t, at, t.TempDir(), func(o *server.Options) { o.JetStreamMaxStore = 512 << 10 }) // two streams
	nc, err := nats.Connect("nats://all:secret-of-all@" + at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OTHER", Subjects: []string{"other"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "other", make([]byte, 456<<10)); err != nil {
		t.Fatal(err)
	}
	want := long("m", 40, 4<<10)
	b.send("m2", want...)
	user := bus.Config{NATS: "nats://all:secret-of-all@" + at, MaxBytes: 240 << 10, Log: logline.New(d.Add)}
	start(t, b, user)
	eventually.True(t, "what the server says", func() bool { return strings.Contains(d.String(), "insufficient resources") })
	if strings.Contains(d.String(), "did not answer") {
		t.Errorf("it was waited for:\n%s", d)
	}
	b.mu.Lock()
	if b.rows[39].published || !b.rows[0].published {
		t.Error("the batch did not fail half-way")
	}
	b.mu.Unlock()
	if err := js.DeleteStream(t.Context(), "OTHER"); err != nil {
		t.Fatal(err)
	}
	b.until(t, "the outbox", func() bool { return b.rows[39].published })
	if got := messagesFor(t, at, "m2")(); got != len(want) {
		t.Errorf("the stream has %d messages, want %d", got, len(want))
	}
	start(t, m2, user)
	m2.gets(t, want)
}
