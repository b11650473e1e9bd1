package adapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// Claude speaks Claude Code's hook protocol, as version 2.1 reads it.
type Claude struct{}

// Decode reads what Claude Code writes to a hook's stdin. An event that has no
// name here keeps its native one. lookup finds the events that hooks are
// registered for; nil is hook.Lookup.
func (Claude) Decode(stdin []byte, lookup func(string) (*hook.EventInfo, error)) (hook.AnyEvent, error) {
	if lookup == nil {
		lookup = hook.Lookup
	}
	ev, err := wire.DecodeEvent(stdin, func(name string) (*hook.EventInfo, error) {
		if info, err := lookup(name); err == nil {
			return info, nil
		}
		return hook.Native(name), nil
	})
	if err != nil {
		return nil, fmt.Errorf("this is no event of Claude Code: %w", err)
	}
	native := object{}
	d := json.NewDecoder(bytes.NewReader(stdin))
	d.UseNumber()
	if err := d.Decode(&native); err != nil {
		return nil, fmt.Errorf("this is no event of Claude Code: %w", err)
	}
	env := *ev.Head()
	env.Source = "claude"
	if env.Agent == "" {
		env.Agent = "claude"
	}
	env.Metadata = maps.Clone(env.Metadata)
	if env.Metadata == nil {
		env.Metadata = map[string]any{}
	}
	env.Metadata["native"] = native
	return ev.Info().New(env, claudePayload(ev))
}

// claudePayload fills in what Claude Code says in another way.
func claudePayload(ev hook.AnyEvent) any {
	switch p := ev.Body().(type) {
	case hook.ToolResult: // the event is fired only for calls that succeeded
		if stdout, ok := p.ToolResponse.Extra["stdout"].(string); ok && p.ToolResponse.Output == "" {
			p.ToolResponse.Output = stdout
		}
		return p
	case hook.AgentResult:
		p.Success = true // a failure is reported as StopFailure
		return p
	}
	return ev.Body()
}

// Encode writes an outcome as Claude Code reads it: JSON and exit code 0.
func (c Claude) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := claudeAnswer{top: object{}, nested: object{}, out: out, event: claudeName(ev)}
	if out.UserMessage != "" {
		a.top["systemMessage"] = out.UserMessage
	}
	switch ev.Info() {
	case hook.PreToolUse.Info():
		a.preToolUse()
	case hook.PermissionRequest.Info():
		a.permissionRequest()
	case hook.PostToolUse.Info():
		a.postToolUse()
	default:
		a.other()
	}
	a.inject()
	a.handOn()
	if len(a.nested) > 0 {
		a.nested["hookEventName"] = a.event // without it the whole answer is dropped
		a.top["hookSpecificOutput"] = a.nested
	}
	return reply(a.top, a.warnings)
}

// claudeName is the name under which Claude Code fired the event.
func claudeName(ev hook.AnyEvent) string {
	if native, ok := ev.Head().Metadata["native"].(object); ok {
		if name, ok := native["hook_event_name"].(string); ok {
			return name
		}
	}
	switch ev.Info() {
	case hook.AgentStart.Info():
		return "UserPromptSubmit"
	case hook.AgentStop.Info():
		return "Stop"
	}
	return ev.Info().Name
}

// claudeAnswer is an answer in the making.
type claudeAnswer struct {
	event       string
	out         hook.Outcome[any]
	top, nested object
	warnings    []string
}

func (a *claudeAnswer) warn(format string, args ...any) {
	a.warnings = append(a.warnings, fmt.Sprintf(format, args...))
}

// decide answers what PreToolUse asks.
func (a *claudeAnswer) decide(decision, reason string) {
	a.nested["permissionDecision"], a.nested["permissionDecisionReason"] = decision, reason
}

func (a *claudeAnswer) preToolUse() {
	switch a.out.Action {
	case hook.ActionAllow:
		a.decide("allow", a.out.Reason)
	case hook.ActionAsk:
		a.decide("ask", a.out.Reason)
	case hook.ActionBlock:
		a.decide("deny", a.out.Reason)
	case hook.ActionRetry:
		a.decide("deny", fmt.Sprintf("%s (try again in %v)", orText(a.out.Reason, "Not now"), a.out.RetryDelay))
		a.warn("Claude Code cannot wait and retry: hook %s's retry became a refusal that says when to try again", a.out.By)
	case hook.ActionAnswer:
		a.decide("deny", fmt.Sprintf("The call was answered without running it. Its result: %s", resultText(a.out.Result)))
		a.warn("Claude Code cannot take a result from a hook: hook %s's answer became a refusal that carries it", a.out.By)
	}
	if use, ok := a.out.Payload.(hook.ToolUse); ok && a.out.Changed && a.nested["permissionDecision"] != "deny" {
		a.nested["updatedInput"] = use.ToolInput // replaces the whole input
	}
}

func (a *claudeAnswer) permissionRequest() {
	switch a.out.Action {
	case hook.ActionAllow:
		a.nested["decision"] = object{"behavior": "allow"}
	case hook.ActionBlock:
		a.nested["decision"] = object{"behavior": "deny", "message": a.out.Reason}
	}
	// An ask needs no words: Claude Code is about to ask.
}

func (a *claudeAnswer) postToolUse() {
	if a.out.Action == hook.ActionBlock {
		a.top["decision"], a.top["reason"] = "block", a.out.Reason
	}
	result, ok := a.out.Payload.(hook.ToolResult)
	if !ok || !a.out.Changed {
		return
	}
	// Claude Code takes a changed output only in the shape of the tool's own.
	response := maps.Clone(result.ToolResponse.Extra)
	if _, shell := response["stdout"]; shell {
		response["stdout"] = result.ToolResponse.Output
	}
	if len(response) == 0 {
		a.nested["updatedToolOutput"] = result.ToolResponse.Output
		return
	}
	a.nested["updatedToolOutput"] = response
}

// other encodes the events on which a block is a plain one.
func (a *claudeAnswer) other() {
	switch {
	case a.out.Action == hook.ActionBlock && a.event == "PreModelSwitch":
		a.decide("deny", a.out.Reason)
	case a.out.Action == hook.ActionBlock:
		a.top["decision"], a.top["reason"] = "block", a.out.Reason
	case a.out.Action == hook.ActionAnswer:
		a.nested["additionalContext"] = resultText(a.out.Result)
	}
	if a.out.Changed {
		a.warn("Claude Code cannot change the payload of %s: the change of hook %s was not applied", a.event, lastChange(a.out))
	}
}

// takesText are the events at which Claude Code takes text for the agent. At
// others, such an answer does not fit its schema and is dropped whole.
var takesText = map[string]bool{
	"SessionStart": true, "Setup": true, "UserPromptSubmit": true, "UserPromptExpansion": true, "PreToolUse": true,
	"PostToolUse": true, "PostToolUseFailure": true, "PostToolBatch": true, "Stop": true, "SubagentStart": true,
	"SubagentStop": true, "Notification": true, "PostModelSwitch": true,
}

func (a *claudeAnswer) inject() {
	switch {
	case a.out.Inject == "":
	case !takesText[a.event]:
		a.warn("Claude Code takes no text at %s: the injected text was not delivered", a.event)
	default:
		if answer, ok := a.nested["additionalContext"].(string); ok {
			a.nested["additionalContext"] = answer + "\n\n" + a.out.Inject
			return
		}
		a.nested["additionalContext"] = a.out.Inject
	}
}

// handOn passes through what a hook said in Claude Code's own words and what
// has no meaning here; see package wire. They are in the outcome's metadata.
func (a *claudeAnswer) handOn() {
	for _, name := range []string{"suppressOutput", "stopReason", "continue", "terminalSequence"} {
		if value, ok := a.out.Metadata["claude."+name]; ok {
			a.top[name] = value
		}
	}
	for _, name := range []string{"initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills", "displayContent"} {
		if value, ok := a.out.Metadata["claude."+name]; ok {
			a.nested[name] = value
		}
	}
}

// Refuse is the answer when there is no outcome because hookway itself failed.
// What a hook can stop is stopped, with exit code 2, which needs no JSON to be
// read; the rest passes. An event that cannot even be read counts as the former.
func (Claude) Refuse(stdin []byte, reason string) Reply {
	var base struct {
		Name string `json:"hook_event_name"`
	}
	if err := json.Unmarshal(stdin, &base); err == nil {
		if info, err := hook.Lookup(base.Name); err == nil && !info.Gates {
			return Reply{Stdout: []byte("{}\n"), Warnings: []string{reason + "; the event passes"}}
		}
	}
	return Reply{Stderr: []byte(reason + "; the event is blocked\n"), ExitCode: 2}
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// resultText writes a hook's result for a reader of text.
func resultText(result any) string {
	switch v := result.(type) {
	case nil:
		return "(none)"
	case string:
		return v
	case hook.ToolResponse:
		return v.Output
	case object:
		if text, ok := v["output"].(string); ok {
			return text
		}
	}
	text, err := json.Marshal(result)
	if err != nil {
		return fmt.Sprint(result)
	}
	return string(text)
}

// lastChange names the hook that changed the payload last.
func lastChange(out hook.Outcome[any]) string {
	for i := len(out.Steps) - 1; i >= 0; i-- {
		if out.Steps[i].Changed {
			return out.Steps[i].Hook
		}
	}
	return "unknown"
}
