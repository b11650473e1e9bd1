package audit

import (
	"context"
	"errors"
	"iter"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
)

// Whole is a record of what hooks decided, and the event as they got it.
type Whole struct {
	Record        Record
	Event         *keep.Event // nil if there is none
	NotReplayable string      // why the event cannot be fired again; "" if it can
}

// notThere is why an event cannot be fired again that expired, was lost with its process, or
// is written beside its decision just now.
const notThere = "its kept event is not there: it expired, was lost, or is not written yet"

// Events gives the records of a log that hooks decided, oldest first, with their events.
// It holds a bounded part of both in memory. An error that is a *Damage, or a
// *keep.Damage, stands for one place; any other ends the reading, as the context does.
// f.Last is not for it.
func Events(ctx context.Context, dir string, f Filter) iter.Seq2[Whole, error] {
	f.Last = 0
	return func(yield func(Whole, error) bool) {
		var kept *shelf
		defer func() { kept.close() }()
		for r, err := range ahead(Read(dir, f)) {
			if ctx.Err() != nil {
				yield(Whole{}, ctx.Err())
				return
			}
			if err == nil && !decided(&r) {
				continue
			}
			w := Whole{Record: r}
			if err == nil && r.Kept != "" && kept == nil {
				kept = newShelf(EventsDir(dir), r.Seq)
			}
			if err == nil && !w.find(kept, func(d error) bool { return yield(Whole{}, d) }) || !yield(w, err) {
				return
			}
		}
	}
}

// decided reports whether a record is of a decision of hooks.
func decided(r *Record) bool {
	_, err := hook.ParseAction(r.Action)
	return err == nil
}

// find adds the event of the record. tell is told of damages; false ends the reading.
func (w *Whole) find(kept *shelf, tell func(error) bool) bool {
	switch r := &w.Record; {
	case r.Unkept != "":
		w.NotReplayable = r.Unkept
		return true
	case r.Failure != "":
		w.NotReplayable = "hookway could not decide about it"
		return true
	case r.Kept == "":
		w.NotReplayable = "no event was kept"
		return true
	}
	text, damages, err := kept.take(w.Record.Seq)
	for _, d := range damages {
		if !tell(d) {
			return false
		}
	}
	switch {
	case err != nil:
		tell(err)
		return false
	case text == nil:
		w.NotReplayable = notThere
	case keep.Hash(text) != w.Record.Kept:
		w.NotReplayable = "its kept event was changed"
	default:
		if w.Event, err = keep.Parse(text); err != nil {
			w.Event, w.NotReplayable = nil, err.Error()
		}
	}
	return true
}

// Bounds of what is read of kept events before it is wanted: those of several processes
// are not in the order of their records.
const (
	maxAhead      = 4096
	maxAheadBytes = 32 << 20
)

// shelf gives kept events in the order of their records.
type shelf struct {
	next  func() (keep.Entry, error, bool)
	stop  func()
	ahead map[int64][]byte
	bytes int
	last  int64 // the last number that was read
	over  bool
}

func newShelf(dir string, from int64) *shelf {
	s := &shelf{ahead: map[int64][]byte{}}
	s.next, s.stop = iter.Pull2(keep.Entries(dir, from))
	return s
}

func (s *shelf) close() {
	if s != nil {
		s.stop()
	}
}

// take gives the event of a record; nil if it is not there. Those of records before it
// are not wanted any more.
func (s *shelf) take(seq int64) (text []byte, damages []error, err error) {
	if s.bytes > maxAheadBytes {
		s.drop(seq)
	}
	for {
		if text, ok := s.ahead[seq]; ok {
			s.forget(seq)
			return text, damages, nil
		}
		if s.over || s.last > seq+maxAhead || s.bytes > maxAheadBytes {
			s.drop(seq)
			return nil, damages, nil
		}
		e, err, ok := s.next()
		var d *keep.Damage
		switch {
		case !ok:
			s.over = true
		case errors.As(err, &d):
			damages = append(damages, err)
		case err != nil:
			return nil, damages, err
		case e.Seq >= seq:
			s.last = e.Seq
			if _, twice := s.ahead[e.Seq]; !twice {
				s.ahead[e.Seq] = e.Text
				s.bytes += len(e.Text)
			}
		}
	}
}

func (s *shelf) forget(seq int64) {
	s.bytes -= len(s.ahead[seq])
	delete(s.ahead, seq)
	if len(s.ahead) > maxAhead {
		s.drop(seq)
	}
}

// drop forgets what is of records before one.
func (s *shelf) drop(before int64) {
	for seq, text := range s.ahead {
		if seq < before {
			s.bytes -= len(text)
			delete(s.ahead, seq)
		}
	}
}
