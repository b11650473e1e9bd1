package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/logline"
)

// Page gives a page of the records that are wanted. Without an index it is read from the
// log, which the page's problems say.
func (x *Index) Page(ctx context.Context, q Query) (page *Page, err error) {
	a, err := q.ready()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	page, err = answer(ctx, x, func(s *snapshot) (*Page, error) {
		return x.page(ctx, s, a)
	}, func(why error) (*Page, error) {
		page, err := x.plain.page(ctx, a)
		if page != nil && why != nil {
			page.Problems = append(page.Problems, slowly(why))
		}
		return page, err
	})
	if err != nil {
		return nil, err
	}
	if err = x.holds(a.from); err != nil { // what was read just now is of the log that there is
		return nil, err
	}
	return page, x.mark(page)
}

// slowly says why an answer comes from the log itself.
func slowly(why error) string {
	return fmt.Sprintf("the index of the log cannot be used, so answers come from the log itself, which takes longer: %v", why)
}

// answer answers by the index, else without it. What another process changed meanwhile is
// looked at again; an index that is not as it was written is made anew.
func answer[T any](ctx context.Context, x *Index, indexed func(*snapshot) (*T, error), plainly func(why error) (*T, error)) (*T, error) {
	var why error
	for range 2 {
		s, err := x.current(ctx)
		if err != nil {
			return plainly(err)
		}
		out, err := indexed(s)
		if err == nil || ctx.Err() != nil || !errors.Is(err, errGone) && !errors.Is(err, errMoved) && !useless(err) {
			return out, err
		}
		if why = err; useless(err) {
			break
		}
		x.forget(ctx)
	}
	x.log.Warn("the index of the audit log is built anew", logline.Err, why)
	x.spoilt(ctx, why)
	return plainly(why)
}

// forget has the file read again.
func (x *Index) forget(ctx context.Context) {
	if x.enter(ctx) != nil {
		return
	}
	defer func() { <-x.work }()
	if err := x.release(); err != nil {
		x.log.Warn(err.Error())
	}
}

// page gives a page by the index.
func (x *Index) page(ctx context.Context, s *snapshot, a *asked) (*Page, error) {
	page := &Page{Records: []audit.Record{}, Behind: s.behind, Problems: slices.Clone(s.problems)}
	if page.Problems == nil {
		page.Problems = []string{}
	}
	m, last := newMatcher(a), a.begin()
	for _, b := range s.ordered(a) {
		if a.After != "" && !a.reaches(b) {
			continue
		}
		more, err := x.collect(ctx, s, m, b, page, &last)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if more || ctx.Err() != nil { // a page that is out of time may be short, even empty
			page.Next = last.String()
			break
		}
		last = a.past(b)
	}
	var err error
	page.Total, page.AtLeast, err = x.count(ctx, s, m)
	page.Total = max(page.Total, int64(len(page.Records)))
	return page, err
}

// ordered gives the blocks in the order of the query.
func (s *snapshot) ordered(a *asked) []*block {
	if a.Oldest {
		return s.blocks
	}
	list := slices.Clone(s.blocks)
	slices.Reverse(list)
	return list
}

// reaches reports whether a block has records of later pages.
func (a *asked) reaches(b *block) bool {
	if a.Oldest {
		return a.from.before(a.past(b))
	}
	return a.past(b).before(a.from.place)
}

// past is the place after which the records of the next block are.
func (a *asked) past(b *block) place {
	if a.Oldest {
		return place{b.file, b.end - 1}
	}
	return place{b.file, b.at}
}

// collect adds the records of a block to a page. more says that there is one more than the
// page may have; last is the place up to which all that is wanted is on the page.
func (x *Index) collect(ctx context.Context, s *snapshot, m *matcher, b *block, page *Page, last *place) (more bool, err error) {
	hits, err := s.hits(ctx, m, b)
	if err != nil || len(hits) == 0 {
		return false, err
	}
	if !m.Oldest {
		slices.Reverse(hits)
	}
	file, err := s.openLines(b.file)
	if err != nil {
		return false, err
	}
	defer file.close()
	for _, h := range hits {
		at := place{b.file, h.at}
		if !m.beyond(at) {
			continue
		}
		if ctx.Err() != nil {
			return false, nil
		}
		if len(m.words) > 0 {
			is, err := file.says(b, h, m)
			if err != nil {
				return false, err
			}
			if !is {
				*last = at
				continue
			}
		}
		if len(page.Records) == m.Limit {
			return true, nil
		}
		var r audit.Record
		text, err := file.record(h, &r)
		if err != nil {
			return false, err
		}
		if _, sound := audit.Sealed(text, r.Prev); !sound && len(page.Problems) < 2*mostProblems {
			page.Problems = append(page.Problems, fmt.Sprintf("record %d was changed after it was written; hookway log verify tells more", r.Seq))
		}
		page.Records, *last = append(page.Records, r), at
	}
	return false, nil
}

// counts remembers what was counted, of the snapshot that it was counted in.
type counts struct {
	of   *snapshot
	much map[string]counted
}

type counted struct {
	n       int64
	atLeast bool
}

// mostCounts bounds how many counts are remembered.
const mostCounts = 64

// count counts what is wanted on all pages, as far as there is time.
func (x *Index) count(ctx context.Context, s *snapshot, m *matcher) (n int64, atLeast bool, err error) {
	if m.all() {
		return s.records, false, nil
	}
	key := fmt.Sprintf("%+v/%s/%q", m.Filter, m.Rule, m.words)
	x.mu.Lock()
	if x.counts.of != s || len(x.counts.much) >= mostCounts {
		x.counts = counts{of: s, much: map[string]counted{}}
	}
	known, ok := x.counts.much[key]
	x.mu.Unlock()
	if ok {
		return known.n, known.atLeast, nil
	}
	until := time.Now().Add(countTime)
	for i := len(s.blocks) - 1; i >= 0; i-- {
		if atLeast = ctx.Err() != nil || time.Now().After(until); atLeast {
			break
		}
		of, all, err := s.countIn(ctx, m, s.blocks[i], until)
		if err != nil && ctx.Err() == nil {
			return 0, false, err
		}
		if n += of; !all {
			atLeast = true // also when the context has ended
			break
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.counts.of == s {
		x.counts.much[key] = counted{n, atLeast}
	}
	return n, atLeast, nil
}

// countIn counts in a block; what says words until a time, so that it may not be all.
func (s *snapshot) countIn(ctx context.Context, m *matcher, b *block, until time.Time) (n int64, all bool, err error) {
	hits, err := s.hits(ctx, m, b)
	if err != nil || len(m.words) == 0 || len(hits) == 0 {
		return int64(len(hits)), true, err
	}
	file, err := s.openLines(b.file)
	if err != nil {
		return 0, false, err
	}
	defer file.close()
	for i, h := range hits {
		if i%16 == 0 && time.Now().After(until) {
			return n, false, nil
		}
		is, err := file.says(b, h, m)
		if err != nil {
			return 0, false, err
		}
		if is {
			n++
		}
	}
	return n, true, nil
}
