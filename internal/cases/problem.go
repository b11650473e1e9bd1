package cases

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in a test file, at its place.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`   // from 1; 0 if the whole file is meant
	Column  int    `json:"column,omitempty"` // from 1, in characters
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do
}

// String is the problem with its place in front, and its hint in a second line.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	fmt.Fprintf(&b, ": %s", p.Message)
	if p.Hint != "" {
		fmt.Fprintf(&b, "\n    %s", p.Hint)
	}
	return b.String()
}

// Problems are all mistakes that were found.
type Problems []Problem

// Error lists the problems, one below the other.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// inOrder sorts the problems of one file by place. What an alias repeats is
// listed once.
func (ps Problems) inOrder() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(ps)
}
