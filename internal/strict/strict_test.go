package strict

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// read reads maps and lists to the end.
func read(r *Reader, n *yaml.Node) string {
	n, ok := r.Enter(n)
	if !ok {
		return "?"
	}
	defer r.Deeper()()
	var all []string
	switch n.Kind {
	case yaml.MappingNode:
		for _, p := range r.Pairs(n) {
			all = append(all, p.Key.Value+":"+read(r, p.Value))
		}
		return "{" + strings.Join(all, " ") + "}"
	case yaml.SequenceNode:
		for _, item := range n.Content {
			all = append(all, read(r, item))
		}
		return "[" + strings.Join(all, " ") + "]"
	}
	return Describe(n)
}

// told lists what a reader found wrong.
func told(r *Reader) (out []string) {
	for _, p := range r.Problems {
		out = append(out, fmt.Sprintf("%d:%d %s (%s)", p.Line, p.Column, p.Message, p.Hint))
	}
	return out
}

const unfolds = "(write the values out, or use fewer aliases)"

func TestDocumentsAreReadOrTheirFaultHasItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"# only a comment":           "",
		"a: 1\nb: [x, null, true]":   "{a:the number 1 b:[the text \"x\" nothing true]}",
		"a: &x {b: 1}\nc: *x":        "{a:{b:the number 1} c:{b:the number 1}}",
		"<<: {a: 1, b: 2}\na: 3":     "{a:the number 3 b:the number 2}",
		"<<: [{a: 1}, {a: 2, b: 3}]": "{a:the number 1 b:the number 3}",
		"&k a: 1\nb: {*k : 2}":       "{a:the number 1 b:{a:the number 2}}",
		"a: 1\nb: 2\na: 3":           "{a:the number 1 b:the number 2} 3:1 the key \"a\" is here twice; the first is in line 1 (take one of them out)",
		"[a]: 1":                     "{} 1:1 a key must be text, not a list (text that begins with { or [ must be quoted)",
		"a: !x 1":                    "{a:?} 1:4 the tag !x means nothing here (text that begins with ! must be quoted)",
		"<<: 5":                      "{} 1:5 \"<<\" merges maps, not the number 5 (write <<: *name)",
		"a: &x [*x]":                 "unfolds",
		strings.Repeat("[", 110) + strings.Repeat("]", 110): "unfolds",
		"a: 1\n---\nb: 2":  "fault 2:1 second",
		"a: \xff":          "fault 1:4 byte ff",
		"a: 1\r\rb: [1,\r": "fault 3:7 syntax",
		"a: 1\r\nb: [1,":   "fault 2:7 syntax",
		"\r\r\n\r\x01":     "fault 4:1 control 01",
		"é: \x01":          "fault 1:4 control 01",
		"a: [1,\n":         "fault 1:7 syntax",
		"a: \"\\q\"":       "fault 1:5 syntax \\q\"",
	} {
		root, f := Load([]byte(text))
		r, got := &Reader{}, ""
		switch {
		case f != nil && f.Syntax != nil:
			got = strings.TrimSpace(fmt.Sprintf("fault %d:%d syntax %s", f.Line, f.Column, f.Rest))
		case f != nil && f.Second:
			got = fmt.Sprintf("fault %d:%d second", f.Line, f.Column)
		case f != nil && f.Control:
			got = fmt.Sprintf("fault %d:%d control %02x", f.Line, f.Column, f.Byte)
		case f != nil:
			got = fmt.Sprintf("fault %d:%d byte %02x %v", f.Line, f.Column, f.Byte, f.Err)
			got = strings.TrimSuffix(got, " <nil>")
		case root != nil:
			got = strings.Join(append([]string{read(r, root)}, told(r)...), " ")
		}
		if want == "unfolds" && len(r.Problems) == 1 && strings.HasSuffix(told(r)[0], unfolds) {
			continue
		}
		if got != want {
			t.Errorf("%q is\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestAliasesThatUnfoldWithoutEndAreAMistakeOnce(t *testing.T) {
	text := "a0: &a0 [x]\n"
	for i := range 20 {
		text += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	root, f := Load([]byte(text))
	if f != nil {
		t.Fatalf("got %+v, want %+v", f, nil)
	}
	r := &Reader{}
	if read(r, root); len(r.Problems) != 1 || !strings.HasSuffix(told(r)[0], unfolds) {
		t.Errorf("got %q, want one that ends with %s", told(r), unfolds)
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{"a: &x {b: 1}\nc: *x", "<<: [{a: 1}]", "a: [1,\n", "\xff", "a: !x 1", "- - -\n---\n", "? {a: b}\n: c", "a: |\n  x\n\r"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, fault := Load(data)
		if fault != nil {
			if lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + 1; fault.Line < 1 || fault.Line > lines || fault.Column < 1 {
				t.Errorf("%d:%d is outside of %d lines", fault.Line, fault.Column, lines)
			}
			return
		}
		if root != nil {
			read(&Reader{}, root)
		}
	})
}
