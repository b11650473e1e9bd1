package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/internal/visible"
)

// A call that hookway's own rules stop can pass by a person's word, once. What comes of
// that word is known only when all hooks have answered, and the agent has the answer.

// FireSettled fires an event at the hooks of a set for a program that can be asked, with
// what the user must know of hooks that do not run.
func FireSettled(ctx context.Context, engine *hook.Engine, set *config.Set, ask Approvals, ev hook.AnyEvent) (hook.Outcome[any], error) {
	ctx, one := guards.Begin(ctx, ev)
	out, err := engine.Fire(ctx, ev)
	keep.WatchOf(ctx).Decided(&out)
	more := ""
	if err == nil {
		Caution(set, ev, &out)
		more = one.Explain(ctx, &out)
		err = approved(ctx, engine, set, ask, one, ev, &out, more)
	}
	out.Reason += more + one.Settle(ctx, &out, func(out hook.Outcome[any]) bool { return stops(out.Action) })
	return out, err
}

// stops reports whether a call is not made that this is decided about.
func stops(a hook.Action) bool {
	return a == hook.ActionBlock || a == hook.ActionRetry || a == hook.ActionAnswer
}

// approved has a person decide about what hooks ask of a program's call. The program can
// ask, too; where calls are always held, it waits.
func approved(ctx context.Context, engine *hook.Engine, set *config.Set, ask Approvals, one *guards.OneCall, ev hook.AnyEvent, out *hook.Outcome[any], more string) error {
	if ask == nil || out.Action != hook.ActionAsk || one.Never() {
		return nil
	}
	call, ok := callOf(ctx, engine, ev, out)
	if !ok {
		return nil
	}
	call.Reason += more
	a := &asking{
		open: ask, config: &set.Approvals, call: call, fallback: set.AskFallback(out.By), inPlace: true, patience: set.Approvals.Timeout,
		asked: func(*approve.Request) { one.Asked() },
	}
	if deadline, ok := ctx.Deadline(); ok {
		a.patience = min(a.patience, time.Until(deadline)-mostMargin)
	}
	waits, err := a.decide(ctx, out)
	if out.Action == hook.ActionBlock {
		out.Reason += waits
	}
	return err
}

// settle has the rules take note of what came of a call for the agent. A block says from
// then on what more there is to say of it. Of an ask, that is given, for its words may be
// followed by those that nobody can be asked. What was decided stands, also if a bug of
// ours ends it.
func (r *request) settle(ctx context.Context, out *hook.Outcome[any]) (more string, err error) {
	defer func() {
		if p := recover(); p != nil {
			more, err = "", nil
			r.log(fmt.Sprintf("panic while %s was settled: %v\n%s", r.ev.Info().Name, p, debug.Stack()))
		}
	}()
	more = r.one.Explain(ctx, out)
	waits, err := r.approve(ctx, out, more)
	more += waits
	more += r.one.Settle(ctx, out, func(out hook.Outcome[any]) bool {
		for _, w := range r.all() {
			confirm(w.set, r.ev, &out)
		}
		return stops(r.fit(out).Outcome.Action)
	})
	if out.Action == hook.ActionBlock {
		out.Reason += more
	}
	return more, err
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
	too, err2 := r.giveYesBack()
	given, err = given || too, errors.Join(err, err2)
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
		record.By, record.Reason = cmp.Or(record.By, guards.ID), visible.Join("; ", record.Reason, who)
	}
	return record
}
