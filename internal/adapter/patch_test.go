package adapter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

const aPatch = `*** Begin Patch\n*** Add File: secret.txt\n+x\n*** Update File: a.go\n*** Move to: b.go\n*** End Patch\n`

// patches are calls of the patch tool, as agents write them for models of OpenAI.
var patches = map[string]struct {
	exam  exam
	event string
	stdin string
}{
	"opencode": {openCodeExam, "tool.execute.before", `{"hook_event_name":"tool.execute.before","session_id":"s","cwd":"/w",
		"input":{"tool":"apply_patch","callID":"1"},"output":{"args":{"patchText":"` + aPatch + `","file_path":"harmless.txt","command":"ls"}}}`},
	"copilot, a bare patch": {copilotExam, "preToolUse",
		`{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"apply_patch","toolArgs":"` + aPatch + `"}`},
	"copilot, an object": {copilotExam, "preToolUse",
		`{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"apply_patch","toolArgs":{"input":"` + aPatch + `","file_paths":["harmless.txt"]}}`},
	"copilot, PascalCase": {copilotPascalExam, "PreToolUse",
		`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"apply_patch","tool_input":{"input":"` + aPatch + `"}}`},
}

// TestAPatchIsAnEditOfItsFiles: a guard of files must see what a patch writes,
// whatever else the model says of it.
func TestAPatchIsAnEditOfItsFiles(t *testing.T) {
	for name, p := range patches {
		ev := p.exam.decode(t, p.event, []byte(p.stdin))
		use := ev.Body().(hook.ToolUse)
		if use.ToolName != "Edit" || fmt.Sprint(use.ToolInput["file_paths"]) != "[secret.txt a.go b.go]" || use.ToolInput["file_path"] != "secret.txt" {
			t.Errorf("%s: %s of %v, first %v", name, use.ToolName, use.ToolInput["file_paths"], use.ToolInput["file_path"])
		}
		for _, file := range []string{"secret.txt", "b.go"} {
			var engine hook.Engine
			guard := hook.New("guard", hook.Static(hook.Block("not this file")), hook.For("PreToolUse"), hook.As(hook.Guard),
				hook.Matching(hook.Match{Tool: []string{"Edit", "Write"}, Path: []string{file}}))
			if err := engine.Add(guard); err != nil {
				t.Fatal(err)
			}
			if got := p.exam.answer(t, &engine, p.event, []byte(p.stdin)); !strings.Contains(got, "not this file") {
				t.Errorf("%s: a patch of %s is answered with %s", name, file, got)
			}
		}
	}
}

// TestAChangedPatchIsWhatRunsOrNoneDoes: the names of its files are not the patch.
func TestAChangedPatchIsWhatRunsOrNoneDoes(t *testing.T) {
	for name, p := range patches {
		for _, field := range []string{"file_path", "file_paths"} {
			got := p.exam.answer(t, patching(t, field, "safe.txt"), p.event, []byte(p.stdin))
			if !strings.Contains(got, "change the patch itself") || strings.Contains(got, "safe.txt") {
				t.Errorf("%s: a change of %s is answered with %s", name, field, got)
			}
		}
	}
	for name, want := range map[string]string{
		"opencode":              `{"modified":{"args":{"patchText":"other"}}}`,
		"copilot, an object":    `{"modifiedArgs":{"input":"other"}}`,
		"copilot, a bare patch": `change the patch itself`, // how one is given back is not known
		"copilot, PascalCase":   `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"input":"other"}}}`,
	} {
		p, field := patches[name], "input"
		if name == "opencode" || name == "copilot, a bare patch" {
			field = "command"
		}
		if got := p.exam.answer(t, patching(t, field, "other"), p.event, []byte(p.stdin)); !strings.Contains(got, want) {
			t.Errorf("%s: a changed patch is answered with %s, want %s", name, got, want)
		}
	}
}
