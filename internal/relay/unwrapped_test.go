package relay_test

import (
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// unwrapped is a store, and how agents of some kind come to it.
func unwrapped(t *testing.T) (*relay.Store, func(name, kind string) *relay.Consumer) {
	s := open(t, "", relay.Options{})
	return s, func(name, kind string) *relay.Consumer {
		consumer, err := s.Join(t.Context(), relay.Presence{Session: "of " + name, Name: name, Kind: kind})
		must(t, err)
		return consumer
	}
}

// TestWhoIsForAll: a session that nobody wraps and that was here a day ago gets no more
// of what is for all. One that was only begun yesterday and still runs does, and so does
// an agent of hookway run that is away.
func TestWhoIsForAll(t *testing.T) {
	s, sit := unwrapped(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.SetNow(func() time.Time { return now })
	sit("runs", "hooks")
	must(t, sit("gone", "hooks").Close())
	must(t, sit("away", "wrapped").Close())
	receivers := func() map[string]bool {
		sent, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "*", Content: "we merge at five"})
		must(t, err)
		to := map[string]bool{}
		for _, r := range sent.Receipts {
			to[r.To] = true
		}
		return to
	}
	if to := receivers(); !to["runs"] || !to["gone"] || !to["away"] {
		t.Errorf("at once it goes to %v", to)
	}
	now = now.Add(25 * time.Hour)
	if to := receivers(); !to["runs"] || to["gone"] || !to["away"] {
		t.Errorf("a day later it goes to %v", to)
	}
	sit("gone", "hooks")
	if to := receivers(); !to["gone"] {
		t.Errorf("when it is back it goes to %v", to)
	}
}

// TestGuestsThatDoNotComeBackAreForgotten: of sessions that nobody wraps there are ever
// more. Whoever has a message waiting, listens to a channel or runs stays, and so does
// an agent of hookway run.
func TestGuestsThatDoNotComeBackAreForgotten(t *testing.T) {
	s, sit := unwrapped(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.SetNow(func() time.Time { return now })
	for name, kind := range map[string]string{"gone": relay.KindHooks, "listens": relay.KindHooks, "waited-for": relay.KindHooks, "away": relay.KindWrapped} {
		must(t, sit(name, kind).Close())
	}
	sit("runs", relay.KindHooks)
	must(t, s.JoinChannel(t.Context(), "build", "listens"))
	say(t, s, "Alice", "waited-for", "x")
	known := func() map[string]bool {
		all, err := s.Agents(t.Context())
		must(t, err)
		names := map[string]bool{}
		for _, a := range all {
			names[a.Name] = true
		}
		return names
	}
	if all := known(); len(all) != 5 {
		t.Errorf("at once there are %v", all)
	}
	now = now.Add(89 * 24 * time.Hour)
	say(t, s, "Alice", "away", "x")
	if all := known(); len(all) != 5 {
		t.Errorf("after 89 days there are %v", all)
	}
	now = now.Add(2 * 24 * time.Hour)
	say(t, s, "Alice", "away", "y")
	if all := known(); len(all) != 4 || all["gone"] {
		t.Errorf("after 91 days there are %v", all)
	}
}
