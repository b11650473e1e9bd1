package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// grepCall is grep, and programs like it, with its options read.
type grepCall struct {
	*call
	pattern   bool // it is an option: all operands are files
	recursive bool
	patterns  []string
	operands  []field
}

// grep reads files; where the pattern is an option, all operands are files.
func (c textCall) grep() values {
	g := grepCall{call: c.call, recursive: c.name == "rg" || c.name == "ag" || c.name == "ack"}
	g.read()
	if !g.pattern && len(g.operands) > 0 {
		g.patterns = append(g.patterns, g.operands[0].text)
		g.operands = g.operands[1:]
	}
	quiet := slices.ContainsFunc(c.args, func(f field) bool {
		return len(f.text) > 1 && f.text[0] == '-' && f.text[1] != '-' && strings.ContainsAny(f.text, "qcl") || f.text == "--quiet" || f.text == "--count"
	})
	var from []string
	for _, f := range g.operands {
		c.shell.path("read", f, effect{recursive: g.recursive, dry: quiet})
		from = union(from, c.content(f).sources())
	}
	switch {
	case len(g.operands) == 0:
		return g.passed()
	case g.has("l", "--files-with-matches") || g.has("L", "--files-without-match"):
		return g.names()
	}
	for _, p := range g.keysBelow() {
		c.tell(hook.Fact{Does: "read", Path: p, Secret: "private key", Recursive: true, At: c.at, Sure: true})
	}
	return anything(from...)
}

func (g *grepCall) read() {
	for i := 0; i < len(g.args); i++ {
		switch t := g.args[i].text; {
		case t == "--":
			g.operands = append(g.operands, g.args[i+1:]...)
			return
		case len(t) < 2 || t[0] != '-':
			g.operands = append(g.operands, g.args[i])
		case strings.HasPrefix(t, "--"):
			i += g.long(i)
		default:
			i += g.short(i)
		}
	}
}

// grepValued are long options that take a value of no interest.
var grepValued = []string{"--after-context", "--before-context", "--context", "--max-count", "--glob", "--iglob", "--type", "--type-not", "--include", "--exclude", "--exclude-dir", "--max-depth", "--threads", "--sort", "--color", "--colour", "--ignore-file"}

// long reads a long option, and gives how many more words belong to it.
func (g *grepCall) long(i int) (more int) {
	f := g.args[i]
	name, val, has := strings.Cut(f.text, "=")
	switch {
	case name == "--regexp" || name == "--file":
		g.pattern = true
		if !has && i+1 < len(g.args) {
			more, val = 1, g.args[i+1].text
		}
		if name == "--regexp" {
			g.patterns = append(g.patterns, val)
		}
		if name == "--file" {
			f.text = val
			g.shell.path("read", f, effect{})
		}
	case name == "--files":
		g.pattern = true
	case name == "--pre" && has:
		f.text = val
		g.builtin().runField(f)
	case name == "--recursive" || name == "--dereference-recursive":
		g.recursive = true
	case slices.Contains(grepValued, name) && !has:
		return 1
	}
	return more
}

// short reads a cluster of short options.
func (g *grepCall) short(i int) (more int) {
	t := g.args[i].text
	for k := 1; k < len(t); k++ {
		switch c := t[k]; {
		case c == 'r' || c == 'R':
			g.recursive = true
		case c == 'e' || c == 'f':
			g.pattern = true
			f := g.args[i]
			f.text = t[k+1:]
			if f.text == "" && i+1 < len(g.args) {
				more, f = 1, g.args[i+1]
			}
			if c == 'f' {
				g.shell.path("read", f, effect{})
			} else {
				g.patterns = append(g.patterns, f.text)
			}
			return more
		case strings.IndexByte("ABCmdDgtTjM", c) >= 0:
			if k == len(t)-1 {
				return 1
			}
			return 0
		}
	}
	return 0
}

// withoutPatterns is a program of awk with strings of underscores in place of its regular
// expressions: what stands in these is no code.
func withoutPatterns(src string) string {
	out := []byte(src)
	before := byte('{') // the last character that is no blank
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
			before = c
		case c == '#': // a comment: quotes in it begin nothing
			for i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		case c == '/' && strings.IndexByte("{}(,;~!&|=\n", before) >= 0:
			end := endOfPattern(src, i+1)
			if end < 0 {
				return string(out)
			}
			for k := i + 1; k < end; k++ {
				out[k] = '_'
			}
			out[i], out[end] = '"', '"'
			i, before = end, '"'
		case c == '\n' || c != ' ' && c != '\t' && c != '\r':
			before = c
		}
	}
	return string(out)
}

// endOfPattern is where the slash stands that ends a regular expression of awk, or -1.
// One between brackets ends none.
func endOfPattern(src string, i int) int {
	set := -1 // where the set begins that i stands in
	for ; i < len(src) && src[i] != '\n'; i++ {
		switch c := src[i]; {
		case c == '\\':
			i++
		case set < 0 && c == '/':
			return i
		case set < 0 && c == '[':
			if set = i + 1; set < len(src) && src[set] == '^' {
				set++
			}
		case c == ']' && i > set:
			set = -1
		}
	}
	return -1
}

// awk runs what its programs give to system() and pipes.
func (c textCall) awk() values {
	args := c.args
	script := -1
	inPlace, empties := false, false
	for i := 0; i < len(args); i++ {
		t := args[i].text
		if t == "-f" || t == "--file" {
			if i+1 < len(args) {
				c.lang().runFile(args[i+1], "awk")
			}
			i++
			script = len(args)
			continue
		}
		if (t == "-i" || t == "--include") && i+1 < len(args) {
			i++
			inPlace = inPlace || args[i].text == "inplace"
			continue
		}
		if t == "-v" || t == "-F" || t == "--assign" || t == "--field-separator" {
			i++
			continue
		}
		if strings.HasPrefix(t, "-") && len(t) > 1 {
			continue
		}
		if script < 0 {
			script = i
			c.lang().program("awk", args[i].value)
			empties = inPlace && args[i].known() && awkEmpties(args[i].text)
			continue
		}
		if strings.Contains(t, "=") {
			continue
		}
		if empties {
			c.leavesNothing(args[i])
		}
		if inPlace {
			c.shell.path("write", args[i], effect{})
		} else {
			c.shell.path("read", args[i], effect{})
		}
	}
	return anything(c.stdin.sources()...)
}
