package session

import (
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/terminal"
)

// TestAnUnfinishedLineInPlaceOfALongerOne is what comes of a prompt that stood for
// long, was erased, and has a shorter, known line in its place.
func TestAnUnfinishedLineInPlaceOfALongerOne(t *testing.T) {
	s, err := newSession(Config{Engine: new(hook.Engine), Command: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.interest.close()
	l := newListener(s)
	l.take([]terminal.Line{{Text: "a prompt that has stood here for long> ", Partial: true}})
	l.spent = len(l.open) // as still does after flushAfter
	l.take([]terminal.Line{{Text: "ok x", Seen: 2, Partial: true}})
	if l.open != "ok x" {
		t.Errorf("open is %q", l.open)
	}
}
