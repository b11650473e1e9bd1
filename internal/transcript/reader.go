package transcript

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"math"
	"strconv"
)

// Reader gives what stands in one record, and then what is added to it. It must not
// be used by several goroutines at once.
type Reader struct {
	source Source
	from   origin
	given  given
}

// origin is a record as it is kept.
type origin interface {
	// next gives what was not read yet, in order, a bounded amount of it; more says
	// that there is more right now.
	next(ctx context.Context) (entries []Entry, more bool, err error)
	close() error
	// bytes is how much was read.
	bytes() int64
}

// Open opens a record. It need not be there yet.
func Open(source Source) (*Reader, error) { return open(source, Ample, nil) }

// OpenWhole opens a record to be read once, to its end: what stands in a last line that
// has no end yet is given too. Of each line or row of which not all can be read, torn is
// told.
func OpenWhole(source Source, most Most, torn func(error)) (*Reader, error) {
	return open(source, most, torn)
}

func open(source Source, most Most, torn func(error)) (*Reader, error) {
	f := formats()[source.Agent]
	if f == nil {
		return nil, fmt.Errorf("%s: unknown agent; hookway reads the records of %v", source.Agent, Agents())
	}
	names := mostGiven
	if torn != nil {
		names = fewGiven
	}
	r := &Reader{source: source, given: given{seed: maphash.MakeSeed(), sums: lately[uint64]{most: names}}}
	if f.decode != nil {
		r.from = &lines{path: source.Path, most: most, names: names, decode: f.decode, torn: torn}
	} else {
		r.from = &rows{source: source, most: most, torn: torn, from: cursor{time: math.MinInt64}}
	}
	return r, nil
}

// Source is what it reads.
func (r *Reader) Source() Source { return r.source }

// Next gives what is new, in order; more says that there is more right now. A record
// that is not there yet has nothing. An error that wraps [ErrVersion] stays.
func (r *Reader) Next(ctx context.Context) (entries []Entry, more bool, err error) {
	all, more, err := r.from.next(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range all {
		if r.given.first(e) {
			entries = append(entries, e)
		}
	}
	return entries, more, err
}

// Bytes is how much was read.
func (r *Reader) Bytes() int64 { return r.from.bytes() }

// Close closes the record.
func (r *Reader) Close() error { return r.from.close() }

// How many things are remembered by their names: of a record that is followed, which may be
// written anew, and of one that is read once.
const (
	mostGiven = 1 << 15
	fewGiven  = 1 << 12
)

// lately remembers what was set last by its name; how much was set before does not count.
type lately[V any] struct {
	now, old map[string]V
	most     int
}

func (l *lately[V]) get(name string) (value V, ok bool) {
	if value, ok = l.now[name]; !ok {
		value, ok = l.old[name]
	}
	return value, ok
}

func (l *lately[V]) set(name string, value V) {
	if l.now == nil || len(l.now) >= l.most {
		l.old, l.now = l.now, map[string]V{}
	}
	l.now[name] = value
}

// given knows what was given already, by its name and a sum of what is in it.
type given struct {
	seed maphash.Seed
	sums lately[uint64]
}

// key names an entry: what has the same key is the same thing, perhaps changed.
func (e *Entry) key() string {
	return strconv.Itoa(int(e.Kind)) + "/" + e.Session + "/" + e.Message + "/" + e.ID + "/" + strconv.Itoa(e.Block)
}

// sum is of what may change while the thing is the same.
func (g *given) sum(e *Entry) uint64 {
	var h maphash.Hash
	h.SetSeed(g.seed)
	_, _ = h.WriteString(e.Text)
	_, _ = h.Write([]byte{0})
	maphash.WriteComparable(&h, e.Failed)
	maphash.WriteComparable(&h, e.Tokens)
	return h.Sum64()
}

// first reports whether the entry was not given before as it is now.
func (g *given) first(e Entry) bool {
	if e.Message == "" && e.ID == "" {
		return true // it has no name
	}
	key, sum := e.key(), g.sum(&e)
	if before, known := g.sums.get(key); known && before == sum {
		return false
	}
	g.sums.set(key, sum)
	return true
}
