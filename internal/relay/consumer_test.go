package relay_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

func TestOrder(t *testing.T) {
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob")
	for _, m := range []relay.Message{
		{Content: "1"}, {Content: "2", Priority: relay.PriorityLow}, {Content: "3", Priority: relay.PriorityUrgent}, {Content: "4"},
		{Content: "5", Priority: relay.PriorityHigh}, {Content: "6", Priority: relay.PriorityUrgent}, {Content: "7", To: "*"}, {Content: "8"},
	} {
		m.From = "Alice"
		if m.To == "" {
			m.To = "Bob"
		}
		send(t, s, m)
	}
	if got := inject(t, bob); got != "3 6 5 1 4 7 8 2" {
		t.Errorf("Bob got %s", got)
	}
}

func TestOrderOfEachPairWithSendersAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, relay.Options{Limits: nobodyHeld})
	bob := join(t, s, "Bob")
	const senders, each = 6, 40
	var wg sync.WaitGroup
	for i := range senders {
		other := s
		if i%2 == 1 {
			other = open(t, dir, relay.Options{Limits: nobodyHeld}) // as another process has it
		}
		wg.Go(func() {
			for n := range each {
				to := "Bob"
				if n%10 == 9 {
					to = "*"
				}
				if _, err := other.Send(t.Context(), relay.Message{From: fmt.Sprint("sender-", i), To: to, Content: fmt.Sprint(n)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	next := map[string]int{}
	for n := 0; n < senders*each; {
		for _, m := range take(t, bob) {
			if got := fmt.Sprint(next[m.Message.From]); m.Message.Content != got {
				t.Fatalf("%s: %s came, and not %s", m.Message.From, m.Message.Content, got)
			}
			next[m.Message.From]++
			n++
			must(t, bob.Begin(t.Context(), m.Message.ID, "x", "typed"))
			must(t, bob.Done(t.Context(), m.Message.ID, false))
		}
		if t.Failed() {
			break
		}
	}
	wg.Wait()
}

func TestOneInboxIsForOneSession(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, relay.Options{}), open(t, dir, relay.Options{})
	first, second := join(t, s, "Bob", "one"), join(t, other, "bob", "two")
	say(t, s, "Alice", "Bob", "a")
	if got := take(t, second); len(got) != 0 {
		t.Errorf("the second session got %v", got)
	}
	if leads, err := second.Leads(t.Context()); leads || err != nil {
		t.Errorf("the second leads: %v, %v", leads, err)
	}
	asks := join(t, other, "Bob", "one") // the same session, which is shown once
	if all, err := s.Agents(t.Context()); err != nil || len(all) != 1 || all[0].Session != "one" {
		t.Errorf("the agents are %+v, %v", all, err)
	} else if len(all[0].Others) != 1 || all[0].Others[0].Session != "two" {
		t.Errorf("the agents are %+v, %v", all, err)
	}
	must(t, asks.Close())
	if got := inject(t, first); got != "a" {
		t.Errorf("the first got %q", got)
	}
	waits := make(chan error, 1)
	go func() { waits <- second.Wait(t.Context()) }()
	must(t, first.Close())
	say(t, s, "Alice", "Bob", "b")
	must(t, <-waits)
	if got := inject(t, second); got != "b" {
		t.Errorf("the second got %q", got)
	}
	if leads, err := second.Leads(t.Context()); !leads || err != nil {
		t.Errorf("the second leads: %v, %v", leads, err)
	}
	if all, err := s.Agents(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("the agents are %+v, %v", all, err)
	} else if all[0].Session != "two" || len(all[0].Others) != 0 {
		t.Errorf("the agents are %+v, %v", all, err)
	}
}

func TestSeveralSeatsOfOneSessionShareTheInbox(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, relay.Options{}), open(t, dir, relay.Options{})
	wrapper, asks := join(t, s, "Bob", "one"), join(t, other, "Bob", "one")
	id := say(t, s, "Alice", "Bob", "a")
	if a, b := take(t, wrapper), take(t, asks); len(a) != 1 || len(b) != 1 {
		t.Fatalf("got %v, %v, want len(a) == 1 and len(b) == 1", a, b)
	}
	must(t, asks.Begin(t.Context(), id, "a", "mcp"))
	if err := wrapper.Begin(t.Context(), id, "a", "typed"); !errors.Is(err, relay.ErrTaken) {
		t.Errorf("begun twice: %v", err)
	}
	must(t, asks.Done(t.Context(), id, false))
	for what, err := range map[string]error{
		"done": wrapper.Done(t.Context(), id, false), "suppressed": wrapper.Suppress(t.Context(), id, "x"), "failed": wrapper.Fail(t.Context(), id, "x"),
	} {
		if !errors.Is(err, relay.ErrTaken) {
			t.Errorf("%s by another one: %v", what, err)
		}
	}
	if got := states(t, s, id); got != "Bob injected" {
		t.Errorf(`got %v, want "Bob injected"`, got)
	}
}

func TestWhatWasBegunIsGivenOutAgain(t *testing.T) {
	s := open(t, "", relay.Options{})
	first := join(t, s, "Bob", "one")
	must(t, first.Update(t.Context(), relay.Presence{Transcript: "/t/one", History: "/h/one", Kind: "wrapped"}))
	a, b := say(t, s, "Alice", "Bob", "a"), say(t, s, "Alice", "Bob", "b")
	take(t, first)
	must(t, first.Begin(t.Context(), a, "Message from Alice: a", "typed"))
	must(t, first.Close())

	second := join(t, s, "Bob", "two")
	got := take(t, second)
	if len(got) != 2 || got[0].Message.ID != a {
		t.Fatalf("taken: %+v", got)
	} else if got[1].Message.ID != b || got[1].Again != nil {
		t.Fatalf("taken: %+v", got)
	}
	again := got[0].Again
	if again == nil {
		t.Fatalf("again: %+v", again)
	} else if got, want := fmt.Sprint([]any{again.Text, again.Session, again.Transcript, again.History, again.How}), fmt.Sprint([]any{"Message from Alice: a", "one", "/t/one", "/h/one", "typed"}); got != want {
		t.Fatalf("again: %+v: got %s, want %s", again, got, want)
	} else if again.At.IsZero() {
		t.Fatalf("again: %+v", again)
	}
	must(t, second.Close()) // it has not begun it: the first try is still what is known

	third := join(t, s, "Bob", "three")
	if got := take(t, third); len(got) != 2 || got[0].Again == nil || got[0].Again.Session != "one" {
		t.Fatalf("taken: %+v", got)
	}
	must(t, third.Done(t.Context(), a, false)) // it was found in the transcript
	_, receipts, err := s.Receipts(t.Context(), a)
	if err != nil || receipts[0].State != relay.StateInjected || receipts[0].Session != "one" {
		t.Errorf(`got %+v, %v, want err == nil and receipts[0].State == relay.StateInjected and receipts[0].Session == "one"`, receipts, err)
	}
	must(t, third.Begin(t.Context(), b, "b", "typed"))
	must(t, third.Done(t.Context(), b, true))
	if _, receipts, err = s.Receipts(t.Context(), b); err != nil || !receipts[0].Repeat {
		t.Errorf("got %+v, %v, want err == nil and receipts[0].Repeat", receipts, err)
	}
}

func TestReleaseGivesBack(t *testing.T) {
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob")
	id := say(t, s, "Alice", "Bob", "a")
	for what, do := range map[string]func(){
		"taken": func() {},
		"begun": func() { must(t, bob.Begin(t.Context(), id, "a", "typed")) },
	} {
		if got := take(t, bob); len(got) != 1 || got[0].Again != nil {
			t.Fatalf("%s: got %v, want len(got) == 1 and got[0].Again == nil", what, got)
		}
		do()
		must(t, bob.Release(t.Context(), id))
	}
	if got := inject(t, bob); got != "a" {
		t.Errorf("Bob got %q", got)
	}
	if err := bob.Release(t.Context(), id); !errors.Is(err, relay.ErrTaken) {
		t.Errorf("what is done was released: %v", err)
	}
}

func TestAHookSuppresses(t *testing.T) {
	s := open(t, "", relay.Options{})
	bob := join(t, s, "Bob")
	id := say(t, s, "Alice", "Bob", "a")
	take(t, bob)
	must(t, bob.Suppress(t.Context(), id, "not on Fridays"))
	if got := states(t, s, id); got != "Bob suppressed (not on Fridays)" {
		t.Errorf(`got %v, want "Bob suppressed (not on Fridays)"`, got)
	}
	if got := take(t, bob); len(got) != 0 {
		t.Errorf("taken: %v", got)
	}
}

func TestFiveFailuresAreTheEnd(t *testing.T) {
	s := open(t, "", relay.Options{})
	alice, bob := join(t, s, "Alice"), join(t, s, "Bob")
	id := say(t, s, "Alice", "Bob", "a")
	for i := range 5 {
		got := take(t, bob)
		if len(got) != 1 {
			t.Fatalf("try %d: %v", i+1, got)
		}
		must(t, bob.Begin(t.Context(), id, "a", "typed"))
		must(t, bob.Fail(t.Context(), id, "the terminal is gone"))
	}
	if got := take(t, bob); len(got) != 0 {
		t.Errorf("taken: %v", got)
	}
	if got := states(t, s, id); got != "Bob dead (it could not be given to the agent, 5 times: the terminal is gone)" {
		t.Errorf(`got %v, want "Bob dead (it could not be given to the agent, 5 times: the terminal is gone)"`, got)
	}
	if got := inject(t, alice); !strings.Contains(got, relay.Short(id)) || !strings.Contains(got, "Bob") || !strings.Contains(got, "the terminal is gone") {
		t.Errorf("Alice is told %q", got)
	}
}

func TestAgents(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, relay.Options{})
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.Local)
	s.SetNow(func() time.Time { return now })
	bob := join(t, s, "Bob")
	join(t, s, "älice")
	must(t, s.JoinChannel(t.Context(), "build", "Bob"))
	say(t, s, "Max", "Bob", "a")
	say(t, s, "Max", "Bob", "b")
	list := func() map[string]relay.Agent {
		t.Helper()
		all, err := s.Agents(t.Context())
		must(t, err)
		byName := map[string]relay.Agent{}
		for _, a := range all {
			byName[a.Name] = a
		}
		return byName
	}
	got := list()
	if b := got["Bob"]; len(got) != 2 || !b.Running {
		t.Errorf("got %+v, want len(got) == 2 and b.Running", got)
	} else if got, want := fmt.Sprint([]any{b.Session, b.Waiting, b.Machine, b.Program}), fmt.Sprint([]any{"s-Bob", 2, "m1", "agent"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	} else if !b.Since.Equal(now) || b.Channels[0] != "build" {
		t.Errorf(`got %+v, want b.Since.Equal(now) and b.Channels[0] == "build"`, got)
	}
	if err := s.Forget(t.Context(), "Bob", true); err == nil || !strings.Contains(err.Error(), "running") {
		t.Errorf("a running one was forgotten: %v", err)
	}
	now = now.Add(time.Hour)
	must(t, bob.Close())
	if b := list()["Bob"]; b.Running || b.Session != "" {
		t.Errorf(`got %+v, want !b.Running and b.Session == ""`, b)
	} else if !b.Since.Equal(now) || b.Waiting != 2 {
		t.Errorf("got %+v, want b.Since.Equal(now) and b.Waiting == 2", b)
	}
	if err := s.Forget(t.Context(), "bob", false); err == nil || !strings.Contains(err.Error(), "waits for bob (2)") {
		t.Errorf("one with messages was forgotten: %v", err)
	}
	first, err := s.Inbox(t.Context(), "Bob", relay.Query{})
	must(t, err)
	must(t, s.Forget(t.Context(), "bob", true))
	if got := list(); len(got) != 1 {
		t.Errorf("got %+v, want len(got) == 1", got)
	}
	for _, item := range first {
		if got := states(t, s, item.Message.ID); got != "Bob refused (the agent was forgotten)" {
			t.Errorf(`got %v, want "Bob refused (the agent was forgotten)"`, got)
		}
	}
	again := join(t, s, "Bob")
	if got := take(t, again); len(got) != 0 {
		t.Errorf("a new Bob got %v", got)
	}
	if items, err := s.Inbox(t.Context(), "Bob", relay.Query{}); err != nil || len(items) != 0 {
		t.Errorf("a new Bob sees %v, %v", items, err)
	}
}

// Somebody at the keyboard looks into the inbox when they like: that is no reason to
// tell an agent which answers them that its message waits.
func TestAPersonIsNotMissing(t *testing.T) {
	s := open(t, "", relay.Options{})
	for name, kind := range map[string]string{"user": "user", "Bob": "wrapped"} {
		consumer, err := s.Join(t.Context(), relay.Presence{Session: "of " + name, Name: name, Kind: kind})
		must(t, err)
		must(t, consumer.Close())
		sent, err := s.Send(t.Context(), relay.Message{From: "Alice", To: name, Content: "a"})
		must(t, err)
		if waits := strings.Contains(sent.Receipts[0].Reason, "offline"); len(sent.Receipts) != 1 || waits != (kind != "user") {
			t.Errorf("the receipts of a message to %s are %+v", name, sent.Receipts)
		}
	}
}

func TestASeatNeedsASessionAndAName(t *testing.T) {
	s := open(t, "", relay.Options{})
	for _, p := range []relay.Presence{{Name: "Bob"}, {Session: "x"}, {Session: "x\n", Name: "Bob"}, {Session: strings.Repeat("x", 300), Name: "Bob"}, {Session: "x", Name: "#b"}} {
		if consumer, err := s.Join(t.Context(), p); err == nil {
			t.Errorf("%+v has a seat %v", p, consumer)
		}
	}
}

func TestWaitEndsWithAMessageAPokeOrItsContext(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, relay.Options{}), open(t, dir, relay.Options{})
	bob := join(t, s, "Bob")
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error, 1)
	go func() { waits <- bob.Wait(ctx) }()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want errors.Is(err, context.Canceled)", err)
	}
	go func() { waits <- bob.Wait(t.Context()) }()
	say(t, other, "Alice", "Bob", "a")
	must(t, <-waits)
	inject(t, bob)
	go func() { waits <- bob.Wait(t.Context()) }()
	must(t, bob.Close())
	bob.Notify()
	must(t, <-waits)

	go func() { waits <- waitOutgoing(ctx, s) }()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want errors.Is(err, context.Canceled)", err)
	}
	go func() { waits <- waitOutgoing(t.Context(), s) }()
	must(t, other.Learn(t.Context(), "m2", []byte(`{"v":1,"agents":[{"n":"Eve"}]}`)))
	say(t, other, "Alice", "Eve@m2", "b")
	must(t, <-waits)
}

// TestAnInboxThatCouldNotBeTakenIsFree: whoever could not note that they have it, gives
// it back.
func TestAnInboxThatCouldNotBeTakenIsFree(t *testing.T) {
	s := open(t, "", relay.Options{})
	const full = "CREATE TRIGGER full BEFORE UPDATE OF lead ON agent BEGIN SELECT RAISE(FAIL, 'no room'); END"
	must(t, s.Exec(full))
	if _, err := s.Join(t.Context(), relay.Presence{Name: "Bob", Session: "one"}); err == nil {
		t.Fatal("it joined")
	}
	must(t, s.Exec("DROP TRIGGER full"))
	bob := join(t, s, "Bob", "two")
	next := join(t, s, "Bob", "three")
	if leads, err := bob.Leads(t.Context()); err != nil || !leads {
		t.Errorf("after one that could not join: leads %v, %v", leads, err)
	}
	must(t, bob.Close())
	must(t, s.Exec(full))
	if leads, err := next.Leads(t.Context()); err == nil || leads {
		t.Errorf("without room: leads %v, %v", leads, err)
	}
	must(t, s.Exec("DROP TRIGGER full"))
	leads, err := next.Leads(t.Context())
	all, more := s.Agents(t.Context())
	if err != nil || more != nil {
		t.Errorf("leads %v, %v; %+v, %v", leads, err, all, more)
	} else if !leads || all[0].Session != "three" {
		t.Errorf("leads %v, %v; %+v, %v", leads, err, all, more)
	}
}
