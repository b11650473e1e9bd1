package strict

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/visible"
)

// Problem is one mistake in a configuration, at the place where it was made.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`   // from 1; 0 if the whole file is meant
	Column  int    `json:"column,omitempty"` // from 1, in characters
	Hook    string `json:"hook,omitempty"`   // id of the hook it is about
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to do
}

// Place is where the problem is, as editors and compilers write it. Control
// characters of the file's name are shown as \x1b.
func (p Problem) Place() string {
	file := visible.Line(p.File)
	switch {
	case p.Line == 0:
		return file
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", file, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Column)
}

// String is the problem in one line, and its hint in a second. Control characters
// are shown, as in Place.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Place())
	b.WriteString(": ")
	if p.Hook != "" {
		fmt.Fprintf(&b, "hook %q: ", p.Hook)
	}
	b.WriteString(visible.Line(p.Message))
	if p.Hint != "" {
		b.WriteString("\n    ")
		b.WriteString(visible.Text(p.Hint)) // it may show several lines to write
	}
	return b.String()
}

// ToldOf is a problem of a file, whose message may begin with the file's name: as a
// whole, from the folder root or alone, after what runs it, and with a line and a
// column or without. A place is told once.
func ToldOf(file, root, message string) Problem {
	p := Problem{File: file, Message: message}
	names := []string{file, filepath.Base(file)}
	if rel, err := filepath.Rel(root, file); err == nil {
		names = append(names, rel, filepath.ToSlash(rel))
	}
	for _, name := range names {
		before, rest, ok := strings.Cut(message, name+":")
		if !ok || before != "" && (name != file || !strings.HasSuffix(before, " ") || strings.Contains(before, ": ")) {
			continue
		}
		if at := linePlace().FindStringSubmatch(rest); at != nil {
			p.Line, _ = strconv.Atoi(at[1])
			p.Column, _ = strconv.Atoi(at[2])
			rest = rest[len(at[0]):]
		}
		if rest, ok = strings.CutPrefix(rest, " "); ok {
			p.Message = rest
			break
		}
		p.Line, p.Column = 0, 0
	}
	p.Message = Line(p.Message)
	return p
}

var linePlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+):(\d+):`) })

// Problems are the mistakes that were found, all of them. As an error they are
// listed one below the other.
type Problems []Problem

// String lists the problems, one below the other.
func (ps Problems) String() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Error is String, so that Problems can be returned as an error; see Err.
func (ps Problems) Error() string { return ps.String() }

// Err is the problems as an error, or nil if there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Sorted orders the problems of one file by place and drops repetitions, which
// an alias makes when what it stands for is wrong.
func (ps Problems) Sorted() Problems {
	out := slices.Clone(ps)
	slices.SortStableFunc(out, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.CompactFunc(out, func(a, b Problem) bool {
		return a.Place() == b.Place() && a.Message == b.Message
	})
}

// Line keeps a message on one line and bounded.
func Line(s string) string { return visible.Clip(strings.Join(strings.Fields(s), " "), 500) }

// Report is what reading a configuration found.
type Report struct {
	Files    []string // what was read, in order
	Problems Problems // mistakes; each disables the file that it is in
	Warnings Problems // what is left out, or will not work
	Failed   []string // files and folders of which nothing, or not all, could be used
	Watched  []string // files that matter too, there or not
}

// Fail notes that a file cannot be used.
func (r *Report) Fail(file, message, hint string) {
	r.Problems = append(r.Problems, Problem{File: file, Message: Line(message), Hint: hint})
	r.Failed = append(r.Failed, file)
}

// Warn notes what a file says in vain.
func (r *Report) Warn(file, id, message, hint string) {
	r.Warnings = append(r.Warnings, Problem{File: file, Hook: id, Message: message, Hint: hint})
}
