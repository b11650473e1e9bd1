package adapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Reply is what the process that an agent called prints, and how it exits.
type Reply struct {
	Stdout   []byte
	Stderr   []byte
	ExitCode int

	// Warnings say what the agent could not be made to do beyond what [Fit]
	// found, for the user.
	Warnings []string
}

// answer is a Reply in the making: JSON with, as most agents have it, a part
// inside hookSpecificOutput.
type answer struct {
	ev          hook.AnyEvent
	event       string // native name
	out         hook.Outcome[any]
	top, nested object
	warnings    []string
}

func newAnswer(ev hook.AnyEvent, out hook.Outcome[any]) *answer {
	return &answer{ev: ev, event: NativeName(ev), out: out, top: object{}, nested: object{}}
}

// endTurn hands on that a hook written for Claude Code wants the turn to end, at the events
// at which the agent ends it.
func (a *answer) endTurn(agent string, events ...string) {
	switch {
	case a.out.Metadata["claude.continue"] != false:
	case slices.Contains(events, a.event):
		a.top["continue"] = false
		if why, ok := a.out.Metadata["claude.stopReason"].(string); ok {
			a.top["stopReason"] = why
		}
	default:
		a.warn("%s cannot end the turn at %s: continue was left out", agent, a.event)
	}
}

// blocked says no in the words that most agents have for it, beside what is about a call.
func (a *answer) blocked() {
	if a.out.Action == hook.ActionBlock {
		a.top["decision"], a.top["reason"] = "block", a.reason()
	}
}

// permissionRequest answers an agent that is about to ask its user: an ask needs no words.
func (a *answer) permissionRequest() {
	switch a.out.Action {
	case hook.ActionAllow:
		a.nested["decision"] = object{"behavior": "allow"}
	case hook.ActionBlock:
		a.nested["decision"] = object{"behavior": "deny", "message": a.reason()}
	}
}

func (a *answer) warn(format string, args ...any) {
	a.warnings = append(a.warnings, fmt.Sprintf(format, args...))
}

// tellUser shows the user what hooks have to say, where the agent has a field for it.
func (a *answer) tellUser() {
	if a.out.UserMessage != "" {
		a.top["systemMessage"] = a.out.UserMessage
	}
}

// reason is never blank: with a blank one, some agents drop the refusal.
func (a *answer) reason() string {
	if strings.TrimSpace(a.out.Reason) == "" {
		return "A hook decided so"
	}
	return a.out.Reason
}

// reply encodes the answer. Nothing but the answer may go to stdout: one stray
// line there disarms a refusal in every agent.
func (a *answer) reply() (Reply, error) {
	if len(a.nested) > 0 {
		a.nested["hookEventName"] = a.event // without it, most agents drop the whole answer
		a.top["hookSpecificOutput"] = a.nested
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a.top); err != nil {
		return Reply{}, fmt.Errorf("the answer cannot be written as JSON: %w", err)
	}
	return Reply{Stdout: out.Bytes(), Warnings: a.warnings}, nil
}

// changedInput gives the whole new input of a tool call, in the agent's own
// names; nil if it did not change.
func (a *answer) changedInput(about *About, ev hook.AnyEvent) object {
	use, ok := a.out.Payload.(hook.ToolUse)
	if !ok || !a.out.Changed || a.out.Action == hook.ActionBlock {
		return nil
	}
	return about.toolOut(nativeTool(ev), use.ToolInput, nativeInput(ev))
}

// changedPrompt gives the new prompt of an AgentStart. That is all that agents
// take there.
func (a *answer) changedPrompt() (string, bool) {
	run, ok := a.out.Payload.(hook.AgentRun)
	if !ok || !a.out.Changed || a.out.Action == hook.ActionBlock {
		return "", false
	}
	before, _ := a.ev.Body().(hook.AgentRun)
	if run.SystemPrompt != before.SystemPrompt {
		a.warn("the system prompt cannot be changed at %s, as hook %s wants: it stayed", a.event, lastChange(a.out))
	}
	return run.Prompt, run.Prompt != before.Prompt
}

// changedOutput gives the new text of a tool's result.
func (a *answer) changedOutput() (string, bool) {
	result, ok := a.out.Payload.(hook.ToolResult)
	return result.ToolResponse.Output, ok && a.out.Changed
}
