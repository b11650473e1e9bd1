package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/shell"
)

// commandLine is a command as it is run: files that lie beside the
// configuration have absolute names, so that they mean the same file wherever
// the agent works.
type commandLine struct {
	argv  []string
	shell string
	files []string // the files of the workspace that it needs, when it was read
}

// program is what a command runs first: of a shell line a program that it names by its
// path, for only the shell knows what a plain name means to it.
func (c commandLine) program() string {
	if len(c.argv) > 0 {
		return c.argv[0]
	}
	words := shellWords(c.shell)
	if len(words) == 0 || !words[0].begins || !words[0].plain {
		return ""
	}
	if first := c.shell[words[0].start:words[0].end]; filepath.IsAbs(first) {
		return first
	}
	return ""
}

// resolver finds the files that a command names.
type resolver struct {
	dirs []string // where relative names start from, in order
}

// command resolves a hook's command. dir is the folder of its file.
func (h *hookSpec) command(dir string) commandLine {
	r := resolver{dirs: []string{dir}}
	if h.cwd != "" {
		r.dirs = append(r.dirs, shell.Under(dir, h.cwd))
	}
	if h.handler.shell != nil {
		line := h.handler.shell.Text
		return r.shell(line)
	}
	var words []string
	for _, e := range h.handler.argv {
		words = append(words, e.Text)
	}
	return r.list(words)
}

// list resolves a program and its arguments: the program if it is a path, every
// argument that is a path to a file, and an interpreter's script.
func (r *resolver) list(words []string) commandLine {
	out := commandLine{argv: slices.Clone(words)}
	script := len(words) > 0 && isInterpreter(words[0])
	for i, w := range words {
		operand := script && i > 0 && !strings.HasPrefix(w, "-")
		if !isPath(w) && !operand {
			continue
		}
		if operand {
			script = false
		}
		if file := r.find(w); file != "" {
			out.argv[i] = file
		} else if i == 0 || i == 1 && operand || isDotted(w) { // missing: an agent's folder must not supply it
			out.argv[i] = shell.Under(r.dirs[0], w)
		}
	}
	return out
}

// isDotted reports whether a word is a path from here.
func isDotted(word string) bool {
	return strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../")
}

// isPath reports whether a word is written as a path.
func isPath(word string) bool {
	return strings.ContainsRune(word, '/') || filepath.IsAbs(word) || os.PathSeparator == '\\' && strings.ContainsRune(word, '\\')
}

// interpreters take a script as their first operand.
var interpreters = []string{"sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "node", "deno", "bun", "tsx", "ruby", "perl", "php", "lua", "pwsh", "awk"}

func isInterpreter(program string) bool {
	base := strings.TrimSuffix(filepath.Base(program), ".exe")
	return slices.Contains(interpreters, base) || slices.Contains(interpreters, versionless(base))
}

// find gives the absolute name of a regular file, or "".
func (r *resolver) find(word string) string {
	for _, dir := range r.dirs {
		path := shell.Under(dir, word)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// shell resolves the plain words of a shell line. What stands in quotes or is
// made by the shell is left as it is. After a cd, relative names mean something else.
func (r *resolver) shell(line string) commandLine {
	out := commandLine{}
	var b strings.Builder
	last, script, moved, first := 0, false, false, false
	for _, w := range shellWords(line) {
		b.WriteString(line[last:w.start])
		last = w.end
		text := line[w.start:w.end]
		switch {
		case w.output: // what a command writes is no part of it
			b.WriteString(text)
			continue
		case moved && !filepath.IsAbs(text) && !strings.Contains(text, "$"):
			b.WriteString(text)
		default:
			operand := script && !w.begins && !strings.HasPrefix(text, "-")
			if w.plain && (isPath(text) || operand) {
				if file := r.find(text); file != "" {
					text = shell.Quote(file)
				} else if isDotted(text) || first && operand { // missing: an agent's folder must not supply it
					text = shell.Quote(shell.Under(r.dirs[0], text))
				}
			}
			b.WriteString(text)
			if operand {
				script = false
			}
		}
		if w.begins {
			script = isInterpreter(line[w.start:w.end])
			moved = moved || line[w.start:w.end] == "cd" || line[w.start:w.end] == "pushd"
		}
		script = script && !w.ends
		first = w.begins && !w.ends
	}
	b.WriteString(line[last:])
	out.shell = b.String()
	return out
}

// word is a piece of a shell line.
type word struct {
	start, end int
	plain      bool // no quotes and nothing that the shell expands
	output     bool // it follows a >
	begins     bool // it is the program of a command
	ends       bool // a command ends after it
}

// shellWords cuts a line into words, as far as that is needed to find file
// names in it: it is no shell, and leaves alone what it does not understand.
func shellWords(line string) []word {
	var out []word
	begins, output := true, false
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\n' && len(out) == 0:
			i++
		case strings.IndexByte(";|&()\n", c) >= 0:
			if len(out) > 0 {
				out[len(out)-1].ends = true
			}
			begins, output = true, false
			i++
		case c == '>' || c == '<':
			output = c == '>' && (i == 0 || line[i-1] != '<')
			i++
		default:
			w := word{start: i, plain: true, begins: begins && !output, output: output}
			w.end = wordEnd(line, i, &w.plain)
			if !output && !isAssignment(line[w.start:w.end]) {
				begins = false
			}
			output = false
			out = append(out, w)
			i = w.end
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
		case c < 0x80 && !shell.Plain(rune(c)):
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

// versionless is python for python3.12.
func versionless(program string) string { return strings.TrimRight(program, "0123456789.-") }
