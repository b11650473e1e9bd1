package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// Index answers questions about one log. It may be used by several goroutines at once.
type Index struct{ plain plain }

// Open gives the index of a log's folder. Nothing is read before something is asked.
func Open(dir string) *Index { return &Index{plain{dir}} }

// patience bounds how long a page takes.
const patience = 2 * time.Second

// Page gives a page of the records that are wanted.
func (x *Index) Page(ctx context.Context, q Query) (*Page, error) {
	a, err := q.ready()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return x.plain.page(ctx, a)
}

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

// One gives the record of a number.
func (x *Index) One(ctx context.Context, seq int64) (*One, error) {
	var one One
	is := false
	for f, err := range x.plain.read(ctx, true) {
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
	var err error
	one.Whole, err = audit.EventOf(x.plain.dir, one.Record)
	return &one, err
}

// revises reports whether a record says that the answer of another was not taken.
func revises(later, r *audit.Record) bool {
	return later.Action == audit.Untaken && r.EventID != "" && later.EventID == r.EventID
}

// StatsQuery says of what figures are wanted.
type StatsQuery struct {
	audit.Filter
	Zone *time.Location // of the days; nil is UTC
}

// Stats gives figures.
func (x *Index) Stats(ctx context.Context, q StatsQuery) (*Stats, error) {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	t, wants, page := newTally(q.Zone), q.Matcher(), &Page{}
	for f, err := range x.plain.read(ctx, true) {
		if err != nil {
			if page.note(err) {
				continue
			}
			return nil, err
		}
		if wants(&f.record) {
			t.add(&f.record)
		}
	}
	s := t.sum()
	s.Since, s.Until, s.Problems = q.Since, q.Until, append(s.Problems, page.Problems...)
	return s, ctx.Err()
}
