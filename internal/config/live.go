package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// Live keeps an engine's hooks as the configuration has them, while that
// changes. Hooks that did not change keep their workers and their circuits; those
// that did are replaced in one step, and closed after the calls under way.
//
// What does not load leaves what ran before: a file with mistakes keeps the hooks
// that it had, and a workspace that changed keeps the hooks that were trusted,
// until the user trusts the change or takes the trust back.
//
// All methods may be called from many goroutines.
type Live struct {
	engine *hook.Engine
	opts   Options
	set    atomic.Pointer[Set]
	seen   atomic.Pointer[seen] // by Refresh; nil: it must read the files

	generation atomic.Int64 // counts the loads that made a difference

	mu      sync.Mutex // one reload at a time; guards what follows
	retired []*lease
	closed  bool
}

// Open loads the configuration into an engine, which must not fire yet. Hooks
// that the engine has already are left alone. The caller closes the Live when
// nothing is fired any more.
func Open(ctx context.Context, opts Options, engine *hook.Engine) (*Live, error) {
	set, err := Load(ctx, opts)
	if err != nil {
		return nil, err
	}
	l := &Live{engine: engine, opts: opts}
	engine.MaxContinues = set.Settings.MaxContinues
	set.settleAsk(engine, l.Set)
	engine.Analyse = guards.Analyser(command.Environ, func() []string { return l.Set().scratch() })
	l.apply(&Set{}, set)
	l.set.Store(set)
	return l, nil
}

// Set is what runs now, with what was found wrong at the last reload. It must
// not be edited, filled or closed.
func (l *Live) Set() *Set { return l.set.Load() }

// Generation is another number after every load that made a difference to what a
// user would see.
func (l *Live) Generation() int64 { return l.generation.Load() }

// seen is what the files of a plan looked like when they were last read.
type seen struct {
	plan    plan
	sum     uint64
	anchors anchors
}

// Refresh is Reload if a file has changed since the last Refresh, and otherwise
// costs a look at a few files. Whoever calls it before each event needs no Run:
// what was written before the call counts in it.
func (l *Live) Refresh(ctx context.Context) (*Set, error) { return l.RefreshBy(ctx, nil) }

// RefreshBy is Refresh, with what was seen for a call already.
func (l *Live) RefreshBy(ctx context.Context, seenFor *Glances) (*Set, error) {
	last := l.seen.Load()
	if last != nil && last.anchors.hold(seenFor) {
		return l.set.Load(), nil
	}
	if last != nil {
		at := last.plan.anchors() // before the closer look: a change meanwhile is seen next time
		if sum, _ := last.plan.look(time.Now(), nil); sum == last.sum {
			l.seen.Store(&seen{last.plan, sum, at})
			return l.set.Load(), nil
		}
	}
	p := l.set.Load().plan()
	at := p.anchors()
	sum, stable := p.look(time.Now(), nil)
	set, err := l.Reload(ctx)
	if err != nil {
		return set, err
	}
	if after := set.plan(); stable && slices.Equal(after.files, p.files) && slices.Equal(after.trees, p.trees) {
		l.seen.Store(&seen{p, sum, at})
	} else { // something was just written, or other files matter now: look again next time
		l.seen.Store(nil)
	}
	return set, nil
}

// Reload reads the configuration again and puts what changed into the engine.
// The error means that it could not be read at all; then nothing changed.
func (l *Live) Reload(ctx context.Context) (*Set, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.set.Load()
	if l.closed {
		return old, errors.New("the configuration is closed")
	}
	next, err := Load(ctx, l.opts)
	if err != nil {
		return old, err
	}
	merge(old, next)
	next.keepGuards(old)
	next.settleGuards(l.opts.Guards)
	l.apply(old, next)
	l.set.Store(next)
	if next.digest() != old.digest() {
		l.generation.Add(1)
	}
	return next, nil
}

// Close ends everything that the hooks started. Hooks that are called afterwards fail.
func (l *Live) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	errs := []error{l.set.Load().Close()}
	for _, old := range l.retired {
		errs = append(errs, old.Close())
	}
	return errors.Join(errs...)
}

// merge puts into the next set what the old one ran and the next could not load.
func merge(old, next *Set) {
	next.freeze(old)
	var fresh []Hook // of next, replaced by what is kept
	kept := map[string]int{}
	next.Hooks = slices.DeleteFunc(next.Hooks, func(h Hook) bool {
		drop := next.frozen && h.Layer == LayerWorkspace
		if drop {
			fresh = append(fresh, h)
		}
		return drop
	})
	for _, h := range old.active() {
		if h.Kind == kindGuards {
			continue // they are worked out anew
		}
		if h.Layer == LayerWorkspace && !next.frozen && !next.Trust.State.Runs() {
			continue // the user took the trust back
		}
		if next.frozen && h.Layer == LayerWorkspace || next.lacks(h) {
			next.Hooks = slices.DeleteFunc(next.Hooks, func(other Hook) bool { return other.broken && other.File == h.File && other.name == h.name })
			h.Kept = true
			next.Hooks = append(next.Hooks, h)
			kept[h.source]++
		}
	}
	_ = closeHooks(fresh) // they never ran
	slices.SortStableFunc(next.Hooks, inOrder)
	next.name()
	for _, info := range old.events {
		if !slices.ContainsFunc(next.events, func(e *hook.EventInfo) bool { return e.Name == info.Name }) {
			next.events = append(next.events, info) // an engine forgets no event
		}
	}
	if next.Gateway == nil && next.lacksFile() {
		next.Gateway = old.Gateway
	}
	if next.lacksFile() || next.lacksManaged() { // a mistake elsewhere must not switch a PIN off
		next.Approvals = old.Approvals
	}
	hidden := next.Settings.Redact
	if next.frozen || len(kept) > 0 {
		next.Settings = old.Settings
	}
	if next.Settings.Redact = hidden; next.frozen || len(next.Failed) > 0 {
		next.Settings.hide(old.Settings.Redact)
	}
	for _, source := range slices.Sorted(maps.Keys(kept)) {
		hint := "the last good version runs until the file loads"
		if next.frozen && strings.HasPrefix(source, old.Workspace) {
			hint = "look at the changes, then run hookway trust; or hookway untrust"
		}
		next.Warnings = append(next.Warnings, Problem{File: source, Message: fmt.Sprintf("%d of its hooks stay as they were", kept[source]), Hint: hint})
	}
}

// inOrder is the order of registration: by source, and in a folder by name.
func inOrder(a, b Hook) int {
	if a.rank != b.rank || a.File == a.source {
		return a.rank - b.rank
	}
	return strings.Compare(a.File, b.File)
}

// freeze decides whether the workspace's hooks stay what they were: they ran by
// the user's word, and what changed since has not got it yet.
func (s *Set) freeze(old *Set) {
	if old.Workspace == "" || old.Trust.State != trust.Given && !old.frozen || s.Trust.State.Runs() && s.Workspace == old.Workspace {
		return
	}
	if s.lost != "" { // to remove the record is not to take the trust back: anybody may
		s.keep(old, trust.Status{Workspace: old.Workspace, State: trust.Changed, Lost: s.lost})
		return
	}
	if s.Workspace == old.Workspace {
		s.frozen = s.Trust.State == trust.Changed
		return
	}
	if s.Trust.State == trust.Given && disk.Inside(old.Workspace, s.Workspace) {
		return // the user trusted one nearer by
	}
	// The folder lost its hooks.
	if entry, ok := s.entries[old.Workspace]; ok {
		s.keep(old, trust.Status{Workspace: old.Workspace, State: trust.Changed, Changes: trust.Manifest{}.Changes(entry.Files)})
	}
}

// keep has the hooks of the old set's workspace run on as they were.
func (s *Set) keep(old *Set, trust trust.Status) {
	s.frozen, s.Workspace, s.Trust = true, old.Workspace, trust
	s.pinned = append(s.pinned, old.pinned...)
}

// lacks reports whether a hook's file could not be loaded this time.
func (s *Set) lacks(h Hook) bool {
	for _, one := range s.failedHooks {
		if one[0] == h.File && (one[1] == h.name || strings.HasPrefix(h.name, one[1]+"/")) {
			return true
		}
	}
	return slices.ContainsFunc(s.Failed, func(path string) bool {
		return path == h.File || path == h.source || path == s.UserDir && h.Layer == LayerUser || h.Layer == LayerManaged && filepath.Dir(path) == s.managedDir
	})
}

// digest is equal for sets between which a user would see no difference.
func (s *Set) digest() string {
	var hooks []string
	for _, h := range s.Hooks {
		hooks = append(hooks, h.ID, h.mark, string(h.State))
	}
	data, err := json.Marshal([]any{hooks, s.Problems, s.Warnings, s.Trust, s.Settings, s.Approvals})
	if err != nil {
		return fmt.Sprintf("%p", s) // cannot be; then every load is reported
	}
	return string(data)
}

// apply puts the difference between two sets into the engine. The new set's
// hooks take over the handlers of equal ones.
func (l *Live) apply(old, next *Set) {
	if err := next.define(l.engine); err != nil {
		next.Warnings = append(next.Warnings, Problem{File: next.UserDir, Message: strict.Line(err.Error()), Hint: "a changed event means something else only after the next start"})
	}
	if next.Settings.AskFallback != l.engine.AskFallback || next.Settings.MaxContinues != l.engine.MaxContinues {
		next.Warnings = append(next.Warnings, Problem{File: next.UserDir, Message: "ask_fallback and max_continues changed", Hint: "they count from the next start on"})
	}
	running := map[string]Hook{}
	for _, h := range old.active() {
		running[h.ID] = h
	}
	var idle []*lease // handlers that are not called any more, or never were
	gone := map[string]Hook{}
	for id, h := range running {
		gone[id] = h
	}
	for _, changes := range []bool{true, false} { // those that are told of the others first
		for i := range next.Hooks {
			h := &next.Hooks[i]
			if h.State != Active || h.Changes() != changes {
				continue
			}
			before, ok := running[h.ID]
			delete(gone, h.ID)
			if ok && before.mark == h.mark {
				if before.lease != h.lease {
					idle = append(idle, h.lease)
				}
				h.Handler, h.lease, h.late = before.Handler, before.lease, before.late
				continue
			}
			if err := l.put(h.Hook, ok); err != nil {
				next.Problems = append(next.Problems, Problem{File: h.File, Hook: h.ID, Message: strict.Line(err.Error())})
				idle = append(idle, h.lease)
				h.State, h.Handler, h.lease = Refused, nil, nil
			}
		}
	}
	for id := range gone {
		l.engine.Remove(id)
	}
	used := map[*lease]bool{}
	for _, h := range next.Hooks {
		used[h.lease] = true
	}
	for _, h := range running {
		idle = append(idle, h.lease)
	}
	l.retire(idle, used)
	if err := next.beginLate(l.engine); err != nil {
		next.Warnings = append(next.Warnings, Problem{File: next.UserDir, Message: strict.Line(err.Error())})
	}
	next.Warnings = append(next.Warnings, l.misplaced(next)...)
}

func (l *Live) put(h hook.Hook, replace bool) error {
	if !replace {
		return l.engine.Add(h)
	}
	_, err := l.engine.Replace(h)
	return err
}

// retire closes handlers when they are idle, but for those that are in use.
func (l *Live) retire(idle []*lease, used map[*lease]bool) {
	for _, old := range idle {
		if old != nil && !used[old] {
			used[old] = true
			old.retire()
			l.retired = append(l.retired, old)
		}
	}
	l.retired = slices.DeleteFunc(l.retired, (*lease).ended)
}

// misplaced finds hooks whose order among equal priorities is not yet that of
// the files: a hook that is added goes behind those that are there. It matters
// in the transform lane only, and not for hooks that name a namespace: at directives
// the closest one is asked first, wherever it stands.
func (l *Live) misplaced(s *Set) Problems {
	at := map[string]int{}
	for i, h := range s.Hooks {
		at[h.ID] = i
	}
	var out Problems
	var before *hook.Hook
	for _, h := range l.engine.All() {
		i, ours := at[h.ID]
		if !ours || h.Lane != hook.Transform || len(h.Match.Namespace) > 0 {
			continue
		}
		if before != nil && before.Priority == h.Priority && before.Profile.HigherFirst == h.Profile.HigherFirst && i < at[before.ID] {
			out = append(out, Problem{File: s.Hooks[i].File, Hook: h.ID, Message: fmt.Sprintf("it runs after %s until the next start: both have priority %d", before.ID, h.Priority),
				Hint: "give one of them another priority to order them now"})
		}
		before = &h
	}
	return out
}
