package config

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A change is acted on when nothing has changed for quiet, and after patience in
// any case: editors and checkouts write in several steps.
const (
	quiet    = 75 * time.Millisecond
	patience = time.Second
)

// Run watches the files and reloads when they change, until the context ends.
// It loads once at its beginning, so that nothing is missed since Open. report,
// which may be nil, is given the set after that and then each time that it, or
// what is wrong with it, changed; it is called from Run's goroutine. The error
// means that the system cannot watch files.
func (l *Live) Run(ctx context.Context, report func(*Set)) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("changes of the configuration cannot be watched: %w", err)
	}
	defer w.Close()
	r := &watching{live: l, watcher: w, report: report, watched: map[string]bool{}}
	r.follow(l.Set())
	r.reload(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case ev := <-w.Events:
			if r.plan.concerns(ev.Name) {
				r.later()
			}
		case <-w.Errors: // events were lost
			r.later()
		case <-r.timer():
			r.first, r.alarm = time.Time{}, nil
			r.reload(ctx)
		}
	}
}

// watching is one Run.
type watching struct {
	live    *Live
	watcher *fsnotify.Watcher
	report  func(*Set)
	plan    plan
	watched map[string]bool
	told    string

	alarm *time.Timer
	first time.Time // of the changes that are waited out
}

// later has the configuration reloaded when the changes are over.
func (r *watching) later() {
	now := time.Now()
	if r.alarm == nil {
		r.first, r.alarm = now, time.NewTimer(quiet)
		return
	}
	r.alarm.Reset(max(0, min(quiet, patience-now.Sub(r.first))))
}

func (r *watching) timer() <-chan time.Time {
	if r.alarm == nil {
		return nil
	}
	return r.alarm.C
}

// reload loads, reports a difference and follows the files to where they are now.
func (r *watching) reload(ctx context.Context) {
	set, err := r.live.Reload(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		r.log("the configuration could not be reloaded: " + err.Error())
		return
	}
	if digest := set.digest(); digest != r.told {
		r.told = digest
		if r.report != nil {
			r.report(set)
		}
	}
	if r.follow(set) { // what happened there before it was watched was not seen
		r.later()
	}
}

func (r *watching) log(line string) {
	if r.live.opts.Log != nil {
		r.live.opts.Log.Warn(line)
	}
}

// follow watches the folders that matter now. It reports whether some are new.
func (r *watching) follow(s *Set) (more bool) {
	r.plan = s.plan()
	dirs := r.plan.folders()
	for dir := range r.watched {
		if !slices.Contains(dirs, dir) {
			_ = r.watcher.Remove(dir) // it may be gone
			delete(r.watched, dir)
		}
	}
	listed := r.watcher.WatchList()
	for _, dir := range dirs {
		if slices.Contains(listed, dir) {
			continue
		}
		if err := r.watcher.Add(dir); err != nil {
			if !r.watched[dir] {
				r.log(fmt.Sprintf("changes in %s are not noticed: %v", dir, err))
			}
			r.watched[dir] = true // say so once
			continue
		}
		r.watched[dir], more = true, true
	}
	return more
}
