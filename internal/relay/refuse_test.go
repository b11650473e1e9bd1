package relay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/relay"
)

const tooLarge = "too large for the servers (9 bytes; limit 8)"

// refuseAll refuses what is in an outbox for a machine.
func refuseAll(t *testing.T, s *relay.Store, machine string) {
	t.Helper()
	envelopes, err := s.OutgoingTo(t.Context(), machine, 100)
	must(t, err)
	if len(envelopes) == 0 {
		t.Fatalf("there is nothing for %s", machine)
	}
	for _, p := range envelopes {
		must(t, s.Refuse(t.Context(), p.Seq, tooLarge))
		must(t, s.Refuse(t.Context(), p.Seq, tooLarge)) // changes nothing more
	}
}

func TestAMessageThatNoServerTakesIsToldToItsSender(t *testing.T) {
	s, far := two(t, relay.Options{})
	alice, bob := join(t, s, "Alice"), join(t, far, "Bob")
	id := say(t, s, "Alice", "Bob@m2", "long")
	refuseAll(t, s, "m2")
	_, receipts, err := s.Receipts(t.Context(), id)
	if err != nil || len(receipts) != 1 {
		t.Errorf("got %+v %v, want err == nil and len(receipts) == 1", receipts, err)
	} else if got, want := fmt.Sprint([]any{receipts[0].State, receipts[0].Reason, receipts[0].To}), fmt.Sprint([]any{relay.StateRefused, tooLarge, "Bob@m2"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	say(t, s, "Alice", "Bob@m2", "short")
	carry(t, s, far)
	if got := take(t, bob); len(got) != 1 || got[0].Message.Content != "short" {
		t.Errorf("Bob got %+v", got)
	}
	if got := take(t, alice); len(got) != 1 || !strings.Contains(got[0].Message.Content, "to Bob@m2 was not delivered: "+tooLarge) {
		t.Errorf("Alice got %+v", got)
	}
}

func TestAMessageToManyThatNoServerTakesIsRefusedForThatMachine(t *testing.T) {
	m1, _ := two(t, relay.Options{})
	join(t, m1, "Bob")
	id := say(t, m1, "Alice", "*", "long")
	refuseAll(t, m1, "m2")
	if got, want := states(t, m1, id), "Bob accepted, *@m2 refused ("+tooLarge+")"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

// TestReceiptsThatAreTooLongGoInPieces: they are all there in the end.
func TestReceiptsThatAreTooLongGoInPieces(t *testing.T) {
	m1, m2 := open(t, "", relay.Options{}), open(t, "", relay.Options{Machine: "m2"})
	join(t, m1, "Alice")
	for i := range 5 {
		join(t, m2, fmt.Sprint("Bob", i))
	}
	directory, err := m2.Directory(t.Context())
	must(t, err)
	must(t, m1.Learn(t.Context(), "m2", directory))
	id := say(t, m1, "Alice", "*", "hello")
	envelopes, err := m1.OutgoingTo(t.Context(), "m2", 10)
	must(t, err)
	ingest(t, m2, envelopes[0])
	refuseAll(t, m2, "m1") // all five in one envelope
	if n, err := m2.Unpublished(t.Context()); n != 2 || err != nil {
		t.Errorf("%d envelopes, %v", n, err)
	}
	carry(t, m1, m2)
	_, receipts, err := m1.Receipts(t.Context(), id)
	if err != nil || len(receipts) != 5 {
		t.Errorf("got %+v %v, want err == nil and len(receipts) == 5", receipts, err)
	}
}

// TestEachMachineHasItsOwnPlaceInTheOutbox: what waits for one hides nothing that
// is for another.
func TestEachMachineHasItsOwnPlaceInTheOutbox(t *testing.T) {
	m1, m2 := open(t, "", relay.Options{Limits: nobodyHeld}), open(t, "", relay.Options{Machine: "m2"})
	join(t, m1, "Alice")
	join(t, m1, "Bob")
	join(t, m2, "Eve")
	directory, err := m2.Directory(t.Context())
	must(t, err)
	must(t, m1.Learn(t.Context(), "m2", directory))
	must(t, m1.Learn(t.Context(), "m3", []byte(`{"v":1,"agents":[{"n":"Zoe"}]}`)))
	for range 300 {
		say(t, m1, "Alice", "Eve@m2", "hello")
	}
	say(t, m1, "Alice", "Zoe@m3", "here")
	say(t, m1, "Alice", "Zoe@m3", "there")
	say(t, m1, "Alice", "Bob", "of this machine")
	all, err := m1.Targets(t.Context(), func(string) bool { return false })
	if slices.Sort(all); err != nil || !slices.Equal(all, []string{"m2", "m3"}) {
		t.Errorf(`got %q %v, want err == nil and slices.Equal(all, []string{"m2", "m3"})`, all, err)
	}
	but, err := m1.Targets(t.Context(), func(machine string) bool { return machine == "m2" })
	if err != nil || !slices.Equal(but, []string{"m3"}) {
		t.Errorf(`got %q %v, want err == nil and slices.Equal(but, []string{"m3"})`, but, err)
	}
	here, err := m1.OutgoingTo(t.Context(), "m3", 10)
	if err != nil || len(here) != 2 {
		t.Errorf("got %+v %v, want err == nil and len(here) == 2", here, err)
	} else if here[0].Seq > here[1].Seq || here[0].Machine != "m3" {
		t.Errorf(`got %+v %v, want here[0].Seq <= here[1].Seq and here[0].Machine == "m3"`, here, err)
	}
	if n, err := m1.Unpublished(t.Context()); n != 302 || err != nil {
		t.Errorf("got %d %v, want n == 302 and err == nil", n, err)
	}
}
