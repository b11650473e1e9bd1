package keep

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hookway/hookway/facts"
)

// samples are credentials that were made up for this test, in parts: none stands whole in
// a file.
var samples = []string{
	"gh" + "p_R2mK9xQ7vT4nB8wZ3cY6pL1sD5fH0g1vgmAj", "AK" + "IAQ3ZK7WPLX5TNR2VB", "AI" + "zaSyD9x7Kq2LmZ4vTn8WcRb5YhJ3fGpEs1dUa", "glp" + "at-x9Kq2LmZ4vTn8WcRb5Yh",
	"xo" + "xb-739201846251-8402917364520-kq2LmZ4vTn8WcRb5YhJ3fGpE", "sk_" + "live_9x7Kq2LmZ4vTn8WcRb5YhJ3f", "np" + "m_9x7Kq2LmZ4vTn8WcRb5YhJ3fGpEs1dUaQw3e",
	"ey" + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI3MzkyMDE4NCJ9.x9Kq2LmZ4vTn8WcRb5YhJ3fGpEs1dUaQw3eRt6Yu",
	"ru" + "bygems_9f3c7a1e5b2d8046c3f7a9e1b5d20846f3c7a9e1b5d20846", "do" + "p_v1_9f3c7a1e5b2d8046c3f7a9e1b5d208469f3c7a1e5b2d8046c3f7a9e1b5d20846",
}

func TestAPlaceholderIsOfTheSameKindAndShape(t *testing.T) {
	p, err := NewPlaceholders(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewPlaceholders(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, secret := range samples {
		want := facts.Credentials(secret)
		kind := "unknown"
		if len(want) == 1 {
			kind = want[0].Kind
			known++
		}
		text := p.For(secret)
		if got := facts.Credentials(text); len(got) != len(want) || len(got) == 1 && got[0] != want[0] {
			t.Errorf("%s: %q is seen as %+v, %q as %+v", kind, text, got, secret, want)
		}
		if len(text) != len(secret) || strings.Contains(text, secret[len(secret)-8:]) {
			t.Errorf("%s: %q stands for %q", kind, text, secret)
		}
		if text != p.For(secret) || text == other.For(secret) || text == p.For(secret[:len(secret)-1]+"x") {
			t.Errorf("%s: a placeholder is not that of its secret and key", kind)
		}
	}
	if known < len(samples)-1 {
		t.Errorf("only %d of %d samples are known", known, len(samples))
	}
}

func FuzzPlaceholder(f *testing.F) {
	p, err := NewPlaceholders(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range append(samples, "", "a", "päßwörd \U0001F600 日本", "!!!!!!", "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----abc", "\xff\xfe") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, secret string) {
		text := p.make(secret)
		if text != p.make(secret) || !utf8.ValidString(text) {
			t.Errorf("%q stands for %q", text, secret)
		}
		if utf8.ValidString(secret) && len(text) != len(secret) {
			t.Errorf("%q is not as long as %q", text, secret)
		}
	})
}
