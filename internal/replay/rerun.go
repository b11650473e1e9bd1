package replay

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"iter"
	"runtime"
	"slices"
	"sync"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/chance"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/keep"
)

// Rerun says which events of the past are fired again, and at which hooks.
type Rerun struct {
	// Moments are the events, in the order in which they happened. What cannot be read is
	// an error; the rest goes on.
	Moments iter.Seq2[*Moment, error]

	Options config.Options // how a configuration is read
	Environ []string       // what hooks and calls find, KEY=VALUE
	Dir     string         // where events happened that do not say it

	// Config is one hookway.yaml that is used for every event in place of the workspace's.
	// Without it each event is fired at what its own workspace has now; events of no
	// workspace at what Options say.
	Config string

	// Guards are words as in `hookway guards use`, and a mode, which say what hookway's own
	// rules are in place of what the configuration says. None: as it says.
	Guards []string

	// Act has hooks asked that could act: commands, servers, scripts with grants.
	Act bool

	// Anew has calls analysed anew over what is on record of the files of that time.
	Anew bool

	// Pick is how many changed events of each hook and kind are kept for SaveTests.
	Pick int

	workers int // 0: as many as there are processors
	wrong   *mistakes
}

// worker fires the events of some sessions, in their order.
type worker struct {
	p      *Rerun
	worlds *worlds
	state  guards.State
	counts *changes

	targets map[string]*target
	failed  map[string]error
	order   []string // workspaces, the one that was used last at the end
}

// mostTargets bounds how many workspaces are open at once.
const mostTargets = 64

// Sessions in memory of one worker at most.
const mostSessions = 1024

func newWorker(p *Rerun, w *worlds) *worker {
	k := &worker{p: p, worlds: w, counts: newChanges(p.Pick), targets: map[string]*target{}, failed: map[string]error{}}
	k.state.ReadFile, k.state.Most = unread, mostSessions
	return k
}

// Compare fires the events again and compares what is decided now with what was then. An
// error is of a configuration that cannot be used, or of a context that ended.
func (p Rerun) Compare(ctx context.Context) (*Comparison, error) {
	ctx = command.WithEnviron(ctx, append(p.Environ[:len(p.Environ):len(p.Environ)], Variable))
	n := p.workers
	if n == 0 {
		n = min(runtime.GOMAXPROCS(0), 8)
	}
	worlds := newWorlds(p.Environ)
	p.wrong = new(mistakes)
	workers := make([]*worker, n)
	for i := range workers {
		workers[i] = newWorker(&p, worlds)
		defer workers[i].close()
	}
	if p.Config != "" { // a mistake in it is told before anything is read
		if _, err := workers[0].target(ctx, ""); err != nil {
			return nil, err
		}
	}
	report := &Comparison{}
	problems := p.deal(ctx, workers)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var lacking []lack
	for _, k := range workers {
		report.add(k.counts)
		lacking = append(lacking, k.counts.lacking...)
	}
	slices.SortFunc(lacking, func(a, b lack) int { return a.number - b.number })
	for _, l := range lacking[:min(len(lacking), mostLacks)] {
		report.Lacks = append(report.Lacks, l.text)
	}
	for _, text := range p.wrong.all() {
		problems.add(errors.New(text), worlds.home)
	}
	report.finish(problems)
	return report, nil
}

// deal gives each worker the events of its sessions. Where hooks keep something of their
// own, or a budget is of a day, all events of a workspace go to one.
func (p *Rerun) deal(ctx context.Context, workers []*worker) *problems {
	var all sync.WaitGroup
	queues := make([]chan *Moment, len(workers))
	for i, k := range workers {
		queues[i] = make(chan *Moment, 64)
		all.Go(func() {
			for m := range queues[i] {
				if ctx.Err() == nil {
					k.take(ctx, m)
				}
			}
		})
	}
	d, found := &dealer{p: p, worlds: workers[0].worlds, n: uint64(len(workers)), seed: maphash.MakeSeed(), own: map[string]bool{}, at: map[string]uint64{}}, &problems{}
	number := 0
	for m, err := range p.Moments {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			found.add(err, workers[0].worlds.home)
			continue
		}
		number++
		m.number = number
		queues[d.worker(ctx, m)] <- m
	}
	for _, q := range queues {
		close(q)
	}
	all.Wait()
	return found
}

// hooks is the folder whose hooks an event is fired at.
func (p *Rerun) hooks(m *Moment) string {
	if p.Config != "" {
		return ""
	}
	return m.Hooks
}

// dealer says which worker gets an event. It opens configurations of its own: those of a
// worker are opened and closed by that worker alone, while nothing is fired at them.
type dealer struct {
	p      *Rerun
	worlds *worlds
	n      uint64 // workers
	seed   maphash.Seed
	own    map[string]bool   // by folder: all its events go to one worker
	at     map[string]uint64 // by session: the worker, which stays the same
}

// worker is the one that gets an event. What its session did before is known to it alone,
// so a session that goes on in another workspace stays where it is.
func (d *dealer) worker(ctx context.Context, m *Moment) uint64 {
	session := m.Then.Session
	if session == "" {
		return 0
	}
	at, decided := d.at[session]
	if !decided {
		if !d.keeps(ctx, d.p.hooks(m)) {
			at = maphash.String(d.seed, session) % d.n
		}
		d.at[session] = at
	}
	return at
}

// keeps reports whether the hooks of a folder keep something of their own.
func (d *dealer) keeps(ctx context.Context, folder string) bool {
	own, known := d.own[folder]
	if !known {
		if t, err := d.p.open(ctx, folder, new(guards.State), d.worlds); err == nil {
			own = t.own
			_ = t.close()
		}
		d.own[folder] = own
	}
	return own
}

// target gives the hooks of a folder, and reads them once. Where too many are open, it
// closes those that were not used for the longest time.
func (k *worker) target(ctx context.Context, folder string) (*target, error) {
	if err := k.failed[folder]; err != nil {
		return nil, err
	}
	if i := slices.Index(k.order, folder); i >= 0 {
		k.order = append(slices.Delete(k.order, i, i+1), folder)
		return k.targets[folder], nil
	}
	t, err := k.p.open(ctx, folder, &k.state, k.worlds)
	if err != nil {
		k.failed[folder] = err
		return nil, err
	}
	k.targets[folder] = t
	k.order = append(k.order, folder)
	if len(k.order) > mostTargets {
		old := k.order[0]
		k.order = slices.Delete(k.order, 0, 1)
		_ = k.targets[old].close()
		delete(k.targets, old)
	}
	return t, nil
}

// take fires one event and counts what came of it.
func (k *worker) take(ctx context.Context, m *Moment) {
	c := k.counts
	if m.Lacks != "" {
		c.lacks(m)
		return
	}
	t, err := k.target(ctx, k.p.hooks(m))
	if err != nil {
		c.incomparable(m, "the hooks of its folder cannot be read: "+hook.LogLine(err.Error()))
		return
	}
	ev, err := m.event(t.engine, k.p.Dir)
	if err != nil {
		m.Lacks = "it cannot be read: " + hook.LogLine(err.Error())
		c.lacks(m)
		return
	}
	s := &shot{moment: m}
	firing := context.WithValue(ctx, shotKey{}, s)
	if m.Kept != nil {
		s.then = &keep.Replaying{Event: m.Kept, Anew: k.p.Anew, ReadFile: k.worlds.readFile, Key: m.Key, Fired: ev}
		firing = guards.WithPast(firing, s.then)
		if seed := m.Key.Unsealed(m.Kept.Chance); seed != nil {
			firing = chance.With(firing, chance.From(seed))
		}
	}
	s.others = k.others(ctx, m)
	firing, one := guards.Begin(firing, ev)
	out, err := t.engine.Fire(firing, ev)
	if err == nil && m.Then.Native != "" && m.Was == "" { // as when the agent reported it
		t.engine.FailedTool(firing, ev, &out)
	}
	if err == nil && t.watched {
		err = t.engine.Close(ctx)
	}
	if err == nil {
		err = s.askOthers(firing, t, ev, &out)
	}
	if err != nil {
		if ctx.Err() == nil {
			c.incomparable(m, "it could not be fired: "+hook.LogLine(err.Error()))
		}
		return
	}
	then := heard(m.Then.Steps)
	if m.Kept != nil {
		then.settle(&m.Kept.Verdict)
	}
	one.Settle(firing, &out, func(hook.Outcome[any]) bool { return m.Then.Action == hook.ActionBlock.String() })
	if !m.Before {
		c.compared(t, s, ev, &out, then)
	}
}

// others are the hooks of the other roots whose guards were asked then; nil stands for
// those of one of which nothing can be said.
func (k *worker) others(ctx context.Context, m *Moment) []*target {
	if m.Kept == nil || len(m.Kept.Others) == 0 {
		return nil
	}
	others := make([]*target, len(m.Kept.Others))
	for i, folder := range m.Kept.Others[:min(len(others), mostTargets/2)] { // the event's own stays open
		if t, err := k.target(ctx, beside+folder); err == nil && !t.gaps {
			others[i] = t
		}
	}
	return others
}

// askOthers asks the guards of the other roots about the event as the hooks have left it,
// as they are asked in earnest; those of which nothing can be said are not.
func (s *shot) askOthers(ctx context.Context, t *target, ev hook.AnyEvent, out *hook.Outcome[any]) error {
	before := []*config.Set{t.set}
	for _, o := range s.others {
		if o == nil {
			continue
		}
		if !config.Runs(out.Action) {
			return nil
		}
		left, err := config.Beside(ev, out)
		if err != nil {
			return err
		}
		more, err := o.engine.Guards(ctx, left, o.set.AsksBeside(before))
		if err != nil {
			return err
		}
		config.Merge(out, &more)
		before = append(before, o.set)
	}
	return nil
}

// unread stands for files of a session: what they held then is not known. A file that
// cannot be read counts as changed, and as one that nobody has looked into.
func unread(string, int) ([]byte, error) { return nil, fs.ErrNotExist }

func (k *worker) close() {
	for _, t := range k.targets {
		_ = t.close()
	}
}
