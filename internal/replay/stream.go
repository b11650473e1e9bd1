package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/transcript"
)

// mostAtOnce bounds how many records of one session are read side by side. Of more, the
// later ones come after.
const mostAtOnce = 32

// stream gives the entries of one record, in its order.
type stream struct {
	p      *preview
	record transcript.Record
	reader *transcript.Reader
	queue  []transcript.Entry
	at     time.Time // of the last entry that has a time
	bytes  int64
	torn   int
	over   bool
}

// mostTorn bounds how many lines of one record are told one by one.
const mostTorn = 3

func (p *preview) open(r transcript.Record) *stream {
	s := &stream{p: p, record: r}
	var err error
	s.reader, err = transcript.OpenWhole(r.Source, func(err error) {
		if s.torn++; s.torn <= mostTorn {
			p.problem(err)
		}
	})
	if err != nil {
		p.problem(err)
		s.over = true
	}
	return s
}

// head is the next entry; nil if there is none.
func (s *stream) head(ctx context.Context) *transcript.Entry {
	for len(s.queue) == 0 && !s.over {
		found, more, err := s.reader.Next(ctx)
		s.queue = found
		s.p.read(s.reader.Bytes() - s.bytes)
		s.bytes = s.reader.Bytes()
		if err != nil {
			s.p.problem(s.named(err))
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
	if s.torn > mostTorn {
		s.p.problem(fmt.Errorf("%s: %d more lines cannot be read", s.record.Path, s.torn-mostTorn))
	}
	if err := s.reader.Close(); err != nil {
		s.p.problem(s.named(err))
	}
	s.p.read(max(s.record.Size-s.bytes, 0))
}

// inOrder gives the entries of records in the order of their times.
func (p *preview) inOrder(ctx context.Context, records []transcript.Record, visit func(*stream, *transcript.Entry)) (torn int) {
	for some := range slices.Chunk(records, mostAtOnce) {
		var streams []*stream
		for _, r := range some {
			streams = append(streams, p.open(r))
		}
		for ctx.Err() == nil {
			var first *stream
			for _, s := range streams {
				if e := s.head(ctx); e != nil && (first == nil || e.Time.Before(first.queue[0].Time)) {
					first = s
				}
			}
			if first == nil {
				break
			}
			visit(first, &first.queue[0])
			first.take()
		}
		for _, s := range streams {
			s.close()
			torn += s.torn
		}
	}
	return torn
}
