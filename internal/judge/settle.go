package judge

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/keep"
)

// A call that hookway's own rules stop can pass by a person's word, once. What comes of
// that word is known only when all hooks have answered, and the agent has the answer.

// FireSettled fires an event at the hooks of a set for a program that can be asked, with
// what the user must know of hooks that do not run.
func FireSettled(ctx context.Context, engine *hook.Engine, set *config.Set, ev hook.AnyEvent) (hook.Outcome[any], error) {
	ctx, one := guards.Begin(ctx, ev)
	out, err := engine.Fire(ctx, ev)
	keep.WatchOf(ctx).Decided(&out.Verdict)
	if err == nil {
		Caution(set, ev, &out)
	}
	out.Reason += one.Settle(ctx, &out, func(out hook.Outcome[any]) bool { return stops(out.Action) })
	return out, err
}

// stops reports whether a call is not made that this is decided about.
func stops(a hook.Action) bool {
	return a == hook.ActionBlock || a == hook.ActionRetry || a == hook.ActionAnswer
}

// settle has the rules take note of what came of a call for the agent. A block says from
// then on what more there is to say of it. Of an ask, that is given, for its words may be
// followed by those that nobody can be asked. What was decided stands, also if a bug of
// ours ends it.
func (r *request) settle(ctx context.Context, out *hook.Outcome[any]) (more string) {
	defer func() {
		if p := recover(); p != nil {
			more = ""
			r.log(fmt.Sprintf("panic while %s was settled: %v\n%s", r.ev.Info().Name, p, debug.Stack()))
		}
	}()
	more = r.one.Settle(ctx, out, func(out hook.Outcome[any]) bool {
		for _, w := range r.all() {
			confirm(w.set, r.ev, &out)
		}
		return stops(r.fit(out).Outcome.Action)
	})
	if out.Action == hook.ActionBlock {
		out.Reason += more
	}
	return more
}

// all are the workspaces whose hooks are asked.
func (r *request) all() []*Workspace { return append([]*Workspace{r.w}, r.others...) }

// giveBack gives back the grant of a call that is refused without an outcome. It says
// what became of it.
//
// Where an answer gets lost, who asked answers by itself, or not at all. If that was a
// refusal, the grant is given back; whatever else it was, the call may have been made,
// and the grant stays used.
func (r *request) giveBack() string {
	given, err := r.one.GiveBack(context.Background())
	switch {
	case err != nil:
		r.log(err.Error())
	case given:
		return "; a person had let this call through once, and that was given back"
	}
	return ""
}

// recordOf is the record of an outcome. It says who let a call through that a rule stops.
func recordOf(ev hook.AnyEvent, out *hook.Outcome[any], took time.Duration) audit.Record {
	record := audit.FromOutcome(ev, out, took)
	if out == nil {
		return record
	}
	if who := guards.LetThrough(out); who != "" {
		record.By, record.Reason = cmp.Or(record.By, guards.ID), joined(record.Reason, who, "; ")
	}
	return record
}
