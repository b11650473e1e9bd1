package visible

import (
	"strings"
	"testing"
	"unicode/utf8"
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
		t.Errorf("got %q, want \"a\\tb\\\\r\\nc\\\\x1b\"", got)
	}
	var out strings.Builder
	if n, err := (Writer{&out}).Write([]byte("\x1b\n")); n != 2 || err != nil || out.String() != "\\x1b\n" {
		t.Errorf("got %d %v %q, want n == 2 and err == nil and out.String() == \"\\\\x1b\\n\"", n, err, out.String())
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
		{"x\xffä\xffx", 3, "x\ufffdä…", "…"},
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

func TestWhatATerminalWouldObeyIsTakenOut(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n": "plain\ttext\n", "/exit": "/exit", "a\r\nb\rc\u2028d\u2029e": "a\nb\nc\nd\ne", "\xffa": "\ufffda",
		"a\x1b[31mb\x1b[0m": "ab", "a\u009b31mb": "ab", "\x1b[200~x\x1b[201~": "x", "\x1b\x1b[31m": "", "a\x1b": "a",
		"a\x1b]0;title\x07b": "ab", "a\x1b]8;;http://x\x1b\\b": "ab", "a\x1bPq;data\x1b\\b": "ab", "a\x1b]no end\nb": "a\nb",
		"a\x00\x08\x7fb": "ab", "\x1b[201~\x03\x04\x00\x7f\u009b1mx\x9b1m": "x\ufffd1m", "\u202ea": "\u202ea",
	} {
		if got := Strip(in); got != want {
			t.Errorf("Strip(%q): got %q, want %q", in, got, want)
		}
	}
	if got := Plain("\u202ea\U000E0041\u200d\u034fb\x1b[m"); got != "a\u200db" {
		t.Errorf("Plain: got %q", got)
	}
}

func FuzzStrip(f *testing.F) {
	for _, seed := range []string{"plain", "\x1b[201~x", "\u009b31mx", "a\r\nb\tc\u2028", "\x1b]52;c;aGk=\x07", "\xff\x9b", "\x1b[1;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Strip(text)
		if strings.ContainsFunc(got, stripped) || !utf8.ValidString(got) {
			t.Fatalf("Strip(%q): got %q", text, got)
		}
		if again := Strip(got); again != got {
			t.Fatalf("Strip(%q): got %q, and of that %q", text, got, again)
		}
	})
}
