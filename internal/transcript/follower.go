package transcript

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// How often is looked for records: while none is known and the program does
// something, while it does nothing, and after one is known.
const (
	lookSoon  = 200 * time.Millisecond
	lookIdle  = 2 * time.Second
	lookKnown = time.Second
)

// mostPossible bounds how many records are followed.
const mostPossible = 16

// Standing says what a [Follower] knows.
type Standing struct {
	Sure     []Source // the session's records
	Possible []Source // those that may be; the sure ones are not among them
	Ever     bool     // the agent has records on this machine at all
	Refused  error    // why a record that was found cannot be read
}

// Batch is what is new in one record.
type Batch struct {
	Source  Source
	Entries []Entry
}

// Follower follows the record of a running session. It must not be used by several
// goroutines at once.
type Follower struct {
	agent  string
	format *format
	place  *place

	named   string // the file that the agent's hooks have named
	known   []Source
	only    []Source // possible, and there is no other process of the agent
	maybe   []Source
	refused map[Source]error
	readers map[Source]*Reader
	looked  time.Time
}

// Follow follows the session of a program of an agent, which is one of [Agents].
func Follow(agent string, where Where) (*Follower, error) {
	f := formats()[agent]
	if f == nil {
		return nil, fmt.Errorf("%s: hookway does not know where that agent keeps its records; it knows %v", agent, Agents())
	}
	return &Follower{agent: agent, format: f, place: newPlace(where, f), readers: map[Source]*Reader{}, refused: map[Source]error{}}, nil
}

// Told says which file the agent's own hooks have named; empty is none.
func (f *Follower) Told(path string) {
	if path == "" || path == f.named || f.agent == "opencode" {
		return
	}
	f.named = path
	f.know(Source{Agent: f.agent, Path: filepath.Clean(path)})
}

func (f *Follower) know(s Source) {
	if !slices.Contains(f.known, s) {
		f.known = append(f.known, s)
	}
}

// Poll gives what is new in the records that are the session's or may be. active
// says that the program does something, so that it is worth while to look for more;
// last that it has ended, and this is all.
func (f *Follower) Poll(ctx context.Context, active, last bool) (new []Batch, standing Standing) {
	if every := f.every(active); last || time.Since(f.looked) >= every {
		f.locate(last)
		f.looked = time.Now()
	}
	for _, source := range f.all() {
		entries := f.read(ctx, source)
		if len(entries) > 0 {
			new = append(new, Batch{source, entries})
		}
	}
	return new, f.standing()
}

func (f *Follower) every(active bool) time.Duration {
	switch {
	case !active:
		return lookIdle
	case len(f.known)+len(f.only) > 0:
		return lookKnown
	}
	return lookSoon
}

// locate looks for records.
func (f *Follower) locate(last bool) {
	if !f.ever() {
		return
	}
	if last && f.place.tree == nil {
		f.place.look()
	} else if !last { // of a program that has ended nothing can be seen any more
		f.place.look()
	}
	sure, possible := f.format.locate(f.place)
	for _, s := range sure {
		f.know(s)
	}
	f.only, f.maybe = nil, nil
	if len(f.known) > 0 {
		return
	}
	possible = slices.DeleteFunc(possible, func(s Source) bool { return f.refused[s] != nil })
	if len(possible) > mostPossible {
		possible = possible[:mostPossible]
	}
	if len(possible) == 1 && !f.place.rivals {
		f.only = possible
	} else {
		f.maybe = possible
	}
}

// ever reports whether the agent has been run on this machine.
func (f *Follower) ever() bool {
	info, err := os.Stat(f.format.root(f.place))
	return err == nil && info.IsDir()
}

func (f *Follower) all() []Source { return slices.Concat(f.known, f.only, f.maybe) }

// mostRounds bounds how much is read of one record in one step.
const mostRounds = 16

// read reads what is new in a record.
func (f *Follower) read(ctx context.Context, source Source) (entries []Entry) {
	if f.refused[source] != nil {
		return nil
	}
	r := f.readers[source]
	if r == nil {
		var err error
		if r, err = Open(source); err != nil {
			f.refused[source] = err
			return nil
		}
		f.readers[source] = r
	}
	for range mostRounds {
		found, more, err := r.Next(ctx)
		entries = append(entries, found...)
		if errors.Is(err, ErrVersion) {
			f.refused[source] = err
		}
		if !more || err != nil {
			break
		}
	}
	return entries
}

func (f *Follower) standing() Standing {
	s := Standing{Possible: slices.Clone(f.maybe), Ever: f.ever()}
	for _, source := range slices.Concat(f.known, f.only) {
		if err := f.refused[source]; err != nil {
			s.Refused = err
		} else {
			s.Sure = append(s.Sure, source)
		}
	}
	return s
}

// Close closes the records.
func (f *Follower) Close() (err error) {
	for _, r := range f.readers {
		err = errors.Join(err, r.Close())
	}
	f.readers = map[Source]*Reader{}
	return err
}
