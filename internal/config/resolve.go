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
	words := shell.Words(c.shell)
	if len(words) == 0 || !words[0].Begins || !words[0].Plain {
		return ""
	}
	if first := c.shell[words[0].Start:words[0].End]; filepath.IsAbs(first) {
		return first
	}
	return ""
}

// resolver finds the files that a command names.
type resolver struct {
	dirs []string // where relative names start from, in order
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
	for _, w := range shell.Words(line) {
		b.WriteString(line[last:w.Start])
		last = w.End
		text := line[w.Start:w.End]
		switch {
		case w.Output: // what a command writes is not part of it
			b.WriteString(text)
			continue
		case moved && !filepath.IsAbs(text) && !strings.Contains(text, "$"):
			b.WriteString(text)
		default:
			operand := script && !w.Begins && !strings.HasPrefix(text, "-")
			if w.Plain && (isPath(text) || operand) {
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
		if w.Begins {
			script = isInterpreter(line[w.Start:w.End])
			moved = moved || line[w.Start:w.End] == "cd" || line[w.Start:w.End] == "pushd"
		}
		script = script && !w.Ends
		first = w.Begins && !w.Ends
	}
	b.WriteString(line[last:])
	out.shell = b.String()
	return out
}

// versionless is python for python3.12.
func versionless(program string) string { return strings.TrimRight(program, "0123456789.-") }
