package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Failure returns why a tool failed, as far as its response tells; "" means that it
// succeeded. Agents report failures in many shapes: it knows Success and ExitCode,
// the fields "error", "is_error", "status" and "exitCode" of agents, and the first
// line of Codex.
func (r *ToolResponse) Failure() string {
	why := r.Output
	for _, name := range []string{"error", "stderr"} {
		if text := errorText(r.Extra[name]); text != "" && (name == "error" || why == "") {
			why = text
		}
	}
	switch {
	case !r.Success, errorText(r.Extra["error"]) != "", r.Extra["is_error"] == true, r.Extra["isError"] == true:
	case r.ExitCode != nil && *r.ExitCode != 0:
		why = join(fmt.Sprintf("exit code %d", *r.ExitCode), why, "\n")
	case failedStatus(r.Extra["status"]), failedStatus(r.Extra["result_type"]), codeOf(r.Extra["exitCode"]) != 0, codeOf(r.Extra["exit"]) != 0:
	case statusLine().MatchString(r.Output):
	default:
		return ""
	}
	if why == "" {
		return "the tool failed"
	}
	return why
}

// statusLine is the first line that Codex gives the model when a program failed.
var statusLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(Exit code: |Process exited with code )[1-9]`) })

// failedStatus reads the word by which an agent says how a call ended.
func failedStatus(value any) bool {
	text, _ := value.(string)
	switch strings.ToLower(text) {
	case "error", "failed", "failure":
		return true
	}
	return false
}

// codeOf reads an exit code. What is not a number is 0: the other signs decide then.
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

// errorText is an error as agents write it: a text, or an object with a "message".
// An object without one is an error too, of unknown cause.
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

// fault asks the hooks of Error about a failed tool that an agent reports as
// PostToolUseFailure. Their answer becomes that event's outcome.
func (r *run) fault(v *Verdict) {
	failure, ok := r.ev.pointer().(*ToolFailure)
	if !ok {
		return
	}
	if out := r.e.toolFault(r.ctx, r.ev, failure.ToolName, failure.Error, v); out.Action == ActionAnswer && strength[v.Action] < strength[ActionAnswer] {
		v.Action, v.Reason, v.By, v.Result = out.Action, out.Reason, out.By, out.Result
	}
}

// toolFault fires Error for a tool that failed under an agent, and adds to the
// verdict what its hooks did. Any other error reaches the agent as text.
func (e *Engine) toolFault(ctx context.Context, ev AnyEvent, tool, text string, v *Verdict) Verdict {
	if e.table.Load().find(Error.info) == nil {
		return Verdict{}
	}
	env := *ev.Head()
	env.Mark = nil
	out, err := Fire(ctx, e, Error, &env, Fault{Phase: "tool", Error: text, ToolName: tool})
	v.Steps = append(v.Steps, out.Steps...)
	if err != nil { // the context ended; the event itself is decided
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

// FailedTool fires Error, with phase "tool", for a call whose result says that it
// failed, under an agent that has no event for failures. ev is its PostToolUse, and
// out that event's outcome: a recovery replaces the result in it. Call it after
// firing PostToolUse for an agent; Tool does it itself.
func (e *Engine) FailedTool(ctx context.Context, ev AnyEvent, out *Outcome[any]) {
	result, ok := out.Payload.(ToolResult)
	if !ok || ev.Info() != PostToolUse.info {
		return
	}
	why := result.ToolResponse.Failure()
	if why == "" {
		return
	}
	recovery := e.toolFault(ctx, ev, result.ToolName, why, &out.Verdict)
	if recovery.Action == ActionAnswer && out.Action != ActionBlock {
		result.ToolResponse = toResponse(recovery.Result)
		out.Payload, out.Changed = result, true
	}
}
