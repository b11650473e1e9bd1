package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// The programs of A3S Box.

const a3sFrame = "import { HookEngine, Hook, HookMatcher, HookEventType, HookResponse } from '@a3s-lab/box';\nconst engine = new HookEngine();\n"

func a3s(t *testing.T, name string) *planted {
	t.Helper()
	return plant(t, "hookway.config.ts", a3sFrame+seed(t, name))
}

func TestSeedA3SBlockRMRF(t *testing.T) {
	p := plant(t, "hookway.config.ts", seed(t, "a3s-block-rm-rf.ts")) // the one that is complete
	if out := fired(p, hook.PreToolUse, shellCommand("rm  -rf /")); out.Reason != "Recursive force deletion is not allowed" || out.Action != hook.ActionBlock {
		t.Errorf("rm -rf: %+v", out.Verdict)
	}
	if out := fired(p, hook.PreToolUse, shellCommand("ls")); out.Action != hook.ActionContinue {
		t.Errorf("ls: %+v", out.Verdict)
	}
	h := p.set.Hooks[0]
	if got, want := fmt.Sprint([]any{h.ID, h.Priority, h.Timeout, h.Retries, h.Profile.Name}), fmt.Sprint([]any{"block-rm-rf", 1, 30 * time.Second, 0, "a3s"}); got != want {
		t.Errorf("it is registered as %+v: got %s, want %s", h.Hook, got, want)
	}
}

func TestSeedA3SRestrictWrites(t *testing.T) {
	p := a3s(t, "a3s-restrict-writes.ts")
	write := func(path string) hook.Verdict {
		return fired(p, hook.PreToolUse, tool("Write", map[string]any{"file_path": path})).Verdict
	}
	if v := write("/etc/passwd"); v.Reason != "Write access denied: /etc/passwd is outside workspace" {
		t.Errorf("outside: %+v", v)
	}
	if v := write("/workspace/a.go"); v.Action != hook.ActionContinue {
		t.Errorf("inside: %+v", v)
	}
}

func TestSeedA3SAddTimeout(t *testing.T) {
	p := a3s(t, "a3s-add-timeout.ts")
	input := fired(p, hook.PreToolUse, shellCommand("ls")).Payload.ToolInput
	if input["command"] != "ls" || asText(input["timeout"]) != "30000" {
		t.Errorf("without a timeout the input becomes %v", input)
	}
	input = fired(p, hook.PreToolUse, tool("Bash", map[string]any{"command": "ls", "timeout": 5})).Payload.ToolInput
	if asText(input["timeout"]) != "5" {
		t.Errorf("with one it becomes %v", input)
	}
}

func asText(v any) string { return strings.Trim(strings.TrimSpace(jsonOf(v)), `"`) }

func TestSeedA3SAuditLog(t *testing.T) {
	p := a3s(t, "a3s-audit-log.ts")
	if h := p.set.Hooks[0]; h.Lane != hook.Observe || h.Priority != 1000 {
		t.Errorf("it is registered as %+v", h.Hook)
	}
	fired(p, hook.PostToolUse, hook.ToolResult{ToolUse: shellCommand("ls"), ToolResponse: hook.ToolResponse{Success: true, Output: "x", DurationMS: 12}})
	for _, want := range []string{`"session":"session-123"`, `"tool":"Bash"`, `"args":{"command":"ls"}`, `"success":true`, `"duration_ms":12`} {
		if !strings.Contains(p.logged(), want) {
			t.Errorf("%s is not in the log: %s", want, p.logged())
		}
	}
}

func TestSeedA3STokenBudget(t *testing.T) {
	p := a3s(t, "a3s-token-budget.ts")
	for range 3 {
		fired(p, hook.GenerateEnd, hook.GenerationResult{ResponseText: "x", Usage: &hook.Usage{TotalTokens: 40_000}})
	}
	if got := p.logged(); got != "Session session-123 exceeded 100k tokens" {
		t.Errorf("after 120,000 tokens the log has %q", got)
	}
}

func TestSeedA3SRateLimitRetry(t *testing.T) {
	p := plant(t, "hookway.config.ts", a3sFrame+"let n = 0; const isRateLimited = (session) => session === 'session-123' && n++ === 0;\n"+seed(t, "a3s-rate-limit-retry.ts"))
	if out := fired(p, hook.GenerateStart, hook.Generation{}); out.Action != hook.ActionRetry || out.RetryDelay != 5*time.Second {
		t.Errorf("limited: %+v", out.Verdict)
	}
	if out := fired(p, hook.GenerateStart, hook.Generation{}); out.Action != hook.ActionContinue {
		t.Errorf("not limited: %+v", out.Verdict)
	}
}

// Matchers as the seed writes them: a constant, which a hook is registered with.
func TestSeedA3SMatchers(t *testing.T) {
	bash, write := shellCommand("sudo rm -rf x"), func(path string) hook.ToolUse { return tool("Write", map[string]any{"file_path": path}) }
	for _, c := range []struct {
		file    string
		half    int
		yes, no hook.ToolUse
	}{
		{"a3s-match-tool.ts", 0, bash, write("x")},
		{"a3s-match-path.ts", 1, write("/workspace/src/main.rs"), write("/workspace/main.go")},
		{"a3s-match-path.ts", 2, write("WS/src/a/b.ts"), write("WS/lib/b.ts")},
		{"a3s-match-command.ts", 1, bash, shellCommand("rm x")},
		{"a3s-match-command.ts", 2, shellCommand("git status"), bash},
		{"a3s-match-session.ts", 0, bash, hook.ToolUse{}},
		{"a3s-match-combined.ts", 0, bash, shellCommand("ls")},
		{"a3s-specific.ts", 2, bash, shellCommand("ls")},
	} {
		text := seed(t, c.file)
		if c.half > 0 {
			text = strings.Split(text, "\n\n")[c.half-1]
		}
		p := plant(t, "hookway.config.ts", a3sFrame+text+`
engine.register({ id: "m", event_type: "pre_tool_use", matcher });
engine.register_handler("m", { handle: () => HookResponse.block("matched") });
`)
		for _, use := range []hook.ToolUse{c.yes, c.no} {
			if path, ok := use.ToolInput["file_path"].(string); ok {
				use.ToolInput["file_path"] = strings.Replace(path, "WS", p.ws, 1)
			}
		}
		if out := fired(p, hook.PreToolUse, c.yes); out.Reason != "matched" {
			t.Errorf("%s %d does not match %v", c.file, c.half, c.yes)
		}
		if c.no.ToolName == "" {
			other := seedEnvelope
			other.Session = "another"
			if out, err := hook.Fire(p.ctx, p.engine, hook.PreToolUse, &other, c.yes); err != nil || out.Action != hook.ActionContinue {
				t.Errorf("%s matches another session", c.file)
			}
			continue
		}
		if out := fired(p, hook.PreToolUse, c.no); out.Action != hook.ActionContinue {
			t.Errorf("%s %d matches %v", c.file, c.half, c.no)
		}
	}
}

func TestSeedA3SPriorityAndAsync(t *testing.T) {
	p := plant(t, "hookway.config.ts", a3sFrame+seed(t, "a3s-priority.ts")+seed(t, "a3s-async.ts")+seed(t, "a3s-logger.ts")+`
const said = (n) => ({ handle: () => { console.log(n); return HookResponse.continue_(); } });
engine.register_handler("audit-log", said("last"));
engine.register_handler("security-check", said("first"));
`)
	lanes := map[string]hook.Lane{}
	for _, h := range p.set.Hooks {
		lanes[h.ID] = h.Lane
	}
	want := map[string]hook.Lane{"security-check": hook.Transform, "audit-log": hook.Transform, "metrics-reporter": hook.Observe, "logger": hook.Observe}
	if !reflect.DeepEqual(lanes, want) {
		t.Errorf("lanes are %v, want %v", lanes, want)
	}
	fired(p, hook.PreToolUse, shellCommand("ls"))
	fired(p, hook.PostToolUse, hook.ToolResult{}) // hooks without handlers have no opinion
	if got := p.logged(); got != "first\nlast" {
		t.Errorf("they ran as %q", got)
	}
}

func TestSeedA3SHandleErrors(t *testing.T) {
	p := plant(t, "hookway.config.ts", a3sFrame+"engine.register(Hook.new('my-hook', HookEventType.PreToolUse));\n"+seed(t, "a3s-handle-errors.ts"))
	if out := fired(p, hook.PreToolUse, shellCommand("ls")); out.Action != hook.ActionContinue {
		t.Errorf("got %+v, want out.Action == hook.ActionContinue", out.Verdict)
	}
}

func TestA3SEngineAndBuilders(t *testing.T) {
	p := plant(t, "hookway.config.ts", a3sFrame+`
engine.register(Hook.new("gone", HookEventType.PreToolUse));
const was = engine.unregister("gone");
engine.register(Hook.new("a", HookEventType.PreToolUse).with_matcher(HookMatcher.new().with_tool("Bash").with_command("x").with_path("*.rs").with_session("s")).with_config({ max_retries: 2, timeout_ms: 100 }));
engine.register(Hook.new("b", HookEventType.PreToolUse).with_matcher(HookMatcher.session("session-123")));
engine.register_handler("b", { handle: async (e) => HookResponse.block([was.id, engine.hook_count(), engine.get_hook("gone"), engine.all_hooks().length,
  e.event_type, e.payload.tool, e.payload.working_directory, e.payload.recent_tools.length, (await engine.fire({ event_type: "session_end", payload: {} })).action].join()) });
`)
	p.want(p.set, "a active, b active")
	if a := p.set.Hooks[0]; a.Retries != 2 || a.Timeout != 100*time.Millisecond || len(a.Match.Tool)+len(a.Match.Command)+len(a.Match.Path)+len(a.Match.Session) != 4 {
		t.Errorf("a is %+v", a.Hook)
	}
	if out := fired(p, hook.PreToolUse, shellCommand("ls")); out.Reason != "gone,2,,2,pre_tool_use,Bash,/workspace,0,Continue" {
		t.Errorf("it says %q", out.Reason)
	}
}

// OpenClaw's plugins.

func TestSeedOpenClawAudit(t *testing.T) {
	p := plant(t, "hookway.config.ts", "const auditLog = { record: async (r) => console.log(JSON.stringify({ ...r, timestamp: typeof r.timestamp })) };\nexport default { id: 'audit', register(api) {\n"+seed(t, "openclaw-audit.ts")+"} };\n")
	fired(p, hook.MessageSent, hook.Delivery{Message: hook.Message{From: "Alice", Channel: "#dev", Content: "hi"}, Success: true})
	if want := `{"sessionKey":"session-123","channel":"#dev","direction":"sent","timestamp":"number"}`; p.logged() != want {
		t.Errorf("the log has %s, want %s", p.logged(), want)
	}
	if h := p.set.Hooks[0]; h.Lane != hook.Observe || h.Profile.Name != "openclaw" {
		t.Errorf("it is registered as %+v", h.Hook)
	}
}

func TestOpenClawEventsAndContexts(t *testing.T) {
	names := []string{"gateway-start", "gateway-stop", "session-start", "session-end", "before-agent-start", "message-received", "message-sending",
		"message-sent", "before-tool-call", "after-tool-call", "before-compaction", "after-compaction", "tool-result-persist"}
	p := plant(t, "hookway.config.ts", `
export default function register(api) {
  for (const event of `+jsonOf(names)+`) api.registerHook({ event, handler: async () => {} });
  api.on("before_tool_call", async (e, ctx) => ctx.toolName === "Bash" ? { params: { ...e.params, timeout: 1 } } : { block: true, blockReason: [ctx.runId, ctx.sessionKey, Object.keys(ctx.args)].join() }, { priority: 5 });
  api.on("message_sending", (e) => e.content === "spam" ? { cancel: true } : { content: e.content + "!" + e.direction + e.senderId });
  api.on("before_agent_start", (e, ctx) => ({ prependContext: [e.prompt, ctx.workspaceDir, ctx.agentDir].join() }));
  api.registerTool({});
}`)
	if len(p.set.Hooks) != len(names)+3 {
		t.Fatalf("registered: %s", states(p.set))
	}
	if in := fired(p, hook.PreToolUse, shellCommand("ls")).Payload.ToolInput; asText(in["timeout"]) != "1" || in["command"] != "ls" {
		t.Errorf("params: %v", in)
	}
	if out := fired(p, hook.PreToolUse, tool("Read", map[string]any{"file_path": "x"})); out.Reason != "session-123,session-123,file_path" {
		t.Errorf("block: %+v", out.Verdict)
	}
	if out := fired(p, hook.MessageSending, hook.Message{Content: "spam"}); out.Action != hook.ActionBlock {
		t.Errorf("cancel: %+v", out.Verdict)
	}
	if out := fired(p, hook.MessageSending, hook.Message{From: "Bob", Content: "hi"}); out.Payload.Content != "hi!sendingBob" {
		t.Errorf("content: %q", out.Payload.Content)
	}
	if out := fired(p, hook.AgentStart, hook.AgentRun{Prompt: "p", WorkspaceDir: "/w", AgentDir: "/a"}); out.Inject != "p,/w,/a" {
		t.Errorf("prependContext: %q", out.Inject)
	}
	if !strings.Contains(p.logged(), "api.registerTool does nothing here") {
		t.Errorf("the log has %q", p.logged())
	}
}

// compilr's HooksConfig, with every hook, every field and every result.

func TestCompilrHooksConfig(t *testing.T) {
	p := plant(t, "hookway.config.ts", `
import type { HooksConfig } from "@compilr-dev/agents";
const hooks: HooksConfig = {
  beforeIteration: [(c) => { c.metadata.seen = c.iteration; if (c.iteration > c.maxIterations) return { skip: true }; }],
  afterIteration: [async (c) => { console.log("iteration", c.iteration, c.toolCalls[0].name, c.toolCalls[0].result.output, c.completedWithText, c.messages.length); }],
  beforeLLM: [(c) => ({ systemPrompt: c.systemPrompt + " Be brief.", messages: [...c.messages, { role: "user", content: c.sessionId }], tools: c.tools.slice(1) })],
  afterLLM: [(c) => { console.log("llm", c.text, c.toolUses[0].name, c.usage.inputTokens, c.usage.outputTokens, c.model, c.durationMs); }],
  beforeTool: [
    (c) => (c.toolName === "Bash" ? { input: { ...c.input, safe: true } } : undefined),
    async (c) => (c.toolName === "Mock" ? { skip: true, result: { success: true, output: "mocked" } } : undefined),
    (c) => { c.metadata.tool = c.toolName; },
  ],
  afterTool: [(c) => ({ result: { ...c.result, output: c.result.output.toUpperCase() + c.durationMs } })],
  onError: [(c) => c.phase === "tool" ? { handled: true, recovery: { success: true, output: c.toolName + ": " + c.error.message } } : { error: new Error("wrapped " + c.error.message) }],
};
export default hooks;
`)
	for _, h := range p.set.Hooks {
		if h.Priority != 0 || h.Profile.Name != "compilr" {
			t.Errorf("%s has priority %d and profile %s", h.ID, h.Priority, h.Profile.Name)
		}
	}
	if out := fired(p, hook.IterationStart, hook.IterationInfo{Iteration: 3, MaxIterations: 2}); out.Action != hook.ActionAnswer || asText(out.Metadata["seen"]) != "3" {
		t.Errorf("beforeIteration: %+v", out.Verdict)
	}
	fired(p, hook.IterationEnd, hook.IterationResult{IterationInfo: hook.IterationInfo{Iteration: 1, Messages: []hook.ChatMessage{{}}},
		ToolCalls: []hook.IterationCall{{Name: "Bash", Result: hook.ToolResponse{Output: "o"}}}, CompletedWithText: true})
	g := fired(p, hook.GenerateStart, hook.Generation{SystemPrompt: "Help.", Messages: []hook.ChatMessage{{"role": "system", "content": "Help."}},
		Tools: []hook.ToolDefinition{{"name": "a"}, {"name": "b"}}}).Payload
	if g.SystemPrompt != "Help. Be brief." || len(g.Messages) != 2 {
		t.Errorf("beforeLLM: %+v", g)
	} else if g.Messages[0]["content"] != "Help. Be brief." || len(g.Tools) != 1 {
		t.Errorf("beforeLLM: %+v", g)
	}
	fired(p, hook.GenerateEnd, hook.GenerationResult{Generation: hook.Generation{ModelName: "m"}, ResponseText: "hi",
		ToolCalls: []hook.ToolCall{{ID: "1", Name: "Bash"}}, Usage: &hook.Usage{PromptTokens: 2, CompletionTokens: 3}, DurationMS: 4})
	out := fired(p, hook.PreToolUse, shellCommand("ls"))
	if out.Payload.ToolInput["safe"] != true || out.Metadata["tool"] != "Bash" {
		t.Errorf("beforeTool: %v, metadata %v", out.Payload.ToolInput, out.Metadata)
	}
	if out := fired(p, hook.PreToolUse, tool("Mock", nil)); out.Action != hook.ActionAnswer || !strings.Contains(jsonOf(out.Result), "mocked") {
		t.Errorf("beforeTool skip: %+v", out.Verdict)
	}
	if r := fired(p, hook.PostToolUse, hook.ToolResult{ToolUse: shellCommand("ls"), ToolResponse: hook.ToolResponse{Success: true, Output: "x", DurationMS: 7}}).Payload.ToolResponse; r.Output != "X7" {
		t.Errorf("afterTool: %+v", r)
	}
	if out := fired(p, hook.Error, hook.Fault{Phase: "tool", ToolName: "Bash", Error: "no disk"}); out.Action != hook.ActionAnswer || !strings.Contains(jsonOf(out.Result), "Bash: no disk") {
		t.Errorf("onError recovery: %+v", out.Verdict)
	}
	if out := fired(p, hook.Error, hook.Fault{Phase: "llm", Error: "no net"}); out.Payload.Error != "wrapped no net" {
		t.Errorf("onError error: %+v", out)
	}
	if got, want := p.logged(), "iteration 1 Bash o true 1\nllm hi Bash 2 3 m 4"; got != want {
		t.Errorf("logged %q, want %q", got, want)
	}
}
