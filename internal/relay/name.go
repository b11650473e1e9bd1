package relay

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// longestName bounds a name, in characters.
const longestName = 64

// Name is a name as it is kept: in the form in which each character is one (NFC).
// The error says why it cannot be the name of an agent or a channel.
func Name(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", &refusal{fmt.Sprintf("%q cannot be a name: it is not valid UTF-8", text)}
	}
	if len(text) > longestName*utf8.UTFMax {
		return "", tooLong(text)
	}
	name := norm.NFC.String(text)
	if utf8.RuneCountInString(name) > longestName {
		return "", tooLong(text)
	}
	for _, r := range name {
		switch {
		case strings.ContainsRune("@#*/", r):
			return "", &refusal{fmt.Sprintf("%q cannot be a name: %c has a meaning of its own", text, r)}
		case unicode.IsSpace(r) || unicode.Is(unicode.Z, r):
			return "", &refusal{fmt.Sprintf("%q cannot be a name: it has a space; use - or _", text)}
		case unicode.Is(unicode.Co, r):
			return "", &refusal{fmt.Sprintf("%q cannot be a name: %U is not a visible character", text, r)}
		case r == unicode.ReplacementChar || unicode.IsControl(r) || unseen(r) && !joins(r):
			return "", &refusal{fmt.Sprintf("%q cannot be a name: %U cannot be seen", text, r)}
		}
	}
	if first, _ := utf8.DecodeRuneInString(name); unicode.IsMark(first) && !joins(first) {
		return "", &refusal{fmt.Sprintf("%q cannot be a name: it begins with %U, a mark without its letter", text, first)}
	}
	if key(name) == "" {
		return "", &refusal{fmt.Sprintf("%q cannot be a name: it has nothing that can be seen", text)}
	}
	return name, nil
}

// SameName reports whether two names are one.
func SameName(a, b string) bool { return a == b || key(a) == key(b) }

// Person is the name of the one at the keyboard.
const Person = "user"

// Reserved says why no agent can have a name: it is that of the person at the
// keyboard, or of what hookway itself has to say.
func Reserved(name string) error {
	switch key(norm.NFC.String(name)) {
	case Person:
		return &refusal{fmt.Sprintf("%s is the name of the person at the keyboard; choose another", Person)}
	case noticeFrom:
		return &refusal{fmt.Sprintf("%s is the name of what hookway itself has to say; choose another", noticeFrom)}
	}
	return nil
}

func tooLong(text string) error {
	first := []rune(strings.ToValidUTF8(text[:min(len(text), 80)], ""))
	return &refusal{fmt.Sprintf("%q… cannot be a name: it has more than %d characters", string(first[:min(len(first), 20)]), longestName)}
}

// unseen reports whether a character is drawn as nothing, or as a blank.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

// joins reports whether a character only says how its neighbours are drawn. Names
// in some scripts need it, and so do emoji.
func joins(r rune) bool {
	return r == '\u200c' || r == '\u200d' || r >= 0xfe00 && r <= 0xfe0f
}

// key is what two names have in common that are one: without regard to case, and
// to what is not seen.
func key(name string) string {
	ascii := true
	for i := 0; i < len(name); i++ {
		ascii = ascii && name[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(name)
	}
	seen := strings.Map(func(r rune) rune {
		if joins(r) {
			return -1
		}
		return r
	}, name)
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(seen)))
}

// blank reports whether a text has nothing that can be seen.
func blank(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !unseen(r) }) < 0
}

// Stranger says why a message from outside cannot bear a name that it gives itself:
// an agent is known by it, here or on another machine, or it is reserved.
func (s *Store) Stranger(ctx context.Context, name string) error {
	if err := Reserved(name); err != nil {
		return err
	}
	known, err := s.read(ctx).get([]any{new(int)},
		"SELECT 1 FROM agent WHERE key = ?1 UNION ALL SELECT 1 FROM peer_agent WHERE key = ?1 LIMIT 1", key(norm.NFC.String(name)))
	if err != nil {
		return s.explain("read", err)
	}
	if known {
		return &refusal{fmt.Sprintf("%s is an agent; what comes from outside has another name, unless the configuration says it", name)}
	}
	return nil
}

// noticeFrom is who sends what hookway itself has to say.
const noticeFrom = "hookway"

// knownAgent gives the key of an agent of this machine.
func (a access) knownAgent(name string) (string, error) {
	name = strings.TrimSpace(name)
	if before, machine, ok := strings.Cut(name, "@"); ok && strings.ToLower(machine) == a.s.machine {
		name = before
	}
	k := key(name)
	known, err := a.get([]any{new(int)}, "SELECT 1 FROM agent WHERE key = ?", k)
	if known || err != nil {
		return k, err
	}
	all, err := a.strings("SELECT name FROM agent")
	return "", unknownOr(err, "agent", name, nearest(name, all))
}
