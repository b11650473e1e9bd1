package adapter

import (
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// Claude speaks Claude Code's hook protocol, as version 2.1 reads it.
type Claude struct{}

// About describes Claude Code.
func (Claude) About() *About { return &claudeAbout }

// Decode reads what Claude Code writes to a hook's stdin.
func (Claude) Decode(c Call, find Find) (hook.AnyEvent, error) {
	native, name, err := readNamed(&claudeAbout, c, "hook_event_name")
	if err != nil {
		return nil, err
	}
	ev, err := build(&claudeAbout, name, native, native, find) // our names are its names
	if err != nil {
		return nil, err
	}
	return ev.Info().New(*ev.Head(), claudePayload(ev))
}

// claudePayload fills in what Claude Code says in another way.
func claudePayload(ev hook.AnyEvent) any {
	switch p := ev.Body().(type) {
	case hook.ToolResult: // the event is fired only for calls that succeeded
		response := nativeResponse(ev)
		if text, ok := contentText(response); ok {
			p.ToolResponse.Output = text
		} else if in, name := outputPlace(p.ToolResponse.Extra); in != nil && p.ToolResponse.Output == "" {
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
func (Claude) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := claudeAnswer{newAnswer(ev, out)}
	if a.event == "WorktreeCreate" && out.Action == hook.ActionBlock { // what stands on stdout would be taken for the path
		return Reply{Stderr: []byte(a.reason() + "\n"), ExitCode: 1}, nil
	}
	a.tellUser()
	switch ev.Info() {
	case hook.PreToolUse.Info():
		a.preToolUse(ev)
	case hook.PermissionRequest.Info():
		a.permissionRequest()
	case hook.PostToolUse.Info():
		a.postToolUse(ev)
	default:
		a.other()
	}
	if out.Inject != "" && a.event == "PreCompact" && out.Action != hook.ActionBlock {
		// Instructions for the summary are plain text: Claude Code has no JSON for them.
		return Reply{Stdout: []byte("Note: " + out.Inject + "\n"), Warnings: a.warnings}, nil
	}
	if out.Inject != "" && a.event != "PreCompact" {
		a.nested["additionalContext"] = out.Inject
	}
	a.handOn()
	return a.reply()
}

// claudeAnswer is an answer in Claude Code's words.
type claudeAnswer struct{ *answer }

// decide answers what asks for a permission.
func (a claudeAnswer) decide(decision, reason string) {
	a.nested["permissionDecision"], a.nested["permissionDecisionReason"] = decision, reason
}

func (a claudeAnswer) preToolUse(ev hook.AnyEvent) {
	switch a.out.Action {
	case hook.ActionAllow:
		a.decide("allow", a.out.Reason)
	case hook.ActionAsk:
		word := "ask"
		if a.out.Metadata["claude.permissionDecision"] == "defer" { // an ask that waits for a person to come back
			word = "defer"
		}
		a.decide(word, a.out.Reason)
	case hook.ActionBlock:
		a.decide("deny", a.out.Reason)
	}
	if input := a.changedInput(&claudeAbout, ev); input != nil {
		a.nested["updatedInput"] = input // replaces the whole input
	}
}

func (a claudeAnswer) permissionRequest() {
	var decision object
	switch a.out.Action {
	case hook.ActionAllow:
		decision = object{"behavior": "allow"}
		handPart(a.answer, decision, "updatedInput", is[object])
		handPart(a.answer, decision, "updatedPermissions", is[[]any])
	case hook.ActionBlock:
		decision = object{"behavior": "deny", "message": a.out.Reason}
		handPart(a.answer, decision, "interrupt", is[bool])
	default: // an ask needs no words: Claude Code is about to ask
		return
	}
	a.nested["decision"] = decision
}

// handPart copies a field that only Claude Code knows into a part of the answer.
func handPart(a *answer, into object, name string, fits func(any) bool) {
	value, ok := a.out.Metadata["claude."+name]
	switch {
	case !ok:
	case fits(value):
		into[name] = value
	default:
		a.warn("Claude Code takes no such %s at %s: it was left out", name, a.event)
	}
}

func (a claudeAnswer) postToolUse(ev hook.AnyEvent) {
	if a.out.Action == hook.ActionBlock {
		a.top["decision"], a.top["reason"] = "block", a.out.Reason
	}
	result, ok := a.out.Payload.(hook.ToolResult)
	if !ok || !a.out.Changed {
		return
	}
	// Claude Code takes a changed output only in the shape of the tool's own.
	var response any = hook.Clone(result.ToolResponse.Extra)
	before, _ := ev.Body().(hook.ToolResult)
	if text := result.ToolResponse.Output; text != before.ToolResponse.Output {
		var known bool
		if response, known = withText(nativeResponse(ev), result.ToolResponse.Extra, text); !known {
			a.warn("the response of %s has no place for a text: Claude Code may not take the changed output of hook %s", result.ToolName, lastChange(a.out))
		}
	}
	a.nested["updatedToolOutput"] = response
	if strings.HasPrefix(nativeTool(ev), "mcp__") { // these have a field of their own
		a.nested["updatedMCPToolOutput"] = response
	}
}

// nativeResponse is the tool's response as Claude Code wrote it.
func nativeResponse(ev hook.AnyEvent) any {
	native, _ := ev.Head().Metadata[metaNative].(object)
	return native["tool_response"]
}

// withText puts a text into a response in place of its own. A response of a form
// that is not known becomes the text: better that it may be refused than the old
// one, which may hold a secret.
func withText(native any, extra object, text string) (response any, known bool) {
	if _, ok := contentText(native); ok {
		parts := []any{object{"type": "text", "text": text}}
		if _, bare := native.([]any); bare {
			return parts, true
		}
		whole := hook.Clone(extra)
		whole["content"] = parts
		delete(whole, "structuredContent") // it says the same again
		return whole, true
	}
	whole := hook.Clone(extra)
	if in, name := outputPlace(whole); in != nil {
		in[name] = text
		return whole, true
	}
	_, plain := native.(string)
	return text, plain || native == nil
}

// contentText joins the texts of a response that is a list of content parts, as of
// MCP tools, or that has such a list as its content.
func contentText(response any) (text string, ok bool) {
	if whole, is := response.(object); is {
		response = whole["content"]
	}
	parts, _ := response.([]any)
	var texts []string
	for _, part := range parts {
		in, _ := part.(object)
		if _, typed := in["type"].(string); !typed {
			return "", false
		}
		if text, is := in["text"].(string); is {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n"), len(parts) > 0
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
func (a claudeAnswer) other() {
	switch {
	case a.event == "PreModelSwitch" && a.out.Action == hook.ActionBlock:
		a.decide("deny", a.out.Reason)
	case a.event == "Elicitation" && a.out.Action == hook.ActionBlock, a.event == "ElicitationResult" && a.out.Action == hook.ActionBlock:
		a.nested["action"] = "decline"
	case a.out.Action == hook.ActionBlock:
		a.top["decision"], a.top["reason"] = "block", a.out.Reason
	}
}

// handOn passes through what a hook said in Claude Code's own words and what
// has no meaning here; see package wire. They are in the outcome's metadata.
// What does not fit Claude Code's schema is left out: it would annul the rest.
func (a claudeAnswer) handOn() {
	for _, own := range claudeOwn {
		value, ok := a.out.Metadata["claude."+own.name]
		if !ok {
			continue
		}
		if a.out.Action == hook.ActionBlock && (own.name == "action" || own.name == "content") {
			continue // what one hook accepted, another refused
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
	{"suppressOriginalPrompt", "UserPromptSubmit UserPromptExpansion", is[bool]},
	{"watchPaths", "SessionStart CwdChanged FileChanged", is[[]any]},
	{"reloadSkills", "SessionStart", is[bool]},
	{"displayContent", "MessageDisplay", is[string]},
	{"retry", "PermissionDenied", is[bool]},
	{"classifierContext", "PostToolUse", is[string]},
	{"action", "Elicitation ElicitationResult", is[string]},
	{"content", "Elicitation ElicitationResult", is[object]},
	{"terminalSequence", "", is[string]},
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// claudeAbout is Claude Code 2.1 as it was seen to behave.
var claudeAbout = About{
	Name: "claude", Agent: "claude", Title: "Claude Code", Waits: claudeWaits,
	Events: []Event{
		{Name: "SessionStart", Kind: hook.SessionStart.Info(), Can: Inject, Wait: 10 * time.Minute},
		{Name: "Setup", Can: Inject, Wait: 10 * time.Minute},
		{Name: "InstructionsLoaded", Wait: 10 * time.Minute},
		{Name: "UserPromptSubmit", Kind: hook.AgentStart.Info(), Can: Block | Inject, Wait: 30 * time.Second},
		{Name: "UserPromptExpansion", Can: Block | Inject, Wait: 10 * time.Minute},
		{Name: "PreToolUse", Kind: hook.PreToolUse.Info(), Can: Block | Ask | Allow | ChangeInput | Inject, Wait: 10 * time.Minute,
			Note: "an ask is a refusal where no user can be asked (claude -p)"},
		{Name: "PermissionRequest", Kind: hook.PermissionRequest.Info(), Can: Block | Ask | Allow, Wait: 10 * time.Minute},
		{Name: "PermissionDenied", Kind: hook.PermissionDenied.Info(), Wait: 10 * time.Minute},
		{Name: "PostToolUse", Kind: hook.PostToolUse.Info(), Can: Block | ChangeOutput | Inject, Wait: 10 * time.Minute,
			Note: "a block keeps the result and tells the model the reason"},
		{Name: "PostToolUseFailure", Kind: hook.PostToolUseFailure.Info(), Can: Inject, Wait: 10 * time.Minute},
		{Name: "PostToolBatch", Can: Block | Inject, Wait: 10 * time.Minute, Note: "a block ends the turn"},
		{Name: "MessageDisplay", Aside: true, Wait: 10 * time.Minute},
		{Name: "Stop", Kind: hook.AgentStop.Info(), Can: GoOn | Inject, Wait: 10 * time.Minute,
			Note: "it stops after 8 blocks in a row, and begins to count anew whenever a tool ran"},
		{Name: "SubagentStart", Kind: hook.SubagentStart.Info(), Can: Inject, Wait: 10 * time.Minute},
		{Name: "SubagentStop", Kind: hook.SubagentStop.Info(), Can: GoOn | Inject, Wait: 10 * time.Minute},
		{Name: "StopFailure", Wait: 10 * time.Minute},
		{Name: "PreCompact", Kind: hook.PreCompact.Info(), Can: Block | Inject, Wait: 10 * time.Minute,
			Note: "injected text is an instruction for the summary"},
		{Name: "PostCompact", Kind: hook.PostCompact.Info(), Wait: 10 * time.Minute},
		{Name: "PreModelSwitch", Can: Block, Wait: 10 * time.Minute},
		{Name: "PostModelSwitch", Can: Inject, Wait: 10 * time.Minute},
		{Name: "Notification", Kind: hook.Notification.Info(), Can: Inject, Wait: 10 * time.Minute},
		{Name: "TeammateIdle", Can: Block, Wait: 10 * time.Minute},
		{Name: "TaskCreated", Can: Block, Wait: 10 * time.Minute},
		{Name: "TaskCompleted", Can: Block, Wait: 10 * time.Minute},
		{Name: "Elicitation", Can: Block, Wait: 10 * time.Minute},
		{Name: "ElicitationResult", Can: Block, Wait: 10 * time.Minute},
		{Name: "ConfigChange", Can: Block, Wait: 10 * time.Minute},
		{Name: "CwdChanged", Aside: true, Wait: 10 * time.Minute},
		{Name: "FileChanged", Aside: true, Wait: 10 * time.Minute},
		{Name: "DirectoryAdded", Aside: true, Wait: 10 * time.Minute},
		{Name: "WorktreeCreate", Can: Block, Wait: 10 * time.Minute,
			Note: "its hook must make the worktree and print the path, so hookway is not installed there"},
		{Name: "WorktreeRemove", Wait: 10 * time.Minute},
		{Name: "SessionEnd", Kind: hook.SessionEnd.Info(), Wait: 1500 * time.Millisecond},
	},
	Blind: []string{
		"Files named with @ in a prompt are read without a PreToolUse.",
		"A shell command may write what a hook on Edit and Write guards; match Bash as well.",
		"An interrupted turn (Esc) fires no Stop.",
	},
}
