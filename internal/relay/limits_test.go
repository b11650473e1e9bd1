package relay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// limit is the limit that held a message, or "" if none did.
func limit(t *testing.T, s *relay.Store, m relay.Message) string {
	t.Helper()
	_, err := s.Send(t.Context(), m)
	var held *relay.LimitError
	if errors.As(err, &held) {
		if held.Text != err.Error() || held.Max == 0 {
			t.Errorf("got %+v, want held.Text == err.Error() and held.Max != 0", held)
		}
		return held.Limit
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

func TestAnAgentSendsThirtyMessagesAMinute(t *testing.T) {
	s := open(t, "", relay.Options{})
	join(t, s, "Bob")
	now := time.Now()
	s.SetNow(func() time.Time { return now })
	m := relay.Message{From: "Alice", To: "Bob", Content: "x", Agent: true}
	for i := range 30 {
		now = now.Add(time.Second)
		if got := limit(t, s, m); got != "" {
			t.Fatalf("message %d is held by %s", i+1, got)
		}
	}
	if got := limit(t, s, m); got != "per_minute" {
		t.Fatalf("message 31: %q", got)
	}
	if _, err := s.Send(t.Context(), m); !strings.Contains(err.Error(), "wait 31s") {
		t.Errorf(`got %v, want strings.Contains(err.Error(), "wait 31s")`, err)
	}
	if got := limit(t, s, relay.Message{From: "Alice", To: "Bob", Content: "of her user"}); got != "" {
		t.Errorf("a person is held by %s", got)
	}
	if got := limit(t, s, relay.Message{From: "Carol", To: "Bob", Content: "x", Agent: true}); got != "" {
		t.Errorf("another agent is held by %s", got)
	}
	now = now.Add(31 * time.Second)
	if got := limit(t, s, m); got != "" {
		t.Errorf("after the minute it is held by %s", got)
	}
}

// TestAHookIsNoPerson: what a hook sends is held as what an agent sends, also if it
// bears the name of the person that began it.
func TestAHookIsNoPerson(t *testing.T) {
	s := open(t, "", relay.Options{Limits: relay.Limits{PerMinute: 3, PingPong: 4}})
	join(t, s, "Alice")
	m := relay.Message{From: "user", To: "Alice", Content: "x", Hook: true}
	for i := range 3 {
		if got := limit(t, s, m); got != "" {
			t.Fatalf("message %d is held by %s", i+1, got)
		}
	}
	if got := limit(t, s, m); got != "per_minute" {
		t.Errorf("message 4: %q", got)
	}
	if got := limit(t, s, relay.Message{From: "user", To: "Alice", Content: "typed"}); got != "" {
		t.Errorf("the person is held by %s", got)
	}
	answers := relay.Message{From: "Alice", To: "CI", Content: "x", Agent: true}
	join(t, s, "CI")
	s.SetNow(func() time.Time { return time.Now().Add(time.Hour) })
	for i := range 2 {
		for _, m := range []relay.Message{{From: "CI", To: "Alice", Content: "x", Hook: true}, answers} {
			if got := limit(t, s, m); got != "" {
				t.Fatalf("round %d, %s: held by %s", i+1, m.From, got)
			}
		}
	}
	if got := limit(t, s, relay.Message{From: "CI", To: "Alice", Content: "x", Hook: true}); got != "ping_pong" {
		t.Errorf("a hook and an agent that answer each other: %q", got)
	}
	if _, err := s.Send(t.Context(), relay.Message{From: "user", To: "Alice", Content: "x", Agent: true}); err == nil {
		t.Error("an agent is called user")
	}
}

func TestTwoAgentsDoNotTalkForEver(t *testing.T) {
	s := open(t, "", relay.Options{Limits: relay.Limits{PerMinute: -1}})
	alice, bob := join(t, s, "Alice"), join(t, s, "Bob")
	join(t, s, "Carol")
	n := 0
	turn := func() relay.Message {
		n++
		if n%2 == 1 {
			return relay.Message{From: "Alice", To: "Bob", Content: fmt.Sprint(n), Agent: true}
		}
		return relay.Message{From: "Bob", To: "Alice", Content: fmt.Sprint(n), Agent: true}
	}
	talk := func(what string) {
		t.Helper()
		for i := range 20 {
			if got := limit(t, s, turn()); got != "" {
				t.Fatalf("%s: message %d is held by %s", what, i+1, got)
			}
		}
		held := turn()
		if got := limit(t, s, held); got != "ping_pong" {
			t.Fatalf("%s: message 21: %q", what, got)
		}
		n-- // it was not sent
	}
	talk("at first")
	if got := limit(t, s, relay.Message{From: "Alice", To: "Carol", Content: "help", Agent: true}); got != "" {
		t.Errorf("to another agent: %s", got)
	}
	must(t, alice.Human(t.Context()))
	talk("after Alice's user has spoken")
	must(t, bob.Human(t.Context()))
	talk("after Bob's user has spoken")
	say(t, s, "Max", "Bob", "go on")
	talk("after a person has written")
}

func TestAgentsDoNotTalkInAChannelForEver(t *testing.T) {
	s := open(t, "", relay.Options{Limits: relay.Limits{PerMinute: -1, PingPong: 5, Inbox: -1}})
	names := []string{"Alice", "Bob", "Carol"}
	var consumers []*relay.Consumer
	for _, name := range names {
		consumers = append(consumers, join(t, s, name))
		must(t, s.JoinChannel(t.Context(), "#build", name))
	}
	n := 0
	talk := func(to, what string) {
		t.Helper()
		for i := range 15 {
			if got := limit(t, s, relay.Message{From: names[n%3], To: to, Content: fmt.Sprint(n), Agent: true}); got != "" {
				t.Fatalf("%s: message %d to %s is held by %s", what, i+1, to, got)
			}
			n++
		}
		if got := limit(t, s, relay.Message{From: names[n%3], To: to, Content: "x", Agent: true}); got != "ping_pong" {
			t.Fatalf("%s: message 16 to %s: %q", what, to, got)
		}
	}
	talk("#build", "at first")
	must(t, consumers[1].Human(t.Context()))
	talk("#BUILD", "after Bob's user has spoken")
	say(t, s, "Max", "#build", "go on")
	talk("#build", "after a person has written")
	talk("*", "at first")
	must(t, consumers[0].Human(t.Context()))
	talk("*", "after Alice's user has spoken")
}

func TestReportsWithoutAnAnswerAreNoPingPong(t *testing.T) {
	s := open(t, "", relay.Options{Limits: relay.Limits{PerMinute: -1}})
	join(t, s, "Bob")
	for i := range 50 {
		if got := limit(t, s, relay.Message{From: "Alice", To: "Bob", Content: fmt.Sprint(i), Agent: true}); got != "" {
			t.Fatalf("report %d is held by %s", i+1, got)
		}
	}
}

func TestLimitsCanBeTakenOff(t *testing.T) {
	s := open(t, "", relay.Options{Limits: relay.Limits{PerMinute: -1, PingPong: -1, Hops: -1, Inbox: -1, MaxContent: -1}})
	join(t, s, "Alice")
	join(t, s, "Bob")
	for i := range 100 {
		from, to := "Alice", "Bob"
		if i%2 == 1 {
			from, to = to, from
		}
		if got := limit(t, s, relay.Message{From: from, To: to, Content: "x", Agent: true, Hops: i}); got != "" {
			t.Fatalf("message %d is held by %s", i+1, got)
		}
	}
	if got := limit(t, s, relay.Message{From: "Alice", To: "Bob", Content: strings.Repeat("x", 1<<20)}); got != "" {
		t.Errorf(`got %v, want ""`, got)
	}
}
