package relay_test

import (
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// TestWhoIsForAll: a session that nobody wraps and that was here a day ago gets no more
// of what is for all. One that was only begun yesterday and still runs does, and so does
// an agent of hookway run that is away.
func TestWhoIsForAll(t *testing.T) {
	s := open(t, "", relay.Options{})
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s.SetNow(func() time.Time { return now })
	sit := func(name, kind string) *relay.Seat {
		seat, err := s.Join(t.Context(), relay.Presence{Session: "of " + name, Name: name, Kind: kind})
		must(t, err)
		return seat
	}
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
