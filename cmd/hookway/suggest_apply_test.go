package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/suggest"
)

// What a person is asked cannot repaint the terminal.
func TestTheQuestionOfSuggestIsSafeToShow(t *testing.T) {
	p := &applying{s: &suggest.Suggestion{Title: "allow npm te\x1b[2Jst\rx without asking"}}
	got := p.question(filepath.Join(t.TempDir(), "hookway.yaml"))
	if strings.ContainsAny(got, "\x1b\r\n") || !strings.Contains(got, "without asking") {
		t.Errorf("got %q, want !strings.ContainsAny(got, \"\\x1b\\r\\n\") and strings.Contains(got, \"without asking\")", got)
	}
}
