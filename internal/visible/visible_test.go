package visible

import (
	"strings"
	"testing"
)

func TestWhatATerminalWouldObeyIsMadeVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain ä 漢 🎉":      "plain ä 漢 🎉",
		"\x1b[31mred":      `\x1b[31mred`,
		"a\tb\r\nc":        `a\tb\r\nc`,
		"\u202etfel\u200b": `\u202etfel\u200b`,
		"\u009b31m\x7f":    `\u009b31m\x7f`,
		"\u2028\u2029":     `\u2028\u2029`,
		"bad \xff\x9b31m":  `bad \xff\x9b31m`,
		"\ufffd":           "\ufffd",
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	if got := Text("a\tb\r\nc\x1b"); got != "a\tb\\r\nc\\x1b" {
		t.Errorf("%q", got)
	}
	var out strings.Builder
	if n, err := (Writer{&out}).Write([]byte("\x1b\n")); n != 2 || err != nil || out.String() != "\\x1b\n" {
		t.Errorf("%d %v %q", n, err, out.String())
	}
}

func TestATextIsCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		text        string
		most        int
		clip, bytes string
	}{
		{"", 0, "", ""},
		{"abcd", 4, "abcd", "abcd"},
		{"abcde", 4, "abcd…", "a…"},
		{"äöüß", 4, "äöüß", "…"},
		{"aäöüß", 5, "aäöüß", "a…"},
		{"漢字漢字漢", 7, "漢字漢字漢", "漢…"},
		{"x\xff\xffx", 3, "x\xff\xff…", "…"},
		{"abc", 1, "a…", "…"},
	} {
		if got := Clip(c.text, c.most); got != c.clip {
			t.Errorf("Clip(%q, %d): got %q, want %q", c.text, c.most, got, c.clip)
		}
		if got := ClipBytes(c.text, c.most); got != c.bytes {
			t.Errorf("ClipBytes(%q, %d): got %q, want %q", c.text, c.most, got, c.bytes)
		}
	}
}
