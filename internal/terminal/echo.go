package terminal

import (
	"strings"
	"time"
)

const (
	sentMost   = 64               // texts that are remembered
	sentBytes  = 1 << 20          // and their bytes
	sentFor    = 10 * time.Minute // how long a text may wait until the program shows it
	editorKeys = 2                // letters that an editor takes for a command, as in "i" or "cc"

	sentAgain = 3 * time.Second // how long it is known again after it was shown
)

// sent remembers lines that were typed, to know them when the program paints
// them: an agent shows a prompt when it begins to work on it, which may be long
// after it was typed, and wrapped as it likes.
type sent struct {
	texts []sentText
	size  int
	now   *sentText // the text whose beginning was shown last
	at    int       // how much of it
}

type sentText struct {
	letters string
	at      time.Time
	shown   time.Time // when all of it was shown; zero is not yet
}

func (s *sent) add(text string) {
	if text = letters(indentOf(text).text); text == "" {
		return
	}
	s.texts = append(s.texts, sentText{letters: text, at: time.Now()})
	s.size += len(text)
	s.now = nil
	for len(s.texts) > sentMost || s.size > sentBytes && len(s.texts) > 1 {
		s.size -= len(s.texts[0].letters)
		s.texts = s.texts[1:]
	}
}

// shows reports whether a painted line is a typed text, or a part of one: its
// beginning, or what follows the part before.
func (s *sent) shows(line string) bool {
	text := letters(indentOf(line).text)
	if text == "" {
		return false
	}
	if s.now != nil && strings.HasPrefix(s.now.letters[s.at:], text) {
		s.part(s.now, s.at+len(text))
		return true
	}
	s.now = nil
	for i := range s.texts {
		t := &s.texts[i]
		switch {
		case time.Since(t.at) > sentFor, !t.shown.IsZero() && time.Since(t.shown) > sentAgain:
		case beginsWith(t.letters, text):
			s.part(t, len(text))
			return true
		}
	}
	return false
}

// beginsWith reports whether a shown text is a typed one, or so much of its
// beginning that it is not a coincidence.
// Up to editorKeys before it may be what makes an editor take text.
func beginsWith(typed, shown string) bool {
	if len(shown) < 8 {
		return typed == shown
	}
	at := strings.Index(typed, shown)
	return at == 0 || at > 0 && at <= editorKeys && at+len(shown) == len(typed)
}

// part says that a text was shown up to n.
func (s *sent) part(t *sentText, n int) {
	s.now, s.at = t, n
	if n == len(t.letters) {
		s.now = nil
		if t.shown.IsZero() {
			t.shown = time.Now()
		}
	}
}

// shown reports whether a painted line is what was typed.
func (t *typed) shown(line Line) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sent.shows(line.Text) {
		return true
	}
	text := letters(indentOf(line.Text).text)
	for begun := range strings.Lines(string(t.keys.text)) { // it is in the input, not sent off
		// The keys before it may be commands of an editor, and stand nowhere.
		if typed := letters(indentOf(begun).text); text != "" && (beginsWith(typed, text) || len(text) >= 8 && strings.Contains(typed, text)) {
			return true
		}
	}
	return false
}
