package hook_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
)

// Samples of the shapes of secrets. They are put together here, so that no
// scanner takes this file for a leak.
var secretSamples = []string{
	"sk-" + strings.Repeat("aB3", 8),
	"sk-" + "ant-api03-" + strings.Repeat("x9", 20),
	"sk_" + "live_" + strings.Repeat("a1", 12),
	"ghp_" + strings.Repeat("Zz9", 12),
	"gho_" + strings.Repeat("Zz9", 12),
	"github_" + "pat_" + strings.Repeat("1a", 20),
	"glpat-" + strings.Repeat("q", 20),
	"xoxb-" + strings.Repeat("12-", 8) + "ab",
	"AKIA" + strings.Repeat("Q7", 8),
	"ASIA" + strings.Repeat("Q7", 8),
	"AIza" + strings.Repeat("s0", 18),
	"whsec_" + strings.Repeat("Yz0", 12),
	"eyJ" + strings.Repeat("hb", 8) + "." + strings.Repeat("c2", 8) + "." + strings.Repeat("p4", 8),
}

func TestLogLineIsFitForALog(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "the rules file is gone", "the rules file is gone"},
		{"empty", "", ""},
		{"several lines", "one\ntwo\r\nthree\n", "one two three"},
		{"tabs and runs of blanks", "a\t\tb   c", "a b c"},
		{"escape sequence", "red \x1b[31mtext\x1b[0m", "red [31mtext [0m"},
		{"NUL, BEL and DEL", "a\x00b\x07c\x7fd", "a b c d"},
		{"C1 control", "a\u009bb", "a b"},
		{"line and paragraph separators", "a\u2028b\u2029c", "a b c"},
		{"text that is turned around", "a\u202eb", "a b"},
		{"bytes that are not text", "a\xff\xfeb", "a b"},
		{"letters of all kinds stay", "größe 日本 ✓", "größe 日本 ✓"},
		{"bearer token", "Authorization: Bearer " + strings.Repeat("t0", 12), "[redacted]"},
		{"basic authorization", "got Authorization: Basic dXNlcjpwYXNzd29yZA== back", "got [redacted] back"},
		{"password", `login failed, password="hunter22" for bob`, `login failed, [redacted]" for bob`},
		{"API key", "api_key: abcd1234 was refused", "[redacted] was refused"},
		{"variable", "AWS_SECRET_ACCESS_KEY=abcd/EFGH+1234 is set", "AWS_[redacted] is set"},
		{"password in an address", "dial postgres://bob:pw1234@db:5432/x", "dial postgres[redacted]db:5432/x"},
		{"password alone in an address", "dial redis://:pw1234@cache:6379", "dial redis[redacted]cache:6379"},
		{"private key over lines", "key -----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY----- end", "key [redacted] end"},
		{"private key cut off", "key -----BEGIN PRIVATE KEY-----\nMIIEabc", "key [redacted]"},
		{"words about secrets stay", "the token has expired", "the token has expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := hook.LogLine(c.in); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestLogLineHidesTheShapesOfSecrets(t *testing.T) {
	for _, secret := range secretSamples {
		got := hook.LogLine("cannot log in with " + secret + ", giving up")
		if strings.Contains(got, secret) || !strings.Contains(got, "[redacted]") || !strings.HasSuffix(got, "giving up") {
			t.Errorf("%s…: %q", secret[:6], got)
		}
	}
}

func TestLogLineIsShort(t *testing.T) {
	for _, in := range []string{strings.Repeat("x", 501), strings.Repeat("é", 400), strings.Repeat("日本 ", 5000), strings.Repeat("✓", 1<<16)} {
		got := hook.LogLine(in)
		switch {
		case len(got) > 500 || len(got) < 490 || !utf8.ValidString(got):
			t.Errorf("%d bytes, valid %v, ends in %q", len(got), utf8.ValidString(got), got[len(got)-6:])
		case !strings.HasSuffix(got, "…"):
			t.Errorf("%d bytes, valid %v, ends in %q", len(got), utf8.ValidString(got), got[len(got)-6:])
		}
	}
	if got := hook.LogLine(strings.Repeat("x", 500)); len(got) != 500 || strings.Contains(got, "…") {
		t.Errorf("500 bytes fit, got %d", len(got))
	}
}

func FuzzLogLine(f *testing.F) {
	f.Add("plain", 0, 0)
	f.Add("two\nlines \x1b[31m\xff", 3, 4)
	f.Add(strings.Repeat("日", 300), 5, 300)
	f.Add(strings.Repeat(" ", 9000), 11, 7995)
	f.Fuzz(func(t *testing.T, text string, which, at int) {
		secret := secretSamples[uint(which)%uint(len(secretSamples))]
		cut := int(uint(at) % uint(len(text)+1))
		got := hook.LogLine(text[:cut] + " " + secret + " " + text[cut:])
		if len(got) > 500 || !utf8.ValidString(got) || strings.Contains(got, secret) {
			t.Errorf("%d bytes: %q", len(got), got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }); i >= 0 {
			t.Errorf("control character at %d of %q", i, got)
		}
	})
}
