package relay_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/relay"
)

// undo makes of what waits here what an older version left: a row in the outbox for
// each message, and a row for its receiver if it is one, which is not to be taken yet.
const undo = `
INSERT INTO outbox (id, machine, message, agent, session, published)
	SELECT m.id, '', m.id, iif(substr(json_extract(m.body, '$.to'), 1, 1) IN ('#', '*'), '', d.name), d.session, m.id LIKE 'published%'
	FROM message m JOIN delivery d ON d.message = m.id WHERE d.machine = '' GROUP BY m.id ORDER BY min(d.seq);
DELETE FROM delivery WHERE message IN (SELECT message FROM outbox WHERE agent = '');
UPDATE delivery SET state = 0, arrival = 0 WHERE machine = '';`

// TestWhatAnOlderVersionLeftInTheOutboxIsDelivered: once, in order, whoever opens the
// file first, and however often.
func TestWhatAnOlderVersionLeftInTheOutboxIsDelivered(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, relay.Options{Limits: nobodyHeld})
	bob := join(t, s, "Bob")
	join(t, s, "Carol")
	must(t, s.JoinChannel(t.Context(), "build", "Bob"))
	for i, to := range []string{"Bob", "#build", "s-Bob", "*", "Bob"} {
		id := []string{"waits-", "published-"}[i%2] + number(i)
		send(t, s, relay.Message{ID: id, From: "Alice", To: to, Content: number(i)})
	}
	must(t, s.Exec(undo))
	if got := take(t, bob); len(got) != 0 {
		t.Fatalf("before that Bob is given %+v", got)
	}
	for range 3 {
		open(t, dir, relay.Options{})
		must(t, s.Notify(t.Context()))
	}
	want := number(0) + " " + number(1) + " " + number(2) + " " + number(3) + " " + number(4)
	if got := inject(t, bob); got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	if got := inject(t, join(t, s, "Carol")); got != number(3) {
		t.Errorf("Carol got %q", got)
	}
	for _, name := range []string{"Bob", "Carol"} {
		if known, err := s.Known(t.Context(), name); err != nil || known.Waiting != 0 {
			t.Errorf("for %s there wait %d, %v", name, known.Waiting, err)
		}
	}
	if n, err := s.Unpublished(t.Context()); n != 0 || err != nil {
		t.Errorf("%d are still to be published, %v", n, err)
	}
}

// TestAMessageToAnAgentThatWasForgottenMeanwhileIsRefused: it was sent when this
// machine was known by another name, or by an older version.
func TestAMessageToAnAgentThatWasForgottenMeanwhileIsRefused(t *testing.T) {
	for name, machine := range map[string]string{"by an older version": "", "under another name of the machine": "m1"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, "", relay.Options{})
			alice := join(t, s, "Alice")
			must(t, s.Register(t.Context(), "Bob"))
			id := say(t, s, "Alice", "Bob", "x")
			must(t, s.Exec(undo))
			must(t, s.Exec("UPDATE outbox SET machine = ?1; UPDATE delivery SET machine = ?1; DELETE FROM agent WHERE key = 'bob'", machine))
			must(t, s.Notify(t.Context()))
			_, receipts, err := s.Receipts(t.Context(), id)
			must(t, err)
			if len(receipts) != 1 || receipts[0].State != relay.StateRefused || receipts[0].Reason != "the agent was forgotten" {
				t.Errorf("got %+v, want that the agent was forgotten", receipts)
			}
			if got := inject(t, alice); !strings.Contains(got, "was not delivered: the agent was forgotten") {
				t.Errorf("Alice is told %q", got)
			}
		})
	}
}

// TestOtherProcessesAreToldWhatHasCome: by whoever sends, after it is on the disk, and
// before the store is closed.
func TestOtherProcessesAreToldWhatHasCome(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, relay.Options{})
	bob := join(t, s, "Bob")
	join(t, s, "Carol")
	var told []string
	other, err := relay.Open(t.Context(), dir, relay.Options{Wake: func(_ context.Context, agents []string) {
		for _, name := range agents {
			if known, err := s.Known(context.Background(), name); err != nil || known.Waiting == 0 {
				t.Errorf("%s is told, and %d wait, %v", name, known.Waiting, err)
			}
		}
		told = append(told, agents...)
	}})
	must(t, err)
	say(t, other, "Alice", "bob", "a")
	say(t, other, "Alice", "*", "b")
	must(t, other.Close())
	if slices.Sort(told); !slices.Equal(slices.Compact(told), []string{"Bob", "Carol"}) {
		t.Errorf("told: %q", told)
	}
	if got := inject(t, bob); got != "a b" {
		t.Errorf("Bob got %q", got)
	}
}

// TestOrderOfWhatGoesHereAndThere: each receiver has one sender's messages in their
// order, also where some of them are for many, on both sides.
func TestOrderOfWhatGoesHereAndThere(t *testing.T) {
	m1, m2 := two(t, relay.Options{Limits: nobodyHeld})
	here, there := join(t, m1, "Zoe"), join(t, m2, "Bob")
	must(t, m1.JoinChannel(t.Context(), "build", "Zoe"))
	must(t, m2.JoinChannel(t.Context(), "build", "Bob"))
	meet(t, m1, m2)
	for i, to := range []string{"Zoe", "Bob@m2", "#build", "*", "Bob@m2", "Zoe", "#build"} {
		say(t, m1, "Alice", to, string(rune('a'+i)))
	}
	if got := inject(t, here); got != "a c d f g" {
		t.Errorf("Zoe got %q", got)
	}
	carry(t, m1, m2)
	if got := inject(t, there); got != "b c d e g" {
		t.Errorf("Bob got %q", got)
	}
}
