// Package patch reads the patches with which models of OpenAI change files, and
// writes them: any number of files, each added, updated, moved or deleted.
package patch

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what a patch does with a file.
type Kind string

// The kinds, as their headers have them.
const (
	Add    Kind = "Add"
	Update Kind = "Update"
	Delete Kind = "Delete"
)

// File is what a patch does with one file.
type File struct {
	Kind  Kind
	Path  string
	Move  string   // of an update: where the file goes, or ""
	Lines []string // of an added file
	Hunks []Hunk
}

// Hunk is one change in a file: the lines that it looks for, and what stands there
// afterwards, those around the change included.
type Hunk struct {
	At       []string // the lines that begin with @@, as they are written
	Old, New []string
	End      bool // at the end of the file

	lines []string // as they are written, while it is as it was read
}

// Patch is a patch in the order of its files.
type Patch struct {
	Files  []File
	before []string // lines between its beginning and the first file
}

// The lines that begin and end a patch, and its parts.
const (
	begin     = "*** Begin Patch"
	end       = "*** End Patch"
	moveTo    = "*** Move to: "
	endOfFile = "*** End of File"
)

// Parse reads a patch. What stands around it is passed over. The error says which
// line cannot be understood.
func Parse(text string) (*Patch, error) {
	p := &parser{patch: new(Patch)}
	began, ended := false, false
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		switch trimmed := strings.TrimSpace(line); {
		case !began:
			began = trimmed == begin
		case trimmed == end:
			ended = true
		case ended:
			if strings.HasPrefix(trimmed, "*** ") { // somebody may read on
				return nil, fmt.Errorf("line %d of the patch: it goes on behind its end", i+1)
			}
		default:
			if err := p.line(line, trimmed); err != nil {
				return nil, fmt.Errorf("line %d of the patch: %w", i+1, err)
			}
		}
	}
	switch {
	case !began:
		return nil, fmt.Errorf("there is no line %q", begin)
	case len(p.patch.Files) == 0:
		return nil, fmt.Errorf("the patch names no file")
	}
	return p.patch, nil
}

type parser struct {
	patch *Patch
	hunk  *Hunk // that goes on
}

func (p *parser) line(line, trimmed string) error {
	for _, kind := range []Kind{Add, Update, Delete} {
		path, ok := strings.CutPrefix(trimmed, "*** "+string(kind)+" File: ")
		if !ok {
			continue
		}
		if path = strings.TrimSpace(path); path == "" {
			return fmt.Errorf("it names no file")
		}
		p.patch.Files, p.hunk = append(p.patch.Files, File{Kind: kind, Path: path}), nil
		return nil
	}
	if len(p.patch.Files) == 0 {
		p.patch.before = append(p.patch.before, line)
		return nil
	}
	f := &p.patch.Files[len(p.patch.Files)-1]
	if to, ok := strings.CutPrefix(trimmed, strings.TrimSpace(moveTo)); ok && f.Kind == Update && f.Move == "" && len(f.Hunks) == 0 {
		if f.Move = strings.TrimSpace(to); f.Move == "" {
			return fmt.Errorf("it names no file")
		}
		return nil
	}
	switch f.Kind {
	case Add:
		rest, ok := strings.CutPrefix(line, "+")
		if !ok && trimmed != "" {
			return fmt.Errorf("a line of a new file begins with +")
		} else if ok {
			f.Lines = append(f.Lines, rest)
		}
		return nil
	case Delete:
		if trimmed != "" {
			return fmt.Errorf("a file that is deleted has no lines")
		}
		return nil
	}
	return p.change(f, line, trimmed)
}

// change reads a line of an update.
func (p *parser) change(f *File, line, trimmed string) error {
	header := strings.HasPrefix(line, "@@")
	if p.hunk == nil || header && len(p.hunk.lines) > 0 || p.hunk.End {
		if trimmed == "" && p.hunk == nil {
			return nil
		}
		f.Hunks = append(f.Hunks, Hunk{})
		p.hunk = &f.Hunks[len(f.Hunks)-1]
	}
	h := p.hunk
	switch {
	case header:
		h.At = append(h.At, line)
		return nil
	case trimmed == endOfFile:
		h.End = true
		return nil
	case line == "":
		h.Old, h.New = append(h.Old, ""), append(h.New, "")
	case line[0] == ' ':
		h.Old, h.New = append(h.Old, line[1:]), append(h.New, line[1:])
	case line[0] == '-':
		h.Old = append(h.Old, line[1:])
	case line[0] == '+':
		h.New = append(h.New, line[1:])
	default:
		return fmt.Errorf("a line of a change begins with a blank, + or -")
	}
	h.lines = append(h.lines, line)
	return nil
}

// Set changes what a hunk looks for and what it puts there.
func (h *Hunk) Set(old, new []string) { h.Old, h.New, h.lines = old, new, nil }

// String writes the patch.
func (p *Patch) String() string {
	out := append([]string{begin}, p.before...)
	for _, f := range p.Files {
		out = append(out, "*** "+string(f.Kind)+" File: "+f.Path)
		if f.Move != "" {
			out = append(out, moveTo+f.Move)
		}
		for _, line := range f.Lines {
			out = append(out, "+"+line)
		}
		for i := range f.Hunks {
			out = append(out, f.Hunks[i].written()...)
		}
	}
	return strings.Join(append(out, end), "\n") + "\n"
}

func (h *Hunk) written() []string {
	out := slices.Clone(h.At)
	if len(out) == 0 {
		out = append(out, "@@")
	}
	if h.lines != nil {
		out = append(out, h.lines...)
	} else {
		for _, line := range h.Old {
			out = append(out, "-"+line)
		}
		for _, line := range h.New {
			out = append(out, "+"+line)
		}
	}
	if h.End {
		out = append(out, endOfFile)
	}
	return out
}

// Paths lists the files that the patch touches, in its order, each once.
func (p *Patch) Paths() []string {
	var out []string
	for _, f := range p.Files {
		for _, path := range []string{f.Path, f.Move} {
			if path != "" && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}
