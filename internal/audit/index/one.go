package index

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookway/hookway/internal/audit"
)

// One is a record and what lies around it.
type One struct {
	Record    audit.Record
	Whole     audit.Whole // its event
	Newer     int64       // number of the record after it; 0: it is the last
	Older     int64
	RevisedBy []audit.Record
}

// ErrNone is of a record that the log does not have.
var ErrNone = errors.New("the log has no such record")

// One gives the record of a number. An error beside it is about its event.
func (x *Index) One(ctx context.Context, seq int64) (*One, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	one, err := answer(ctx, x, func(s *snapshot) (*One, error) {
		one, err := s.one(ctx, seq)
		if errors.Is(err, ErrNone) && s.behind > 0 {
			return x.plain.one(ctx, seq)
		}
		return one, err
	}, func(error) (*One, error) { return x.plain.one(ctx, seq) })
	if err != nil {
		return nil, err
	}
	one.Whole, err = audit.EventOf(x.dir, one.Record)
	return one, err
}

// one finds a record by the index.
func (s *snapshot) one(ctx context.Context, seq int64) (*One, error) {
	l := &looking{seq: seq, one: new(One)}
	for _, b := range s.blocks {
		switch {
		case !l.found && b.last < seq:
			l.one.Older = b.last
			continue
		case l.found && l.one.Newer > 0 && !b.said.mayHave(nameHash(nameOfID, l.id)):
			continue
		}
		full, err := s.rowsOf(ctx, b, false)
		if err != nil {
			return nil, err
		}
		file, err := s.openLines(b.file)
		if err != nil {
			return nil, err
		}
		err = l.block(full, file)
		file.close()
		if err != nil {
			return nil, err
		}
		if !l.found {
			break
		}
	}
	if !l.found {
		return nil, fmt.Errorf("%w: %d", ErrNone, seq)
	}
	return l.one, nil
}

// looking is the search for a record, and for those that revise it.
type looking struct {
	seq   int64
	one   *One
	id    string // of the record's event, folded
	found bool
}

// block looks in a block; those after the record's are looked at for what revises it.
func (l *looking) block(b *block, file *lines) error {
	at, later := hit{}, []hit{}
	err := b.each(func(_ int, r *row) bool {
		is := !l.found && at.seq == 0 && r.seq == l.seq
		switch {
		case is:
			at = hit{r.at, r.size, r.seq}
		case !l.found && at.seq == 0:
			l.one.Older = r.seq
		case l.one.Newer == 0:
			l.one.Newer = r.seq
		}
		if !is && (l.found || at.seq > 0) && b.texts[r.texts[inAction]] == audit.Untaken {
			later = append(later, hit{r.at, r.size, r.seq})
		}
		return true
	})
	if err != nil || !l.found && at.seq == 0 {
		return err
	}
	if !l.found {
		if _, err := file.record(at, &l.one.Record); err != nil {
			return err
		}
		l.found, l.id = true, folded(l.one.Record.EventID)
	}
	for _, h := range later {
		var r audit.Record
		if _, err := file.record(h, &r); err != nil {
			return err
		}
		if revises(&r, &l.one.Record) {
			l.one.RevisedBy = append(l.one.RevisedBy, r)
		}
	}
	return nil
}

// one finds a record in the log itself.
func (p plain) one(ctx context.Context, seq int64) (*One, error) {
	var one One
	is := false
	for f, err := range p.read(ctx, place{}, true) {
		switch {
		case err != nil:
			if damage := (*audit.Damage)(nil); !errors.As(err, &damage) {
				return nil, err
			}
		case f.record.Seq == seq:
			one.Record, is = f.record, true
		case f.record.Seq < seq:
			one.Older = f.record.Seq
		case !is:
			return nil, fmt.Errorf("%w: %d", ErrNone, seq)
		default:
			if one.Newer == 0 {
				one.Newer = f.record.Seq
			}
			if revises(&f.record, &one.Record) {
				one.RevisedBy = append(one.RevisedBy, f.record)
			}
		}
	}
	if !is {
		return nil, fmt.Errorf("%w: %d", ErrNone, seq)
	}
	return &one, nil
}

// revises reports whether a record says that the answer of another was not taken.
func revises(later, r *audit.Record) bool {
	return later.Action == audit.Untaken && r.EventID != "" && later.EventID == r.EventID
}
