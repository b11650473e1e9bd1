package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mentions gathers the files of a folder that the words of a command name,
// wherever they stand in it. It errs on the side of too many: which words a
// program runs as code, only the program knows.
type mentions struct {
	r     *resolver
	root  string // files outside are left out
	seen  map[string]bool
	files []string
	loose string // what runs files that no word names, or ""
}

// Bounds of the search in one command.
const (
	maxMentions = 4096 // words
	maxQuotes   = 5    // shell lines inside shell lines
)

// separators stand between words, for a shell or for a program that is given a line.
const separators = " \t\r\n'\";|&()<>=$`{},"

// isSeparator also counts the backslash where it is no part of a path.
func isSeparator(c byte) bool {
	return strings.IndexByte(separators, c) >= 0 || c == '\\' && os.PathSeparator != '\\'
}

// mentioned is a command with all files that it names, sorted, and with what it
// runs besides.
func (r *resolver) mentioned(out commandLine, look func(*mentions)) commandLine {
	m := mentions{r: r, root: r.project, seen: map[string]bool{}}
	look(&m)
	out.files = append(out.files, m.files...)
	slices.Sort(out.files)
	out.files = slices.Compact(out.files)
	if out.loose = m.loose; out.loose == "" && len(m.seen) >= maxMentions {
		out.loose = "so long a line"
	}
	return out
}

// list looks through a program and its arguments.
func (m *mentions) list(words []string) {
	var c commandWatch
	for i, w := range words {
		m.name(w)
		m.text(w, 1)
		if i == 0 {
			c.begin()
		}
		m.watch(&c, w, 1)
	}
}

// line looks through a shell line, and through those that stand in its quotes.
func (m *mentions) line(text string, depth int) {
	if depth > maxQuotes {
		return // its pieces were looked up
	}
	var c commandWatch
	for _, w := range shellWords(text) {
		if w.output { // what a command writes is no part of it
			continue
		}
		if w.begins {
			c.begin()
		}
		raw := text[w.start:w.end]
		plain := unquote(raw)
		m.name(plain)
		if w.start > 0 && text[w.start-1] == ')' { // $(pwd)/guard.sh
			m.name(strings.TrimLeft(plain, "/"))
		}
		m.pieces(raw)
		if plain != raw {
			m.text(plain, depth+1)
		}
		m.watch(&c, plain, depth)
	}
}

// text looks through a word that may be a line itself.
func (m *mentions) text(word string, depth int) {
	if strings.ContainsFunc(word, func(r rune) bool { return r < 0x80 && isSeparator(byte(r)) }) {
		m.pieces(word)
		if depth <= maxQuotes {
			inner := mentions{r: m.r, root: m.root, seen: m.seen}
			inner.line(word, depth)
			m.files = append(m.files, inner.files...)
		}
	}
}

// watch notes a program that runs files which no word names.
func (m *mentions) watch(c *commandWatch, word string, depth int) {
	c.next(word)
	if c.loose != "" && m.loose == "" {
		m.loose = c.loose
	}
	if depth <= maxQuotes && (c.code || strings.Contains(word, "$(") || strings.Contains(word, "`")) {
		inner := mentions{r: m.r, root: m.root, seen: m.seen}
		inner.line(strings.NewReplacer("$(", ";", "`", ";").Replace(word), depth+1)
		m.files = append(m.files, inner.files...)
		if m.loose == "" {
			m.loose = inner.loose
		}
	}
}

// pieces looks up each piece of a text between separators. A piece that follows
// a > is written, not read; one that follows a variable may go on from the
// workspace's folder, as in "$(pwd)/guard.sh".
func (m *mentions) pieces(text string) {
	for _, name := range []string{"HOOKWAY_PROJECT_DIR", "CLAUDE_PROJECT_DIR"} {
		text = strings.ReplaceAll(text, "${"+name+"}", m.r.project)
		text = strings.ReplaceAll(text, "$"+name, m.r.project)
	}
	output, open, start := false, false, 0
	piece := func(end int) {
		if start < end && !output {
			p := text[start:end]
			m.name(p)
			if open {
				_, rest, _ := strings.Cut(p, "/")
				m.name(rest)
			}
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if !isSeparator(c) {
			continue
		}
		piece(i)
		read := start < i
		start = i + 1
		switch {
		case c == '>':
			output = i == 0 || text[i-1] != '\\' && text[i-1] != '<'
		case c == ' ' || c == '\t':
			output = output && !read
		default:
			output = false
		}
		open = strings.IndexByte("$)}`\"'", c) >= 0
	}
	piece(len(text))
}

// completions are what programs add to a name that has no file: Node's modules,
// and folders that can be run.
var completions = []string{".js", ".cjs", ".mjs", ".ts", ".json", "/index.js", "/index.ts", "/__main__.py"}

// name looks up one word.
func (m *mentions) name(word string) {
	if word == "" || len(word) > 4096 || m.seen[word] {
		return
	}
	if len(m.seen) >= maxMentions {
		return
	}
	m.seen[word] = true
	if len(word) > 2 && word[0] == '-' && word[1] != '-' { // -rFILE
		m.name(word[2:])
	}
	if m.file(word) || !isPath(word) && word != "." {
		return
	}
	for _, more := range completions {
		m.file(word + more)
	}
}

// file notes the files of a name, under the name that it has in the workspace.
func (m *mentions) file(word string) (found bool) {
	for _, dir := range m.r.dirs {
		path := under(dir, word)
		if isFile(path) {
			found = true
			m.keep(path)
		}
		if !strings.Contains(word, "..") {
			continue
		}
		full := word // .. after a link leads elsewhere than it looks
		if !filepath.IsAbs(full) {
			full = dir + string(os.PathSeparator) + full
		}
		if real, err := filepath.EvalSymlinks(full); err == nil && isFile(real) {
			found = true
			m.keep(real)
		}
	}
	return found
}

func (m *mentions) keep(path string) {
	if !inFolder(m.root, path) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || !inFolder(m.root, real) {
			return
		}
		path = real
	}
	m.files = append(m.files, path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func inFolder(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
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

// loosePrograms are programs that run files which their words do not name: at
// all times (nil), or with one of some words.
var loosePrograms = map[string][]string{
	"cd": nil, "pushd": nil, "make": nil, "gmake": nil, "npm": nil, "npx": nil, "yarn": nil, "pnpm": nil, "pnpx": nil, "bunx": nil,
	"just": nil, "task": nil, "rake": nil, "go": {"run", "test", "generate", "tool"}, "cargo": {"run", "test", "build", "bench"},
	"deno": {"task"}, "python": {"-m"}, "pypy": {"-m"}, "uv": {"-m"},
}

// wrappers run the command that follows them, as do the shell's own words.
var wrappers = []string{"env", "exec", "nice", "time", "nohup", "sudo", "doas", "timeout", "command", "builtin", "stdbuf", "setsid", "xargs",
	"if", "then", "elif", "else", "while", "until", "do", "!", "{"}

// commandWatch reads the words of one command, to find out what runs.
type commandWatch struct {
	waits   bool   // the program is still to come
	program string // "" before it
	code    bool   // the last word was a line for a shell
	dashC   bool
	loose   string
}

func (c *commandWatch) begin() { *c = commandWatch{waits: true, loose: c.loose} }

func (c *commandWatch) next(word string) {
	c.code = c.dashC || c.program == "eval"
	c.dashC = strings.HasPrefix(word, "-") && strings.HasSuffix(word, "c") && !strings.HasPrefix(word, "--")
	if c.waits {
		flag := strings.HasPrefix(word, "-") || isAssignment(word) || strings.Trim(word, "0123456789.smhd") == ""
		base := strings.TrimSuffix(filepath.Base(word), ".exe")
		if flag || slices.Contains(wrappers, base) {
			return
		}
		c.waits, c.program = false, versionless(base)
		if with, ok := loosePrograms[c.program]; ok && with == nil {
			c.loose = c.program
		}
		return
	}
	for _, with := range loosePrograms[c.program] {
		if word == with || with == "-m" && strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.HasSuffix(word, "m") {
			c.loose = c.program + " " + with
		}
	}
}

// versionless is python for python3.12.
func versionless(program string) string { return strings.TrimRight(program, "0123456789.-") }
