package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hookway/hookway/internal/audit"
)

// maxWatchers bounds how many watch at a time.
const maxWatchers = 128

// ErrWatchers says that too many watch.
var ErrWatchers = fmt.Errorf("%d programs watch already, and no more are let in; end one of them", maxWatchers)

// watchers are those who watch the log of a process. While there are any, one tail
// reads it for all of them.
type watchers struct {
	mu   sync.Mutex
	tail *tail
	n    int // of every tail
}

// join gives the tail that reads the log, which leave must be told of once.
func (w *watchers) join(dir string) (*tail, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n == maxWatchers {
		return nil, ErrWatchers
	}
	if w.tail == nil || w.tail.ended() {
		ctx, stop := context.WithCancel(context.Background())
		w.tail = &tail{stop: stop, grown: make(chan struct{})}
		go w.tail.read(ctx, dir)
	}
	w.n++
	w.tail.users++
	return w.tail, nil
}

// leave ends a tail that nobody needs any more.
func (w *watchers) leave(t *tail) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n--
	if t.users--; t.users > 0 {
		return
	}
	t.stop()
	if w.tail == t {
		w.tail = nil
	}
}

// tailBytes is how much text of records a tail keeps for those who are slow.
const tailBytes = 4 << 20

// tail reads what is put on record, once for all who watch, and keeps the last of it.
type tail struct {
	users int // guarded by the watchers
	stop  context.CancelFunc

	mu    sync.Mutex
	lines []*line       // the newest last
	next  int64         // number of the line that comes next
	bytes int           // of the lines
	grown chan struct{} // closed at the next line, and for good at the end
	err   error         // why it ended
}

// line is a record as all who watch get it.
type line struct {
	no     int64 // from 0, in the order in which the tail read
	record audit.Record
	text   []byte // the record in JSON
}

// Why a tail gives nothing.
var (
	errDropped   = errors.New("the tail has dropped that already")
	errTailEnded = errors.New("the log is not read any more")
)

// read reads the log until the context ends, or the log cannot be read.
func (t *tail) read(ctx context.Context, dir string) {
	const slack = 100 // those written before the log is open; who watches reads what is older
	var ended error
	for r, err := range audit.Follow(ctx, dir, audit.Filter{Last: slack}) {
		var damage *audit.Damage
		if errors.As(err, &damage) {
			continue
		}
		if ended = err; err != nil {
			break
		}
		text, err := streamed(&r)
		if err != nil { // who watches finds that it is missing
			continue
		}
		t.add(&line{record: r, text: text})
	}
	if ended == nil {
		ended = errTailEnded
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = ended
	close(t.grown)
}

func (t *tail) add(l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.no = t.next
	t.next++
	t.lines = append(t.lines, l)
	t.bytes += len(l.text)
	drop := 0
	for ; t.bytes > tailBytes && drop < len(t.lines)-1; drop++ {
		t.bytes -= len(t.lines[drop].text)
	}
	t.lines = slices.Delete(t.lines, 0, drop)
	close(t.grown)
	t.grown = make(chan struct{})
}

// end is the number of the line that comes next.
func (t *tail) end() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next
}

func (t *tail) ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err != nil
}

// after gives the lines from a number on, once there is one. It fails if the tail has
// dropped the first of them, has ended, or the context ends.
func (t *tail) after(ctx context.Context, no int64) ([]*line, error) {
	for {
		t.mu.Lock()
		oldest := t.next - int64(len(t.lines))
		grown, err := t.grown, t.err
		var lines []*line
		switch {
		case no < oldest:
			err = errDropped
		case no < t.next:
			lines, err = slices.Clone(t.lines[no-oldest:]), nil
		}
		t.mu.Unlock()
		if lines != nil || err != nil {
			return lines, err
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
