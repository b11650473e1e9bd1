package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/transcript"
	"github.com/hookway/hookway/internal/visible"
)

// mostAtOnce bounds how many records of one session are read side by side. Of more, the
// later ones come after.
const mostAtOnce = 32

// listener is told what goes on while records are read.
type listener struct {
	most    transcript.Most // of a line
	problem func(error)
	read    func(n int64) // bytes
	torn    int           // how many lines of one record are told one by one
}

// stream gives the entries of one record, in its order.
type stream struct {
	on     *listener
	record transcript.Record
	reader *transcript.Reader
	queue  []transcript.Entry
	at     time.Time // of the last entry that has a time
	bytes  int64
	torn   int
	over   bool
}

func (l *listener) open(r transcript.Record) *stream {
	s := &stream{on: l, record: r}
	var err error
	s.reader, err = transcript.OpenWhole(r.Source, l.most, func(err error) {
		if s.torn++; s.torn <= l.torn {
			l.problem(err)
		}
	})
	if err != nil {
		l.problem(err)
		s.over = true
	}
	return s
}

// head is the next entry; nil if there is none.
func (s *stream) head(ctx context.Context) *transcript.Entry {
	for len(s.queue) == 0 && !s.over {
		found, more, err := s.reader.Next(ctx)
		s.queue = found
		if read := min(s.reader.Bytes(), s.record.Size); read > s.bytes { // of a database it is not known how much there is
			s.on.read(read - s.bytes)
			s.bytes = read
		}
		if err != nil {
			s.on.problem(s.named(err))
		}
		if !more || err != nil {
			s.close()
		}
	}
	if len(s.queue) == 0 {
		return nil
	}
	e := &s.queue[0]
	if e.Time.IsZero() {
		e.Time = s.at
	}
	return e
}

// named says which record an error is about.
func (s *stream) named(err error) error {
	if errors.Is(err, transcript.ErrVersion) {
		return err // it says so
	}
	return fmt.Errorf("%s: %w", s.record.Path, err)
}

func (s *stream) take() { s.at, s.queue = s.queue[0].Time, s.queue[1:] }

// close ends the stream, and tells of torn lines that were not told one by one.
func (s *stream) close() {
	if s.over {
		return
	}
	s.over = true
	if s.torn > s.on.torn {
		s.on.problem(&moreLines{s.record.Path, s.torn - s.on.torn})
	}
	if err := s.reader.Close(); err != nil {
		s.on.problem(s.named(err))
	}
	s.on.read(max(s.record.Size-s.bytes, 0))
}

// moreLines are lines of one record that were not told one by one.
type moreLines struct {
	path string
	n    int
}

func (m *moreLines) Error() string {
	return fmt.Sprintf("%s: %s cannot be read", m.path, visible.Count(m.n, "more line"))
}

// inOrder gives the entries of records in the order of their times, until nobody wants
// more.
func (l *listener) inOrder(ctx context.Context, records []transcript.Record, visit func(*stream, *transcript.Entry) (more bool)) (torn int) {
	more := true
	for some := range slices.Chunk(records, mostAtOnce) {
		if !more {
			break
		}
		var streams []*stream
		for _, r := range some {
			streams = append(streams, l.open(r))
		}
		for more && ctx.Err() == nil {
			var first *stream
			for _, s := range streams {
				if e := s.head(ctx); e != nil && (first == nil || e.Time.Before(first.queue[0].Time)) {
					first = s
				}
			}
			if first == nil {
				break
			}
			more = visit(first, &first.queue[0])
			first.take()
		}
		for _, s := range streams {
			s.close()
			torn += s.torn
		}
	}
	return torn
}
