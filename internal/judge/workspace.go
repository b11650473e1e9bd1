package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/trust"
)

// maxWorkspaces bounds how many workspaces are kept warm. The one that was not
// used for longest goes when there is a new one.
const maxWorkspaces = 64

// maxPlaces bounds of how many folders the workspace is remembered.
const maxPlaces = 256

// closeGrace bounds how long the hooks of a workspace have to end.
const closeGrace = 5 * time.Second

// Workspace is the hooks of one folder, ready to fire.
type Workspace struct {
	Folder string // "" if no folder above has hooks: then only the user's run
	Engine *hook.Engine

	live  *config.Live
	set   *config.Set // as of this call
	entry *entry
}

// workspaces keeps the engines of all folders that agents work in.
type workspaces struct {
	mu     sync.Mutex
	kept   map[string]*entry
	places map[string]*config.Location // by folder and settings
	closed bool
}

// entry is a workspace that is kept warm.
type entry struct {
	ready  chan struct{} // closed when engine and live, or err, are there
	engine *hook.Engine
	live   *config.Live
	err    error
	logged atomic.Pointer[config.Set] // whose mistakes were logged

	users int       // calls under way; guarded by workspaces.mu
	used  time.Time // last; guarded by workspaces.mu
	gone  bool      // no longer listed; guarded by workspaces.mu
	owner *workspaces

	parting  func()    // called before it is closed
	registry *registry // of the hooks that were added from outside
	folder   string    // the workspace; "" if there is none
	scope    string    // without one, the nearest folder above for which hooks were added
}

// openAt finds the workspace of a place and reads what changed in it.
func (s *workspaces) openAt(ctx context.Context, j *Judge, at place) (*Workspace, error) {
	opts, key := at.options()
	opts.Memory, opts.MemoryHooks, opts.Guards, opts.Relay, opts.Webhooks = j.Memory, j.MemoryHooks, j.Guards, senderOf, j.Webhooks
	folder := ""
	if at.dir != "" {
		var err error
		if folder, err = s.locate(at, key, opts); err != nil {
			return nil, err
		}
	}
	if opts.Dir = folder; folder == "" {
		opts.Dir = root(at.dir)
	}
	scope := ""
	if folder == "" {
		scope = j.registry.scope(at.dir)
	}
	e, err := s.enter(ctx, &entry{folder: folder, scope: scope, registry: &j.registry}, key, j, opts)
	if err != nil {
		return nil, err
	}
	set, err := e.live.RefreshBy(ctx, at.seen)
	if err != nil {
		at.log.Warn(fmt.Sprintf("the configuration of %s could not be read again: %v", folder, err))
	}
	if e.logged.Swap(set) != set {
		for _, line := range Complaints(set) {
			at.log.Warn(line)
		}
	}
	return &Workspace{Folder: folder, Engine: e.engine, live: e.live, set: set, entry: e}, nil
}

// locate finds the workspace of a folder, or knows it.
func (s *workspaces) locate(in place, env string, opts config.Options) (string, error) {
	dir := in.dir
	key := dir + "\x00" + env
	s.mu.Lock()
	at := s.places[key]
	s.mu.Unlock()
	if at != nil && at.Fresh(in.seen) {
		return at.Workspace, nil
	}
	at, err := config.Locate(opts)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	if at.Lost {
		at.Workspace = s.guarding(dir, env, at.Workspace)
	}
	if s.places == nil || len(s.places) >= maxPlaces {
		s.places = map[string]*config.Location{}
	}
	s.places[key] = at
	s.mu.Unlock()
	return at.Workspace, nil
}

// guarding is the nearest folder whose hooks run by the user's word, though the
// record of that is lost; without it, untrusted hooks may be nearer. The
// lock is held.
func (s *workspaces) guarding(dir, env, otherwise string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if e := s.kept[at+"\x00"+env]; e != nil && e.trusted() {
			return at
		}
		if at == filepath.Dir(at) {
			return otherwise
		}
	}
}

// trusted reports whether the user trusted the workspace when it was last read.
func (e *entry) trusted() bool {
	select {
	case <-e.ready:
	default:
		return false
	}
	if e.live == nil {
		return false
	}
	state := e.live.Set().Trust.State
	return state == trust.Given || state == trust.Changed
}

// root is a folder above which there is none.
func root(dir string) string { return filepath.VolumeName(dir) + string(filepath.Separator) }

// enter gives a workspace that is ready, and counts the call in; fresh is what it
// is made of if it is not warm.
func (s *workspaces) enter(ctx context.Context, fresh *entry, settings string, j *Judge, opts config.Options) (*entry, error) {
	key := fresh.folder + "\x00" + settings + fresh.scope
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errors.New("hookway is ending")
	}
	e := s.kept[key]
	mine := e == nil
	if mine {
		if s.kept == nil {
			s.kept = map[string]*entry{}
		}
		e = fresh
		e.ready, e.owner = make(chan struct{}), s
		s.kept[key] = e
		defer s.trim()
	}
	e.users++
	e.used = time.Now()
	s.mu.Unlock()
	if mine {
		e.engine = &hook.Engine{Operations: cmp.Or(j.Operations, &j.inMemory)}
		j.changes.follow(e.engine, func() string { return e.folder })
		// The first call's end must not spoil the workspace for the others.
		e.live, e.err = config.Open(context.WithoutCancel(ctx), opts, e.engine)
		if e.err == nil {
			j.watch(e)
			j.registry.join(e, j.log)
			e.parting = func() { j.closing(e) }
		}
		close(e.ready)
		j.opened(e)
	}
	select {
	case <-e.ready:
	case <-ctx.Done():
		s.leave(e)
		return nil, fmt.Errorf("the configuration of %s takes long to read: %w", opts.Dir, ctx.Err())
	}
	if e.err != nil {
		s.mu.Lock()
		if s.kept[key] == e { // the next call tries again
			delete(s.kept, key)
			e.gone = true
		}
		s.mu.Unlock()
		s.leave(e)
		return nil, e.err
	}
	return e, nil
}

// hooks names the hooks as they are now: it changes when one of them does.
func (w *Workspace) hooks() string {
	return fmt.Sprintf("%s\x00%p\x00%d\x00%d", w.Folder, w.live, w.live.Generation(), w.entry.registry.generation.Load())
}

// leave ends the call's use of the workspace.
func (w *Workspace) leave() { w.entry.owner.leave(w.entry) }

func (s *workspaces) leave(e *entry) {
	s.mu.Lock()
	e.users--
	e.used = time.Now()
	end := e.gone && e.users == 0
	s.mu.Unlock()
	if end {
		_ = e.close()
	}
}

// trim lets the workspaces go that were not used for longest, if there are too many.
func (s *workspaces) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.kept) > maxWorkspaces {
		var oldest string
		for key, e := range s.kept {
			if e.users == 0 && (oldest == "" || e.used.Before(s.kept[oldest].used)) {
				oldest = key
			}
		}
		if oldest == "" {
			return
		}
		e := s.kept[oldest]
		delete(s.kept, oldest)
		e.gone = true
		go func() { _ = e.close() }()
	}
}

func (e *entry) close() error {
	if e.live == nil {
		return nil
	}
	if e.parting != nil {
		e.parting()
	}
	e.registry.leave(e)
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	return errors.Join(e.engine.Close(ctx), e.live.Close())
}

// Close ends all hooks. The server waits for calls under way.
func (j *Judge) Close() error {
	j.gateway.end()
	_, end := j.approvals.ending()
	end()
	j.waking.under.Wait()
	s := &j.workspaces
	s.mu.Lock()
	s.closed = true
	var all []*entry
	for _, e := range s.kept {
		all = append(all, e)
	}
	s.kept = nil
	s.mu.Unlock()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, e := range all {
		wg.Go(func() {
			<-e.ready
			errs[i] = e.close()
		})
	}
	wg.Wait()
	return errors.Join(errors.Join(errs...), j.channel().Close())
}

// watch puts on record what hooks do that no outcome tells: those of the observe
// lane, and failures.
func (j *Judge) watch(e *entry) {
	e.engine.Watch(func(n hook.Notice) {
		switch {
		case n.Kind == hook.HookDropped:
			j.log(fmt.Sprintf("hook %s is behind: an event %s was dropped", n.Hook, n.Event))
		case n.Kind == hook.HookError:
			j.log(fmt.Sprintf("hook %s, %s: %v", n.Hook, n.Event, n.Err))
		}
		if n.Lane != hook.Observe || n.Kind != hook.HookCompleted && n.Kind != hook.HookError || j.Record == nil {
			return
		}
		if e.live.Set().Tells(n.Hook) { // it is told, and nothing it does is about the event
			return
		}
		step := audit.Step{Hook: n.Hook, Lane: "observe", Action: "continue", DurationMS: float64(n.Duration) / 1e6}
		if n.Err != nil {
			step.Error, step.Failed = hook.LogLine(n.Err.Error()), true
		}
		ctx, cancel := context.WithTimeout(context.Background(), recordTime)
		defer cancel()
		_ = j.Record(ctx, audit.Record{
			Time: time.Now(), Event: n.Event, EventID: fmt.Sprint(n.EventID), Session: n.Session, Agent: n.Agent, Workspace: e.live.Set().Workspace, Action: audit.Observed,
			Steps: []audit.Step{step}, DurationMS: step.DurationMS, Hide: e.live.Set().Settings.Redact,
		})
	})
}

// askFallback is what an ask of a hook becomes where nobody can be asked.
func (w *Workspace) askFallback(id string) hook.Action { return w.set.AskFallback(id) }

// Load names the workspaces that are kept warm and the sessions that are open, as
// far as the agents tell.
func (j *Judge) Load() (workspaces, open []string) {
	j.workspaces.mu.Lock()
	for key := range j.workspaces.kept {
		if folder, _, _ := strings.Cut(key, "\x00"); folder != "" && !slices.Contains(workspaces, folder) {
			workspaces = append(workspaces, folder)
		}
	}
	j.workspaces.mu.Unlock()
	j.sessions.mu.Lock()
	j.sessions.forget()
	open = slices.Collect(maps.Keys(j.sessions.last))
	j.sessions.mu.Unlock()
	slices.Sort(workspaces)
	slices.Sort(open)
	return workspaces, open
}
