package config

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
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
		r.live.opts.Log(hook.LogLine(line))
	}
}

// digest is equal for sets between which a user would see no difference.
func (s *Set) digest() string {
	var hooks []string
	for _, h := range s.Hooks {
		hooks = append(hooks, h.ID, h.mark, string(h.State))
	}
	data, err := json.Marshal([]any{hooks, s.Problems, s.Warnings, s.Trust, s.Settings})
	if err != nil {
		return fmt.Sprintf("%p", s) // cannot be; then every load is reported
	}
	return string(data)
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

// plan says which paths matter: files, and trees with all that is in them.
type plan struct {
	files []string
	trees []tree
}

// tree is a folder of hooks. Links in a workspace are followed as far as they stay in it.
type tree struct {
	path   string
	within string // the workspace, or "" if it is the user's own
}

// plan lists what a set was made of, and what would make another one of it.
func (s *Set) plan() plan {
	p := plan{files: []string{filepath.Join(s.stateDir, "trust.json")}}
	p.add(s.UserDir, "", userFolders)
	if s.named != "" {
		p.files = append(p.files, s.named)
	} else {
		for dir := s.dir; ; dir = filepath.Dir(dir) {
			if dir == s.Workspace && s.Unread && s.Trust.State == trust.Missing { // what is in it matters to nobody
				p.add(dir, dir, nil)
				break
			}
			p.add(dir, dir, workspaceFolders)
			if dir == s.Workspace || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	for _, file := range slices.Concat(s.Watched, s.pinned, s.awaited) {
		p.files = append(p.files, file)
		if real, err := filepath.EvalSymlinks(file); err == nil && real != file {
			p.files = append(p.files, real)
		}
	}
	return p
}

func (p *plan) add(dir, within string, folders []folder) {
	p.files = append(p.files, filepath.Join(dir, fileName), filepath.Join(dir, fileNameYML))
	for _, name := range scriptNames {
		p.files = append(p.files, filepath.Join(dir, name))
	}
	for _, f := range folders {
		p.trees = append(p.trees, tree{filepath.Join(dir, filepath.FromSlash(f.path)), within})
	}
}

// concerns reports whether a change at a path may change the set: at one of the
// plan's, in a tree, or at a folder on the way to one.
func (p *plan) concerns(path string) bool {
	on := func(target string) bool {
		return path == target || strings.HasPrefix(target, path+string(os.PathSeparator))
	}
	return slices.ContainsFunc(p.files, on) || slices.ContainsFunc(p.trees, func(t tree) bool {
		return on(t.path) || strings.HasPrefix(path, t.path+string(os.PathSeparator))
	})
}

// maxWatched bounds how many folders are watched.
const maxWatched = 512

// folders lists the existing folders in which the plan's paths are, or will be.
func (p *plan) folders() []string {
	var out []string
	add := func(dir string) {
		if !slices.Contains(out, dir) && len(out) < maxWatched {
			out = append(out, dir)
		}
	}
	paths := slices.Clone(p.files)
	for _, t := range p.trees {
		paths = append(paths, t.path)
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		for !isDir(dir) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
		add(dir)
	}
	for _, t := range p.trees {
		if isDir(t.path) {
			add(t.path)
		}
		_ = trust.WalkHooks(t.within, t.path, func(e disk.Entry) error {
			if e.Err == nil && e.Info.IsDir() && e.Real == "" {
				add(e.Path)
			}
			return nil // what cannot be read is not watched
		})
	}
	return out
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
