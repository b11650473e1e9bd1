package terminal

import (
	"strings"
	"testing"
)

func TestTheTitleOfAProgramIsKnown(t *testing.T) {
	long := strings.Repeat("x", 600)
	for output, want := range map[string]string{
		"plain":                       "",
		"\x1b]0;one\x07":              "0;one",
		"\x1b]2;one\x1b\\text":        "2;one",
		"\x1b]0;one\x07\x1b]2;\x07":   "2;",
		"\x1b]1;icon\x07":             "",
		"\x1b]0;one\x07\x1b]8;;u\x07": "0;one",
		"\x1b]0;one\x07\x1bc":         "0;one",
		"\x1b]0;one\x07\x1b[!p":       "0;one",
		"\x1b]0;broken\x18":           "",
		"\x1bP0;no title\x1b\\":       "",
		"\x1b]0;" + long + "\x07":     "",
		"\x1b]0;grün ⌘\x07":           "0;grün ⌘",
		"\x1b]0\x07\x1b]\x07":         "",
		"\x1b]0;open":                 "",
	} {
		var whole, bytewise screenModes
		whole.see([]byte(output))
		for i := range len(output) {
			bytewise.see([]byte{output[i]})
		}
		for _, m := range []*screenModes{&whole, &bytewise} {
			if got, _, _ := m.standing(); got != want {
				t.Errorf("%.40q: %q, want %q", output, got, want)
			}
		}
	}
}

func TestACharacterThatIsCutInTwoIsKnown(t *testing.T) {
	for tail, want := range map[string]bool{
		"": false, "a": false, "ä": false, "a\xc3": true, "\xe6\xbc": true, "\xf0\x9f\x8e": true, "🎉": false, "\xbc\xbc\xbc\xbc": false, "\xff": false,
	} {
		if got := halved([]byte(tail)); got != want {
			t.Errorf("%q: %v, want %v", tail, got, want)
		}
	}
}
