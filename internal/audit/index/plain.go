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

// page gives a page. When the context ends, what was found by then is the page. Only the
// first one counts what is on all pages.
func (p plain) page(ctx context.Context, a *asked) (*Page, error) {
	page := &Page{Records: []audit.Record{}, Problems: []string{}}
	last, more := a.begin(), false
	for f, err := range p.read(ctx, a.begin(), a.Oldest) {
		if err != nil {
			if page.note(err) {
				continue
			}
			return page, err
		}
		wanted := a.accepts(&f.record, f.line)
		if wanted {
			page.Total++
		}
		switch {
		case more:
		case !wanted:
			last = f.place
		case len(page.Records) < a.Limit:
			page.Records, last = append(page.Records, f.record), f.place
		default:
			more = true
		}
	}
	ended := ctx.Err() != nil
	if page.AtLeast = ended || a.After != ""; more || ended {
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

// read gives the records of the log that are after a place. An error that is a *audit.Damage stands for a line,
// any other ends the reading; so does the context, without one.
func (p plain) read(ctx context.Context, from place, oldest bool) iter.Seq2[*found, error] {
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
			if oldest && file.First < from.file || !oldest && file.First > from.file {
				continue
			}
			if ctx.Err() != nil || !p.readFile(ctx, file, from, oldest, yield) {
				return
			}
		}
	}
}

func (p plain) readFile(ctx context.Context, file audit.File, from place, oldest bool, yield func(*found, error) bool) bool {
	f, err := os.Open(file.Path)
	if errors.Is(err, os.ErrNotExist) { // removed for its age meanwhile
		return true
	}
	if err != nil {
		yield(nil, fmt.Errorf("the audit log cannot be read: %w", err))
		return false
	}
	defer f.Close()
	end := file.Info.Size()
	if !oldest && file.First == from.file {
		end = min(end, from.at)
	}
	lines := audit.Backward(f, end)
	if oldest {
		lines = audit.Forward(f, 0)
	}
	for l, err := range lines {
		if err != nil {
			return yield(nil, err)
		}
		if oldest && file.First == from.file && l.At <= from.at {
			continue
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
