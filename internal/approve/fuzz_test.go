package approve

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCanonical: the form of an input does not depend on how its JSON is written, is
// JSON itself, and is the input's alone.
func FuzzCanonical(f *testing.F) {
	for _, text := range []string{`{}`, `{"b":1,"a":[null,true,1e5,"x\u0000\n"],"":{"c":-0.10}}`, `{"a":"\ud800"}`, `{"a":"` + "\x7f\u2028" + `"}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read := func(text []byte) (m map[string]any, ok bool) {
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			return m, d.Decode(&m) == nil
		}
		m, ok := read([]byte(text))
		if !ok {
			return
		}
		form := canonical(m)
		if !json.Valid(form) {
			t.Fatalf("%q is no JSON", form)
		}
		indented, err := json.MarshalIndent(m, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range [][]byte{form, indented} {
			back, ok := read(other)
			if !ok || !bytes.Equal(canonical(back), form) {
				t.Fatalf("%q, of which came %q", form, canonical(back))
			}
		}
		more := maps.Clone(m)
		if more == nil {
			more = map[string]any{}
		}
		more["x"+text] = nil
		if bytes.Equal(canonical(more), form) {
			t.Fatalf("%q is the form of another input", form)
		}
		if s := shown(m); !utf8.ValidString(s) || strings.ContainsAny(s, "\x1b\r\x00\u202e") {
			t.Fatalf("%q is not safe to show", s)
		}
	})
}

func FuzzParseCode(f *testing.F) {
	f.Add("k7q-x4")
	f.Fuzz(func(t *testing.T, text string) {
		code, err := ParseCode(text)
		if err == nil && (len(code) != codeLength || strings.Trim(code, letters) != "") {
			t.Fatalf("%q is read as %q", text, code)
		}
		if err != nil && (code != "" || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%q: %q, %v", text, code, err)
		}
	})
}

func TestCodesAreDrawnOfAllLetters(t *testing.T) {
	drawn := map[rune]bool{}
	for range 2000 {
		for _, r := range newCode() {
			drawn[r] = true
		}
	}
	if len(drawn) != len(letters) {
		t.Errorf("%d letters are drawn, of %d", len(drawn), len(letters))
	}
}
