package shell

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxFrames is how many calls deep the parser may be in itself when it wants more
// text. It has about ten calls for one pair of brackets.
const maxFrames = 1500

var errDeep = errors.New("it nests too deeply")

// parsed is a text with its tree.
type parsed struct {
	src  string
	file *syntax.File
	err  error
}

// Parse reads a text as bash does. It is bounded in its length and in how deep it
// nests; of a text with a mistake there is no tree.
func Parse(text string) (*syntax.File, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("it has more than %d KiB", MaxText>>10)
	}
	in := newGauge(text)
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(in, "")
	if err == nil {
		err = in.err
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Front reads a text as Parse does. Of one with a mistake it gives the statements that
// are whole before it, and the mistake.
func Front(text string) ([]*syntax.Stmt, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("it has more than %d KiB", MaxText>>10)
	}
	in := newGauge(text)
	var stmts []*syntax.Stmt
	var err error
	for s, mistake := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(in) {
		if err == nil { // no break: the parser tells a mistake once more, and may not be left before
			err = mistake
		}
		if err == nil {
			stmts = append(stmts, s)
		}
	}
	if in.err != nil {
		err = in.err
	}
	return stmts, err
}

func parse(text string) *parsed {
	file, err := Parse(text)
	return &parsed{src: text, file: file, err: err}
}

// document reads the expansions of a text that is not a line.
func document(text string) (*syntax.Word, error) {
	if len(text) > MaxText {
		return nil, errDeep
	}
	in := newGauge(text)
	word, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(in)
	if err == nil {
		err = in.err
	}
	return word, err
}

// gauge is a text for the parser, which calls itself for each bracket: when it comes
// for more and is too deep in itself already, it gets an error.
type gauge struct {
	text  *strings.Reader
	calls []uintptr
	err   error
}

func newGauge(text string) *gauge { return &gauge{text: strings.NewReader(text)} }

// Read gives a few bytes. From the second time on it looks at how deep it is called:
// most texts are read at once.
func (g *gauge) Read(p []byte) (int, error) {
	n, err := g.text.Read(p[:min(len(p), 128)])
	switch {
	case err != nil || g.text.Len() == 0 && g.calls == nil:
		return n, err
	case g.calls == nil:
		g.calls = make([]uintptr, depth()+maxFrames)
	case g.err == nil && runtime.Callers(0, g.calls) == len(g.calls):
		g.err = errDeep
	}
	if g.err != nil {
		return 0, g.err
	}
	return n, nil
}

// depth is how many calls deep this one is.
func depth() int {
	var here [256]uintptr
	calls := here[:]
	for runtime.Callers(0, calls) == len(calls) {
		calls = make([]uintptr, 2*len(calls))
	}
	return runtime.Callers(0, calls)
}
