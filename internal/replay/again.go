package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/keep"
)

// Again is one event of the record, beside what the hooks of today say of it.
type Again struct {
	Then Decided `json:"then"`
	Now  Decided `json:"now"`
	Same bool    `json:"same"`

	// NotReplayable says why nothing is known of Now; "" if something is.
	NotReplayable string `json:"not_replayable"`

	NotAsked []NotAsked `json:"not_asked"` // hooks that could act

	// YAML is the event as a case for hooks_test.yaml, with what is decided now; NoCase says
	// why there is none.
	YAML   string `json:"-"`
	File   string `json:"-"` // where it belongs
	NoCase string `json:"-"`
}

// Decided is what was decided, by whom and why.
type Decided struct {
	Action string `json:"action"`
	By     string `json:"by"`
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Again fires one event of the record again, after what its session did before it, so that
// rules over sessions know of that. Moments is not used, and what is decided comes without
// secrets. The error of a record that is not there is audit.ErrNoSuch.
func (p Rerun) Again(ctx context.Context, dir string, seq int64) (*Again, error) {
	whole, err := audit.One(dir, seq)
	if err != nil {
		return nil, err
	}
	r := &whole.Record
	out := &Again{Then: Decided{r.Action, r.By, r.Rule, r.Reason}, NotAsked: []NotAsked{}}
	if _, err := fromWhole(&whole); errors.Is(err, errNoEvent) {
		out.NotReplayable, out.NoCase = err.Error(), err.Error()
		return out, nil
	}
	p.wrong, p.Pick = new(mistakes), 1
	worlds := newWorlds(p.Environ)
	k := newWorker(&p, worlds)
	defer k.close()
	var seen *comparison
	k.counts.see = func(x *comparison) { seen = x }
	ctx = command.WithEnviron(ctx, append(p.Environ[:len(p.Environ):len(p.Environ)], Variable))
	if err := k.upTo(ctx, dir, &whole); err != nil {
		return nil, err
	}
	for _, one := range k.counts.asked {
		out.NotAsked = append(out.NotAsked, *one)
	}
	if seen == nil {
		out.NotReplayable = "it was not fired"
		for why := range k.counts.why { // the only one
			out.NotReplayable = why.Why
		}
		out.NoCase = out.NotReplayable
		return out, nil
	}
	out.take(seen)
	return out, nil
}

// slack is how far clocks of processes that write a record may differ.
const slack = time.Minute

// upTo fires the events of a session up to one of them.
func (k *worker) upTo(ctx context.Context, dir string, last *audit.Whole) error {
	key := keep.ReadPlaceholders(audit.EventsDir(dir))
	fire := func(w *audit.Whole) error {
		m, err := fromWhole(w)
		if err != nil { // it is about no decision
			return nil
		}
		m.Before, m.Hooks, m.Key = w.Record.Seq != last.Record.Seq, hooksOf(&w.Record), key
		k.take(ctx, &m)
		return ctx.Err()
	}
	if session := last.Record.Session; session != "" {
		for w, err := range audit.Events(ctx, dir, audit.Filter{Session: session, Until: last.Record.Time.Add(slack)}) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil || w.Record.Seq >= last.Record.Seq { // what cannot be read is left out, as in a replay
				continue
			}
			if err := fire(&w); err != nil {
				return err
			}
		}
	}
	return fire(last)
}

// take takes over what came of the event.
func (a *Again) take(x *comparison) {
	kind, _, _ := x.change()
	if a.NotReplayable = x.unknown(); a.NotReplayable == "" {
		a.NotReplayable = x.excuse(kind)
	}
	if a.NotReplayable != "" {
		a.NoCase = a.NotReplayable
		return
	}
	if x.then.action == hook.ActionAsk { // whatever a person answered then, hooks did not
		a.Then.Action = hook.ActionAsk.String()
	}
	a.Now = Decided{x.out.Action.String(), x.out.By, x.out.Rule, redact.Text(x.out.Reason)}
	a.Same = kind == Same
	one := x.pick(kind)
	switch {
	case one == nil:
		a.NoCase = x.noCase()
		return
	case one.away:
		a.NoCase = fmt.Sprintf("it happened in %s, and a case beside %s cannot be there", cmp.Or(x.ev.Head().CWD, "no folder"), one.folder)
		return
	}
	text, err := one.YAML(one.folder)
	if a.YAML, a.File = text, filepath.Join(one.folder, testFile); err != nil {
		a.NoCase = "it cannot be written as a case: " + err.Error()
	}
}

// noCase says why an event is not a case for hooks_test.yaml.
func (c *comparison) noCase() string {
	switch {
	case c.s.moment.Granted != "":
		return "a person let this call through, which a case cannot say"
	case ofSessions(c.now.rule) || ofSessions(c.then.rule):
		return "a rule decided that is about more than one call; a case has one"
	case c.t.set.Workspace == "":
		return "no folder above it has hooks of its own, beside which a case could stand"
	}
	return fmt.Sprintf("%s decides, which is not of its workspace; cases test what the workspace has", orNobody(c.out.By))
}
