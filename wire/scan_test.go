package wire

import (
	"testing"
)

// Every text of up to nine quotes, backslashes and others: a string ends where one
// that reads byte by byte says.
func TestAfterString(t *testing.T) {
	slow := func(text []byte) int {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(text)
	}
	text := []byte(`"`)
	var try func(left int)
	try = func(left int) {
		if got, want := afterString(text, 0), slow(text); got != want {
			t.Fatalf("%s: %d, want %d", text, got, want)
		}
		for _, c := range []byte(`"\x`) {
			if left > 0 {
				text = append(text, c)
				try(left - 1)
				text = text[:len(text)-1]
			}
		}
	}
	try(9)
}

func TestObjectsThatAreNone(t *testing.T) {
	for _, text := range []string{``, ` `, `null`, `[]`, `"a"`, `1`, `{`, `{"a"}`, `{} {}`, `{},`, "\xef\xbb\xbf{}", `{"a":1,}`} {
		if got, ok := Object([]byte(text)); ok {
			t.Errorf("%q is the object %v", text, got)
		}
	}
	got, ok := Object([]byte(" {\"a\":1.50,\"a\":{\"b\":[]}}\n"))
	switch b, is := got["a"].(map[string]any); {
	case !ok || !is:
		t.Errorf("%v, %v", got, ok)
	case len(got) != 1:
		t.Errorf("len(got): got %v, want %v", len(got), 1)
	case len(b) != 1:
		t.Errorf("len(b): got %v, want %v", len(b), 1)
	}
}
