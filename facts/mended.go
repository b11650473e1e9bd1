package facts

import (
	"bytes"
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookway/hookway/hook"
	parser "github.com/hookway/hookway/internal/shell"
)

// Bounds of the reading of a text with mistakes in it.
const (
	maxMended   = 8 << 10 // bytes of a rest that is read again in other ways
	maxSections = 16      // how often reading goes on after a mistake
)

// section is a part of a text with a mistake in it that can be read.
type section struct {
	from  int // where it begins in the text
	stmts []*syntax.Stmt
	sure  bool // a shell that reads line by line runs it before it comes to a mistake
}

// sections reads what can be read of a text with a mistake in it: what stands before the
// mistake, for shells run each line before they read the next; the rest with what is
// open closed; and, for a terminal goes on after a mistake, the lines behind it.
func sections(src string) []section {
	var out []section
	for at, n := 0, 0; n < maxSections; n++ {
		stmts, err := parser.Front(src[at:])
		end := at + endOf(stmts)
		if len(stmts) > 0 {
			out = append(out, section{at, stmts, n == 0})
		}
		if err == nil {
			break
		}
		if file := mended(src[end:]); file != nil {
			out = append(out, section{end, file.Stmts, n == 0})
			break
		}
		i := strings.IndexByte(src[max(end, at+mistakeAt(err)):], '\n')
		if i < 0 {
			break
		}
		at = max(end, at+mistakeAt(err)) + i + 1
	}
	return out
}

// endOf is where statements end, with their here-documents.
func endOf(stmts []*syntax.Stmt) int {
	end := 0
	if len(stmts) == 0 {
		return end
	}
	last := stmts[len(stmts)-1]
	syntax.Walk(last, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && r.Hdoc != nil {
			end = max(end, int(r.Hdoc.End().Offset()))
		}
		return true
	})
	return max(end, int(last.End().Offset()))
}

// mistakeAt is where the parser stopped; 0 if it does not say so.
func mistakeAt(err error) int {
	var mistake syntax.ParseError
	var dialect syntax.LangError
	switch {
	case errors.As(err, &mistake):
		return int(mistake.Pos.Offset())
	case errors.As(err, &dialect):
		return int(dialect.Pos.Offset())
	}
	return 0
}

// mended reads a text with what is open closed, or without the operator in front; nil
// if that does not help. An agent's shell would refuse such a text, mostly; another
// may not.
func mended(src string) *syntax.File {
	if len(src) > maxMended {
		return nil
	}
	for _, end := range []string{"'", `"`, "`", ")", "\"'", "}", "))"} {
		if file, err := parser.Parse(src + end); err == nil {
			return file
		}
	}
	for _, start := range []string{"||", "|", "&&", ";", "&"} {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(src), start); ok {
			if file, err := parser.Parse(rest); err == nil {
				return file
			}
		}
	}
	return nil
}

// unquoted reports whether a text is one line with a quote that does not end, and nothing
// that shells read in different ways: no shell runs any of it. What it would do with the
// quote closed is told all the same.
func unquoted(src string) bool {
	if strings.ContainsAny(src, "\n\r\\$`#<") {
		return false
	}
	open := byte(0)
	for i := range len(src) {
		switch c := src[i]; {
		case open == 0 && (c == '\'' || c == '"'):
			open = c
		case c == open:
			open = 0
		}
	}
	return open != 0 && mended(src) != nil
}

// maxBad bounds the bad substitutions of a text.
const maxBad = 8

// substituted reads a text as if what stands in "${…}", and is nothing that a shell
// expands, were a variable that nobody knows: "`${Date.now()}`" between double quotes. A
// shell comes to a stop there. The error is that of the text if there is more wrong with it.
func substituted(src string, err error) (*syntax.File, error) {
	text := []byte(src)
	for range maxBad {
		at := min(mistakeAt(err), len(text))
		from := bytes.LastIndex(text[:at], []byte("${"))
		if from < 0 {
			break
		}
		to := bytes.IndexByte(text[from:], '}')
		if to < 3 || bytes.ContainsAny(text[from+2:from+to], "$`<>\"'\\\n") {
			break
		}
		for i := from + 2; i < from+to; i++ {
			text[i] = '_'
		}
		file, next := parser.Parse(string(text))
		if next == nil {
			return file, nil
		}
		err = next
	}
	return nil, err
}

// broken runs the sections of a text that cannot be read as a whole.
func (sh *shell) broken(src string, at hook.Span, stdin values) values {
	sh.steps += maxSections * len(src) / 64
	list := sections(src)
	if len(list) == 0 {
		return anything()
	}
	oldOuter, oldSure := sh.outer, sh.sure
	var out values
	for _, p := range list {
		if oldOuter == nil && p.from > 0 {
			sh.outer = &hook.Span{From: at.From + p.from, To: at.To}
		}
		sh.sure = oldSure && p.sure
		out = out.join(sh.list(p.stmts, stdin))
	}
	sh.outer, sh.sure = oldOuter, oldSure
	return out
}
