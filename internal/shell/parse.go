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

func newGauge(text string) *gauge {
	var here [256]uintptr
	calls := here[:]
	for runtime.Callers(0, calls) == len(calls) {
		calls = make([]uintptr, 2*len(calls))
	}
	return &gauge{text: strings.NewReader(text), calls: make([]uintptr, runtime.Callers(0, calls)+maxFrames)}
}

// Read gives a few bytes.
func (g *gauge) Read(p []byte) (int, error) {
	if g.err == nil && runtime.Callers(0, g.calls) == len(g.calls) {
		g.err = errDeep
	}
	if g.err != nil {
		return 0, g.err
	}
	return g.text.Read(p[:min(len(p), 128)])
}
