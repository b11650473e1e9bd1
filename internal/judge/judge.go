package judge

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/wire/call"
)

// Answer judges one call. It always gives an answer; Err in it is set only if the daemon
// ends while the call waits for a person.
func (j *Judge) Answer(ctx context.Context, from Caller, in *call.Request) (reply call.Reply) {
	r := &request{Judge: j, in: in, from: from, began: time.Now(), env: environ(in.Env), call: adapter.Call{Event: in.Event, Stdin: in.Stdin}}
	defer func() {
		if p := recover(); p != nil { // a bug of ours must not open the gate
			j.log(fmt.Sprintf("panic while an event of %s was judged: %v\n%s", in.Agent, p, debug.Stack()))
			reply = r.refuse(fmt.Errorf("hookway panicked: %v", p))
		}
	}()
	reply, err := r.answer(ctx)
	if err != nil {
		return r.refuse(err)
	}
	return reply
}

// answer opens the hooks of the agent's workspace, decodes the event, and decides about
// it, unless that was done before.
func (r *request) answer(ctx context.Context) (reply call.Reply, err error) {
	if r.codec, err = adapter.Lookup(r.in.Agent); err != nil {
		return reply, err
	}
	ctx, cancel := context.WithTimeout(command.WithEnviron(ctx, r.in.Env), r.patience())
	defer cancel()
	leave, err := r.open(ctx)
	if err != nil {
		return reply, err
	}
	defer leave()
	if err := r.decode(ctx); err != nil {
		return reply, err
	}
	defer r.delivery.Close()
	if r.delivery.Known() {
		return r.known(ctx)
	}
	if _, wrapped := r.delivery.Wrapped(); wrapped && r.ev.Info() == hook.SessionEnd.Info() {
		return r.end(ctx)
	}
	return r.decide(ctx)
}

// decode reads the event, and what it says of its session and of the messages before it.
func (r *request) decode(ctx context.Context) error {
	ev, err := r.codec.Decode(r.call, r.w.Engine.Lookup)
	if err != nil {
		return err
	}
	if err := hook.Check(ev); err != nil {
		return err
	}
	r.own = ev.Head().Session
	if r.ev, err = r.inSession(ev); err != nil {
		return err
	}
	r.delivery = r.channel().Arrive(ctx, r.event())
	if r.ev, err = r.named(r.ev); err != nil {
		return err
	}
	over, _ := r.delivery.Wrapped()
	r.sessions.saw(r.ev, over)
	return nil
}

// decide fires the event, fits the outcome to what the agent can enforce, encodes it and
// puts it on record. An event that the agent reports twice is fired once.
func (r *request) decide(ctx context.Context) (reply call.Reply, err error) {
	r.seen.end(r.hooks(), r.ev)
	f, first := r.seen.claim(r.hooks(), r.codec.About().Name, r.apart, r.ev)
	if !first {
		return r.repeat(ctx, f)
	}
	ctx, watch := Watching(ctx, r.ev)
	draft := r.draft()
	out, more, err := r.outcome(ctx, f)
	if err != nil {
		return reply, err
	}
	r.delivery.Add(ctx, r.ev, &out)
	fitted := r.fit(out)
	if out.Action == hook.ActionAsk {
		fitted.Outcome.Reason += more
	}
	answer, err := r.codec.Encode(r.ev, fitted.Outcome)
	if err != nil {
		return reply, err
	}
	record := r.record(&fitted, answer, out.Steps)
	record.Watched(watch)
	r.putDrafted(ctx, record, draft)
	return r.sending(answer, r.untaken(record)), nil
}

// outcome fires the event, and tells those who report it again what came of it: also if a
// bug of ours ends it, for else they would wait for as long as they have.
func (r *request) outcome(ctx context.Context, f *flight) (out hook.Outcome[any], more string, err error) {
	whole := false
	defer func() {
		if !whole {
			out, err = hook.Outcome[any]{}, errors.New("hookway panicked")
		}
		f.settle(r.ev.ID(), out, more, err)
	}()
	if out, err = r.fire(ctx); err == nil {
		r.addLater(&out)
		more, err = r.settle(ctx, &out)
		r.refused(ctx, &out)
		r.tell(ctx, &out)
	}
	whole = true
	return out, more, err
}

// fire asks the hooks when the earlier events of the session are answered. A hook that
// fires events itself must not wait for the one that it is run for.
func (r *request) fire(ctx context.Context) (out hook.Outcome[any], err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = hook.Outcome[any]{}, fmt.Errorf("hookway panicked: %v", p)
			r.log(fmt.Sprintf("panic while %s was judged: %v\n%s", r.ev.Info().Name, p, debug.Stack()))
		}
	}()
	if r.env.depth() == 0 {
		leave, err := r.order.enter(ctx, r.ev.Head().Session)
		if err != nil {
			return out, fmt.Errorf("an earlier event of the same session took too long: %w", err)
		}
		defer leave()
	}
	if r.ev, err = r.mark(r.ev); err != nil {
		return out, err
	}
	ctx, r.one = guards.Begin(ctx, r.ev)
	out, err = r.w.Engine.Fire(r.sends(ctx), r.ev)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the hooks took longer than %s waits; give them a shorter timeout, or install hookway with a longer one: %w", r.codec.About().Title, err)
		}
		return out, err
	}
	r.w.Engine.FailedTool(r.sends(ctx), r.ev, &out)
	if err := r.askOthers(ctx, &out); err != nil {
		return out, err
	}
	keep.WatchOf(ctx).Decided(&out, r.otherFolders()...)
	r.limit(&out)
	Caution(r.w.set, r.ev, &out)
	r.morning(ctx, r.w.set, r.ev, &out, time.Now())
	r.tellUntrusted(&out)
	return out, nil
}

// record is the record of an outcome.
func (r *request) record(fitted *adapter.Fitted, answer adapter.Reply, steps []hook.Step) audit.Record {
	record := recordOf(r.ev, &fitted.Outcome, time.Since(r.began))
	for _, d := range fitted.Degraded {
		record.Degraded = append(record.Degraded, d.String())
	}
	record.Warnings = append(record.Warnings, r.channel().Later.Put(r.address(), fitted.Later)...)
	if r.ev.Info() == hook.AgentStop.Info() && fitted.Outcome.Action != hook.ActionBlock {
		if err := r.w.set.Unheard(r.ev.Head().Session, steps); err != nil {
			record.Warnings = append(record.Warnings, err.Error())
		}
	}
	if r.ends(fitted.Outcome.Action) {
		record.Warnings = append(record.Warnings, r.channel().Later.Drop(r.address())...)
	}
	record.Warnings = append(record.Warnings, answer.Warnings...)
	return record
}

// endTime bounds the hooks of an end, which are not cut short because the agent
// does not wait for them.
const endTime = time.Minute

// end answers an end of a wrapped session. It is fired once, however often it is
// reported; if this one cannot be judged to its end, another may be.
func (r *request) end(ctx context.Context) (reply call.Reply, err error) {
	first, err := r.delivery.End(ctx, func() (err error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		reply, err = r.decide(ctx)
		return err
	})
	if !first {
		return r.known(ctx)
	}
	return reply, err
}
