package adapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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
		if in, name := outputPlace(p.ToolResponse.Extra); in != nil && p.ToolResponse.Output == "" {
			p.ToolResponse.Output, _ = in[name].(string)
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
		a.postToolUse(ev)
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

func (a *claudeAnswer) postToolUse(ev hook.AnyEvent) {
	if a.out.Action == hook.ActionBlock {
		a.top["decision"], a.top["reason"] = "block", a.out.Reason
	}
	result, ok := a.out.Payload.(hook.ToolResult)
	if !ok || !a.out.Changed {
		return
	}
	// Claude Code takes a changed output only in the shape of the tool's own.
	response := hook.Clone(result.ToolResponse.Extra)
	before, _ := ev.Body().(hook.ToolResult)
	if result.ToolResponse.Output != before.ToolResponse.Output {
		in, name := outputPlace(response)
		if in == nil { // better a text that it may refuse than the old one, which may hold a secret
			a.nested["updatedToolOutput"] = result.ToolResponse.Output
			if len(response) > 0 {
				a.warn("the response of %s has no place for a text: Claude Code may not take the changed output of hook %s", result.ToolName, lastChange(a.out))
			}
			return
		}
		in[name] = result.ToolResponse.Output
	}
	a.nested["updatedToolOutput"] = response
}

// outputPlace finds the text in a tool's own response: the object that it is in,
// and its name there. Nil means that the response has no such text.
func outputPlace(response object) (in object, name string) {
	for _, name := range []string{"stdout", "content", "output", "result", "text"} {
		if _, ok := response[name].(string); ok {
			return response, name
		}
	}
	if file, ok := response["file"].(object); ok { // Read
		if _, ok := file["content"].(string); ok {
			return file, "content"
		}
	}
	return nil, ""
}

// other encodes the events on which a block is a plain one.
func (a *claudeAnswer) other() {
	switch {
	case a.out.Action == hook.ActionBlock && a.event == "PreModelSwitch":
		a.decide("deny", a.out.Reason)
	case a.out.Action == hook.ActionBlock && !stoppable[a.event]:
		a.warn("Claude Code lets no hook block %s: the block of hook %s has no effect", a.event, a.out.By)
	case a.out.Action == hook.ActionBlock:
		a.top["decision"], a.top["reason"] = "block", a.out.Reason
	case a.out.Action == hook.ActionAnswer:
		a.nested["additionalContext"] = resultText(a.out.Result)
	}
	if a.out.Changed {
		a.warn("Claude Code cannot change the payload of %s: the change of hook %s was not applied", a.event, lastChange(a.out))
	}
}

// stoppable are the events, beside those of tools and permissions, at which
// Claude Code listens to a block.
var stoppable = map[string]bool{
	"UserPromptSubmit": true, "UserPromptExpansion": true, "PostToolBatch": true, "Stop": true, "SubagentStop": true,
	"PreCompact": true, "ConfigChange": true, "TeammateIdle": true, "TaskCreated": true, "TaskCompleted": true,
	"Elicitation": true, "ElicitationResult": true, "WorktreeCreate": true,
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
// What does not fit Claude Code's schema is left out: it would annul the rest.
func (a *claudeAnswer) handOn() {
	for _, own := range claudeOwn {
		value, ok := a.out.Metadata["claude."+own.name]
		if !ok {
			continue
		}
		if own.events != "" && !slices.Contains(strings.Fields(own.events), a.event) || !own.fits(value) {
			a.warn("Claude Code takes no such %s at %s: it was left out", own.name, a.event)
			continue
		}
		if own.events == "" {
			a.top[own.name] = value
		} else {
			a.nested[own.name] = value
		}
	}
}

// claudeOwn are the fields that only Claude Code knows: with events, they stand
// inside hookSpecificOutput, and only there.
var claudeOwn = []struct {
	name, events string
	fits         func(any) bool
}{
	{"continue", "", is[bool]},
	{"stopReason", "", is[string]},
	{"suppressOutput", "", is[bool]},
	{"initialUserMessage", "SessionStart", is[string]},
	{"sessionTitle", "SessionStart UserPromptSubmit", is[string]},
	{"suppressOriginalPrompt", "UserPromptSubmit", is[bool]},
	{"watchPaths", "SessionStart CwdChanged FileChanged", is[[]any]},
	{"reloadSkills", "SessionStart", is[bool]},
	{"displayContent", "MessageDisplay", is[string]},
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// Patience is how long Claude Code waits for the answer to an event, less what
// it takes to give one. After that it goes on as if there were no hook.
func (Claude) Patience(stdin []byte) time.Duration {
	var base struct {
		Name string `json:"hook_event_name"`
	}
	_ = json.Unmarshal(stdin, &base) // what cannot be read is refused elsewhere
	switch base.Name {
	case "SessionEnd":
		return 1300 * time.Millisecond
	case "UserPromptSubmit":
		return 28 * time.Second
	}
	return 590 * time.Second
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
