package judge

import (
	"context"
	"reflect"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/wire/call"
)

// known answers an event whose hooks ran when hookway run, or the agent, reported it
// before. Items that wait are in the answer.
func (r *request) known(ctx context.Context) (call.Reply, error) {
	out := hook.Outcome[any]{Verdict: hook.Verdict{Event: r.ev.Info().Name}, Payload: r.ev.Body()}
	tell(r.w.set, r.ev, &out)
	r.delivery.Add(ctx, r.ev, &out)
	answer, err := r.codec.Encode(r.ev, r.fit(out).Outcome)
	return r.sending(answer, nil), err
}

// repeat gives the answer of a report before this one, and puts on record that it
// did.
func (r *request) repeat(ctx context.Context, f *flight) (reply call.Reply, err error) {
	out, err := f.wait(ctx)
	if err != nil {
		return reply, err
	}
	if f.agents == r.codec.About().Name+" "+adapter.NativeName(r.ev) { // then the first answer can tell all
		out.Inject, out.UserMessage = "", ""
	}
	r.forgo(&out)
	r.delivery.AddRepeated(ctx, r.ev, &out)
	fitted := r.fit(out)
	if out.Action == hook.ActionAsk {
		fitted.Outcome.Reason += f.more
	}
	answer, err := r.codec.Encode(r.ev, fitted.Outcome)
	if err != nil {
		return reply, err
	}
	record := audit.NewRepeat(audit.FromOutcome(r.ev, &fitted.Outcome, time.Since(r.began)), f.event)
	r.put(ctx, record)
	return r.sending(answer, r.untaken(record)), nil
}

// forgo leaves a change to the first report of a call where this one tells too
// little of the call to have it: what it does tell is as the hooks left it.
func (r *request) forgo(out *hook.Outcome[any]) {
	after, changed := out.Payload.(hook.ToolUse)
	now, ok := r.ev.Body().(hook.ToolUse)
	if !changed || !ok || !out.Changed || r.codec.About().Event(adapter.NativeName(r.ev)).Can&adapter.ChangeInput != 0 {
		return
	}
	if reflect.DeepEqual(adapter.Gist(r.ev, after.ToolName, after.ToolInput), adapter.Gist(r.ev, now.ToolName, now.ToolInput)) {
		out.Changed, out.Payload = false, now
	}
}
