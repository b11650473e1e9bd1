package index

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/hookway/hookway/internal/audit"
)

// mostBegins is how much of a hash says how a file begins.
const mostBegins = 16

// around is what the log has at a place.
type around struct {
	begins string // the place's file; "" if it is gone
	size   int64
	older  bool // there are files before it, or none at all
}

func (x *Index) around(p place) (is around, err error) {
	files, err := audit.Files(x.dir)
	if err != nil {
		return is, err
	}
	is.older = len(files) == 0 || files[0].First < p.file
	i := slices.IndexFunc(files, func(f audit.File) bool { return f.First == p.file })
	if i < 0 {
		return is, nil
	}
	begins, err := beginning(files[i].Path)
	if errors.Is(err, fs.ErrNotExist) { // removed for its age meanwhile
		return is, nil
	}
	is.begins, is.size = begins[:min(len(begins), mostBegins)], files[i].Info.Size()
	return is, err
}

// holds reports with ErrOther that the log is not the one of the page that ended there. Of
// a log that goes on, the oldest files may be gone for their age.
func (x *Index) holds(n next) error {
	if n.begins == "" {
		return nil
	}
	now, err := x.around(n.place)
	switch {
	case err != nil:
		return err
	case now.begins == "" && !now.older, now.begins == n.begins && n.at <= now.size:
		return nil
	}
	return ErrOther
}

// mark has the next of a page say of which log it is.
func (x *Index) mark(p *Page) error {
	if p.Next == "" {
		return nil
	}
	n, err := parseNext(p.Next)
	if err != nil {
		return err
	}
	now, err := x.around(n.place)
	n.begins = now.begins
	p.Next = n.String()
	return err
}
