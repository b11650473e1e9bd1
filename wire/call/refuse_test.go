package call_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hookway/hookway/wire/call"
)

// Parts of the table below.
const (
	nested = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}`
	behave = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"R"}}}`
	block  = `{"decision":"block","reason":"R"}`
	deny   = `{"decision":"deny","reason":"R"}`
	cursor = `{"permission":"deny","user_message":"R","agent_message":"R"}`
	action = `{"action":"block","reason":"R"}`
)

// three is said to an unknown agent, at the event E.
func three(event string) string {
	return `{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"` + event +
		`","permissionDecision":"deny","permissionDecisionReason":"R"},"permissionDecision":"deny","permissionDecisionReason":"R"}`
}

// refusals is what each agent gets when hookway fails, byte by byte, as its
// version was seen to deny. A "!" before an answer means that it goes with the
// reason on stderr and exit code 2.
var refusals = []struct{ agent, event, want string }{
	{"claude", "PreToolUse", nested},
	{"claude", "PermissionRequest", behave},
	{"claude", "UserPromptSubmit", block},
	{"claude", "UserPromptExpansion", block},
	{"claude", "PostToolUse", "{}"},
	{"claude", "Stop", "{}"},
	{"claude", "SubagentStop", "{}"},
	{"claude", "SessionEnd", "{}"},
	{"claude", "Elicitation", "{}"},
	{"claude", "Tomorrow", "!" + three("Tomorrow")},
	{"claude", "", "!" + three("PreToolUse")},
	{"claude", " ", "!" + three(" ")},
	{"claude", "Stop SubagentStop", "!" + three("Stop SubagentStop")},
	{"codex", "PreToolUse", nested},
	{"codex", "PermissionRequest", behave},
	{"codex", "UserPromptSubmit", block},
	{"codex", "PostToolUse", "{}"},
	{"codex", "Stop", "{}"},
	{"codex", "Interrupt", "{}"},
	{"codex", "Tomorrow", "!" + three("Tomorrow")},
	{"gemini", "BeforeTool", deny},
	{"gemini", "BeforeAgent", deny},
	{"gemini", "BeforeModel", "{}"},
	{"gemini", "AfterTool", "{}"},
	{"gemini", "AfterAgent", "{}"},
	{"gemini", "Notification", "{}"},
	{"gemini", "Tomorrow", "!" + three("Tomorrow")},
	{"antigravity", "PreToolUse", deny},
	{"antigravity", "PreInvocation", "{}"},
	{"antigravity", "Stop", "{}"},
	{"antigravity", "Tomorrow", "!" + deny},
	{"cursor", "preToolUse", cursor},
	{"cursor", "beforeShellExecution", cursor},
	{"cursor", "beforeMCPExecution", cursor},
	{"cursor", "beforeReadFile", `{"permission":"deny","user_message":"R"}`},
	{"cursor", "beforeTabFileRead", `{"permission":"deny","user_message":"R"}`},
	{"cursor", "beforeSubmitPrompt", `{"continue":false,"user_message":"R"}`},
	{"cursor", "afterFileEdit", "{}"},
	{"cursor", "stop", "{}"},
	{"cursor", "tomorrow", `!{"permission":"deny","continue":false,"user_message":"R","agent_message":"R"}`},
	{"copilot", "preToolUse", `{"permissionDecision":"deny","permissionDecisionReason":"R"}`},
	{"copilot", "permissionRequest", `{"behavior":"deny","message":"R"}`},
	{"copilot", "userPromptSubmitted", block},
	{"copilot", "preMcpToolCall", "!" + three("preMcpToolCall")},
	{"copilot", "postToolUse", "{}"},
	{"copilot", "agentStop", "{}"},
	{"copilot", "tomorrow", "!" + three("tomorrow")},
	{"copilot-pascal", "PreToolUse", nested},
	{"copilot-pascal", "PermissionRequest", `!{"behavior":"deny","message":"R","hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"R"}}}`},
	{"copilot-pascal", "UserPromptSubmit", block},
	{"copilot-pascal", "Stop", "{}"},
	{"copilot-pascal", "Tomorrow", "!" + three("Tomorrow")},
	{"opencode", "tool.execute.before", action},
	{"opencode", "chat.message", action},
	{"opencode", "command.execute.before", action},
	{"opencode", "permission.ask", action},
	{"opencode", "tool.execute.after", "{}"},
	{"opencode", "permission.asked", "{}"},
	{"opencode", "session.idle", "{}"},
	{"opencode", "tomorrow", "!" + action},
	{"qwen", "PreToolUse", nested},
	{"qwen", "PermissionRequest", behave},
	{"qwen", "UserPromptSubmit", block},
	{"qwen", "PostToolUse", "{}"},
	{"qwen", "TodoCreated", "{}"},
	{"qwen", "Tomorrow", "!" + three("Tomorrow")},
	{"clod", "PreToolUse", "!" + three("PreToolUse")},
	{"clod", "PermissionRequest", "!" + three("PermissionRequest")},
	{"clod", "beforeSubmitPrompt", "!" + three("beforeSubmitPrompt")},
	{"clod", "WorktreeCreate", "!" + three("WorktreeCreate")},
	{"clod", "Tomorrow", "!" + three("Tomorrow")},
	{"clod", "Stop SubagentStop", "!" + three("Stop SubagentStop")},
	{"clod", "Stop", "{}"},
	{"clod", "SubagentStop", "{}"},
	{"clod", "AfterAgent", "{}"},
	{"clod", "agentStop", "{}"},
	{"clod", "subagentStop", "{}"},
	{"clod", "stop", "{}"},
	{"clod", "SessionStart", "{}"},
	{"clod", "SessionEnd", "{}"},
	{"clod", "Notification", "{}"},
	{"", "Stop", "{}"},
	{"", "", "!" + three("PreToolUse")},
}

func TestRefusals(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range refusals {
		covered[c.agent] = true
		for _, policy := range []string{"", call.PolicyBlock, "unheard of"} {
			got := call.Refuse(c.agent, c.event, nil, policy, "R")
			want := call.Reply{Stdout: []byte(c.want + "\n")}
			if loud, ok := strings.CutPrefix(c.want, "!"); ok {
				want = call.Reply{Stdout: []byte(loud + "\n"), Stderr: []byte("R\n"), ExitCode: 2}
			}
			if string(got.Stdout) != string(want.Stdout) || string(got.Stderr) != string(want.Stderr) || got.ExitCode != want.ExitCode {
				t.Errorf("%s %s, policy %q:\ngot  %s%s exit code %d\nwant %s%s exit code %d", c.agent, c.event, policy,
					got.Stdout, got.Stderr, got.ExitCode, want.Stdout, want.Stderr, want.ExitCode)
			}
		}
		if gates := c.want != "{}"; call.Gates(c.agent, c.event) != gates {
			t.Errorf("%s %s gates something: %v, want %v", c.agent, c.event, !gates, gates)
		}
	}
	for _, agent := range call.Agents() {
		if !covered[agent] {
			t.Errorf("%s is not in the table", agent)
		}
	}
}

// Claude Code takes what WorktreeCreate's hook prints for a path.
func TestAWorktreeIsRefusedWithoutAWord(t *testing.T) {
	r := call.Refuse("claude", "WorktreeCreate", nil, "", "R")
	if len(r.Stdout) > 0 || r.ExitCode != 1 || string(r.Stderr) != "R\n" {
		t.Errorf("got %+v", r)
	}
}

// Silence is no opinion, but not everywhere.
func TestNoOpinion(t *testing.T) {
	for _, c := range refusals {
		want := "{}\n"
		if c.agent == "antigravity" && (c.event == "PreToolUse" || c.event == "Tomorrow") {
			want = `{"decision":"allow"}` + "\n"
		}
		for how, r := range map[string]call.Reply{
			"NoOpinion": call.NoOpinion(c.agent, c.event),
			"continue":  call.Refuse(c.agent, c.event, nil, call.PolicyContinue, "R"),
		} {
			if string(r.Stdout) != want || len(r.Stderr) > 0 || r.ExitCode != 0 {
				t.Errorf("%s at %s %s: %+v", how, c.agent, c.event, r)
			}
		}
	}
}

func TestThePayloadNamesTheEvent(t *testing.T) {
	if r := call.Refuse("claude", "", []byte(`{"hook_event_name":"Stop"}`), "", "R"); string(r.Stdout) != "{}\n" {
		t.Errorf("Stop was refused: %s", r.Stdout)
	}
	if r := call.Refuse("claude", "PreToolUse", []byte(`{"hook_event_name":"Stop"}`), "", "R"); !strings.Contains(string(r.Stdout), "deny") {
		t.Errorf("the payload was believed instead of the command line: %s", r.Stdout)
	}
}

func FuzzRefuse(f *testing.F) {
	f.Add("claude", "PreToolUse", "it said \"no\"\n\x00\xff \u2028 \u0085 é 😀")
	f.Add("cursor", "beforeReadFile", "")
	f.Add("codex", "PreToolUse", " \n\t")
	f.Add("", "\"},\x1b", strings.Repeat("é", 4096))
	f.Fuzz(func(t *testing.T, agent, event, reason string) {
		r := call.Refuse(agent, event, nil, "", reason)
		if agent == "claude" && event == "WorktreeCreate" {
			return
		}
		if !utf8.Valid(r.Stdout) || !utf8.Valid(r.Stderr) || strings.Count(string(r.Stdout), "\n") != 1 {
			t.Fatalf("no line of clean text: %q %q", r.Stdout, r.Stderr)
		}
		var object map[string]any
		if err := json.Unmarshal(r.Stdout, &object); err != nil {
			t.Fatalf("%v: %s", err, r.Stdout)
		}
		for name, value := range object {
			if text, ok := value.(string); ok && text == "" {
				t.Fatalf("%s is empty: %s", name, r.Stdout)
			}
		}
	})
}
