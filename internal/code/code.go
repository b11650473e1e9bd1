// Package code reads a program that is written in another language than the shell's,
// without running it, and tells what it loads and runs, as far as its literals say.
//
// It is no compiler. It reads words, texts and calls, follows variables by all values
// that the text gives them, and knows the functions by which each language takes in
// more code. Where such a function is given what the text does not have, that is told
// as well: somebody else has to say whether it may run.
package code

import (
	"path/filepath"
	"strings"
)

// Bounds of one reading.
const (
	maxTokens = 60_000
	maxUses   = 512
	maxValues = 8  // that one expression may have
	maxDepth  = 40 // expressions in expressions
	maxSteps  = 200_000
	maxNested = 4 // programs in texts of programs
	maxShown  = 80
)

// Kind is what a program does with something.
type Kind int

const (
	Module Kind = iota // it loads a module by its name
	Near               // it loads a file that is named from its own folder, perhaps without ending
	File               // it loads a file that is named from where it runs
	Folder             // it looks for modules in a folder
	Line               // a shell runs a line
	Words              // it runs a program with arguments
	Write              // it writes a file that it does not load here
	Away               // it goes to a folder
)

// Use is one thing that a program does.
type Use struct {
	Kind  Kind
	Words []Word // one, but for Words
	Dir   string // where a line or program runs, if the call says so
	Src   string // as it is written
}

// Word is a text, known or not.
type Word struct {
	Text  string
	Known bool
}

// Text is the only word of a use.
func (u Use) Text() string {
	if len(u.Words) == 0 {
		return ""
	}
	return u.Words[0].Text
}

// Known reports whether all that decides what is loaded is in the text. Of a program it
// is the program: what its arguments mean is for whoever knows that program.
func (u Use) Known() bool { return len(u.Words) > 0 && u.Words[0].Known }

// Program is a text to be read.
type Program struct {
	Language string
	Text     string
	Path     string   // where it lies, or ""
	Args     []string // with which it is called, as far as they are known
}

// Known reports whether programs of a language can be read here.
func Known(language string) bool { return languages()[language] != nil }

// Read tells what a program does. It reports false if it had to stop before the end.
func Read(p Program) (uses []Use, whole bool) {
	lang := languages()[p.Language]
	if lang == nil {
		return nil, false
	}
	r := &reader{lang: lang, program: p}
	r.read(p.Text)
	return r.uses, !r.full
}

// reader is one reading.
type reader struct {
	lang    *language
	program Program
	text    string
	toks    []token
	closed  []int // of each opening bracket, the token behind the one that closes it
	uses    []Use
	steps   int
	full    bool
	nested  int

	vars    map[string][]int // where the values of each name stand
	unsure  map[string]bool  // names that may have others
	aliases map[string]string
	taken   map[string]taken // names that are taken out of something
	params  map[string][]string
	busy    map[int]bool // values that are being looked at
	around  *reader      // in whose text this stands
}

// taken is a member of what stands somewhere.
type taken struct {
	member string
	at     int
}

func (r *reader) read(text string) {
	r.text = text
	r.vars, r.unsure, r.aliases, r.taken = map[string][]int{}, map[string]bool{}, map[string]string{}, map[string]taken{}
	r.params, r.busy = map[string][]string{}, map[int]bool{}
	if r.lang.lines != nil {
		r.lang.lines(r)
		return
	}
	r.toks = lex(r.lang, text)
	if len(r.toks) > maxTokens {
		r.toks, r.full = r.toks[:maxTokens], true
	}
	r.closed = brackets(r.toks)
	r.names()
	for i := 0; i < len(r.toks) && !r.full; i++ {
		r.statement(i)
	}
}

// tok is a token; beyond the last one the text ends.
func (r *reader) tok(i int) token {
	if i < 0 || i >= len(r.toks) {
		return token{kind: end, at: len(r.text), to: len(r.text)}
	}
	return r.toks[i]
}

// brackets gives, for each opening bracket, the token behind the one that closes it.
func brackets(toks []token) []int {
	out := make([]int, len(toks))
	var open []int
	for i, t := range toks {
		if t.kind != sign {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			out[i] = len(toks)
			open = append(open, i)
		case ")", "]", "}":
			if len(open) > 0 {
				out[open[len(open)-1]] = i + 1
				open = open[:len(open)-1]
			}
		}
	}
	return out
}

// oneOf reports whether a word is in a list.
func oneOf(list, word string) bool {
	return word != "" && strings.Contains(" "+list+" ", " "+word+" ")
}

// use notes one thing.
func (r *reader) use(u Use, from, to int) {
	if len(r.uses) >= maxUses {
		r.full = true
		return
	}
	if u.Src == "" {
		u.Src = r.written(from, to)
	}
	r.uses = append(r.uses, u)
}

// written is what stands between two tokens, on one line.
func (r *reader) written(from, to int) string {
	at, end := r.tok(from).at, r.tok(to).at
	if at >= end {
		end = r.tok(from).to
	}
	text := strings.Join(strings.Fields(r.text[at:min(end, len(r.text))]), " ")
	return clip(text)
}

// folder is where the program lies.
func (r *reader) folder() string {
	if r.program.Path == "" {
		return "."
	}
	return filepath.Dir(r.program.Path)
}

// step counts the work.
func (r *reader) step() bool {
	r.steps++
	r.full = r.full || r.steps > maxSteps
	return !r.full
}

// inner reads a program that is a text in this one.
func (r *reader) inner(text string) {
	if r.nested >= maxNested {
		r.full = true
		return
	}
	in := &reader{lang: r.lang, program: r.program, nested: r.nested + 1, steps: r.steps}
	in.read(text)
	r.uses, r.full, r.steps = append(r.uses, in.uses...), r.full || in.full, in.steps
}
