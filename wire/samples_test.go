package wire

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// envelope is who fires the samples.
func envelope() hook.Envelope {
	return hook.Envelope{
		Session: "s-1", Agent: "Alice", Source: "go", CWD: "/home/dev/project", Transcript: "/home/dev/t.jsonl",
		Metadata: map[string]any{"trace": json.Number("18446744073709551615")},
		Mark: &hook.Mark{
			ID:   hook.ParseID("00112233445566778899aabbccddeeff"),
			Time: time.Date(2026, 11, 21, 9, 8, 7, 123456789, time.UTC),
		},
	}
}

func ptr[T any](v T) *T { return &v }

func toolUse() hook.ToolUse {
	return hook.ToolUse{
		ToolName:  "Bash",
		ToolInput: map[string]any{"command": "cat <a & b>", "timeout": json.Number("9007199254740993")},
		ToolUseID: "toolu_1", RecentTools: []string{"Read", "Grep"},
	}
}

func response() hook.ToolResponse {
	return hook.ToolResponse{Success: true, Output: "a <b> & c", ExitCode: ptr(0), DurationMS: 83, Extra: map[string]any{"stdout": "a <b> & c", "interrupted": false}}
}

func generation() hook.Generation {
	return hook.Generation{
		Messages: []hook.ChatMessage{{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi <there>"}},
		Tools:    []hook.ToolDefinition{{"name": "Bash"}}, SystemPrompt: "Be brief.", Prompt: "Hi <there>",
		ModelProvider: "acme", ModelName: "m-1", AvailableTools: []string{"Bash"},
	}
}

func message() hook.Message {
	return hook.Message{
		ID: "m1", From: "Bob", To: "Alice", Channel: "general", Thread: "t1", ReplyTo: "m0", Priority: "urgent",
		Content: "Look at this", Direction: "received", Metadata: map[string]any{"urgent": true},
		Attachments: []hook.Attachment{{Name: "out.log", Path: "/tmp/out.log", Size: 12, SHA256: "9f86d0"}},
	}
}

// samples is one event of each kind with every field set.
func samples() []hook.AnyEvent {
	env := envelope
	iteration := hook.IterationInfo{Iteration: 2, MaxIterations: 10, Messages: generation().Messages}
	permission := hook.Permission{ToolName: "Bash", ToolInput: toolUse().ToolInput, ToolUseID: "toolu_1", Reason: "not allowed"}
	compaction := hook.Compaction{Trigger: "manual", MessageCount: 40, TokenCount: 90000}
	return []hook.AnyEvent{
		hook.GatewayStart.New(env(), hook.GatewayInfo{Version: "1.2.3", Address: "127.0.0.1:7070", Addresses: []string{"127.0.0.1:7070", "unix:///run/a.sock"}}),
		hook.GatewayStop.New(env(), hook.GatewayEnd{Reason: "idle"}),
		hook.SessionStart.New(env(), hook.SessionInfo{Source: "startup", ModelProvider: "acme", ModelName: "m-1", SystemPrompt: "Be brief."}),
		hook.SessionEnd.New(env(), hook.SessionSummary{Reason: "other", ExitCode: ptr(0), DurationMS: 5000, TotalTokens: 1020, TotalToolCalls: 3}),
		hook.AgentStart.New(env(), hook.AgentRun{RunID: "r1", Prompt: "Do it", SystemPrompt: "Be brief.", WorkspaceDir: "/w", AgentDir: "/a"}),
		hook.AgentStop.New(env(), hook.AgentResult{RunID: "r1", LastMessage: "Done.", Success: true, Error: "none", StopHookActive: true, DurationMS: 9}),
		hook.IterationStart.New(env(), iteration),
		hook.IterationEnd.New(env(), hook.IterationResult{
			IterationInfo:     iteration,
			ToolCalls:         []hook.IterationCall{{Name: "Bash", Input: map[string]any{"command": "ls"}, Result: response()}},
			CompletedWithText: true,
		}),
		hook.GenerateStart.New(env(), generation()),
		hook.GenerateEnd.New(env(), hook.GenerationResult{
			Generation: generation(), ResponseText: "Hello", ToolCalls: []hook.ToolCall{{ID: "c1", Name: "Bash", Input: map[string]any{"command": "ls"}}},
			Usage: &hook.Usage{PromptTokens: 10, CompletionTokens: 2, TotalTokens: 12}, DurationMS: 420,
		}),
		hook.PreToolUse.New(env(), toolUse()),
		hook.PostToolUse.New(env(), hook.ToolResult{ToolUse: toolUse(), ToolResponse: response()}),
		hook.ToolResultPersist.New(env(), hook.ToolPersist{ToolName: "Bash", ToolUseID: "toolu_1", ToolResponse: response()}),
		hook.PermissionRequest.New(env(), permission),
		hook.PermissionDenied.New(env(), permission),
		hook.PostToolUseFailure.New(env(), hook.ToolFailure{ToolName: "Bash", ToolInput: toolUse().ToolInput, ToolUseID: "toolu_1", Error: "Exit code 3", DurationMS: 59}),
		hook.MessageReceived.New(env(), message()),
		hook.MessageSending.New(env(), message()),
		hook.MessageSent.New(env(), hook.Delivery{Message: message(), Success: true, Error: "late"}),
		hook.PreCompact.New(env(), compaction),
		hook.PostCompact.New(env(), hook.CompactionResult{Compaction: compaction, Summary: "They spoke."}),
		hook.Output.New(env(), hook.OutputText{Text: "line", Raw: "\x1b[1mline\x1b[0m", Complete: true}),
		hook.Idle.New(env(), hook.Silence{IdleMS: 30000, Count: 1}),
		hook.Directive.New(env(), hook.DirectiveCall{Namespace: "deploy", Target: "staging", Body: "now", Line: "@deploy:staging now"}),
		hook.Error.New(env(), hook.Fault{Phase: "tool", Error: "it broke", ToolName: "Bash"}),
		hook.SubagentStart.New(env(), hook.Subagent{AgentType: "reviewer"}),
		hook.SubagentStop.New(env(), hook.Subagent{AgentType: "reviewer", LastMessage: "Fine."}),
		hook.Notification.New(env(), hook.Alert{Message: "It needs you"}),
	}
}

// mustEncode gives an event as JSON.
func mustEncode(t testing.TB, ev hook.AnyEvent) []byte {
	t.Helper()
	e, err := Encode(ev)
	if err != nil {
		t.Fatal(err)
	}
	return e.Bytes()
}

// generically reads JSON as exact generic values.
func generically(t testing.TB, data []byte) any {
	t.Helper()
	text, err := check(data)
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	v := exact(text)
	return v
}
