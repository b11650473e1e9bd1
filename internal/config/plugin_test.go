package config

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
)

// plug runs a plugin that is a folder with these files, and gives what it was told.
func plug(t *testing.T, files map[string]string, keys string) *planted {
	t.Helper()
	p := &planted{world: newWorld(t)}
	p.env["HOOKWAY_TRUST"] = "1"
	for name, text := range files {
		p.write(p.work("plugin/"+name), text)
	}
	p.write(p.work("hookway.yaml"), "hooks:\n  - {id: p, script: plugin"+keys+"}\n")
	o := p.options()
	o.Log = logline.New(func(line string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.logs = append(p.logs, line)
	})
	set, err := Load(context.Background(), o)
	p.must(err)
	t.Cleanup(func() { p.must(set.Close()) })
	p.set, p.engine = set, fill(t, set)
	t.Cleanup(func() { p.must(p.engine.Close(context.Background())) })
	p.session = &wrappedSession{dir: p.ws}
	p.ctx = hook.WithSession(context.Background(), p.session)
	return p
}

// said is a prompt of a user of an agent that has no message bus.
func said(p *planted, prompt string) hook.Outcome[hook.AgentRun] {
	p.t.Helper()
	out, err := hook.Fire(p.ctx, p.engine, hook.AgentStart, &hook.Envelope{Session: "s", Source: "claude", Agent: "claude"}, hook.AgentRun{Prompt: prompt})
	p.must(err)
	return out
}

const guardManifest = `{"id": "guard", "name": "Guard", "version": "1.2.3", "configSchema": {"type": "object", "additionalProperties": false,
  "properties": {"deny": {"type": "array", "items": {"type": "string"}}, "mode": {"type": "string", "enum": ["block", "ask"], "default": "block"}}}}`

// A plugin is a folder: what it says of itself, the settings that the user gives it,
// its helpers from openclaw/plugin-sdk and its packages.
func TestAPluginIsAFolder(t *testing.T) {
	p := plug(t, map[string]string{
		"openclaw.plugin.json":            guardManifest,
		"package.json":                    `{"name": "guard", "type": "module", "openclaw": {"extensions": ["./src/index.ts"]}, "dependencies": {"words": "1"}}`,
		"node_modules/words/index.js":     "exports.join = (list) => list.join('+');",
		"node_modules/words/package.json": `{"name": "words", "main": "index.js"}`,
		"src/index.ts": `
import { definePluginEntry, somethingNew } from "openclaw/plugin-sdk/plugin-entry";
import { jsonResult } from "openclaw/plugin-sdk/core";
import { join } from "words";
export default definePluginEntry({
  id: "guard", name: "Guard",
  register(api) {
    somethingNew({ at: "load" }).more();
    api.registerTool({ name: "check", execute: () => jsonResult({}) });
    api.registerChannel({ plugin: { id: "pigeon" } });
    api.on("before_tool_call", (event, ctx) => {
      if (event.toolName === "exec" && api.pluginConfig.deny.some((w) => event.params.command.includes(w)))
        return { block: true, blockReason: join([api.id, api.version, api.pluginConfig.mode, event.context.pluginConfig.deny.join(), String(ctx.config.plugins.entries.guard.config === api.pluginConfig)]) };
      if (event.toolName === "write") return { params: { ...event.params, path: "/safe" + event.params.path } };
    }, { priority: 50 });
    api.on("quantum_leap", () => {});
    api.on("cron_changed", () => {});
  },
});`,
	}, ", config: {deny: [rm]}")
	if len(p.set.Problems) > 0 {
		t.Fatalf("got %v, want len(p.set.Problems) == 0", p.set.Problems)
	}
	if out := fired(p, hook.PreToolUse, shellCommand("rm x")); out.Action != hook.ActionBlock || out.Reason != "guard+1.2.3+block+rm+true" {
		t.Errorf("block: %+v", out.Verdict)
	}
	if in := fired(p, hook.PreToolUse, tool("Write", map[string]any{"file_path": "/a", "content": "c"})).Payload.ToolInput; in["file_path"] != "/safe/a" || in["path"] != nil {
		t.Errorf("params: %v", in)
	}
	warned := p.set.Warnings.Error()
	for _, want := range []string{"nothing here fires quantum_leap", "nothing here fires cron_changed: hookway has no cron"} {
		if !strings.Contains(warned, want) {
			t.Errorf("no warning %q in\n%s", want, warned)
		}
	}
	h := p.set.Hooks[0]
	if h.Priority != 50 || !h.Closed() {
		t.Errorf("listed as %+v: %q", h.Hook, h.Description)
	} else if !strings.Contains(h.Description, "registerTool: check") || !strings.Contains(h.Description, "registerChannel: pigeon") {
		t.Errorf("listed as %+v: %q", h.Hook, h.Description)
	}
}

// Settings that the plugin's schema does not allow are told at their place.
func TestWrongSettingsOfAPluginAreTold(t *testing.T) {
	p := plug(t, map[string]string{"openclaw.plugin.json": guardManifest, "index.ts": "export default { register() {} };"}, ", config: {mode: 3, dney: []}")
	if len(p.set.Hooks) > 0 || len(p.set.Problems) != 1 {
		t.Errorf("hooks %s, problems %s", states(p.set), p.set.Problems)
	} else if p.set.Problems[0].Line != 2 || !strings.Contains(p.set.Problems[0].Message, "config: ") {
		t.Errorf("hooks %s, problems %s", states(p.set), p.set.Problems)
	}
}

// What a plugin answers is carried out, or fails where everybody sees it.
func TestAnswersOfPlugins(t *testing.T) {
	p := plug(t, map[string]string{"openclaw.plugin.json": `{"id": "a"}`, "index.ts": `
export const activate = (api) => {
  const heard = [];
  api.on("before_tool_call", (e) => {
    const ask = { title: "Run it", description: "really?", severity: "critical", timeoutMs: 1000, onResolution: (d) => { heard.push(d); } };
    if (e.params.command === "ask") return { requireApproval: ask };
    if (e.params.command === "odd") return { allowed: "no" };
    if (e.params.command === "null") return null;
    if (e.params.command === "heard") return { block: true, blockReason: heard.join() };
  });
  api.on("tool_result_persist", (e) => ({ message: { ...e.message, content: [{ type: "text", text: e.message.content[0].text.replace("secret", "***") }] } }));
  api.on("before_prompt_build", (e) => ({ prependContext: "1", appendContext: "2", prependSystemContext: "3", appendSystemContext: "4" }));
  api.on("message_received", (e) => e.content.includes("spam") ? { cancel: true, cancelReason: e.from } : undefined);
  api.on("before_agent_finalize", (e) => e.lastAssistantMessage === "done" ? undefined : { action: "revise", reason: "not done", retry: { instruction: "go on" } });
};`}, "")
	steps := func(out hook.Verdict) string {
		var texts []string
		for _, s := range out.Steps {
			if s.Err != nil {
				texts = append(texts, s.Err.Error())
			}
		}
		return strings.Join(texts, "; ")
	}
	fire := func(command, id string) hook.Outcome[hook.ToolUse] {
		out, err := hook.Fire(p.ctx, p.engine, hook.PreToolUse, &seedEnvelope, hook.ToolUse{ToolName: "Bash", ToolUseID: id, ToolInput: map[string]any{"command": command}})
		p.must(err)
		return out
	}
	p.engine.AskFallback = hook.ActionAllow
	out := fire("ask", "t1")
	if s := out.Steps[0]; s.Action != hook.ActionAsk || !strings.Contains(s.Reason, "Run it: really?") {
		t.Errorf("ask: %+v", out.Verdict)
	}
	if out := fire("odd", "t2"); out.Action != hook.ActionBlock || !strings.Contains(steps(out.Verdict), "nothing of it is known at PreToolUse: allowed") {
		t.Errorf("odd: %+v %s", out.Verdict, steps(out.Verdict))
	}
	if out := fire("null", "t3"); out.Action != hook.ActionContinue || steps(out.Verdict) != "" {
		t.Errorf("null: %+v %s", out.Verdict, steps(out.Verdict))
	}
	fired(p, hook.PostToolUse, hook.ToolResult{ToolUse: hook.ToolUse{ToolName: "Bash", ToolUseID: "t1"}})
	p.must(p.engine.Close(context.Background())) // the observers have heard it
	if out := fire("heard", "t4"); out.Reason != "allow-once" {
		t.Errorf("resolution: %+v", out.Verdict)
	}
	if out := fired(p, hook.ToolResultPersist, hook.ToolPersist{ToolName: "Bash", ToolResponse: hook.ToolResponse{Success: true, Output: "a secret"}}); out.Payload.ToolResponse.Output != "a ***" {
		t.Errorf("persist: %+v", out.Payload)
	}
	if out := fired(p, hook.AgentStart, hook.AgentRun{Prompt: "p"}); out.Inject != "3\n\n4\n\n1\n\n2" {
		t.Errorf("inject: %q", out.Inject)
	}
	if out := fired(p, hook.AgentStart, hook.AgentRun{Prompt: "p", SystemPrompt: "be brief"}); out.Inject != "1\n\n2" || out.Payload.SystemPrompt != "3\n\nbe brief\n\n4" {
		t.Errorf("system prompt: %+v", out)
	}
	if out := said(p, "spam"); out.Action != hook.ActionBlock || out.Reason != "user" {
		t.Errorf("message: %+v", out.Verdict)
	}
	if out := fired(p, hook.AgentStop, hook.AgentResult{LastMessage: "half", Success: true}); out.Action != hook.ActionBlock || out.Reason != "not done\n\ngo on" {
		t.Errorf("finalize: %+v", out.Verdict)
	}
}

// A HOOK.md names the handler's events; it is given what OpenClaw gives it.
func TestHookPacks(t *testing.T) {
	const front = "---\nname: %s\ndescription: \"what\"\nmetadata: {\"openclaw\": {\"events\": [%s]%s}}\n---\n\n# Text\n"
	hookMD := func(name, events, more string) string {
		return strings.NewReplacer("%s", "").Replace(strings.Replace(strings.Replace(strings.Replace(front, "%s", name, 1), "%s", events, 1), "%s", more, 1))
	}
	p := plug(t, map[string]string{
		"package.json":           `{"name": "pack", "openclaw": {"hooks": ["./hooks/one", "./hooks/two", "./hooks/three"]}}`,
		"hooks/one/HOOK.md":      hookMD("one", `"message:received", "command:new"`, ""),
		"hooks/one/handler.ts":   `export default async (event) => { event.messages.push([event.type, event.action, event.sessionKey, event.timestamp instanceof Date, event.context.content].join()); };`,
		"hooks/two/HOOK.md":      hookMD("two", `"agent:bootstrap"`, `, "export": "boot"`),
		"hooks/two/index.ts":     `export const boot = (event) => { event.context.bootstrapFiles.push({ name: "RULES.md", content: "be kind" }); };`,
		"hooks/three/HOOK.md":    hookMD("three", `"gateway:startup"`, `, "requires": {"bins": ["no-such-program"]}`),
		"hooks/three/handler.ts": `export default () => {};`,
	}, "")
	if len(p.set.Problems) > 0 || !strings.Contains(p.set.Warnings.Error(), "three does not run: it needs the program no-such-program") {
		t.Fatalf("problems %s, warnings %s", p.set.Problems, p.set.Warnings)
	}
	if out := said(p, "hi"); out.UserMessage != "message,received,s,true,hi" {
		t.Errorf("message: %+v", out.Verdict)
	}
	if out := fired(p, hook.SessionStart, hook.SessionInfo{Source: "startup"}); out.Inject != "# RULES.md\n\nbe kind" {
		t.Errorf("bootstrap: %+v", out.Verdict)
	}
}

// Services begin with the first event and end with the daemon; commands are prompts.
func TestServicesAndCommandsOfPlugins(t *testing.T) {
	p := plug(t, map[string]string{"openclaw.plugin.json": `{"id": "s"}`, "index.js": `
module.exports = (api) => {
  let running = "not";
  api.registerService({ id: "one", start: async () => { await null; running = "yes"; }, stop: () => { console.log("stopped"); } });
  api.on("before_tool_call", () => ({ block: true, blockReason: running }));
  api.registerCommand({ name: "hello", acceptsArgs: true, handler: (ctx) => ({ text: "hi " + ctx.args }) });
};`}, "")
	if out := fired(p, hook.PreToolUse, shellCommand("x")); out.Reason != "yes" {
		t.Errorf("service: %+v", out.Verdict)
	}
	if out := fired(p, hook.AgentStart, hook.AgentRun{Prompt: "/hello you"}); out.Action != hook.ActionBlock || out.Reason != "hi you" {
		t.Errorf("command: %+v", out.Verdict)
	}
	fired(p, hook.GatewayStop, hook.GatewayEnd{})
	p.must(p.engine.Close(context.Background()))
	if !strings.Contains(p.logged(), "stopped") {
		t.Errorf("the log has %q", p.logged())
	}
}

// Each plugin that cannot run has its own line; the others run, and what blocks when
// it fails blocks.
func TestBrokenPluginsLeaveTheOthersAlone(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("throws.ts"), "export default function register(api) { throw new Error('boom'); }")
	w.write(w.work("half.ts"), "export default function register(api) { api.on('before_tool_call', () => {}); throw new Error('boom'); }")
	w.write(w.work("lacks.ts"), "import x from 'not-there'; export default function register(api) { x(); }")
	w.write(w.work("many.ts"), "export default function register(api) { for (let i = 0; i < 10000; i++) api.on('session_start', () => {}); }")
	w.write(w.work("silent.ts"), "export default function register(api) { api.on('before_tool_call', () => new Promise((r) => setTimeout(r, 1e9)), { timeoutMs: 100 }); }")
	w.write(w.work("guard.ts"), "import x from 'not-there'; export default x;")
	for _, dir := range []string{"a", "b"} {
		w.write(w.work(dir+"/openclaw.plugin.json"), `{"id": "same"}`)
		w.write(w.work(dir+"/index.ts"), "export default (api) => { api.on('session_start', () => {}); };")
	}
	w.write(w.work("c.ts"), "export default { id: 'alike', register(api) { api.on('session_start', () => {}); } };")
	w.write(w.work("d.ts"), "export default { id: 'alike', activate(api) { api.on('session_end', () => {}); } };")
	w.write(w.work("hookway.yaml"), `hooks:
  - {id: c, script: c.ts}
  - {id: d, script: d.ts}
  - {id: throws, script: throws.ts}
  - {id: half, script: half.ts}
  - {id: lacks, script: lacks.ts}
  - {id: guard, on: PreToolUse, lane: guard, script: guard.ts}
  - {id: a, script: a}
  - {id: b, script: b}
  - {id: many, script: many.ts}
  - {id: silent, script: silent.ts}
  - {id: own, on: AgentStart, block: own}
`)
	set := w.load()
	told := set.Problems.Error() + "\n" + set.Warnings.Error()
	for _, want := range []string{"boom", "its register ended with an error: boom; the hook that it had registered runs", `Could not resolve "not-there"`, "many", "it registers more than 1000 hooks", "its plugin has the id same, as that of a (", "its plugin has the id alike, as that of c ("} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told in\n%s", want, told)
		}
	}
	e := fill(t, set)
	out := bash(t, e, w.ws, "ls")
	if out.Action != hook.ActionBlock || len(out.Steps) < 2 {
		t.Errorf("guards: %+v", out.Verdict)
	}
	e.Remove("guard")
	if out = bash(t, e, w.ws, "ls"); out.Action != hook.ActionBlock || out.By != "silent" {
		t.Errorf("one that never answers: %+v", out.Verdict)
	}
	run, err := hook.Fire(context.Background(), e, hook.AgentStart, &hook.Envelope{}, hook.AgentRun{})
	w.must(err)
	if run.Reason != "own" {
		t.Errorf("own: %+v", run.Verdict)
	}
	var ids sync.Map
	for _, h := range set.Hooks {
		ids.Store(h.ID, true)
	}
	for _, id := range []string{"half", "guard", "a", "b", "own"} {
		if _, ok := ids.Load(id); !ok {
			t.Errorf("%s is not there: %s", id, states(set))
		}
	}
}
