package directive

import (
	"reflect"
	"strings"
	"testing"
)

// FuzzParser holds what is true of every text: no panic, lines may come in
// any grouping, directives are well formed and in order, and escaping works.
func FuzzParser(f *testing.F) {
	for _, seed := range []string{
		"@deploy:staging Release v1.2.3",
		"● @relay:Bob one\n  two\n\n@relay:* all\n- item",
		"│ @relay:Bob <<< │\n│ one │\n│ >>> │",
		"@relay:Bob <<<\none\n@relay:Eve two",
		"@relay:Bob <<<x>>>\n> @a:b <<<\n> ```\n> >>>",
		"```\n@a:b c\n```\n~~~\n@a:b\n",
		"\\@a:b\n\\\\@a:b\n1. @a:#b\u00a0c\r\n\t@a: b|",
		"@a:b \xff\xfe│\n\xe2\x94",
		"@a:b <c>\n  <d>e</d>\n@a:b <c d>  # e\n@a:b ...\n@namespace:x <<<\n>>>",
		"@a:b <<<\n<c>\n@a:b …\n>>>\n│ @a:b │ c │\n@a:  // b\n@a:b - c",
		"@:@a:@a:.\n@a:*\n12) | @a:b |\n      |  x |",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole := Parse(text)
		var p Parser
		var parts []Directive
		lines := strings.Split(text, "\n")
		for _, line := range lines {
			parts = append(parts, p.Line(line)...)
		}
		parts = append(parts, p.Flush()...)
		if !reflect.DeepEqual(whole, parts) {
			t.Fatalf("the whole gives %+v, its lines give %+v", whole, parts)
		}
		last := 0
		for _, d := range whole {
			if d.Line <= last || d.Line > len(lines) {
				t.Fatalf("line %d after %d of %d", d.Line, last, len(lines))
			}
			last = d.Line
			if !strings.HasPrefix(d.Raw, lines[d.Line-1]) && !d.Truncated {
				t.Fatalf("raw text %q does not begin with its line %q", d.Raw, lines[d.Line-1])
			}
			if h, ok := parseHead("@" + d.Namespace + ":" + d.Target); !ok || h.target != d.Target {
				t.Fatalf("directive %+v is not of the grammar", d)
			}
			if strings.EqualFold(d.Namespace, "namespace") || placeholders(d.Body) {
				t.Fatalf("directive %+v is about the syntax", d)
			}
			if d.Target == "" && d.Body == "" {
				t.Fatalf("directive %+v says nothing", d)
			}
		}
		for _, line := range lines {
			escaped := Escape(line)
			if got := Unescape(escaped); got != line {
				t.Fatalf("Unescape(Escape(%q)) = %q", line, got)
			}
			if got := Parse(escaped); got != nil {
				t.Fatalf("Escape(%q) is still the directive %+v", line, got)
			}
		}
	})
}
