package adapter_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
)

// claudeExam is the exam for Claude Code.
var claudeExam = exam{
	codec:   adapter.Claude{},
	session: at("session_id"), cwd: at("cwd"), transcript: at("transcript_path"),
	plainText: func(event string) bool { return event == "PreCompact" },
	unseen: []string{"PermissionDenied", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult",
		"ConfigChange", "FileChanged", "DirectoryAdded", "WorktreeCreate", "WorktreeRemove"},
}

func TestClaude(t *testing.T) { claudeExam.take(t) }

func FuzzClaude(f *testing.F) { claudeExam.fuzz(f) }

func TestAChangedInputIsWrittenWhole(t *testing.T) {
	var engine hook.Engine
	err := hook.On(&engine, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		return hook.Change(ev.Payload.WithInput("command", "ls")), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := answer(t, &engine, recorded(t)["PreToolUse~Bash"])
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls","description":"run a command"}}}` + "\n"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestARefusedCallHasNoChangedInput(t *testing.T) {
	var engine hook.Engine
	err := errors.Join(
		hook.On(&engine, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
			return hook.Change(ev.Payload.WithInput("command", "ls")), nil
		}),
		engine.Add(hook.New("guard", hook.Static(hook.Block("no")), hook.For("PreToolUse"), hook.As(hook.Guard))))
	if err != nil {
		t.Fatal(err)
	}
	if got := answer(t, &engine, recorded(t)["PreToolUse~Bash"]); strings.Contains(got, "updatedInput") || !strings.Contains(got, `"deny"`) {
		t.Errorf("got %v, want !strings.Contains(got, \"updatedInput\") and strings.Contains(got, `\"deny\"`)", got)
	}
}

// redacting is an engine that puts a text in place of every tool's output.
func redacting(t *testing.T) *hook.Engine {
	t.Helper()
	engine := new(hook.Engine)
	err := hook.On(engine, hook.PostToolUse, func(_ context.Context, ev *hook.Event[hook.ToolResult]) (hook.Decision, error) {
		changed := ev.Payload
		changed.ToolResponse.Output = "[redacted]"
		return hook.Change(changed), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func TestAChangedShellOutputKeepsTheShapeOfTheTool(t *testing.T) {
	engine := redacting(t)
	got := answer(t, engine, recorded(t)["PostToolUse~Bash"])
	want := `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"interrupted":false,"isImage":false,"noOutputExpected":true,"stderr":"","stdout":"[redacted]"}}}` + "\n"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestARedactedResponseNeverKeepsTheOldText(t *testing.T) {
	engine := redacting(t)
	for name, tt := range map[string]struct{ response, want string }{
		"Read":       {`{"type":"text","file":{"content":"KEY=1","numLines":1}}`, `{"file":{"content":"[redacted]","numLines":1},"type":"text"}`},
		"a text":     {`"KEY=1"`, `"[redacted]"`},
		"MCP-like":   {`{"content":"KEY=1","isError":false}`, `{"content":"[redacted]","isError":false}`},
		"no place":   {`{"blocks":["KEY=1"]}`, `"[redacted]"`},
		"no content": {`{"file":{"numLines":1}}`, `"[redacted]"`},
	} {
		stdin := `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"X","tool_input":{},"tool_response":` + tt.response + `}`
		got := answer(t, engine, []byte(stdin))
		if strings.Contains(got, "KEY=1") || !strings.Contains(got, `"updatedToolOutput":`+tt.want) {
			t.Errorf("%s: got %s, want !strings.Contains(got, \"KEY=1\") and strings.Contains(got, `\"updatedToolOutput\":`+tt.want)", name, got)
		}
	}
}

// TestAChangedOutputOfAnMCPToolHasItsForm: Claude Code reads it from a field of its
// own, and hooks are given the text, not the parts it came in.
func TestAChangedOutputOfAnMCPToolHasItsForm(t *testing.T) {
	for name, tt := range map[string]struct {
		response, want string
		warns          bool
	}{
		"parts":         {`[{"type":"text","text":"KEY=1"},{"type":"text","text":"more"}]`, `[{"text":"[redacted]","type":"text"}]`, false},
		"a text":        {`"KEY=1"`, `"[redacted]"`, false},
		"whole":         {`{"content":[{"type":"text","text":"KEY=1"}],"structuredContent":{"a":"KEY=1"},"isError":false}`, `{"content":[{"text":"[redacted]","type":"text"}],"isError":false}`, false},
		"no known form": {`{"blocks":["KEY=1"]}`, `"[redacted]"`, true},
		"other list":    {`["KEY=1"]`, `"[redacted]"`, true},
	} {
		ev, err := adapter.Claude{}.Decode(adapter.Call{Stdin: []byte(`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"mcp__kv__get","tool_input":{},"tool_response":` + tt.response + `}`)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]string{"parts": "KEY=1\nmore", "whole": "KEY=1"}
		if out := ev.Body().(hook.ToolResult).ToolResponse.Output; given[name] != "" && out != given[name] {
			t.Errorf("%s: hooks are given %q, want %q", name, out, given[name])
		}
		out, err := redacting(t).Fire(t.Context(), ev)
		if err != nil {
			t.Fatal(err)
		}
		r, err := adapter.Claude{}.Encode(ev, out)
		want := `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedMCPToolOutput":` + tt.want + `,"updatedToolOutput":` + tt.want + "}}\n"
		if err != nil || string(r.Stdout) != want || (len(r.Warnings) > 0) != tt.warns {
			t.Errorf("%s: %v\ngot  %swant %s%q", name, err, r.Stdout, want, r.Warnings)
		}
	}
}

// TestOneHooksMetadataDoesNotAnnulAnothersBlock: Claude Code drops an answer
// whole if a field of it has the wrong type or stands at the wrong event.
func TestOneHooksMetadataDoesNotAnnulAnothersBlock(t *testing.T) {
	var engine hook.Engine
	for id, d := range map[string]hook.Decision{
		"block": hook.Block("no"),
		"own": {Metadata: map[string]any{
			"claude.continue": "please", "claude.suppressOutput": "yes", "claude.sessionTitle": "x", "claude.stopReason": "enough",
		}},
	} {
		priority := 1
		if id == "block" {
			priority = 2
		}
		if err := engine.Add(hook.New(id, hook.Static(d), hook.For("PreToolUse"), hook.Priority(priority))); err != nil {
			t.Fatal(err)
		}
	}
	got, _, _ := strings.Cut(answer(t, &engine, recorded(t)["PreToolUse~Bash"]), "\n")
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"},"stopReason":"enough"}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWhatIsNoEventIsAnError(t *testing.T) {
	for _, stdin := range []string{``, `null`, `[]`, `"PreToolUse"`, `{}`, `{"hook_event_name":7}`, `{"hook_event_name":"PreToolUse","tool_input":"x"}`} {
		if ev, err := (adapter.Claude{}).Decode(adapter.Call{Stdin: []byte(stdin)}, nil); err == nil {
			t.Errorf("%s was decoded as %v", stdin, ev)
		}
	}
}

// recorded gives the recordings of Claude Code.
func recorded(t *testing.T) map[string][]byte { return claudeExam.recorded(t) }

// answer is what Claude Code is given for an event that says its name itself.
func answer(t *testing.T, engine *hook.Engine, stdin []byte) string {
	t.Helper()
	name, _ := objectOf(t, stdin)["hook_event_name"].(string)
	return claudeExam.answer(t, engine, name, stdin)
}

// TestAnAcceptedElicitationThatAGuardBlocksIsDeclined: the words of the one hook
// must not stand in the answer of the other.
func TestAnAcceptedElicitationThatAGuardBlocksIsDeclined(t *testing.T) {
	ev := claudeExam.decode(t, "Elicitation", []byte(`{"hook_event_name":"Elicitation","session_id":"s","mcp_server_name":"m","message":"who?"}`))
	out := hook.Outcome[any]{Payload: ev.Body(), Verdict: hook.Verdict{Action: hook.ActionBlock, Reason: "no", Metadata: map[string]any{
		"claude.action": "accept", "claude.content": map[string]any{"name": "x"},
	}}}
	r, err := claudeExam.codec.Encode(ev, out)
	if want := `{"hookSpecificOutput":{"action":"decline","hookEventName":"Elicitation"}}` + "\n"; err != nil || string(r.Stdout) != want {
		t.Errorf("got  %s, %v\nwant %s", r.Stdout, err, want)
	}
}

// TestABlockedWorktreeHasNoPath: Claude Code takes any text on stdout for one.
func TestABlockedWorktreeHasNoPath(t *testing.T) {
	ev := claudeExam.decode(t, "WorktreeCreate", []byte(`{"hook_event_name":"WorktreeCreate","session_id":"s","name":"x"}`))
	r, err := claudeExam.codec.Encode(ev, hook.Outcome[any]{Payload: ev.Body(), Verdict: hook.Verdict{Action: hook.ActionBlock, Reason: "no"}})
	switch {
	case err != nil || len(r.Stdout) > 0 || r.ExitCode == 0:
		t.Errorf("got %+v, %v", r, err)
	case string(r.Stderr) != "no\n":
		t.Errorf("string(r.Stderr): got %v, want %v", string(r.Stderr), "no\n")
	}
}
