package hook

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// strength orders the actions that may come from several hooks of one event. The
// stronger one is the outcome's; of equal ones the first.
var strength = [...]int{ActionContinue: 0, ActionSkip: 0, ActionAllow: 1, ActionAsk: 2, ActionAnswer: 3, ActionRetry: 4, ActionBlock: 5}

// take merges one hook's decision into the outcome: first what the event or the
// lane refuses is removed, then the changed payload, texts and metadata are applied,
// and last the action is compared with the strongest so far. The last step of v is
// the call that made the decision; refusals are written there.
func (r *run) take(e *entry, d *Decision, v *Verdict) {
	step := &v.Steps[len(v.Steps)-1]
	step.Would = d.Would
	if e.hook.Monitor {
		r.monitor(e, step, d)
		return
	}
	if refused := r.filter(e, d); len(refused) > 0 {
		r.refuse(step, strings.Join(refused, "; "))
	}
	if d.Modified != nil {
		r.change(e, step, d.Modified, v)
	}
	if d.Action == ActionSkip && e.hook.Profile.SkipDropsChanges {
		r.ev, v.Changed = r.fired.sameKind(*r.ev.Head()), false // metadata stays
		r.look()
	}
	if d.Inject != "" {
		v.Inject = join(v.Inject, d.Inject, "\n\n")
		step.Injected = true
	}
	if d.UserMessage != "" {
		v.UserMessage = join(v.UserMessage, d.UserMessage, "\n")
	}
	if len(d.Metadata) > 0 {
		r.addMetadata(step, d.Metadata)
	}
	if strength[d.Action] > strength[v.Action] {
		v.Action, v.Reason, v.By = d.Action, d.Reason, e.hook.ID
		v.Result, v.RetryDelay, v.Rule = d.Result, d.RetryDelay, d.Rule
	}
	step.Action, step.Reason, step.Rule, step.Note = d.Action, d.Reason, d.Rule, d.Note
}

// monitor notes what a hook on trial would have decided, and leaves nothing of it.
func (r *run) monitor(e *entry, step *Step, d *Decision) {
	if may := &r.info.May; !may.action(d.Action) {
		r.refuse(step, fmt.Sprintf("a hook of %s may not %s (it may: %s)", r.info.Name, d.Action, may))
		d.Action, d.Reason = ActionContinue, ""
	}
	change := d.Modified != nil || d.Inject != ""
	if d.Action != ActionContinue || change {
		step.Would = &Would{Action: d.Action, Reason: d.Reason, Rule: d.Rule, Change: change}
		if d.Reason == "" && d.Action != ActionContinue {
			step.Would.Reason = "hook " + e.hook.ID + " says " + d.Action.String()
		}
	}
	step.Note = d.Note
	*d = Decision{}
}

// filter takes out of a decision what the event or the lane does not allow, and
// fills in what may be left out.
func (r *run) filter(e *entry, d *Decision) (refused []string) {
	if d.Action == ActionBlock && e.hook.Profile.BlockEnds {
		r.end(e, d)
	}
	may := &r.info.May
	if !may.action(d.Action) {
		refused = append(refused, fmt.Sprintf("a hook of %s may not %s (it may: %s)", r.info.Name, d.Action, may))
		d.Action, d.Reason = ActionContinue, ""
	}
	if d.Action == ActionSkip && e.hook.Lane == Guard {
		refused = append(refused, "a guard cannot skip other guards")
		d.Action = ActionContinue
	}
	if d.Modified != nil && e.hook.Lane == Guard {
		refused = append(refused, "a guard may not change the payload; put the change into the transform lane")
		d.Modified = nil
	}
	if d.Inject != "" && !may.Inject {
		refused = append(refused, fmt.Sprintf("a hook of %s may not inject", r.info.Name))
		d.Inject = ""
	}
	switch {
	case d.Action == ActionRetry && d.RetryDelay <= 0:
		d.RetryDelay = DefaultRetryDelay
	case d.Action == ActionBlock && d.Reason == "":
		d.Reason = "Blocked by hook " + e.hook.ID
	case d.Action == ActionAsk && d.Reason == "":
		d.Reason = "Hook " + e.hook.ID + " asks for confirmation"
	}
	return refused
}

// end turns a block into the action that ends the event's operation, for hooks with
// Profile.BlockEnds, and notes that Error follows.
func (r *run) end(e *entry, d *Decision) {
	if d.Reason == "" {
		d.Reason = "Blocked by hook " + e.hook.ID
	}
	switch r.info {
	case IterationStart.info:
		d.Action = ActionAnswer
	case AgentStop.info, SubagentStop.info: // a block would make it go on
		d.Action, d.Note = ActionContinue, "it blocked the end of the agent, which ends it"
	default:
		if !r.info.May.Block {
			return // filter refuses it
		}
	}
	r.ended = d.Reason
}

// refuse adds a refused part of a decision to the step, beside an error that is
// there already: a failure whose policy may not block keeps its cause.
func (r *run) refuse(step *Step, what string) {
	var err error = &RefusedError{What: what}
	if step.Err != nil {
		err = errors.Join(step.Err, err)
	}
	step.Err = err
	r.e.notify(Notice{Kind: HookError, Hook: step.Hook, Event: r.info.Name, EventID: r.ev.ID(), Session: r.ev.Head().Session, Agent: r.ev.Head().Agent, Lane: step.Lane, Duration: step.Duration, Err: step.Err})
}

// change puts a hook's payload in place of the current one.
func (r *run) change(e *entry, step *Step, payload any, v *Verdict) {
	base := r.ev
	if e.hook.Profile.SeesOriginal {
		base = r.fired
	}
	next, err := base.with(payload)
	if err != nil { // check has seen the type already: unreachable but for a broken AnyEvent
		r.refuse(step, err.Error())
		return
	}
	if fields := forbidden(base.pointer(), next.pointer(), r.info.May.Change); len(fields) > 0 {
		r.refuse(step, fmt.Sprintf("a hook of %s may not change %s (it may: %s)", r.info.Name, strings.Join(fields, ", "), &r.info.May))
		return
	}
	if base != r.ev {
		if next, err = overlay(base, next, r.ev); err != nil {
			r.refuse(step, err.Error())
			return
		}
	}
	if g, ok := next.pointer().(*Generation); ok {
		g.settle(r.ev.pointer().(*Generation))
	}
	r.ev, v.Changed, step.Changed = next, true, true
	r.look()
}

// forbidden lists the payload's top fields that differ and may not be changed, by
// wire name.
func forbidden(before, after any, allowed []string) []string {
	if slices.Contains(allowed, "*") {
		return nil
	}
	var out []string
	a, b := reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem()
	if a.Kind() != reflect.Struct {
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			out = append(out, "its payload")
		}
		return out
	}
	fields := wireFields(a.Type())
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(allowed, name) {
			continue
		}
		if !reflect.DeepEqual(a.FieldByIndex(fields[name]).Interface(), b.FieldByIndex(fields[name]).Interface()) {
			out = append(out, name)
		}
	}
	return out
}

// join puts two texts together, with a separator only where both are there.
func join(a, b, sep string) string {
	if b == "" {
		return a
	}
	if a == "" {
		return b
	}
	return a + sep + b
}
