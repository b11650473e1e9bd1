package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/wire"
)

// Moment is an event of the past, and what was decided about it.
type Moment struct {
	Place string       // where it is kept, for people: "record 12", "events.jsonl:3"
	Then  audit.Record // of a moment without a decision, what the event itself says
	Hooks string       // the folder whose hooks it is fired at; "" is the one of Rerun.Options

	// Event is the event before hooks changed it, as JSON that package wire reads.
	Event []byte

	// Lacks says why the event cannot be fired again; "" if it can.
	Lacks string

	// Undecided says that nothing is known of a decision: no hook of hookway was asked.
	Undecided bool

	// Was says what became of the event, where an agent's own record tells of it. There no
	// decision is known.
	Was Became

	// Kept is all that is on record of how the event was decided; nil if it is not.
	Kept *keep.Event

	// Key is that of the machine whose record it is, by which its files are known again.
	Key *keep.Placeholders

	// Granted says who let the call through that a rule stopped.
	Granted string

	// number is that of the moment among all.
	number int

	// Before is for what a session did before the calls that are asked for: it is fired,
	// and not counted.
	Before bool
}

// event makes the event, for an engine that may know more events than others. One that does
// not say where it was is in dir.
func (m *Moment) event(engine *hook.Engine, dir string) (hook.AnyEvent, error) {
	info, err := engine.Lookup(m.Then.Event)
	if err != nil {
		return nil, err
	}
	ev, err := wire.NewEvent(info, m.Event)
	if err != nil {
		return nil, err
	}
	if err := hook.Check(ev); err != nil {
		return nil, err
	}
	env := *ev.Head()
	mark := hook.Mark{ID: hook.ParseID(m.Then.EventID), Time: m.Then.Time}
	if env.Mark != nil && env.Mark.ID != (hook.ID{}) {
		mark.ID = env.Mark.ID
	}
	if env.Mark != nil && !env.Mark.Time.IsZero() {
		mark.Time = env.Mark.Time
	}
	env.Mark, env.CWD = &mark, cmp.Or(env.CWD, dir)
	return info.New(env, ev.Body())
}

// fromWhole makes a moment of a record with its event.
func fromWhole(w *audit.Whole) (Moment, error) {
	place := fmt.Sprintf("record %d", w.Record.Seq)
	if w.Event == nil {
		m, err := fromRecord(place, &w.Record)
		newer := w.NotReplayable == keep.ErrNewer.Error() // its record may mean another thing, too
		if (m.Lacks != "" || newer) && w.NotReplayable != "" {
			m.Lacks = w.NotReplayable
		}
		return m, err
	}
	m := Moment{Place: place, Then: w.Record, Event: w.Event.Payload, Kept: w.Event, Granted: w.Event.Granted}
	return m, nil
}

// errNoEvent is a record that is about no event that was fired.
var errNoEvent = errors.New("it is not a decision about an event")

// fromRecord makes a moment of a record alone, where its event was not kept whole: a
// call that is to be made is all in the record, if nothing of it was hidden or cut.
func fromRecord(place string, r *audit.Record) (Moment, error) {
	m := Moment{Place: place, Then: *r, Granted: granted(r)}
	switch {
	case r.Action == audit.Observed || r.Action == audit.Repeat || r.Action == audit.Untaken || r.Event == "" || r.Event == audit.Approval:
		return m, errNoEvent
	case r.Failure != "":
		m.Lacks = "hookway could not decide then"
	case r.Event != hook.PreToolUse.Name() && r.Event != hook.PermissionRequest.Name():
		m.Lacks = "its event was not kept"
	case r.ToolInput == nil:
		m.Lacks = "its input was not kept"
	case len(r.Cut) > 0:
		m.Lacks = "its record was cut"
	case strings.Contains(r.What, facts.Redacted) || hidden(r.ToolInput):
		m.Lacks = "secrets were taken out of it"
	}
	if m.Lacks != "" {
		return m, nil
	}
	fields := map[string]any{
		"hook_event_name": r.Event, "session_id": r.Session, "cwd": r.CWD, "agent": r.Agent, "source": r.Source,
		"tool_name": r.Tool, "tool_use_id": r.ToolUseID, "tool_input": r.ToolInput,
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return m, fmt.Errorf("its input cannot be written: %w", err)
	}
	m.Event = text
	return m, nil
}

// hidden reports whether something was taken out of a value.
func hidden(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, facts.Redacted)
	case map[string]any:
		for key, inner := range v {
			if hidden(key) || hidden(inner) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if hidden(inner) {
				return true
			}
		}
	}
	return false
}

// letThrough begins the note of the guard at a call that a person let through.
const letThrough = "a person let this call through once"

// granted gives who let the call of a record through, if a person did.
func granted(r *audit.Record) (by string) {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Hook == guards.ID && strings.HasPrefix(s.Note, letThrough) {
			_, by, _ = strings.Cut(s.Note, ": ")
		}
	}
	return by
}
