package config

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// Each of compilr's hooks gets every field that its context has there.
func TestCompilrContextsHaveTheirFields(t *testing.T) {
	p := plant(t, "hookway.config.ts", `
const all = (name, ...fields) => (c) => { console.log(name + " " + JSON.stringify([c.sessionId, c.iteration, c.signal instanceof AbortSignal && !c.signal.aborted, typeof c.metadata, ...fields.map((f) => c[f])])); };
export default {
  beforeIteration: [all("beforeIteration", "maxIterations", "messages")],
  afterIteration: [all("afterIteration", "maxIterations", "messages", "toolCalls", "completedWithText")],
  beforeLLM: [all("beforeLLM", "messages", "tools", "systemPrompt")],
  afterLLM: [all("afterLLM", "messages", "tools", "systemPrompt", "text", "toolUses", "usage", "model", "durationMs")],
  beforeTool: [all("beforeTool", "toolName", "input")],
  afterTool: [all("afterTool", "toolName", "input", "result", "durationMs")],
  onError: [(c) => all("onError", "phase", "toolName")(c), (c) => { console.log(c.error instanceof Error && c.error.message); }],
};`)
	messages := []hook.ChatMessage{{"role": "user"}}
	turn := hook.IterationInfo{Iteration: 1, MaxIterations: 9, Messages: messages}
	asked := hook.Generation{Messages: messages, Tools: []hook.ToolDefinition{{"name": "T"}}, SystemPrompt: "s", ModelName: "m"}
	response := hook.ToolResponse{Success: true, Output: "o", DurationMS: 7}
	fired(p, hook.IterationStart, turn)
	fired(p, hook.GenerateStart, asked)
	fired(p, hook.GenerateEnd, hook.GenerationResult{Generation: asked, ResponseText: "r", DurationMS: 5,
		ToolCalls: []hook.ToolCall{{ID: "1", Name: "Bash", Input: map[string]any{"command": "ls"}}}, Usage: &hook.Usage{PromptTokens: 2, CompletionTokens: 3}})
	fired(p, hook.PreToolUse, shellCommand("ls"))
	fired(p, hook.PostToolUse, hook.ToolResult{ToolUse: shellCommand("ls"), ToolResponse: response})
	fired(p, hook.Error, hook.Fault{Phase: "tool", ToolName: "Bash", Error: "no disk"})
	fired(p, hook.IterationEnd, hook.IterationResult{IterationInfo: turn, CompletedWithText: true,
		ToolCalls: []hook.IterationCall{{Name: "Bash", Input: map[string]any{"command": "ls"}, Result: response}}})
	const base = ` ["session-123",1,true,"object",`
	want := []string{
		`beforeIteration` + base + `9,[{"role":"user"}]]`,
		`beforeLLM` + base + `[{"role":"user"}],[{"name":"T"}],"s"]`,
		`afterLLM` + base + `[{"role":"user"}],[{"name":"T"}],"s","r",[{"id":"1","name":"Bash","input":{"command":"ls"}}],{"inputTokens":2,"outputTokens":3},"m",5]`,
		`beforeTool` + base + `"Bash",{"command":"ls"}]`,
		`afterTool` + base + `"Bash",{"command":"ls"},{"success":true,"output":"o","duration_ms":7},7]`,
		`onError` + base + `"tool","Bash"]`,
		`no disk`,
		`afterIteration` + base + `9,[{"role":"user"}],[{"name":"Bash","input":{"command":"ls"},"result":{"success":true,"output":"o","duration_ms":7}}],true]`,
	}
	if got := p.logged(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// Each of A3S Box's six events has every field that it has there.
func TestA3SEventsHaveTheirFields(t *testing.T) {
	p := plant(t, "hookway.config.ts", a3sFrame+`
const fields = {
  PreToolUse: ["tool", "args", "working_directory", "recent_tools"],
  PostToolUse: ["tool", "args", "result"],
  GenerateStart: ["prompt", "system_prompt", "model_provider", "model_name", "available_tools"],
  GenerateEnd: ["prompt", "response_text", "tool_calls", "usage", "duration_ms"],
  SessionStart: ["system_prompt", "model_provider", "model_name"],
  SessionEnd: ["total_tokens", "total_tool_calls", "duration_ms"],
};
for (const [name, list] of Object.entries(fields)) {
  engine.register(Hook.new(name, HookEventType[name]));
  engine.register_handler(name, { handle: (e) => {
    console.log(name + " " + JSON.stringify([e.event_type, e.payload.session_id, ...list.map((f) => e.payload[f])]));
    return HookResponse.continue_();
  } });
}`)
	use := shellCommand("ls")
	use.RecentTools = []string{"Read"}
	code := 0
	fired(p, hook.SessionStart, hook.SessionInfo{SystemPrompt: "s", ModelProvider: "p", ModelName: "m"})
	asked := hook.Generation{Prompt: "q", SystemPrompt: "s", ModelProvider: "p", ModelName: "m", AvailableTools: []string{"Bash"}}
	fired(p, hook.GenerateStart, asked)
	fired(p, hook.GenerateEnd, hook.GenerationResult{Generation: asked, ResponseText: "r", DurationMS: 5, ToolCalls: []hook.ToolCall{{ID: "1", Name: "Bash"}},
		Usage: &hook.Usage{PromptTokens: 2, CompletionTokens: 3, TotalTokens: 5}})
	fired(p, hook.PreToolUse, use)
	fired(p, hook.PostToolUse, hook.ToolResult{ToolUse: use, ToolResponse: hook.ToolResponse{Success: true, Output: "o", ExitCode: &code, DurationMS: 7}})
	fired(p, hook.SessionEnd, hook.SessionSummary{TotalTokens: 8, TotalToolCalls: 1, DurationMS: 9})
	want := []string{
		`SessionStart ["session_start","session-123","s","p","m"]`,
		`GenerateStart ["generate_start","session-123","q","s","p","m",["Bash"]]`,
		`GenerateEnd ["generate_end","session-123","q","r",[{"id":"1","name":"Bash","input":{}}],{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5},5]`,
		`PreToolUse ["pre_tool_use","session-123","Bash",{"command":"ls"},"/workspace",["Read"]]`,
		`PostToolUse ["post_tool_use","session-123","Bash",{"command":"ls"},{"success":true,"output":"o","exit_code":0,"duration_ms":7}]`,
		`SessionEnd ["session_end","session-123",8,1,9]`,
	}
	if got := p.logged(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// The factories of HookEngine, HookMatcher and HookResponse, as the reference has them.
func TestA3SFactories(t *testing.T) {
	p := plant(t, "hookway.config.ts", a3sFrame+`
const second = HookEngine.new();
const on = (id, matcher, handle) => {
  second.register(Hook.new(id, HookEventType.PreToolUse).with_matcher(matcher));
  second.register_handler(id, { handle });
};
on("tool", HookMatcher.tool("Read"), () => HookResponse.block("tool"));
on("path", HookMatcher.path("*.rs"), () => HookResponse.skip());
on("after", HookMatcher.path("*.rs"), () => HookResponse.block("after"));
on("command", HookMatcher.command("^retry"), () => HookResponse.retry(2500));
on("session", HookMatcher.session("another"), () => HookResponse.block("session"));
on("gone", HookMatcher.new(), () => HookResponse.block("gone"));
second.unregister_handler("gone");
on("all", HookMatcher.new(), (e) => e.payload.args.command === "change" ? HookResponse.continue_with({ command: "changed" }) : HookResponse.continue_());
if (second.unregister("nobody") !== null || engine.hook_count() !== 0) throw new Error("unregister, or two engines in one");
`)
	if out := fired(p, hook.PreToolUse, tool("Read", map[string]any{})); out.Reason != "tool" {
		t.Errorf("HookMatcher.tool, HookResponse.block: %+v", out.Verdict)
	}
	if out := fired(p, hook.PreToolUse, tool("Write", map[string]any{"file_path": "src/main.rs"})); out.Action != hook.ActionContinue || out.Steps[len(out.Steps)-1].Hook != "path" {
		t.Errorf("HookMatcher.path, HookResponse.skip: %+v, %+v", out.Verdict, out.Steps)
	}
	if out := fired(p, hook.PreToolUse, shellCommand("retry")); out.Action != hook.ActionRetry || out.RetryDelay.Milliseconds() != 2500 {
		t.Errorf("HookMatcher.command, HookResponse.retry: %+v", out.Verdict)
	}
	if out := fired(p, hook.PreToolUse, shellCommand("change")); out.Payload.Text("command") != "changed" {
		t.Errorf("HookMatcher.new, HookResponse.continue_with: %+v", out.Payload)
	}
	if out := fired(p, hook.PreToolUse, shellCommand("ls")); out.Action != hook.ActionContinue || out.Payload.Text("command") != "ls" {
		t.Errorf("HookMatcher.session, unregister_handler, HookResponse.continue_: %+v", out.Verdict)
	}
}

// Handlers whose answers count run one after the other, lower numbers first; one
// that throws takes nothing from what the others say.
func TestOpenClawHandlersRunInOrderOfPriority(t *testing.T) {
	p := plant(t, "hookway.config.ts", `
export default function register(api) {
  api.registerHook({ event: "before-agent-start", priority: 30, handler: () => ({ prependContext: "last" }) });
  api.registerHook({ event: "before-agent-start", handler: () => { throw new Error("no"); }, priority: 20 });
  api.registerHook({ event: "before-agent-start", priority: 10, handler: () => ({ prependContext: "first" }) });
}`)
	out, err := hook.Fire(p.ctx, p.engine, hook.AgentStart, &seedEnvelope, hook.AgentRun{Prompt: "p"})
	p.must(err)
	if out.Action != hook.ActionContinue || out.Inject != "first\n\nlast" {
		t.Errorf("got %+v, %+v, want out.Action == hook.ActionContinue and out.Inject == \"first\\n\\nlast\"", out.Verdict, out.Steps)
	} else if len(out.Steps) != 3 || out.Steps[1].Err == nil {
		t.Errorf("got %+v, %+v, want len(out.Steps) == 3 and out.Steps[1].Err != nil", out.Verdict, out.Steps)
	}
}

// A hook of compilr's may come with its priority: lower runs first, none is 0.
func TestPrioritiesOfCompilrHooks(t *testing.T) {
	p := plant(t, "hookway.config.ts", `
const says = (n) => async () => { console.log(n); };
export default { beforeTool: [{ hook: says("last"), priority: 1 }, says("second"), { hook: says("first"), priority: -1 }] };`)
	fired(p, hook.PreToolUse, shellCommand("ls"))
	if got := p.logged(); got != "first\nsecond\nlast" {
		t.Errorf("they ran as %q", got)
	}
}

// An iteration of compilr counts from 1, also where nobody has counted.
func TestAnIterationOfCompilrIsNever0(t *testing.T) {
	p := plant(t, "hookway.config.ts", `
const says = ({ iteration }) => { console.log(iteration); };
export default { beforeTool: [says], afterTool: [says], afterLLM: [says], onError: [says] };`)
	fired(p, hook.PostToolUse, hook.ToolResult{ToolUse: shellCommand("ls")})
	fired(p, hook.GenerateEnd, hook.GenerationResult{})
	fired(p, hook.Error, hook.Fault{Phase: "tool", Error: "no"})
	if got := p.logged(); got != "1\n1\n1" {
		t.Errorf("the iterations are %q, want 1 each time", got)
	}
}
