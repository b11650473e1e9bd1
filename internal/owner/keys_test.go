package owner

import (
	"testing"
	"time"
)

func TestAKeyIsASingleCharacter(t *testing.T) {
	var k Keys
	for piece, want := range map[string]rune{"a": 'a', "\x03": 3, "\t": '\t', "ä": 'ä', "aa": 0, "yes\r": 0, "\x1bOa": 0, "\x1b[A": 0, "\x1ba": 0, "": 0, "\xff": 0} {
		if got, ok := k.Key([]byte(piece)); got != want && ok || ok != (want != 0) {
			t.Errorf("%q: %q %v, want %q", piece, got, ok, want)
		}
	}
	if _, ok := k.Key([]byte("\x1b")); ok {
		t.Error("a lone Escape is a key")
	}
	k.escape = time.Now().Add(time.Hour) // it may be slow here
	if _, ok := k.Key([]byte("a")); ok {
		t.Error("what follows an Escape is a key")
	}
}

func TestALineIsTyped(t *testing.T) {
	for typed, want := range map[string]struct {
		text, shown   string
		ended, broken bool
	}{
		"ab\r":             {"ab", "ab", true, false},
		"ab\ncd":           {"ab", "ab", true, false},
		"ab\x7fc":          {"ac", "ab\b \bc", false, false},
		"ab\x15c":          {"c", "ab\b \b\b \bc", false, false},
		"ab\x03":           {"ab", "ab", true, true},
		"\x04":             {"", "", true, true},
		"a\x04":            {"a", "a", false, false},
		"\x1b[A":           {"", "", false, false},
		"grün\x1b[31m⌘":    {"grün[31m⌘", "grün[31m⌘", false, false},
		"\xff\u202eab\x7f": {"a", "ab\b \b", false, false},
		"\x7f\x7fa":        {"a", "a", false, false},
	} {
		var l line
		shown := l.take([]byte(typed))
		if got := string(l.text); got != want.text || shown != want.shown {
			t.Errorf("%q: %q shown as %q; want %+v", typed, got, shown, want)
		}
		if l.ended != want.ended || l.broken != want.broken {
			t.Errorf("%q: ended %v, broken %v; want %+v", typed, l.ended, l.broken, want)
		}
	}
}
