package adapter_test

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
)

// qwenExam is the exam for Qwen Code.
var qwenExam = exam{
	codec:   adapter.Qwen{},
	session: at("session_id"), cwd: at("cwd"), transcript: at("transcript_path"),
}

func TestQwen(t *testing.T) { qwenExam.take(t) }

func FuzzQwen(f *testing.F) { qwenExam.fuzz(f) }

func TestResultsOfToolsAreNoStartOfQwen(t *testing.T) {
	guard := saying(t, hook.Block("no"))
	for file, want := range map[string]string{"UserPromptSubmit": "AgentStart", "UserPromptSubmit~continued": "UserPromptContinued"} {
		stdin := qwenExam.recorded(t)[file]
		if got := qwenExam.decode(t, file, stdin).Info().Name; got != want {
			t.Errorf("%s is %s", file, got)
		}
		blocked := strings.HasPrefix(qwenExam.answer(t, guard, file, stdin), `{"decision":"block"`)
		if blocked != (want == "AgentStart") {
			t.Errorf("%s: blocked is %v", file, blocked)
		}
	}
}

func TestBothEventsOfACallOfQwenHaveOneID(t *testing.T) {
	all := qwenExam.recorded(t)
	use, _ := qwenExam.decode(t, "PreToolUse", all["PreToolUse~run_shell_command"]).Body().(hook.ToolUse)
	result, _ := qwenExam.decode(t, "PostToolUse", all["PostToolUse~run_shell_command"]).Body().(hook.ToolResult)
	if use.ToolUseID != "call_1" || result.ToolUseID != "call_1" {
		t.Errorf("%q and %q", use.ToolUseID, result.ToolUseID)
	}
	alone, _ := qwenExam.decode(t, "PreToolUse", all["PreToolUse~mcp"]).Body().(hook.ToolUse)
	if alone.ToolUseID != "toolu_3" {
		t.Errorf("without a tool_call_id it is %q", alone.ToolUseID)
	}
}

// TestAChangedInputIsNeverDroppedByQwen: it would run the old one.
func TestAChangedInputIsNeverDroppedByQwen(t *testing.T) {
	got := qwenExam.answer(t, patching(t, "command", "ls"), "PreToolUse", qwenExam.recorded(t)["PreToolUse~run_shell_command"])
	if !strings.Contains(got, `"permissionDecision":"deny"`) || strings.Contains(got, "updatedInput") || !strings.Contains(got, `\"command\":\"ls\"`) {
		t.Errorf("got %v, want strings.Contains(got, `\"permissionDecision\":\"deny\"`) and !strings.Contains(got, \"updatedInput\") and strings.Contains(got, `\\\"command\\\":\\\"ls\\\"`)", got)
	}
}

// TestABlockInPlaceOfAChangeIsReadable: the model can call again as it stands
// there, and the record says which hook it was.
func TestABlockInPlaceOfAChangeIsReadable(t *testing.T) {
	ev := qwenExam.decode(t, "PreToolUse", qwenExam.recorded(t)["PreToolUse~run_shell_command"])
	use, _ := ev.Body().(hook.ToolUse)
	use.ToolInput = map[string]any{"command": "a > b && c"}
	var out hook.Outcome[any]
	out.Action, out.Changed, out.Payload, out.Steps = hook.ActionContinue, true, use, []hook.Step{{Hook: "tame", Changed: true}}
	fitted := adapter.Fit(adapter.Qwen{}.About(), ev, out, hook.ActionBlock).Outcome
	if fitted.By != "tame" || !strings.Contains(fitted.Reason, `{"command":"a > b && c"`) {
		t.Errorf("by %q: %s", fitted.By, fitted.Reason)
	}
}
