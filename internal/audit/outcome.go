package audit

import (
	"errors"
	"slices"
	"time"

	"github.com/hookway/hookway/hook"
)

// FromOutcome is the record of what a chain answered to an event, and what it
// changed. It copies what it needs, within bounds. out may be nil if the chain
// gave no answer; the caller then says so in Failure.
func FromOutcome(ev hook.AnyEvent, out *hook.Outcome[any], took time.Duration) Record {
	head := ev.Head()
	r := Record{
		Time: ev.Time(), Event: ev.Info().Name, EventID: ev.ID().String(), Native: nativeName(head),
		Session: head.Session, Agent: head.Agent, Source: head.Source, CWD: head.CWD, DurationMS: milliseconds(took),
		whole: wholeOf(ev, out),
	}
	cut := func(path string) {
		if len(r.Cut) < maxNotes {
			r.Cut = append(r.Cut, path)
		}
	}
	r.Via, _ = head.Metadata["via"].(string)
	body := ev.Body()
	r.describe(ev, cut)
	if out == nil {
		r.note(head.Metadata, cut)
		return r
	}
	r.note(out.Metadata, cut)
	r.Action, r.By, r.Rule = out.Action.String(), out.By, out.Rule
	r.factsOf(out.Facts, cut)
	r.Reason, _ = draft(out.Reason, draftBounds.text)
	r.UserMessage, _ = draft(out.UserMessage, draftBounds.text)
	r.Inject, _ = draft(out.Inject, draftBounds.text)
	if out.Action == hook.ActionAnswer && out.Result != nil {
		r.Result = newCopier(draftBounds, nil, cut).copy(asJSON(out.Result), "result", 0)
	}
	if out.Changed {
		r.Changes = diff(body, out.Payload, func(string) {})
		r.went(out)
	}
	r.Steps = make([]Step, len(out.Steps))
	would := hook.ActionContinue
	for i, s := range out.Steps {
		r.Steps[i] = stepOf(s)
		if w := s.Would; w != nil && (r.Would == "" || w.Action == hook.ActionBlock || would != hook.ActionBlock && w.Action > would) {
			would = w.Action
			r.Would = would.String()
		}
	}
	return r
}

// maxFacts bounds the facts of one record.
const maxFacts = 64

// factsOf keeps facts without the arguments of programs: their secrets are found in
// the command, where a name stands before them, and not in one word alone.
func (r *Record) factsOf(facts []hook.Fact, cut func(string)) {
	if len(facts) > maxFacts {
		cut("facts")
		facts = facts[:maxFacts]
	}
	r.Facts = slices.Clone(facts)
	for i := range r.Facts {
		r.Facts[i].Args = nil
	}
}

func stepOf(s hook.Step) Step {
	step := Step{
		Hook: s.Hook, Lane: s.Lane.String(), Action: s.Action.String(), DurationMS: milliseconds(s.Duration),
		Changed: s.Changed, Injected: s.Injected, Failed: failed(s.Err), Note: hook.LogLine(s.Note),
	}
	step.Reason, _ = draft(s.Reason, draftBounds.text)
	step.Rule = s.Rule
	if s.Would != nil {
		step.Would = &Would{Action: s.Would.Action.String(), Rule: s.Would.Rule, Change: s.Would.Change}
		step.Would.Reason, _ = draft(s.Would.Reason, draftBounds.text)
	}
	if s.Err != nil {
		step.Error = hook.LogLine(s.Err.Error())
	}
	return step
}

// failed reports whether an error of a step is more than a refused part of a decision.
func failed(err error) bool {
	switch e := err.(type) {
	case nil, *hook.RefusedError:
		return false
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if failed(inner) {
				return true
			}
		}
		return false
	}
	var refused *hook.RefusedError
	return !errors.As(err, &refused) || errors.Unwrap(err) == nil
}

// nativeName is the agent's own name for the event.
func nativeName(head *hook.Envelope) string {
	if name, ok := head.Metadata["native_event"].(string); ok { // not every agent's payload has it
		return name
	}
	own, _ := head.Metadata["native"].(map[string]any)
	name, _ := own["hook_event_name"].(string)
	return name
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

// describe fills in the tool and what the event is about.
func (r *Record) describe(ev hook.AnyEvent, cut func(string)) {
	if call, ok := hook.CallOf(ev); ok {
		r.tool(call.Name, call.ID, call.Input, cut)
		return
	}
	switch p := ev.Body().(type) {
	case hook.ToolPersist:
		r.tool(p.ToolName, p.ToolUseID, nil, cut)
	case hook.Fault:
		r.Tool = p.ToolName
		r.about("error", p.Error)
	case hook.AgentRun:
		r.about("prompt", p.Prompt)
	case hook.AgentResult:
		r.about("last_message", p.LastMessage)
	case hook.Subagent:
		r.about("agent_type", p.AgentType)
	case hook.SessionInfo:
		r.about("source", p.Source)
	case hook.SessionSummary:
		r.about("reason", p.Reason)
	case hook.GatewayInfo:
		r.about("address", p.Address)
	case hook.GatewayEnd:
		r.about("reason", p.Reason)
	case hook.Message:
		r.about("content", p.Content)
	case hook.Delivery:
		r.about("content", p.Content)
	case hook.DirectiveCall:
		r.about("line", "@"+p.Namespace+":"+p.Target+" "+p.Body)
	case hook.OutputText:
		r.about("text", p.Text)
	case hook.Alert:
		r.about("message", p.Message)
	case hook.Compaction:
		r.about("trigger", p.Trigger)
	case hook.CompactionResult:
		r.about("trigger", p.Trigger)
	case hook.Generation:
		r.about("model_name", p.ModelName)
	case hook.GenerationResult:
		r.about("model_name", p.ModelName)
	case map[string]any: // an agent's own event, or a user's
		r.own(p, cut)
	}
}

// note keeps an event's metadata, but for what the agent said of itself: its event as
// it wrote it.
func (r *Record) note(metadata map[string]any, cut func(string)) {
	own := map[string]any{}
	for key, value := range metadata {
		if key != "native" && key != "native_event" {
			own[key] = value
		}
	}
	if len(own) > 0 {
		r.Metadata, _ = newCopier(resultBounds, nil, cut).copy(own, "metadata", 0).(map[string]any)
	}
}

// tool fills in a call of a tool.
func (r *Record) tool(name, id string, input map[string]any, cut func(string)) {
	r.Tool, r.ToolUseID = name, id
	if input == nil {
		return
	}
	r.ToolInput, _ = newCopier(draftBounds, nil, cut).copy(input, "tool_input", 0).(map[string]any)
	if from, text := inShort(input); text != "" {
		r.about(from, text)
	}
}

// inShort is the member of a tool's input that says what the call does.
func inShort(input map[string]any) (from, text string) {
	for _, key := range []string{"command", "file_path", "path", "notebook_path", "url", "pattern", "query", "prompt", "description"} {
		if text, ok := input[key].(string); ok && text != "" {
			return "tool_input." + key, text
		}
	}
	return "", ""
}

// went says what was done in place of what was asked for, where hooks changed it
// and it was not stopped.
func (r *Record) went(out *hook.Outcome[any]) {
	if out.Action == hook.ActionBlock || out.Action == hook.ActionAnswer || out.Action == hook.ActionRetry {
		return
	}
	from, text := "", ""
	switch p := out.Payload.(type) {
	case hook.ToolUse:
		from, text = inShort(p.ToolInput)
	case hook.Permission:
		from, text = inShort(p.ToolInput)
	case hook.AgentRun:
		from, text = "prompt", p.Prompt
	case hook.Message:
		from, text = "content", p.Content
	}
	if text, _ = draft(text, draftBounds.text); text != "" && text != r.What {
		r.Ran, r.ranFrom = text, steps(from)
	}
}

// own fills in what an event without a row of its own has under the usual names.
func (r *Record) own(p map[string]any, cut func(string)) {
	name, _ := p["tool_name"].(string)
	id, _ := p["tool_use_id"].(string)
	input, _ := p["tool_input"].(map[string]any)
	r.tool(name, id, input, cut)
	if r.What != "" {
		return
	}
	for _, key := range []string{"message", "prompt", "reason", "file_path"} {
		if text, ok := p[key].(string); ok && text != "" {
			r.about(key, text)
			return
		}
	}
}

// about says what the event is about. Redaction is the writer's.
func (r *Record) about(from, text string) {
	r.What, _ = draft(text, draftBounds.text)
	r.whatFrom = steps(from)
}
