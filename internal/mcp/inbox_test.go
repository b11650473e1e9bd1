package mcp

import (
	"strings"
	"testing"
)

// TestWhatIsOnItsWayIsSaidToBe: it waits, and there is nothing to be shown yet.
func TestWhatIsOnItsWayIsSaidToBe(t *testing.T) {
	if text := (inbox{LeftOut: 12}).text(false); !strings.Contains(text, "12 wait: they are on their way") {
		t.Errorf(`got %v, want strings.Contains(text, "12 wait: they are on their way")`, text)
	}
	if text := (inbox{Messages: []message{{}}, LeftOut: 1}).text(false); !strings.Contains(text, "1 more is not shown") {
		t.Errorf(`got %v, want strings.Contains(text, "1 more is not shown")`, text)
	}
}
