package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
)

// WatchFilter says which records are wanted. All that is given must hold.
type WatchFilter struct {
	Session string
	Event   string // any of the event's names
	CWD     string // a folder: events from there or below

	// After is the number of the last record that was seen; those after it come
	// first, as far as the log still has them. 0: only what is recorded from now on.
	After int64

	// Whole wants what the log has already, too, as if all of it came after After.
	Whole bool

	// Hooks wants what happens to hooks of this process, too. Only Follow gives that.
	Hooks bool
}

// Watched is a record that was watched for.
type Watched struct {
	Record audit.Record
	text   []byte // the record in JSON, written once for all who watch; nil: not yet

	Hook *HookNotice // what happened to a hook, in place of a record

	// Missed is how many came just before this one, and could not be given.
	Missed int64
}

// JSON is the record as it is streamed, with < and > as they are. Others may have the
// same bytes.
func (w *Watched) JSON() ([]byte, error) {
	if w.text != nil {
		return w.text, nil
	}
	return streamed(&w.Record)
}

func streamed(r *audit.Record) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("record %d cannot be streamed: %w", r.Seq, err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// mostResumed bounds how many records are read again for one who was away.
const mostResumed = 10_000

// Watch gives what is put on record, by this and every other process of the user,
// until the context ends. One tail reads the log for all who watch: one that is slow
// reads it for itself until it has caught up, and blocks no other.
func (j *Judge) Watch(ctx context.Context, f WatchFilter) (iter.Seq2[Watched, error], error) {
	if j.AuditDir == "" {
		return nil, errors.New("there is no audit log, so that there is nothing to watch")
	}
	if err := j.watchable(ctx, f); err != nil {
		return nil, err
	}
	t, err := j.watchers.join(j.AuditDir)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { j.watchers.leave(t) })
	w := &watching{dir: j.AuditDir, filter: f, event: hook.Normal(f.Event), tail: t, at: t.end(), began: time.Now()}
	if info, err := hook.Lookup(f.Event); err == nil {
		w.event = hook.Normal(info.Name)
	}
	if last := newest(j.AuditDir); f.After < 0 || f.After > last || f.After == 0 && !f.Whole { // of another log, or a new one
		w.seen = last
	} else {
		w.seen = f.After
	}
	return func(yield func(Watched, error) bool) { w.run(ctx, yield) }, nil
}

// newest is the number of the last record of a log.
func newest(dir string) (seq int64) {
	for r, err := range audit.Read(dir, audit.Filter{Last: 1}) {
		if err == nil {
			seq = r.Seq
		}
	}
	return seq
}

// watchable refuses a name that is not an event's, if it looks like a mistyped one.
// Other names may be those of agents, or of a workspace that is not open yet.
func (j *Judge) watchable(ctx context.Context, f WatchFilter) error {
	if _, err := hook.Lookup(f.Event); err == nil || f.Event == "" {
		return nil
	}
	if j.knows(ctx, f.CWD, f.Event) {
		return nil
	}
	var names []string
	for _, info := range hook.Events() {
		names = append(append(names, info.Name), info.Aliases...)
	}
	near := hook.Nearest(f.Event, names)
	if near == "" {
		return nil
	}
	return &RequestError{Field: "event", Err: fmt.Errorf("unknown event %q; did you mean %s? If it is a workspace's own, give its folder as cwd", f.Event, near)}
}

// knows reports whether a workspace has an event of this name.
func (j *Judge) knows(ctx context.Context, cwd, event string) bool {
	at, err := j.placeOf(cwd, nil)
	if err != nil {
		return false
	}
	w, err := j.workspaces.openAt(ctx, j, at)
	if err != nil {
		return false
	}
	defer w.leave()
	_, err = w.Engine.Lookup(event)
	return err == nil
}

// watching is one watcher.
type watching struct {
	dir    string
	filter WatchFilter
	event  string // normal
	seen   int64  // number of the last record that was read; 0: none
	first  string // hash of record 1, if that was read
	missed int64  // how many of those before the next could not be read
	began  time.Time

	tail *tail
	at   int64 // what comes next of it
}

// known reports that a record was seen, or is not wanted for its age. A log that
// was removed begins anew.
func (w *watching) known(r *audit.Record) bool {
	return r.Seq <= w.seen && (r.Seq != 1 || r.Hash == w.first || r.Time.Before(w.began))
}

// skips reports that records are missing between the last that was seen and this one.
func (w *watching) skips(r *audit.Record) bool {
	return (w.seen > 0 || w.filter.Whole) && r.Seq > w.seen+1
}

// run gives the records that are wanted: those that the log has, and then those of
// the tail. What the tail has dropped already, or never read, is read of the log.
func (w *watching) run(ctx context.Context, yield func(Watched, error) bool) {
	for more := w.read(ctx, yield); more; {
		lines, err := w.tail.after(ctx, w.at)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errDropped):
			more = w.readAgain(ctx, yield)
			continue
		case err != nil:
			yield(Watched{}, err)
			return
		}
		for _, l := range lines {
			w.at = l.no + 1
			if w.known(&l.record) {
				continue
			}
			if w.skips(&l.record) && !w.readAgain(ctx, yield) {
				return
			}
			if w.known(&l.record) { // it was read just now
				continue
			}
			if !w.give(Watched{Record: l.record, text: l.text}, yield) {
				return
			}
		}
	}
}

// readAgain gives what the log has after the last that was seen. The tail goes on after
// what it has now, so that nothing falls between.
func (w *watching) readAgain(ctx context.Context, yield func(Watched, error) bool) bool {
	w.at = w.tail.end()
	if newest(w.dir) < w.seen { // it is another log
		w.seen = 0
	}
	return w.read(ctx, yield)
}

// read gives what the log has after the last that was seen.
func (w *watching) read(ctx context.Context, yield func(Watched, error) bool) bool {
	for r, err := range audit.Read(w.dir, audit.Filter{After: w.seen, Last: mostResumed}) {
		var damage *audit.Damage
		switch {
		case errors.As(err, &damage):
			continue
		case err != nil:
			yield(Watched{}, err)
			return false
		case ctx.Err() != nil:
			return false
		case w.known(&r):
			continue
		}
		if !w.give(Watched{Record: r}, yield) {
			return false
		}
	}
	return true
}

// give gives a record, if it is wanted.
func (w *watching) give(one Watched, yield func(Watched, error) bool) bool {
	if w.skips(&one.Record) {
		w.missed += one.Record.Seq - w.seen - 1
	}
	if w.seen = one.Record.Seq; w.seen == 1 {
		w.first = one.Record.Hash
	}
	if !w.wants(&one.Record) {
		return true
	}
	one.Missed, w.missed = w.missed, 0
	return yield(one, nil)
}

func (w *watching) wants(r *audit.Record) bool {
	f := &w.filter
	return (f.Session == "" || r.Session == f.Session) &&
		(f.Event == "" || hook.Normal(r.Event) == w.event || hook.Normal(r.Native) == hook.Normal(f.Event)) &&
		(f.CWD == "" || within(f.CWD, r.CWD))
}

// HookNotice is one thing that happened to a hook of a workspace.
type HookNotice struct {
	hook.Notice
	Workspace string // or the folder, where there is none

	// Missed is how many came just before it, and found no room.
	Missed int64
}

// noticeRoom is how far one who watches hooks may be behind.
const noticeRoom = 1024

// changes hands what happens to hooks on to those who watch. It never blocks.
type changes struct {
	n   atomic.Int64 // who watches
	mu  sync.Mutex
	out map[*changed]struct{}
}

type changed struct {
	filter WatchFilter
	event  string // normal
	to     chan HookNotice
	missed int64
}

// WatchHooks gives what happens to hooks of this process from now on, until the context
// ends. Who is slow misses some.
func (j *Judge) WatchHooks(ctx context.Context, f WatchFilter) <-chan HookNotice {
	c := &changed{filter: f, event: hook.Normal(f.Event), to: make(chan HookNotice, noticeRoom)}
	if info, err := hook.Lookup(f.Event); err == nil {
		c.event = hook.Normal(info.Name)
	}
	all := &j.changes
	all.mu.Lock()
	if all.out == nil {
		all.out = map[*changed]struct{}{}
	}
	all.out[c] = struct{}{}
	all.mu.Unlock()
	all.n.Add(1)
	context.AfterFunc(ctx, func() {
		all.n.Add(-1)
		all.mu.Lock()
		delete(all.out, c)
		all.mu.Unlock()
	})
	return c.to
}

// follow has the hooks of an engine told of.
func (all *changes) follow(e *hook.Engine, workspace func() string) {
	e.Watch(func(n hook.Notice) {
		if all.n.Load() == 0 {
			return
		}
		at := workspace()
		all.mu.Lock()
		defer all.mu.Unlock()
		for c := range all.out {
			c.tell(HookNotice{Notice: n, Workspace: at})
		}
	})
}

func (c *changed) tell(n HookNotice) {
	if !c.wants(&n) {
		return
	}
	n.Missed = c.missed
	select {
	case c.to <- n:
		c.missed = 0
	default:
		c.missed++
	}
}

func (c *changed) wants(n *HookNotice) bool {
	f := &c.filter
	at := n.CWD
	if n.Event == "" {
		at = n.Workspace
	}
	return (f.Session == "" || n.Session == f.Session) &&
		(f.Event == "" || hook.Normal(n.Event) == c.event || hook.Normal(string(n.Kind)) == c.event) &&
		(f.CWD == "" || within(f.CWD, at) || n.Event == "" && within(at, f.CWD))
}
