package shell

import (
	"os"
	"strings"
)

// Split gives the words of a line, without their quotes.
func Split(line string) []string {
	var words []string
	for _, w := range Words(line) {
		words = append(words, unquote(line[w.Start:w.End]))
	}
	return words
}

// Word is a piece of a shell line.
type Word struct {
	Start, End int
	Plain      bool // no quotes and nothing that the shell expands
	Output     bool // it follows a >
	Begins     bool // it is the program of a command
	Ends       bool // a command ends after it
}

// Words cuts a line into words, as far as that is needed to find file
// names in it: it is no shell, and leaves alone what it does not understand.
func Words(line string) []Word {
	var out []Word
	begins, output := true, false
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\n' && len(out) == 0:
			i++
		case strings.IndexByte(";|&()\n", c) >= 0:
			if len(out) > 0 {
				out[len(out)-1].Ends = true
			}
			begins, output = true, false
			i++
		case c == '>' || c == '<':
			output = c == '>' && (i == 0 || line[i-1] != '<')
			i++
		default:
			w := Word{Start: i, Plain: true, Begins: begins && !output, Output: output}
			w.End = wordEnd(line, i, &w.Plain)
			if !output && !isAssignment(line[w.Start:w.End]) {
				begins = false
			}
			output = false
			out = append(out, w)
			i = w.End
		}
	}
	return out
}

// wordEnd finds the end of the word that begins at i, across quotes.
func wordEnd(line string, i int, plain *bool) int {
	quote := byte(0)
	for ; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote, *plain = c, false
		case c == '\\':
			i, *plain = i+1, false
		case strings.IndexByte(" \t\n;|&()<>", c) >= 0:
			return i
		case c < 0x80 && !Plain(rune(c)):
			*plain = false
		}
	}
	return len(line)
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/.-$'\"")
}

// unquote takes the quotes of a shell word away, and the backslashes outside
// single quotes.
func unquote(word string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(word); i++ {
		c := word[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == '\\' && quote != '\'' && os.PathSeparator != '\\' && i+1 < len(word):
			i++
			b.WriteByte(word[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
