package adapter_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
)

// codexExam is the exam for Codex CLI.
var codexExam = exam{
	codec:   adapter.Codex{},
	session: at("session_id"), cwd: at("cwd"), transcript: at("transcript_path"),
	changeApproves: true,
}

func TestCodex(t *testing.T) { codexExam.take(t) }

func FuzzCodex(f *testing.F) { codexExam.fuzz(f) }

// codexKeys are the keys that Codex reads at an event, at the top and inside
// hookSpecificOutput. With any other one it drops the answer whole.
var codexKeys = map[string][2]string{
	"PreToolUse":        {"systemMessage decision reason", "hookEventName permissionDecision permissionDecisionReason updatedInput additionalContext"},
	"PermissionRequest": {"systemMessage", "hookEventName decision"},
	"PostToolUse":       {"systemMessage decision reason continue stopReason", "hookEventName additionalContext"},
	"UserPromptSubmit":  {"systemMessage decision reason continue stopReason", "hookEventName additionalContext"},
	"SessionStart":      {"systemMessage continue stopReason", "hookEventName additionalContext"},
	"SubagentStart":     {"systemMessage continue stopReason", "hookEventName additionalContext"},
	"Stop":              {"systemMessage decision reason continue stopReason", ""},
	"SubagentStop":      {"systemMessage decision reason continue stopReason", ""},
	"PreCompact":        {"systemMessage continue stopReason", ""},
	"PostCompact":       {"systemMessage continue stopReason", ""},
}

func TestCodexIsToldNoWordThatItDoesNotKnow(t *testing.T) {
	own := map[string]any{
		"claude.continue": false, "claude.stopReason": "enough", "claude.suppressOutput": true, "claude.updatedPermissions": []any{},
		"claude.interrupt": true, "claude.sessionTitle": "x", "claude.permissionDecision": "defer", "claude.retry": true,
	}
	for name, d := range all(decisions, together) {
		d.Metadata = own
		for file, stdin := range codexExam.recorded(t) {
			got, _, _ := strings.Cut(codexExam.answer(t, saying(t, d), file, stdin), "\n")
			answer := objectOf(t, []byte(got))
			keys := codexKeys[nativeEvent(file)]
			if keys[0] == "" {
				keys[0] = "systemMessage"
			}
			nested, _ := answer["hookSpecificOutput"].(map[string]any)
			delete(answer, "hookSpecificOutput")
			for i, part := range []map[string]any{answer, nested} {
				for key, value := range part {
					if !strings.Contains(" "+keys[i]+" ", " "+key+" ") {
						t.Errorf("%s at %s: %s", name, file, got)
					}
					if text, ok := value.(string); ok && strings.TrimSpace(text) == "" {
						t.Errorf("%s at %s: %s is blank", name, file, key)
					}
				}
			}
			if word := nested["permissionDecision"]; word == "allow" && nested["updatedInput"] == nil || word == "ask" {
				t.Errorf("%s at %s: %s", name, file, got)
			}
		}
	}
}

func TestABlankReasonStillRefusesInCodex(t *testing.T) {
	for event, stdin := range codexExam.recorded(t) {
		got := codexExam.answer(t, saying(t, hook.Block(" \n")), event, stdin)
		if strings.Contains(got, `ason":" `) {
			t.Errorf("%s: got %s, want !strings.Contains(got, `ason\":\" `)", event, got)
		}
	}
}

func TestCodexTellsTheFilesOfAPatch(t *testing.T) {
	stdin := codexExam.recorded(t)["PreToolUse~apply_patch~many"]
	use, _ := codexExam.decode(t, "PreToolUse", stdin).Body().(hook.ToolUse)
	want := []any{"a.txt", "b.txt", "old/c.txt", ".env"}
	if use.ToolName != "Edit" || use.Text("file_path") != "a.txt" || !reflect.DeepEqual(use.ToolInput["file_paths"], want) {
		t.Errorf(`got %s %v, want use.ToolName == "Edit" and use.Text("file_path") == "a.txt" and reflect.DeepEqual(use.ToolInput["file_paths"], want)`, use.ToolName, use.ToolInput)
	}
}

// patching is an engine whose hook changes one argument of every call.
func patching(t *testing.T, name string, value any) *hook.Engine {
	t.Helper()
	return doing(t, hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		use, _ := ev.Body().(hook.ToolUse)
		return hook.Change(use.WithInput(name, value)), nil
	}))
}

func TestCodexIsGivenThePatchOnly(t *testing.T) {
	stdin := codexExam.recorded(t)["PreToolUse~apply_patch~many"]
	got := codexExam.answer(t, patching(t, "command", "*** Begin Patch\n*** End Patch\n"), "PreToolUse", stdin)
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"*** Begin Patch\n*** End Patch\n"}}}` + "\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestAPatchCannotBeSentToAnotherFileByName: the old patch must not be what runs.
func TestAPatchCannotBeSentToAnotherFileByName(t *testing.T) {
	stdin := codexExam.recorded(t)["PreToolUse~apply_patch~many"]
	for _, name := range []string{"file_path", "file_paths"} {
		if got := codexExam.answer(t, patching(t, name, "safe.txt"), "PreToolUse", stdin); !strings.Contains(got, `"deny"`) || strings.Contains(got, "updatedInput") {
			t.Errorf("%s: got %s, want strings.Contains(got, `\"deny\"`) and !strings.Contains(got, \"updatedInput\")", name, got)
		}
	}
}

func TestCodexNeverShowsAnOutputThatWasRemoved(t *testing.T) {
	engine := doing(t, hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		result, _ := ev.Body().(hook.ToolResult)
		result.ToolResponse.Output = ""
		return hook.Change(result), nil
	}))
	got := codexExam.answer(t, engine, "PostToolUse", codexExam.recorded(t)["PostToolUse~Bash~subagent"])
	if want := `{"decision":"block","reason":"(a hook removed the output)"}` + "\n"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
