package relay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// open gives a store in a folder of its own, or in the one given.
func open(t testing.TB, dir string, o relay.Options) *relay.Store {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	if o.Machine == "" {
		o.Machine = "m1"
	}
	s, err := relay.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// join gives a consumer, whose session is s- and the name unless it is given.
func join(t testing.TB, s *relay.Store, name string, session ...string) *relay.Consumer {
	t.Helper()
	p := relay.Presence{Name: name, Session: "s-" + name, Kind: "wrapped", Program: "agent", Transcript: "/t/" + name}
	if len(session) > 0 {
		p.Session = session[0]
	}
	consumer, err := s.Join(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return consumer
}

func send(t testing.TB, s *relay.Store, m relay.Message) relay.Sent {
	t.Helper()
	sent, err := s.Send(t.Context(), m)
	if err != nil {
		t.Fatalf("%s to %s: %v", m.From, m.To, err)
	}
	return sent
}

// say sends a text.
func say(t testing.TB, s *relay.Store, from, to, text string) string {
	t.Helper()
	return send(t, s, relay.Message{From: from, To: to, Content: text}).Message.ID
}

// carry does what the bus does, until nothing is left: it takes envelopes out of each
// store and into the one of the machine that they are for. A machine that is not
// given gets nothing.
func carry(t testing.TB, stores ...*relay.Store) {
	t.Helper()
	for left := true; left; {
		left = false
		for _, from := range stores {
			envelopes, err := from.Outgoing(t.Context(), 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range envelopes {
				for _, to := range stores {
					if to.Machine() == p.Machine {
						ingest(t, to, p)
						left = true
					}
				}
				if err := from.Published(t.Context(), []int64{p.Seq}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// begun is when the streams of the tests were made.
var begun = time.UnixMicro(1_700_000_000_000_000)

// ingest takes in one envelope, as the next one of its stream.
func ingest(t testing.TB, s *relay.Store, p relay.Envelope) {
	t.Helper()
	source := relay.Source{Stream: "in", Created: begun}
	last, err := s.Offset(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.Ingest(t.Context(), source, last+1, [][]byte{p.Data}))
}

// take gives what a consumer is given, as text: one message after the other.
func take(t testing.TB, consumer *relay.Consumer) []relay.Taken {
	t.Helper()
	got, err := consumer.Take(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// inject takes all, begins it and ends it, and gives the texts.
func inject(t testing.TB, consumer *relay.Consumer) string {
	t.Helper()
	var texts []string
	for _, m := range take(t, consumer) {
		texts = append(texts, m.Message.Content)
		must(t, consumer.Begin(t.Context(), m.Message.ID, m.Message.Content, "typed"))
		must(t, consumer.Done(t.Context(), m.Message.ID, false))
	}
	return strings.Join(texts, " ")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// states are the receipts of a message as text.
func states(t testing.TB, s *relay.Store, id string) string {
	t.Helper()
	_, receipts, err := s.Receipts(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range receipts {
		one := fmt.Sprintf("%s %s", r.To, r.State)
		if r.Reason != "" {
			one += " (" + r.Reason + ")"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

func TestAMessageFromSendToSeen(t *testing.T) {
	s := open(t, "", relay.Options{})
	alice, bob := join(t, s, "Alice"), join(t, s, "Bob")
	id := say(t, s, "Alice", "bob", "hello")
	if got := states(t, s, id); got != "Bob accepted" {
		t.Errorf("after Send: %s", got)
	}
	got := take(t, bob)
	if len(got) != 1 {
		t.Fatalf("taken: %+v", got)
	} else if is, want := fmt.Sprint([]any{got[0].Message.Content, got[0].Message.From, got[0].Message.To}), fmt.Sprint([]any{"hello", "Alice", "Bob"}); is != want {
		t.Fatalf("got %s, want %s", is, want)
	} else if got[0].Again != nil {
		t.Fatalf("taken: %+v", got)
	}
	if again := take(t, bob); len(again) != 0 {
		t.Errorf("taken twice: %v", again)
	}
	must(t, bob.Begin(t.Context(), id, "Message from Alice: hello", "typed"))
	if got := states(t, s, id); got != "Bob accepted" {
		t.Errorf("after Begin: %s", got)
	}
	must(t, bob.Done(t.Context(), id, false))
	if got := states(t, s, relay.Short(id)); got != "Bob injected" {
		t.Errorf("after Done: %s", got)
	}
	must(t, bob.Seen(t.Context()))
	if got := states(t, s, id); got != "Bob seen" {
		t.Errorf("after Seen: %s", got)
	}
	send(t, s, relay.Message{From: "Bob", To: "Alice", Session: "s-Bob", Content: "hello too"})
	if got := states(t, s, id); got != "Bob replied" {
		t.Errorf("after an answer: %s", got)
	}
	if got := inject(t, alice); got != "hello too" {
		t.Errorf("Alice got %q", got)
	}
	_, receipts, _ := s.Receipts(t.Context(), id)
	r := receipts[0]
	if r.Session != "s-Bob" || r.How != "typed" || r.Accepted.IsZero() {
		t.Errorf("the receipt is %+v", r)
	} else if r.Injected.Before(r.Accepted) || r.Seen.Before(r.Injected) || r.Replied.Before(r.Seen) {
		t.Errorf("the receipt is %+v", r)
	} else if r.Reply == "" {
		t.Errorf("the receipt is %+v", r)
	}
}
