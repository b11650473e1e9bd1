package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/keep"
)

// Variable tells programs that they are asked about the past, when they are asked at all.
const Variable = environ.ReplayVariable + "=1"

// target is a configuration that events of the past are fired at. Its hooks that could
// act are not asked, unless the plan says so.
type target struct {
	plan   *Rerun
	set    *config.Set
	engine *hook.Engine
	worlds *worlds
	state  *guards.State

	beside bool // its guards are asked about events of other folders

	acts  map[string]string // why a hook is not asked, by its id
	tries map[string]int    // how often more one is asked that fails
	own   bool              // a hook of it keeps something of its own from call to call
	gaps  bool              // not all of its hooks could be read

	watched bool // a hook of the observe lane is waited for, which may keep something too
}

// open reads the configuration of a folder that events are fired at. What is wrong
// with it is told; an error means that nothing can be fired at it.
func (p *Rerun) open(ctx context.Context, folder string, state *guards.State, worlds *worlds) (*target, error) {
	t := &target{plan: p, engine: new(hook.Engine), worlds: worlds, state: state, acts: map[string]string{}, tries: map[string]int{}, beside: strings.HasPrefix(folder, beside)}
	options := p.options(folder)
	options.Guards = t.guard
	var err error
	if t.set, err = config.Load(ctx, options); err != nil {
		return nil, err
	}
	if err := t.mistakes(); err != nil {
		return nil, errors.Join(err, t.set.Close())
	}
	if len(p.Guards) > 0 {
		if err := t.set.UseGuards(p.Guards, t.guard); err != nil {
			return nil, errors.Join(err, t.set.Close())
		}
	}
	t.weigh()
	t.engine.Wrap(t.layer)
	if err := t.fill(); err != nil {
		return nil, errors.Join(err, t.set.Close())
	}
	t.engine.Analyse = t.analyse(t.engine.Analyse)
	return t, nil
}

// options say how the configuration of a folder is read: what it has cannot act.
func (p *Rerun) options(folder string) config.Options {
	options := p.Options
	options.Memory = func(string, string, string) hook.Memory { return beyond{} }
	options.Relay = func(context.Context) hook.Relay { return beyond{} }
	options.MemoryHooks, options.Webhooks = nil, nil
	options.Guards, options.Still, options.Past = nil, !p.Act, true
	if !p.Act {
		options.Transport = noNetwork{}
	}
	folder, other := strings.CutPrefix(folder, beside)
	switch {
	case p.Config != "" && !other: // the file is in place of the root's that the agent worked in
		options.File = p.Config
	case folder != "":
		options.Dir, options.TrustedOnly = folder, true
	}
	return options
}

// mistakes is the error of a file that was named and has some. Those of the others are
// told, and what they keep from being read is not compared.
func (t *target) mistakes() error {
	var named []string
	for _, p := range t.set.Problems {
		if t.plan.Config != "" && !t.beside {
			named = append(named, p.String())
			continue
		}
		t.gaps = true
		t.plan.wrong.add(p.String())
	}
	if len(named) > 0 {
		return fmt.Errorf("the configuration has mistakes:\n%s", strings.Join(named, "\n"))
	}
	for _, p := range t.set.Skipped {
		t.plan.wrong.add(p.String())
	}
	if t.set.Unread {
		t.plan.wrong.add(t.set.Workspace + ": its hooks are not trusted as they are, and not read; look at them with hookway list, then run: hookway trust")
	}
	t.gaps = t.gaps || len(t.set.Skipped) > 0 || t.set.Unread
	return nil
}

// mistakes are those of configurations, each once: several workers read one. A nil one
// takes nothing.
type mistakes struct {
	mu   sync.Mutex
	told map[string]bool
}

func (m *mistakes) add(text string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.told == nil {
		m.told = map[string]bool{}
	}
	m.told[text] = true
}

// all are the mistakes in an order that is always the same.
func (m *mistakes) all() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.told))
}

// beside begins the name of a folder whose guards are asked beside the hooks of another.
const beside = "beside\x00"

// patience bounds a script that is asked about the past. What was slow then need not be
// slow now, and the other way about.
const patience = 2 * time.Minute

// weigh finds the hooks that could act, and those that keep something from call to call.
func (t *target) weigh() {
	for i := range t.set.Hooks {
		h := &t.set.Hooks[i]
		switch {
		case h.State != config.Active:
			continue
		case h.Kind == "command" || h.Kind == "http" || h.Kind == "grpc":
			t.acts[h.ID] = h.Kind
			continue
		case h.Kind == "script" || h.Kind == "wasm":
			if t.own = true; h.ByNode || len(h.Grants) > 0 {
				t.acts[h.ID] = h.Kind + " with grants"
				continue
			}
			t.tries[h.ID], h.Timeout, h.Retries = h.Retries, patience, 0
			t.watched = t.watched || h.Lane == hook.Observe
		default:
			h.Timeout, h.Retries = 0, 0
		}
	}
	if on := t.set.Settings.Guards; on != nil && on.Policy.Budget.Per == guards.PerDay {
		t.own = true
	}
}

// fill registers the hooks.
func (t *target) fill() error {
	if err := t.set.Fill(t.engine); err != nil {
		return fmt.Errorf("the hooks cannot be used: %w", err)
	}
	return nil
}

// layer keeps a hook from being asked that could act, and has others asked as often as they
// may fail.
func (t *target) layer(h hook.Hook, next hook.Handler) hook.Handler {
	why := t.acts[h.ID]
	if why == "" || t.plan.Act {
		return again(next, t.tries[h.ID], h.Lane)
	}
	id := h.ID
	return hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		if s := shotOf(ctx); s != nil {
			s.passOver(id, why)
		}
		return hook.Decision{}, nil
	})
}

// again asks a handler once more when it has failed, as the engine does. What keeps
// something from call to call may answer then. There is no pause: what it hung on is past.
func again(next hook.Handler, more int, lane hook.Lane) hook.Handler {
	if more == 0 {
		return next
	}
	return hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (d hook.Decision, err error) {
		for range more + 1 {
			d, err = next.Handle(ctx, ev)
			refused := d.RetryDelay < 0 || d.Action == hook.ActionAnswer && lane == hook.Guard
			if err == nil && !refused || ctx.Err() != nil {
				break
			}
		}
		return d, err
	})
}

// guard makes hookway's own rules, with the sessions as the record tells them.
func (t *target) guard(on *config.Guards) hook.Handler {
	return &guards.Guard{Policy: on.Policy, State: t.state, Grants: pastGrants{}, Went: went}
}

// analyse gives the facts of a call: what is on record of them, and otherwise those of
// today.
func (t *target) analyse(onRecord hook.Analyser) hook.Analyser {
	return func(ctx context.Context, ev hook.AnyEvent) []hook.Fact {
		s := shotOf(ctx)
		if s != nil && s.then != nil && len(s.then.Analyses) > 0 {
			return onRecord(ctx, ev)
		}
		w, ok := t.worlds.of(ev.Head().CWD)
		if !ok {
			w = guards.NearWorld(ev.Head().CWD, command.Environ(ctx))
		}
		if on := t.set.Settings.Guards; on != nil {
			w.Scratch = on.Policy.Scratch
		}
		if s != nil {
			s.note(func() { s.analysed = true })
		}
		return facts.Of(ev, w)
	}
}

func (t *target) close() error { return t.set.Close() }

// shot is one firing of a moment.
type shot struct {
	moment *Moment
	then   *keep.Replaying // nil: little is on record
	others []*target       // of the other roots whose guards were asked then

	mu       sync.Mutex
	passed   []string // ids of hooks that were not asked
	kinds    []string // why, of each
	analysed bool     // the call was analysed anew
	beyond   bool     // a hook asked for what is not there in a replay
}

type shotKey struct{}

func shotOf(ctx context.Context) *shot {
	s, _ := ctx.Value(shotKey{}).(*shot)
	return s
}

// note notes something of the firing; hooks run side by side.
func (s *shot) note(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
}

func (s *shot) passOver(id, why string) {
	s.note(func() {
		if !slices.Contains(s.passed, id) {
			s.passed, s.kinds = append(s.passed, id), append(s.kinds, why)
		}
	})
}

// why says why a hook was not asked.
func (s *shot) why(id string) string { return s.kinds[slices.Index(s.passed, id)] }

// pastGrants let the calls through that a person let through then.
type pastGrants struct{}

// Use says what the record says.
func (pastGrants) Use(ctx context.Context, _ guards.Call) (g guards.Grant, ok bool, err error) {
	if s := shotOf(ctx); s != nil {
		g.By, ok = s.moment.Granted, s.moment.Granted != ""
	}
	return g, ok, nil
}

// Offer has nothing to offer: the call is over.
func (pastGrants) Offer(context.Context, guards.Call) (string, error) { return "", nil }

// Return takes nothing back: the grant is one of then.
func (pastGrants) Return(context.Context, guards.Call, guards.Grant) error { return nil }

// went says whether a call was stopped then: its session went on from there.
func went(ctx context.Context) (stopped, known bool) {
	s := shotOf(ctx)
	if s == nil {
		return false, false
	}
	if s.moment.Undecided {
		return false, true
	}
	for i := range s.moment.Then.Steps {
		if step := &s.moment.Then.Steps[i]; step.Hook == guards.ID {
			return step.Action == hook.ActionBlock.String(), true
		}
	}
	return s.moment.Then.Action == hook.ActionBlock.String(), true
}

// noNetwork refuses every request.
type noNetwork struct{}

// RoundTrip refuses.
func (noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	return nil, errors.New("nothing is sent in a replay; --run asks hooks that could act")
}

// errReplay is the error of what is not there in a replay.
var errReplay = errors.New("it is not there in a replay: what it held then is not known")

// beyond is the memory, and the way to others, of scripts in a replay: there is none, and
// what a script decides for want of it is not compared.
type beyond struct{}

func (beyond) fail(ctx context.Context) error {
	if s := shotOf(ctx); s != nil {
		s.note(func() { s.beyond = true })
	}
	return errReplay
}

func (b beyond) Save(ctx context.Context, _ string) (string, error) { return "", b.fail(ctx) }
func (b beyond) Search(ctx context.Context, _ string) ([]hook.Remembered, error) {
	return nil, b.fail(ctx)
}
func (b beyond) Forget(ctx context.Context, _ string) error          { return b.fail(ctx) }
func (b beyond) List(ctx context.Context) ([]hook.Remembered, error) { return nil, b.fail(ctx) }
func (b beyond) Send(ctx context.Context, _, _ string) error         { return b.fail(ctx) }
func (b beyond) Broadcast(ctx context.Context, _ string) error       { return b.fail(ctx) }
