package directive

import (
	"strings"
	"testing"
)

// BenchmarkPlainText reads what agents print when they print no directive.
func BenchmarkPlainText(b *testing.B) {
	text := strings.Repeat(strings.Join([]string{
		"● I will look at the file first and then change the function that reads it.",
		"",
		"  ⎿  Read 214 lines of internal/server/handler.go (ctrl+o to expand)",
		"    210   │ func (s *Server) handle(w http.ResponseWriter, r *http.Request) {",
		"    - The user's address is me@example.org, which stands in the middle of it.",
		"All tests pass; nothing else is left to do in this part of the program, I think.",
	}, "\n")+"\n", 100)
	readLines(b, text)
}

// BenchmarkShortLines reads what looks most like a directive and is none: short
// lines, marks, addresses and code.
func BenchmarkShortLines(b *testing.B) {
	readLines(b, strings.Repeat(strings.Join([]string{
		"● Done.", "", "  - one", "  * two:", "  3. three", "> quoted", "│ in a box │", "@Override", "@media (min-width: 1px) {", "}",
		"me@example.org", "Usage: see below", "- @click=\"open\"", "\\@relay:Bob hi", "└ ok", "`x`",
	}, "\n")+"\n", 100))
}

// readLines reads a text that has no directive.
func readLines(b *testing.B, text string) {
	lines := strings.Split(text, "\n")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var p Parser
		for _, line := range lines {
			if p.Line(line) != nil {
				b.Fatal("found a directive in plain text")
			}
		}
	}
}

func BenchmarkFencedBody(b *testing.B) {
	text := "@relay:Bob <<<\n" + strings.Repeat("a line of the body with some words in it\n", 500) + ">>>\n"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if len(Parse(text)) != 1 {
			b.Fatal("lost the directive")
		}
	}
}
