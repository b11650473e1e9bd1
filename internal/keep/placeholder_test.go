package keep

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
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

// forms are tokens with what tells their kinds, up to the mark; also too short ones and
// made up ones.
var forms = []string{
	"gh" + "o_|R2mK9xQ7vT4nB8wZ3cY6pL1sD5fH0g1vgmAj", "gh" + "u_|R2mK9xQ7vT4nB8wZ3cY6pL1sD5fH0g1vgmAj", "gh" + "s_|R2mK9xQ7vT4nB8wZ3cY6pL1sD5fH0g1vgmAj", "gh" + "r_|R2mK9xQ7vT4nB8wZ3cY6pL1sD5fH0g1vgmAj",
	"gh" + "p_|R2mK9xQ7vT4nB8wZ3cY6", "gh" + "p_|abababababababababababababababababab", "gh" + "p_|000000000000000000000000000000000000", "github_" + "pat_|11ABCDEFG0aBcDeFgHiJkL_9x7Kq2LmZ4vTn8WcRb5YhJ3fGpEs1dUaQw3eRt6YuI8oP2aS4dF6gH8jK1l",
	"A" + "SIA|Q3ZK7WPLX5TNR2VB", "gl" + "dt-|x9Kq2LmZ4vTn8WcRb5Yh", "gl" + "rt-|x9Kq2LmZ4vTn8WcRb5Yh", "xo" + "xp-|739201846251-8402917364520-kq2LmZ4vTn8WcRb5YhJ3fGpE",
	"rk_" + "test_|9x7Kq2LmZ4vTn8WcRb5YhJ3f", "sk_" + "test_|9x7Kq2LmZ4vTn8Wc", "sk-" + "ant-api03-|9x7Kq2LmZ4vTn8WcRb5YhJ3fGpEs1dUaQw3eRt6YuI8oP2aS4dF6gH8jK1l9x7Kq2LmZ4vTn8WcRb5YhJ3fGpE",
	"sk-" + "ant-|9x7Kq2LmZ4vTn8WcRb5Y", "sk-" + "or-v1-|9f3c7a1e5b2d8046c3f7a9e1b5d208469f3c7a1e5b2d8046c3f7a9e1b5d20846", "np" + "m_|9x7Kq2LmZ4vTn8WcRb5YhJ3fGpEs1dUaQw3e", "np" + "m_|9x7Kq2LmZ4vTn8WcRb5YhJ3fGpEs1dUaQ",
	"shp" + "ca_|9f3c7a1e5b2d8046c3f7a9e1b5d20846", "hv" + "b.|9x7Kq2LmZ4vTn8WcRb5YhJ3f", "dp.st" + ".|9x7Kq2LmZ4vTn8WcRb5YhJ3fGpEs1dUaQw3eRt6Yu", "lin_" + "oauth_|9x7Kq2LmZ4vTn8WcRb5YhJ3fGpEs1dUaQw3eRt6Yu",
	"AGE-" + "SECRET-KEY-1|GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J33", "AGE-" + "SECRET-KEY-1|GQ9778VQXMMJVE8SK7J6VT8UJ4HDQAJUVSFCWCM02D8GEWQ72PVQ2Y5J34",
}

// TestAPlaceholderKeepsWhatTellsTheKind: a rule that looks for "ghp_" finds it, and what
// was made up is not taken for one that somebody may use.
func TestAPlaceholderKeepsWhatTellsTheKind(t *testing.T) {
	for range 20 {
		p, err := NewPlaceholders(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range forms {
			prefix, rest, _ := strings.Cut(form, "|")
			secret := prefix + rest
			text := p.For(secret)
			if !strings.HasPrefix(text, prefix) || len(text) != len(secret) || text == secret {
				t.Errorf("%q stands for %q", text, secret)
			}
			if got, want := facts.Credentials(text), facts.Credentials(secret); !slices.Equal(got, want) {
				t.Errorf("%q is seen as %v, %q as %v", text, got, secret, want)
			}
			if checked := strings.HasPrefix(secret, ageKey) || len(secret) == 40; !checked && alphabet(text) != alphabet(secret) { // a checksum has others
				t.Errorf("%q has not the letters and digits of %q", text, secret)
			}
			if got, want := facts.NewRedactor(nil).Text(text), facts.NewRedactor(nil).Text(secret); got != want {
				t.Errorf("%q is masked as %q, %q as %q", text, got, secret, want)
			}
		}
	}
}

// TestNoSecretStandsForItself: where few letters change, chance would give them back with
// one key of some hundred.
func TestNoSecretStandsForItself(t *testing.T) {
	for _, secret := range []string{"gh" + "p_abababababababababababababababababab", "gh" + "p_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "k7", "q"} {
		for n := range 2000 {
			key := make([]byte, keySize)
			binary.LittleEndian.PutUint32(key, uint32(n))
			p := &Placeholders{key: key, made: map[[sha256.Size]byte]string{}}
			if text := p.For(secret); text == secret {
				t.Errorf("key %d: %q stands for itself", n, secret)
			}
		}
	}
}

// alphabet has an a for each letter, and 1 for each digit.
func alphabet(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return '1'
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			return 'a'
		}
		return r
	}, text)
}

// TestWordsOfExamplesStayThat: rules take them for no passwords.
func TestWordsOfExamplesStayThat(t *testing.T) {
	p, err := NewPlaceholders(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"hunter2", "changeme", "your-password", "AKIAIOSFODNN7EXAMPLE", "postgres", "dK2mQ9xW3z"} {
		in := func(word string) string { return "postgres://app:" + word + "@db.example.org/x and " + word }
		if got, want := len(facts.Credentials(in(p.For(word)))), len(facts.Credentials(in(word))); got != want || len(p.For(word)) != len(word) {
			t.Errorf("of %q, for which %q stands, %d are seen, want %d", word, p.For(word), got, want)
		}
	}
}

func FuzzPlaceholder(f *testing.F) {
	p, err := NewPlaceholders(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range append(samples, "", "a", "päßwörd \U0001F600 日本", "!!!!!!", "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----abc", "\xff\xfe", "eyJiInR\xa1cCI6IkpX.") {
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

// What hooks drew is known again by the key, and by nobody else.
func TestASeedIsSealed(t *testing.T) {
	p, err := NewPlaceholders(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewPlaceholders(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	seed := []byte("sixteen bytes is")
	sealed := p.Sealed(seed)
	if got := p.Unsealed(sealed); string(got) != string(seed) || sealed == p.Sealed(seed) {
		t.Errorf("%q is sealed as %q, and is %q again", seed, sealed, got)
	}
	if got := other.Unsealed(sealed); string(got) == string(seed) {
		t.Errorf("another key gives %q", got)
	}
	var none *Placeholders
	for _, text := range []string{"", "x", sealed[:20], sealed + "00"} {
		if got := p.Unsealed(text); got != nil {
			t.Errorf("%q is %q", text, got)
		}
	}
	if none.Sealed(seed) != "" || none.Unsealed(sealed) != nil || p.Sealed(nil) != "" {
		t.Error("without a key or a seed something is sealed")
	}
}
