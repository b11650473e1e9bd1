package adapter_test

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/golden"
)

var copilotExam = exam{
	codec:   adapter.Copilot{},
	session: at("sessionId"), cwd: at("cwd"), transcript: at("transcriptPath"),
}

var copilotPascalExam = exam{
	codec:   adapter.Copilot{Pascal: true},
	session: at("session_id", "sessionId"), cwd: at("cwd"), transcript: at("transcript_path"),
}

var cursorExam = exam{
	codec:   adapter.Cursor{},
	session: at("session_id"), cwd: func(native map[string]any) any {
		if cwd := native["cwd"]; cwd != nil {
			return cwd
		}
		return first(native["workspace_roots"])
	},
	transcript: at("agent_transcript_path", "transcript_path"),
}

var antigravityExam = exam{
	codec:   adapter.Antigravity{},
	session: at("conversationId"), transcript: at("transcriptPath"),
	cwd: func(native map[string]any) any { return first(native["workspacePaths"]) },
	nothing: func(event string) string {
		if event == "PreToolUse" { // the one place where silence is a no
			return `{"decision":"allow"}`
		}
		return "{}"
	},
}

var openCodeExam = exam{
	codec:   adapter.OpenCode{},
	session: at("session_id"), cwd: at("cwd"), transcript: at("transcript_path"),
	unseen: []string{"permission.ask", "tool.definition", "config"}, // the plugin does not listen to them
}

func first(list any) any { return list.([]any)[0] }

func TestCopilot(t *testing.T)       { copilotExam.take(t) }
func TestCopilotPascal(t *testing.T) { copilotPascalExam.take(t) }
func TestCursor(t *testing.T)        { cursorExam.take(t) }
func TestAntigravity(t *testing.T)   { antigravityExam.take(t) }
func TestOpenCode(t *testing.T)      { openCodeExam.take(t) }

func FuzzCopilot(f *testing.F)       { copilotExam.fuzz(f) }
func FuzzCopilotPascal(f *testing.F) { copilotPascalExam.fuzz(f) }
func FuzzCursor(f *testing.F)        { cursorExam.fuzz(f) }
func FuzzAntigravity(f *testing.F)   { antigravityExam.fuzz(f) }
func FuzzOpenCode(f *testing.F)      { openCodeExam.fuzz(f) }

// flatExams are those of the agents whose events have other names than ours for
// everything, so that what hooks see of them is held too.
var flatExams = []exam{copilotExam, copilotPascalExam, cursorExam, antigravityExam, openCodeExam}

// TestDecodedEvents compares what hooks see of each event with a golden file.
func TestDecodedEvents(t *testing.T) {
	for _, x := range flatExams {
		t.Run(x.about().Name, func(t *testing.T) {
			var out strings.Builder
			events := x.recorded(t)
			for _, file := range sorted(events) {
				ev := x.decode(t, file, events[file])
				meta := maps.Clone(ev.Head().Metadata)
				delete(meta, "native")
				body := "(as it is)"
				if _, raw := ev.Body().(map[string]any); !raw {
					body = asJSON(t, ev.Body())
				}
				out.WriteString(file + " " + ev.Info().Name + " " + body + " " + asJSON(t, meta) + "\n")
			}
			golden.Compare(t, filepath.Join(x.folder(), "decoded.golden"), out.String())
		})
	}
}

// TestOneRefusalInEachDialect holds the bytes of a refusal before a tool runs: what
// stops it under one agent is passed over by the next.
func TestOneRefusalInEachDialect(t *testing.T) {
	files := map[string]string{
		"copilot": "preToolUse~bash", "copilot-pascal": "PreToolUse~Bash", "cursor": "preToolUse~Shell",
		"antigravity": "PreToolUse~run_command", "opencode": "tool.execute.before~bash",
	}
	bytes := map[string]string{
		"copilot":        `{"permissionDecision":"deny","permissionDecisionReason":"no"}`,
		"copilot-pascal": `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`,
		"cursor":         `{"agent_message":"no","permission":"deny","user_message":"no"}`,
		"antigravity":    `{"decision":"deny","reason":"no"}`,
		"opencode":       `{"action":"block","reason":"no"}`,
	}
	said := map[string]string{}
	for _, x := range flatExams {
		name := x.about().Name
		got := x.answer(t, saying(t, hook.Block("no")), files[name], x.recorded(t)[files[name]])
		if got != bytes[name]+"\n" {
			t.Errorf("%s: got %s, want %s", name, got, bytes[name]+"\n")
		}
		if other, ok := said[got]; ok {
			t.Errorf("%s says what %s says", name, other)
		}
		said[got] = name
	}
}

func TestACallThatCannotBeReadIsNoEvent(t *testing.T) {
	for _, c := range []struct {
		codec        adapter.Codec
		event, stdin string
	}{
		{adapter.Copilot{}, "preToolUse", `{"sessionId":"s","toolName":"bash","toolArgs":"rm -rf ./build"}`},
		{adapter.Copilot{Pascal: true}, "", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":[]}`},
		{adapter.Cursor{}, "", `{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":7}`},
		{adapter.Cursor{}, "", `{"hook_event_name":"beforeMCPExecution","tool_name":"x","tool_input":"{\"a\":1} and more"}`},
		{adapter.Antigravity{}, "PreToolUse", `{"toolCall":{"name":"run_command","args":true}}`},
		{adapter.OpenCode{}, "", `{"hook_event_name":"tool.execute.before","input":{"tool":"bash"},"output":{"args":[1]}}`},
	} {
		if ev, err := c.codec.Decode(adapter.Call{Event: c.event, Stdin: []byte(c.stdin)}, nil); err == nil {
			t.Errorf("%s was decoded as %v", c.stdin, ev.Body())
		}
	}
}

// TestAnUnknownEventKeepsFieldsNamedLikeOurs: whatever their types are.
func TestAnUnknownEventKeepsFieldsNamedLikeOurs(t *testing.T) {
	stdin := `{"n":18446744073709551615,"time":7,"event_id":true,"cwd":null,"transcript_path":null,"session_id":1,"tool_name":[],"metadata":3}`
	for _, x := range flatExams {
		ev, err := x.codec.Decode(adapter.Call{Event: "brandNew", Stdin: []byte(stdin)}, nil)
		if err != nil {
			t.Errorf("%s: %v", x.about().Name, err)
			continue
		}
		body, _ := ev.Body().(map[string]any)
		if body["n"] != json.Number("18446744073709551615") || asJSON(t, ev.Head().Metadata["native"]) != asJSON(t, objectOf(t, []byte(stdin))) {
			t.Errorf(`%s: got %v, want body["n"] == json.Number("18446744073709551615") and asJSON(t, ev.Head().Metadata["native"]) == asJSON(t, objectOf(t, []byte(stdin)))`, x.about().Name, body)
		}
	}
}

// TestADecoyArgumentHidesNothing: Copilot's view reads path, whatever else a
// model writes beside it.
func TestADecoyArgumentHidesNothing(t *testing.T) {
	ev := copilotExam.decode(t, "preToolUse~view", copilotExam.recorded(t)["preToolUse~view"])
	use := ev.Body().(hook.ToolUse)
	if got := use.Text("file_path"); got != "/home/dev/project/.env" {
		t.Errorf("hooks see %s", got)
	}
}

// TestAnArgumentThatTheAgentNamesLikeUsKeepsItsName in a changed input.
func TestAnArgumentThatTheAgentNamesLikeUsKeepsItsName(t *testing.T) {
	for toolArgs, want := range map[string]string{`{"file_path":"a"}`: `{"file_path":"something else"}`, `{"path":"a"}`: `{"path":"something else"}`} {
		stdin := []byte(`{"sessionId":"s","toolName":"view","toolArgs":` + toolArgs + `}`)
		if got := copilotExam.answer(t, changing(t), "preToolUse", stdin); got != `{"modifiedArgs":`+want+"}\n" {
			t.Errorf("got %v, want %v", got, `{"modifiedArgs":`+want+"}\n")
		}
	}
}

func changing(t *testing.T) *hook.Engine {
	t.Helper()
	return doing(t, hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		return hook.Decision{Modified: changed(ev.Body())}, nil
	}))
}

// TestCursorsTwoReportsOfOneCallHaveOneGist: so they can be told to be one call.
func TestCursorsTwoReportsOfOneCallHaveOneGist(t *testing.T) {
	gist := func(stdin string) string {
		ev, err := adapter.Cursor{}.Decode(adapter.Call{Stdin: []byte(stdin)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		use := ev.Body().(hook.ToolUse)
		return use.ToolName + asJSON(t, adapter.Gist(ev, use.ToolName, use.ToolInput))
	}
	for general, special := range map[string]string{
		`{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"ls","working_directory":"/"}}`: `{"hook_event_name":"beforeShellExecution","command":"ls"}`,
		`{"hook_event_name":"preToolUse","tool_name":"Read","tool_input":{"path":"/a","limit":5}}`:                   `{"hook_event_name":"beforeReadFile","file_path":"/a","content":"x"}`,
	} {
		if a, b := gist(general), gist(special); a != b {
			t.Errorf("%s and %s", a, b)
		}
	}
	ev := copilotExam.decode(t, "preToolUse~bash", copilotExam.recorded(t)["preToolUse~bash"])
	use := ev.Body().(hook.ToolUse)
	if got := adapter.Gist(ev, use.ToolName, use.ToolInput); len(got) != 2 {
		t.Errorf("another agent's call lost arguments: %v", got)
	}
}
