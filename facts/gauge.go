package facts

import (
	"errors"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxFrames is how many calls deep the parser may be in itself when it wants more
// text. It has about ten calls for one pair of brackets.
const maxFrames = 1500

var errDeep = errors.New("it nests too deeply")

// gauge is a text for the parser, which calls itself for each bracket: when it comes
// for more and is too deep in itself already, it gets an error.
type gauge struct {
	text  *strings.Reader
	calls []uintptr
	err   error
}

func newGauge(text string) *gauge {
	if strings.Count(text, "(")+strings.Count(text, "{") < 100 {
		return &gauge{text: strings.NewReader(text)}
	}
	var here [256]uintptr
	calls := here[:]
	for runtime.Callers(0, calls) == len(calls) {
		calls = make([]uintptr, 2*len(calls))
	}
	return &gauge{text: strings.NewReader(text), calls: make([]uintptr, runtime.Callers(0, calls)+maxFrames)}
}

// Read gives a few bytes where the text has many brackets.
func (g *gauge) Read(p []byte) (int, error) {
	if g.calls == nil {
		return g.text.Read(p)
	}
	if g.err == nil && runtime.Callers(0, g.calls) == len(g.calls) {
		g.err = errDeep
	}
	if g.err != nil {
		return 0, g.err
	}
	return g.text.Read(p[:min(len(p), 128)])
}

// mended reads what can be read of a text with a mistake in it: it closes what is
// open, or takes the lines that are whole. An agent's shell would refuse such a text,
// mostly; another may not.
func mended(src string) (*syntax.File, error) {
	for _, end := range []string{"'", `"`, "`", ")", "\"'", "}", "))"} {
		if file, err := parse(src + end); err == nil {
			return file, nil
		}
	}
	for _, start := range []string{"| ", "|| ", "&& ", "; ", "& "} {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(src), strings.TrimSpace(start)); ok {
			if file, err := parse(rest); err == nil {
				return file, nil
			}
		}
	}
	var last *syntax.File
	_, err := parse(src)
	lines := strings.SplitAfter(src, "\n")
	for n := len(lines) - 1; n > 0; n-- {
		if file, err := parse(strings.Join(lines[:n], "")); err == nil {
			last = file
			break
		}
		if len(lines)-n > 20 {
			break
		}
	}
	return last, err
}
