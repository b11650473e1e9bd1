package index

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// Session is what the record has of a session of an agent.
type Session struct {
	ID, Agent   string
	Folder      string // its workspace, or where it runs
	First, Last time.Time
	Events      int64
	Calls       int64
	Blocks      int64
	Asks        int64
	Would       int64 // records in which hooks on trial would have decided something

	file   int64 // where its first prompt is
	prompt hit
}

// sessionKey tells sessions apart.
type sessionKey struct{ id, agent string }

// sums are the sessions of a block.
func (b *block) sums() (map[sessionKey]*Session, error) {
	type pair struct{ id, agent uint32 }
	found := map[pair]*Session{}
	calls, starts, approval := b.number("PreToolUse"), b.number("AgentStart"), b.number(audit.Approval)
	block, ask, over := b.number("block"), b.number("ask"), b.number(audit.Untaken)
	err := b.each(func(_ int, r *row) bool {
		answers := approval > 0 && r.texts[inEvent] == approval
		if r.texts[inSession] == 0 || answers && r.texts[inAgent] == 0 { // an answer alone makes no session
			return true
		}
		key := pair{r.texts[inSession], r.texts[inAgent]}
		s := found[key]
		if s == nil {
			s = &Session{First: time.Unix(0, r.time), Last: time.Unix(0, r.time)}
			found[key] = s
		}
		s.take(b, r)
		is := func(column int, id uint32) bool { return id > 0 && r.texts[column] == id }
		switch {
		case is(inAction, over), answers: // an answer stops no call
			return true
		case is(inAction, block):
			s.Blocks++
		case is(inAction, ask):
			s.Asks++
		}
		if r.texts[inWould] != 0 {
			s.Would++
		}
		if is(inEvent, calls) {
			s.Calls++
		}
		if is(inEvent, starts) && s.prompt.size == 0 {
			s.file, s.prompt = b.file, hit{r.at, r.size, r.seq}
		}
		return true
	})
	all := make(map[sessionKey]*Session, len(found))
	for key, s := range found {
		s.ID, s.Agent = b.texts[key.id], b.texts[key.agent]
		all[sessionKey{s.ID, s.Agent}] = s
	}
	return all, err
}

// take counts a record.
func (s *Session) take(b *block, r *row) {
	at := time.Unix(0, r.time)
	if at.Before(s.First) {
		s.First = at
	}
	s.Last = later(s.Last, at)
	s.Events++
	if s.Folder == "" {
		s.Folder = cmp.Or(b.texts[r.texts[inWorkspace]], b.texts[r.texts[inCWD]])
	}
}

// number is the number of a text in a block; 0 if it is not there.
func (b *block) number(text string) uint32 { return uint32(max(slices.Index(b.texts, text), 0)) }

// join adds what another block has of the session.
func (s *Session) join(o *Session) {
	if o.First.Before(s.First) {
		s.First = o.First
	}
	s.Last, s.Folder = later(s.Last, o.Last), cmp.Or(s.Folder, o.Folder)
	s.Events, s.Calls, s.Blocks, s.Asks, s.Would = s.Events+o.Events, s.Calls+o.Calls, s.Blocks+o.Blocks, s.Asks+o.Asks, s.Would+o.Would
	if s.prompt.size == 0 {
		s.file, s.prompt = o.file, o.prompt
	}
}

// Sessions gives the sessions that are on record, the latest first.
func (x *Index) Sessions(ctx context.Context) (list []Session, behind int64, err error) {
	type answered struct {
		list   []Session
		behind int64
	}
	out, err := answer(ctx, x, func(s *snapshot) (*answered, error) {
		list, err := x.sessions(ctx, s)
		return &answered{list, s.behind}, err
	}, func(why error) (*answered, error) { return nil, why })
	if err != nil {
		return nil, 0, err
	}
	return out.list, out.behind, nil
}

// sumsOf are the sessions of a block, which are found out once.
func (s *snapshot) sumsOf(ctx context.Context, b *block) (map[sessionKey]*Session, error) {
	if sums := b.summed.Load(); sums != nil {
		return *sums, nil
	}
	full, err := s.rowsOf(ctx, b, false)
	if err != nil {
		return nil, err
	}
	sums, err := full.sums()
	if err == nil {
		b.summed.Store(&sums)
	}
	return sums, err
}

func (x *Index) sessions(ctx context.Context, s *snapshot) ([]Session, error) {
	all := map[sessionKey]*Session{}
	for _, b := range s.blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sums, err := s.sumsOf(ctx, b)
		if err != nil {
			return nil, err
		}
		for key, one := range sums {
			if there := all[key]; there != nil {
				there.join(one)
			} else {
				copied := *one
				all[key] = &copied
			}
		}
	}
	list := make([]Session, 0, len(all))
	for _, one := range all {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b Session) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Agent, b.Agent))
	})
	return list, nil
}

// Prompt gives the first prompt of a session, as it is on record; "" if there is none.
func (x *Index) Prompt(ctx context.Context, of *Session) string {
	x.mu.Lock()
	s := x.now
	x.mu.Unlock()
	if of.prompt.size == 0 || s.files[of.file] == "" || ctx.Err() != nil {
		return ""
	}
	file, err := s.openLines(of.file)
	if err != nil {
		return ""
	}
	defer file.close()
	var r audit.Record
	if _, err := file.record(of.prompt, &r); err != nil {
		return ""
	}
	return r.What
}

// Records gives all records that are wanted, oldest first, without pages. An error that is
// a *audit.Damage stands for a line; any other ends it.
func (x *Index) Records(ctx context.Context, f audit.Filter) iter.Seq2[*audit.Record, error] {
	return x.Find(ctx, Query{Filter: f})
}

// Find is Records of a query, of which page and order do not matter.
func (x *Index) Find(ctx context.Context, q Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		q.Limit, q.After, q.Oldest = 0, "", true
		a, err := q.ready()
		if err != nil {
			yield(nil, err)
			return
		}
		s, err := x.current(ctx)
		if err != nil || s.behind > 0 {
			x.plain.wanted(ctx, a, yield)
			return
		}
		if err = s.each(ctx, newMatcher(a), yield); err == nil || errors.Is(err, errStop) {
			return
		}
		yield(nil, err)
	}
}

// errStop says that nobody wants more.
var errStop = errors.New("nobody wants more")

// each gives the records of the blocks that are wanted.
func (s *snapshot) each(ctx context.Context, m *matcher, yield func(*audit.Record, error) bool) error {
	for _, b := range s.blocks {
		hits, err := s.hits(ctx, m, b)
		if err != nil || len(hits) == 0 {
			if err != nil {
				return err
			}
			continue
		}
		if err := s.give(ctx, m, b, hits, yield); err != nil {
			return err
		}
	}
	return nil
}

// give gives records of a block.
func (s *snapshot) give(ctx context.Context, m *matcher, b *block, hits []hit, yield func(*audit.Record, error) bool) error {
	file, err := s.openLines(b.file)
	if err != nil {
		return err
	}
	defer file.close()
	for _, h := range hits {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(m.words) > 0 {
			if is, err := file.says(b, h, m); err != nil {
				return err
			} else if !is {
				continue
			}
		}
		var r audit.Record
		if _, err := file.record(h, &r); err != nil {
			return err
		}
		if !yield(&r, nil) {
			return errStop
		}
	}
	return nil
}

// wanted gives the records that are wanted, of the log itself.
func (p plain) wanted(ctx context.Context, a *asked, yield func(*audit.Record, error) bool) {
	for f, err := range p.read(ctx, place{}, true) {
		if err != nil {
			if !yield(nil, err) {
				return
			}
			continue
		}
		if a.accepts(&f.record, f.line) && !yield(&f.record, nil) {
			return
		}
	}
}
