package hook

import (
	"context"
	"fmt"
	"time"
)

// Fire runs the hooks of one event and returns their outcome:
//
//	out, err := hook.Fire(ctx, &engine, hook.PreToolUse, env, use)
//	switch {
//	case err != nil:
//		return err
//	case out.Action == hook.ActionBlock:
//		return tell(agent, out.Reason)
//	}
//	run(out.Payload) // as hooks left it
//
// Tool, Generate and Iteration do this, with retries and the events after, for
// whole operations.
//
// The error is not for refusals: it means that the chain could not be finished,
// because the context ended or events nest deeper than MaxDepth. The outcome is
// then a block, so that a caller who overlooks the error stays on the safe side.
//
// env may be nil, and may be one for all events of a session. The events keep
// it, so it must not be edited any more. An event without hooks costs a few
// nanoseconds and allocates nothing.
func Fire[P any](ctx context.Context, e *Engine, point Point[P], env *Envelope, payload P) (out Outcome[P], err error) {
	if env == nil {
		env = &noEnvelope
	}
	out.Event, out.Metadata, out.Payload = point.info.Name, env.Metadata, payload
	if c := e.table.Load().find(point.info); c != nil || e.follows(point.info) {
		err = fire(ctx, e, c, point.info, env, &out)
	}
	return out, err
}

// fire is Fire for events that have hooks. It is a function of its own so that an
// event without hooks does not pay for the stack that this one needs.
//
//go:noinline
func fire[P any](ctx context.Context, e *Engine, c *chain, info *EventInfo, env *Envelope, out *Outcome[P]) error {
	f := new(firing[P])
	f.ev.Envelope, f.ev.Payload, f.ev.info, f.ev.born = env, out.Payload, info, time.Since(processStart)
	if e.Analyse != nil {
		f.ev.does = e.analysis(ctx, &f.ev)
	}
	r := run{e: e, ctx: ctx, chain: c, info: info, ev: &f.ev, kept: &f.kept, last: f.ev.born}
	err := r.fire(&out.Verdict)
	if out.Changed {
		out.Payload = r.ev.(*Event[P]).Payload
	}
	return err
}

// Fire runs the hooks of one event of any kind. See the function Fire; Typed makes
// its outcome a typed one. The event given is not changed.
func (e *Engine) Fire(ctx context.Context, ev AnyEvent) (out Outcome[any], err error) {
	return e.fire(ctx, ev, nil)
}

// Guards asks only the guards, and of these only the ones for whose ids among
// returns true. With it, an event whose chain another engine has run can be judged
// by this engine's guards too; no other hook runs, and no metadata is kept.
func (e *Engine) Guards(ctx context.Context, ev AnyEvent, among func(id string) bool) (out Outcome[any], err error) {
	return e.fire(ctx, ev, among)
}

// fire runs the chain of an event. among picks guards, which then are asked alone; nil has
// all hooks run.
func (e *Engine) fire(ctx context.Context, ev AnyEvent, among func(id string) bool) (out Outcome[any], err error) {
	info := ev.Info()
	if info.slot < 0 { // known by name: it may be this engine's own
		if own := e.find(info.Name); own != nil {
			info = own
		}
	}
	if info.change && !e.changes {
		if meta := e.meta.Load(); meta != nil {
			return meta.fire(ctx, ev, among)
		}
		return Outcome[any]{Verdict: Verdict{Event: info.Name, Metadata: ev.Head().Metadata}, Payload: ev.Body()}, nil
	}
	out.Event, out.Metadata = info.Name, ev.Head().Metadata
	if c := e.table.Load().find(info); c != nil || e.follows(info) {
		born := time.Since(processStart)
		r := run{e: e, ctx: ctx, chain: c, info: info, ev: ev.start(ctx, e, info, born), kept: new(kept), last: born, among: among}
		err = r.fire(&out.Verdict)
		ev = r.ev
	}
	out.Payload = ev.Body()
	return out, err
}

// firing is everything of a firing that may outlive it, in one allocation: handlers
// may hold on to the event, and the caller to the steps.
type firing[P any] struct {
	ev   Event[P]
	kept kept
}

// kept is what handlers and the caller may hold on to.
type kept struct {
	ctx   callContext
	steps [1]Step // room for the usual case
}

// fire runs the chain, which is nil if the event has no hooks. v is the caller's
// verdict, with the event's name in it.
func (r *run) fire(v *Verdict) error {
	if r.among == nil {
		r.ev = r.e.follow(r.ev)
	}
	r.fired = r.ev
	v.Steps = r.kept.steps[:0]
	r.look()
	err := r.enter()
	switch {
	case err != nil:
	case r.chain != nil:
		err = r.lanes(v)
	default:
		r.settle(v)
	}
	v.Metadata, v.Facts = r.ev.Head().Metadata, r.ev.analysis().known()
	if err == nil && r.among == nil {
		r.e.leave(r.fired, r.ev, r.set, v)
	}
	if err != nil {
		v.Action, v.Reason, v.By = ActionBlock, err.Error(), ""
	}
	return err
}

// MaxDepth is how deep handlers may fire the event that they are handling, before
// Fire returns an error. Other events do not count.
const MaxDepth = 8

// enter refuses events that their own handlers fire too deep.
func (r *run) enter() error {
	depth := 1
	for up := frame(r.ctx); up != nil; up = frame(up.Context) {
		if up.info == r.info {
			depth++
		}
	}
	if depth > MaxDepth {
		return fmt.Errorf("%s is fired by its own handlers %d deep; the limit is %d", r.info.Name, depth, MaxDepth)
	}
	return nil
}

// frame gives the hook that runs in a context, or nil outside of hooks.
func frame(ctx context.Context) *callContext {
	c, _ := ctx.Value(frameKey{}).(*callContext)
	return c
}
