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
