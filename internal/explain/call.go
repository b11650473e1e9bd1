package explain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
)

// Call is a call that is to be explained. [Line], [Tool], [Event] and [Record] make one.
type Call struct {
	Tool, Command string
	Dir           string // where it is made

	facts func(facts.World) []hook.Fact
	then  *guards.Then
}

// Line is a command as a shell reads it: sh, which is meant by "", powershell or cmd.
func Line(line, shell, dir string) (Call, error) {
	read := map[string]func(string, facts.World) []hook.Fact{"": facts.Shell, "sh": facts.Shell, "powershell": facts.PowerShell, "cmd": facts.Cmd}[shell]
	if read == nil {
		return Call{}, fmt.Errorf("invalid shell %q: want sh, powershell or cmd", shell)
	}
	return Call{Command: line, Dir: dir, facts: func(w facts.World) []hook.Fact { return read(line, w) }}, nil
}

// Tool is a call of a tool by its name.
func Tool(tool string, input map[string]any, dir string) Call {
	return Call{Tool: tool, Command: guards.CommandOf(input), Dir: dir, facts: func(w facts.World) []hook.Fact { return facts.Call(tool, input, w) }}
}

// Event is a call as an agent tells its hook of PreToolUse. dir is where it is made if it
// does not say so.
func Event(text []byte, dir string) (Call, error) {
	var call struct {
		Name  string         `json:"tool_name"`
		Input map[string]any `json:"tool_input"`
		Dir   string         `json:"cwd"`
	}
	if err := json.Unmarshal(text, &call); err != nil {
		return Call{}, fmt.Errorf("the call is not a JSON object with tool_name and tool_input: %w", err)
	}
	if call.Name == "" {
		return Call{}, errors.New("the call has no tool_name: give the JSON of a PreToolUse event")
	}
	return Tool(call.Name, call.Input, cmp.Or(call.Dir, dir)), nil
}

// Record is a call on record, with the facts that hooks were told and what came of it. dir
// is where it was made if the record does not say so.
func Record(r *audit.Record, dir string) Call {
	c := Tool(r.Tool, r.ToolInput, cmp.Or(r.CWD, dir))
	if r.Facts != nil {
		c.facts = func(facts.World) []hook.Fact { return r.Facts }
	}
	c.then = thenOf(r)
	return c
}

// thenOf is what came of a call of the record.
func thenOf(r *audit.Record) *guards.Then {
	then := &guards.Then{Action: r.Action, Rule: r.Rule, By: r.By, Reason: r.Reason}
	for _, s := range r.Steps {
		if s.Would != nil && (then.Would == "" || s.Would.Action == r.Would) {
			then.Would, then.WouldRule = s.Would.Did(), cmp.Or(s.Would.Rule, s.Hook)
		}
	}
	return then
}

// Find finds a call in the log of a folder by its seq or its event_id. naming are the
// records that name the id.
func Find(log, id string, naming iter.Seq2[*audit.Record, error]) (*audit.Record, error) {
	var found *audit.Record
	other := ""
	take := func(r *audit.Record) {
		if r.Tool != "" {
			found = r
		} else {
			other = cmp.Or(r.Event, "no event")
		}
	}
	if seq, err := strconv.ParseInt(id, 10, 64); err == nil {
		if one, err := audit.One(log, seq); err == nil {
			take(&one.Record)
		}
	}
	if found == nil {
		for r, err := range naming {
			if err == nil && r.EventID == id {
				take(r)
			}
		}
	}
	switch {
	case found != nil:
		return found, nil
	case other != "":
		return nil, fmt.Errorf("the record %s is of %s, and no call of a tool: hookway log --explain shows it", id, other)
	}
	return nil, fmt.Errorf("the record has no call %s; hookway log --json shows their seq and event_id; of a command write hookway explain -- %[1]s", id)
}

// Under explains the call under the configuration of the folder it is made in. Other
// machines are not asked for what it names if near says so: who answers for many must not
// wait for one.
func (c Call) Under(ctx context.Context, set *config.Set, environ []string, near bool) guards.Explanation {
	policy, from, mistake := new(guards.Policy), map[string]string(nil), ""
	if on := set.Settings.Guards; on != nil {
		policy, from = on.Policy, on.From
	}
	for _, p := range set.GuardMistakes() {
		mistake = cmp.Or(mistake, p.Place()+": "+p.Message)
	}
	world := guards.World
	if near {
		world = guards.NearWorld
	}
	w := world(c.Dir, environ)
	w.Scratch = policy.Scratch
	e := guards.Everything().Explain(ctx, c.Tool, c.Command, c.Dir, c.facts(w))
	e.Then = c.then
	if e.Under(ctx, policy, c.Dir, from); mistake != "" {
		e.Here = &guards.Here{Mistake: mistake, Rules: []guards.Said{}}
		for i := range e.Rules {
			e.Rules[i].From = ""
		}
	}
	return e
}
