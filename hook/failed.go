package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Failure says why a tool failed, as far as its response tells, in the words of
// hookway or of an agent; "" if it did not.
func (r *ToolResponse) Failure() string {
	said := r.Output
	for _, name := range []string{"error", "stderr"} {
		if text := errorText(r.Extra[name]); text != "" && (name == "error" || said == "") {
			said = text
		}
	}
	switch {
	case !r.Success, errorText(r.Extra["error"]) != "", r.Extra["is_error"] == true, r.Extra["isError"] == true:
	case r.ExitCode != nil && *r.ExitCode != 0:
		said = join(fmt.Sprintf("exit code %d", *r.ExitCode), said, "\n")
	case failedStatus(r.Extra["status"]), failedStatus(r.Extra["result_type"]), codeOf(r.Extra["exitCode"]) != 0, codeOf(r.Extra["exit"]) != 0:
	case statusLine.MatchString(r.Output):
	default:
		return ""
	}
	if said == "" {
		return "the tool failed"
	}
	return said
}

// statusLine is how Codex begins what the model is told of a program that failed.
var statusLine = regexp.MustCompile(`^(Exit code: |Process exited with code )[1-9]`)

func failedStatus(value any) bool {
	text, _ := value.(string)
	switch strings.ToLower(text) {
	case "error", "failed", "failure":
		return true
	}
	return false
}

func codeOf(value any) float64 {
	switch n := value.(type) {
	case json.Number:
		f, _ := n.Float64()
		return f
	case float64:
		return n
	case int:
		return float64(n)
	}
	return 0
}

// errorText is an error as agents write it: a text, or an object with one.
func errorText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case map[string]any:
		text, _ := v["message"].(string)
		if text == "" && len(v) > 0 {
			text = "the tool failed"
		}
		return text
	}
	return ""
}

// hear has the hooks of Error hear that a tool failed, where that is an event of an
// agent: PostToolUseFailure. What they answer is that event's outcome.
func (r *run) hear(v *Verdict) {
	failure, ok := r.ev.pointer().(*ToolFailure)
	if !ok {
		return
	}
	if said := r.e.toolFault(r.ctx, r.ev, failure.ToolName, failure.Error, v); said.Action == ActionAnswer && strength[v.Action] < strength[ActionAnswer] {
		v.Action, v.Reason, v.By, v.Result = said.Action, said.Reason, said.By, said.Result
	}
}

// toolFault fires Error for a tool that failed under an agent, and adds to the
// verdict what its hooks did. Another error is told to the agent as text.
func (e *Engine) toolFault(ctx context.Context, ev AnyEvent, tool, text string, v *Verdict) Verdict {
	if e.table.Load().find(Error.info) == nil {
		return Verdict{}
	}
	env := *ev.Head()
	env.Mark = nil
	out, err := Fire(ctx, e, Error, &env, Fault{Phase: "tool", Error: text, ToolName: tool})
	v.Steps = append(v.Steps, out.Steps...)
	if err != nil { // the caller gave up; the event itself is decided
		return Verdict{}
	}
	if out.Payload.Error != text {
		v.Inject = join(v.Inject, out.Payload.Error, "\n\n")
	}
	if !strings.Contains(v.UserMessage, out.UserMessage) { // a hook of both events may say it twice
		v.UserMessage = join(v.UserMessage, out.UserMessage, "\n")
	}
	return out.Verdict
}

// FailedTool has the hooks of Error, phase tool, hear of a call whose result says
// that it failed, under an agent that has no event for that. ev is its PostToolUse,
// whose outcome is out: a recovery takes the result's place. Tool does not need it.
func (e *Engine) FailedTool(ctx context.Context, ev AnyEvent, out *Outcome[any]) {
	result, ok := out.Payload.(ToolResult)
	if !ok || ev.Info() != PostToolUse.info {
		return
	}
	why := result.ToolResponse.Failure()
	if why == "" {
		return
	}
	said := e.toolFault(ctx, ev, result.ToolName, why, &out.Verdict)
	if said.Action == ActionAnswer && out.Action != ActionBlock {
		result.ToolResponse = toResponse(said.Result)
		out.Payload, out.Changed = result, true
	}
}
