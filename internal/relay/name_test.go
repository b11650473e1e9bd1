package relay_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/relay"
)

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"Bob": "Bob", "größe": "größe", "gro\u0308ße": "größe", "李明": "李明", "علی": "علی", "Zoë-2_x.y": "Zoë-2_x.y", "🦊": "🦊",
		"👩\u200d💻": "👩\u200d💻", strings.Repeat("ü", 64): strings.Repeat("ü", 64), strings.Repeat("u\u0308", 64): strings.Repeat("ü", 64), "[x]": "[x]",
	} {
		if got, err := relay.Name(in); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"": "nothing that can be seen", "a b": "a space", "a\u00a0b": "a space", "a\u3000b": "a space", "a@b": "@ has a meaning", "#a": "# has a meaning", "*": "* has a meaning",
		"a/b": "/ has a meaning", "a\x00b": "U+0000 cannot be seen", "a\u202eb": "U+202E cannot be seen", "a\u200bb": "U+200B cannot be seen", "a\u034fb": "U+034F cannot be seen",
		"a\u3164b": "U+3164 cannot be seen", "a\u115f": "U+115F cannot be seen", "a\u2800": "U+2800 cannot be seen", "a\u180b": "U+180B cannot be seen", "a\U000e0101": "U+E0101 cannot be seen",
		"\u0301": "a mark without its letter", "\u0301a": "a mark without its letter", "\ue000": "U+E000 is not a visible character",
		"\u200d": "nothing that can be seen",
		"a\xff":  "not valid UTF-8", "\ufffd": "cannot be seen", strings.Repeat("x", 65): "more than 64 characters", strings.Repeat("x", 10<<20): "more than 64 characters",
	} {
		if got, err := relay.Name(in); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.20q: %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestNamesThatAreOne(t *testing.T) {
	s := open(t, "", relay.Options{})
	for _, names := range [][]string{{"Zoë", "ZOE\u0308", "zoë"}, {"Straße", "STRASSE"}, {"Σίσυφος", "ΣΊΣΥΦΟΣ"}, {"💻", "💻\ufe0f"}} {
		must(t, s.Register(t.Context(), names[0]))
		for _, other := range names[1:] {
			if m := send(t, s, relay.Message{From: "Alice", To: other, Content: "x"}).Message; m.To != names[0] {
				t.Errorf("%q is %q, not %q", other, m.To, names[0])
			}
		}
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"Bob", "größe", "gro\u0308ße", "a@b", "\u200d", "👩\u200d💻", "\xff", "ǅ", "ﬃ", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := relay.Name(text)
		if err != nil {
			return
		}
		if n := utf8.RuneCountInString(name); n == 0 || n > 64 || !utf8.ValidString(name) {
			t.Errorf("%q is a name", name)
		} else if strings.ContainsAny(name, "@#*/ \n") || strings.IndexFunc(name, unicode.IsControl) >= 0 {
			t.Errorf("%q is a name", name)
		}
		if again, err := relay.Name(name); err != nil || again != name {
			t.Errorf("%q becomes %q, %v", name, again, err)
		}
		if relay.Key(name) == "" || relay.Key(relay.Key(name)) != relay.Key(name) {
			t.Errorf("%q has the key %q, and that %q", name, relay.Key(name), relay.Key(relay.Key(name)))
		}
	})
}

func TestNearest(t *testing.T) {
	all := []string{"Alice", "Bob", "Bobby", "Carol", "Caroline", "tester-1", "tester-2", "李明"}
	for in, want := range map[string]string{
		"bbo": "Bob", "Bobb": "Bob Bobby", "carl": "Carol", "caro": "Carol Caroline", "tester": "tester-1 tester-2", "李": "李明", "zzzzzz": "", "": "", "aliec": "Alice",
	} {
		if got := strings.Join(relay.Nearest(in, all), " "); got != want {
			t.Errorf("%q: %q, not %q", in, got, want)
		}
	}
}

func TestNoAgentIsCalledAsThePersonOrHookway(t *testing.T) {
	s := open(t, "", relay.Options{})
	join(t, s, "Bob")
	for _, name := range []string{"user", "USER", "hookway", "Hookway"} {
		for _, kind := range []string{"wrapped", "hooks", "mcp", ""} {
			if _, err := s.Join(t.Context(), relay.Presence{Session: "s", Name: name, Kind: kind}); err == nil || !strings.Contains(err.Error(), "choose another") || !relay.Refused(err) {
				t.Errorf("%s joins as %q: %v", name, kind, err)
			}
		}
		if _, err := s.Send(t.Context(), relay.Message{From: name, To: "Bob", Content: "x", Agent: true}); err == nil || !strings.Contains(err.Error(), "choose another") {
			t.Errorf("an agent sends as %s: %v", name, err)
		}
	}
	if _, err := s.Join(t.Context(), relay.Presence{Session: "s", Name: "hookway", Kind: "user"}); err == nil {
		t.Error("a person is called hookway")
	}
	if _, err := s.Send(t.Context(), relay.Message{From: "hookway", To: "Bob", Content: "x"}); err == nil {
		t.Error("a program sends as hookway")
	}
	consumer, err := s.Join(t.Context(), relay.Presence{Session: "s", Name: "user", Kind: "user"})
	must(t, err)
	must(t, consumer.Close())
	send(t, s, relay.Message{From: "user", To: "Bob", Content: "x"})
}

func TestAStrangerHasNoNameOfAnAgent(t *testing.T) {
	s := open(t, "", relay.Options{})
	if err := s.Register(t.Context(), "Zoë"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Zoë", "zoe\u0308", "User", "hookway"} {
		if err := s.Stranger(t.Context(), name); !relay.Refused(err) {
			t.Errorf("%q: got %v, want relay.Refused(err)", name, err)
		}
	}
	if err := s.Stranger(t.Context(), "ci"); err != nil {
		t.Error(err)
	}
}

func TestANameInTwoForms(t *testing.T) {
	if !relay.SameName("Zoë", "ZOE\u0308") || relay.SameName("Zoe", "Zoë") {
		t.Error("Zoë is one name, and not Zoe")
	}
}

func TestAMessageThatIsTooLongByAByteSaysBytes(t *testing.T) {
	s := open(t, "", relay.Options{})
	join(t, s, "Bob")
	_, err := s.Send(t.Context(), relay.Message{From: "Alice", To: "Bob", Content: strings.Repeat("x", 256<<10+1)})
	if err == nil || !strings.Contains(err.Error(), "has 262145 bytes, and may have 262144:") {
		t.Errorf(`got %v, want err != nil and strings.Contains(err.Error(), "has 262145 bytes, and may have 262144:")`, err)
	}
}
