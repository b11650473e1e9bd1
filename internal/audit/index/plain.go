package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/hookway/hookway/internal/audit"
)

// mostProblems bounds how many problems an answer has.
const mostProblems = 20

// found is a record and where it stands.
type found struct {
	place
	line   []byte // valid until the next one
	record audit.Record
}

// plain reads the log itself, without an index.
type plain struct{ dir string }

// page gives a page. When the context ends, what was found by then is the page.
func (p plain) page(ctx context.Context, a *asked) (*Page, error) {
	page := &Page{Records: []audit.Record{}, Problems: []string{}}
	last, more := place{}, false
	for f, err := range p.read(ctx, a.Oldest) {
		if err != nil {
			if page.note(err) {
				continue
			}
			return page, err
		}
		if !a.accepts(&f.record, f.line) {
			continue
		}
		page.Total++
		switch {
		case !a.beyond(f.place):
		case len(page.Records) < a.Limit:
			page.Records, last = append(page.Records, f.record), f.place
		default:
			more = true
		}
	}
	if page.AtLeast = ctx.Err() != nil; more || page.AtLeast && len(page.Records) > 0 {
		page.Next = last.String()
	}
	return page, nil
}

// note adds a problem that does not end the reading.
func (p *Page) note(err error) bool {
	if damage := (*audit.Damage)(nil); !errors.As(err, &damage) {
		return false
	}
	if len(p.Problems) < mostProblems {
		p.Problems = append(p.Problems, err.Error())
	}
	return true
}

// read gives the records of the log. An error that is a *audit.Damage stands for a line,
// any other ends the reading; so does the context, without one.
func (p plain) read(ctx context.Context, oldest bool) iter.Seq2[*found, error] {
	return func(yield func(*found, error) bool) {
		files, err := audit.Files(p.dir)
		if err != nil {
			yield(nil, err)
			return
		}
		if !oldest {
			slices.Reverse(files)
		}
		for _, file := range files {
			if ctx.Err() != nil || !p.readFile(ctx, file, oldest, yield) {
				return
			}
		}
	}
}

func (p plain) readFile(ctx context.Context, file audit.File, oldest bool, yield func(*found, error) bool) bool {
	f, err := os.Open(file.Path)
	if errors.Is(err, os.ErrNotExist) { // removed for its age meanwhile
		return true
	}
	if err != nil {
		yield(nil, fmt.Errorf("the audit log cannot be read: %w", err))
		return false
	}
	defer f.Close()
	lines := audit.Backward(f, file.Info.Size())
	if oldest {
		lines = audit.Forward(f, 0)
	}
	for l, err := range lines {
		if err != nil {
			return yield(nil, err)
		}
		if ctx.Err() != nil || oldest && l.At >= file.Info.Size() {
			return ctx.Err() == nil
		}
		one := &found{place: place{file.First, l.At}, line: l.Text}
		if err := audit.Parse(l.Text, &one.record); err != nil {
			if !yield(nil, &audit.Damage{File: file.Path, Torn: !l.Whole, Err: err}) {
				return false
			}
		} else if !yield(one, nil) {
			return false
		}
	}
	return true
}
