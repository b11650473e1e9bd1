package judge

import (
	"context"
	"errors"
	"fmt"
	"iter"
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

	Hook *HookNotice // what happened to a hook, in place of a record

	// Missed is how many came just before this one, and could not be given.
	Missed int64
}

// maxWatchers bounds how many watch at a time.
const maxWatchers = 128

// mostResumed bounds how many records are read again for one who was away.
const mostResumed = 10_000

// ErrWatchers says that too many watch.
var ErrWatchers = fmt.Errorf("%d programs watch already, and no more are let in; end one of them", maxWatchers)

type watchers struct{ n atomic.Int64 }

// Watch gives what is put on record, by this and every other process of the user,
// until the context ends. Each watcher reads the log for itself: one that is slow
// is behind, and blocks no other.
func (j *Judge) Watch(ctx context.Context, f WatchFilter) (iter.Seq2[Watched, error], error) {
	if j.AuditDir == "" {
		return nil, errors.New("there is no audit log, so that there is nothing to watch")
	}
	if err := j.watchable(ctx, f); err != nil {
		return nil, err
	}
	if j.watchers.n.Add(1) > maxWatchers {
		j.watchers.n.Add(-1)
		return nil, ErrWatchers
	}
	context.AfterFunc(ctx, func() { j.watchers.n.Add(-1) })
	w := &watching{dir: j.AuditDir, filter: f, event: hook.Normal(f.Event)}
	if info, err := hook.Lookup(f.Event); err == nil {
		w.event = hook.Normal(info.Name)
	}
	from := w.from()
	return func(yield func(Watched, error) bool) { w.run(ctx, from, yield) }, nil
}

// watchable refuses a name that is no event's, if it looks like a mistyped one.
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
	began  time.Time
}

// from is what is to be read of the log: the records since the last that was
// seen, or those from now on.
func (w *watching) from() audit.Filter {
	last := int64(0)
	for r, err := range audit.Read(w.dir, audit.Filter{Last: 1}) {
		if err == nil {
			last = r.Seq
		}
	}
	w.seen, w.began = last, time.Now()
	const slack = 100                                                                          // for those that are written while we look
	if w.filter.After < 0 || w.filter.After > last || w.filter.After == 0 && !w.filter.Whole { // of another log, or a new one
		return audit.Filter{Last: slack}
	}
	w.seen = w.filter.After
	return audit.Filter{Last: int(min(last-w.filter.After, mostResumed)) + slack}
}

// known reports that a record was seen, or is not wanted for its age. A log that
// was removed begins anew.
func (w *watching) known(r *audit.Record) bool {
	return r.Seq <= w.seen && (r.Seq != 1 || r.Time.Before(w.began))
}

// run gives the records that are wanted.
func (w *watching) run(ctx context.Context, from audit.Filter, yield func(Watched, error) bool) {
	missed := int64(0)
	for r, err := range audit.Follow(ctx, w.dir, from) {
		var damage *audit.Damage
		switch {
		case errors.As(err, &damage):
			continue
		case err != nil:
			yield(Watched{}, err)
			return
		case ctx.Err() != nil:
			return
		case w.known(&r):
			continue
		}
		if (w.seen > 0 || w.filter.Whole) && r.Seq > w.seen+1 {
			missed += r.Seq - w.seen - 1
		}
		w.seen = r.Seq
		if !w.wants(&r) {
			continue
		}
		if !yield(Watched{Record: r, Missed: missed}, nil) {
			return
		}
		missed = 0
	}
}

func (w *watching) wants(r *audit.Record) bool {
	f := &w.filter
	return (f.Session == "" || r.Session == f.Session) &&
		(f.Event == "" || hook.Normal(r.Event) == w.event || hook.Normal(r.Native) == hook.Normal(f.Event)) &&
		(f.CWD == "" || within(f.CWD, r.CWD))
}
