package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// The programs of agent-relay: relay.config.ts, and the class Relay.

func directed(p *planted, namespace, target, body string) hook.Outcome[hook.DirectiveCall] {
	p.t.Helper()
	return fired(p, hook.Directive, hook.DirectiveCall{Namespace: namespace, Target: target, Body: body})
}

func TestSeedRelayPatterns(t *testing.T) {
	patternsRun(t, plant(t, "relay.config.ts", seed(t, "relay-patterns.ts"), "exec", "net"))
}

// As it is written it runs, too: trust has seen what it does, and asked.
func TestSeedRelayPatternsWithoutAllow(t *testing.T) {
	patternsRun(t, plantTrusted(t, "relay.config.ts", seed(t, "relay-patterns.ts")))
}

func patternsRun(t *testing.T, p *planted) {
	t.Helper()
	p.write(p.work("bin/npm"), "#!/bin/sh\necho \"$@\" >> ran\n")
	p.session.env = append(p.session.env, "PATH="+p.work("bin")+":/usr/bin:/bin")
	if out := directed(p, "deploy", "staging", "Release v1.2.3"); out.Inject != "Deployed to staging successfully" {
		t.Errorf("@deploy:staging injects %q", out.Inject)
	}
	if got := p.read("ran"); got != "run deploy:staging\n" {
		t.Errorf("npm ran with %q", got)
	}
	if out := directed(p, "deploy", "production", ""); out.Inject != "" {
		t.Errorf("@deploy:production injects %q", out.Inject)
	}
	directed(p, "notify", "#engineering", "Build complete")
	if want := []string{`POST https://slack.com/api/post {"channel":"#engineering","text":"Build complete"}`}; !slices.Equal(p.sent, want) {
		t.Errorf("sent %q, want %q", p.sent, want)
	}
	if out := directed(p, "other", "x", "y"); len(out.Steps) != 0 {
		t.Errorf("another namespace is handled: %+v", out.Steps)
	}
}

func TestSeedRelayIdle(t *testing.T) {
	p := plant(t, "relay.config.ts", seed(t, "relay-idle.ts"))
	if out := fired(p, hook.Idle, hook.Silence{IdleMS: 60000, Count: 1}); out.Inject != "[STATUS CHECK] Are you making progress?" {
		t.Errorf("it injects %q", out.Inject)
	}
	if got := p.set.Settings.IdleThreshold.Seconds(); got != 60 {
		t.Errorf("the idle threshold is %v s", got)
	}
}

func TestSeedRelayMessage(t *testing.T) {
	p := plant(t, "relay.config.ts", "export default { hooks: {\n"+seed(t, "relay-message.ts")+"} };\n")
	out := fired(p, hook.MessageReceived, hook.Message{From: "Bob", Content: "look", Metadata: map[string]any{"urgent": true}})
	if out.Inject != "🚨 URGENT Message from Bob: look" {
		t.Errorf("urgent: %q", out.Inject)
	}
	if out := fired(p, hook.MessageReceived, hook.Message{From: "Bob", Content: "look"}); out.Inject != "📨 Message from Bob: look" {
		t.Errorf("plain: %q", out.Inject)
	}
}

func TestRelaySuppressAndStop(t *testing.T) {
	p := plant(t, "relay.config.ts", `export default {
  hooks: {
    onMessageReceived: async (msg) => (msg.from === "Spam" ? { suppress: true } : undefined),
    onIdle: [async () => ({ inject: "first", stop: true }), async () => ({ inject: "second" })],
    onToolCall: async (tool, args) => (tool === "Bash" && args.command === "x" ? { action: "block", reason: "no x" } : undefined),
  },
};`)
	if out := fired(p, hook.MessageReceived, hook.Message{From: "Spam"}); out.Action != hook.ActionBlock {
		t.Errorf("suppress: %v", out.Action)
	}
	if out := fired(p, hook.Idle, hook.Silence{}); out.Inject != "first" {
		t.Errorf("stop: %q", out.Inject)
	}
	if out := fired(p, hook.PreToolUse, shellCommand("x")); out.Reason != "no x" {
		t.Errorf("onToolCall: %+v", out.Verdict)
	}
}

func TestSeedRelaySessionEnd(t *testing.T) {
	p := plant(t, "relay.config.ts", "export default { hooks: {\n"+seed(t, "relay-session-end.ts")+"} };\n")
	if out := fired(p, hook.SessionEnd, hook.SessionSummary{}); !strings.Contains(out.Inject, "@memory:save <what you learned>") {
		t.Errorf("it injects %q", out.Inject)
	}
}

func TestRelayMemoryPromptOnEnd(t *testing.T) {
	p := plant(t, "relay.config.ts", "export default { memory: { promptOnEnd: true, autoSave: true } };\n")
	if out := fired(p, hook.SessionEnd, hook.SessionSummary{}); !strings.Contains(out.Inject, "@memory:save") {
		t.Errorf("it injects %q", out.Inject)
	}
	if m := p.set.Settings.Memory; m == nil || !m.AutoSave || m.Backend != MemoryBuiltin {
		t.Errorf("memory is %+v", m)
	}
	p = plant(t, "relay.config.ts", "export default { hooks: { onSessionEnd: () => ({ inject: 'mine' }) }, memory: { promptOnEnd: true } };\n")
	if out := fired(p, hook.SessionEnd, hook.SessionSummary{}); out.Inject != "mine" {
		t.Errorf("beside a hook of its own it injects %q", out.Inject)
	}
}

// Whoever injects when the program has ended cannot know that nobody is left.
func TestRelayInjectsAtAnEndAtWhichNobodyIsTold(t *testing.T) {
	p := plant(t, "relay.config.ts", `export default { hooks: {
  onOutput: (output, ctx) => { ctx.inject("seen"); return { stop: true }; },
  onSessionEnd: async (ctx) => { ctx.inject("one"); await null; ctx.inject("two"); return { inject: "three" }; },
} };
`)
	p.session.over = true
	if out := fired(p, hook.Output, hook.OutputText{Text: "the last line"}); out.Inject != "" {
		t.Errorf("the last output injects %q", out.Inject)
	}
	if out := fired(p, hook.SessionEnd, hook.SessionSummary{}); out.Inject != "one\n\ntwo\n\nthree" {
		t.Errorf("the end injects %q", out.Inject)
	}
	if got := p.logged(); got != "what it injects reaches no agent: the text is not typed: the program has ended" {
		t.Errorf("logged %q", got)
	}
}

// The emitter is a part of agent-relay itself; it runs all the same.
func TestSeedRelayEmitter(t *testing.T) {
	p := plant(t, "hookway.config.ts", seed(t, "relay-emitter.ts")+`
import { on } from "hookway";
const emitter = new HookEmitter();
emitter.on("x", async (v) => ({ inject: v + 1, stop: true }));
emitter.on("x", async () => ({ inject: "never" }));
on("Idle", () => emitter.emit("x", "one"));
`)
	if out := fired(p, hook.Idle, hook.Silence{}); out.Inject != "one1" {
		t.Errorf("it injects %q", out.Inject)
	}
}

func TestSeedRelayConfigFile(t *testing.T) {
	p := plant(t, "relay.config.ts", "const myDeployHandler = async (target) => ({ inject: `deployed ${target}` });\n"+seed(t, "relay-config-file.ts"))
	p.session.memories = []hook.Remembered{{ID: "1", Content: "likes tea"}, {ID: "2", Content: "uses Go"}}
	if out := fired(p, hook.SessionStart, hook.SessionInfo{}); out.Inject != "Relevant context:\n- likes tea\n- uses Go" {
		t.Errorf("onSessionStart injects %q", out.Inject)
	}
	if want := []string{p.ws}; !slices.Equal(p.session.searched, want) {
		t.Errorf("searched %q, want the working folder", p.session.searched)
	}
	if out := fired(p, hook.SessionEnd, hook.SessionSummary{}); !strings.HasPrefix(out.Inject, "Session ending.") {
		t.Errorf("onSessionEnd injects %q", out.Inject)
	}
	fired(p, hook.Output, hook.OutputText{Text: "all is well"})
	fired(p, hook.Output, hook.OutputText{Text: "ERROR: no disk"})
	if got := p.logged(); got != "[errors] ERROR: no disk" {
		t.Errorf("notified %q", got)
	}
	fired(p, hook.Idle, hook.Silence{})
	if out := directed(p, "deploy", "staging", ""); out.Inject != "deployed staging" {
		t.Errorf("@deploy injects %q", out.Inject)
	}
	if out := directed(p, "memory", "save", "x"); len(out.Steps) != 0 {
		t.Errorf("a builtin pattern is not the file's: %+v", out.Steps)
	}
}

// What a search gives that found nothing says so, in a text too.
func TestRelaySearchWithoutAWordInCommon(t *testing.T) {
	p := plant(t, "relay.config.ts", `export default { hooks: { onSessionStart: async (ctx) => {
  const found = await ctx.memory.search(ctx.workingDir);
  return { inject: found + "|" + found.map((m) => m.content + m.recent).join() };
} } };
`)
	p.session.memories = []hook.Remembered{{ID: "1", Content: "likes tea", Recent: true}}
	if out := fired(p, hook.SessionStart, hook.SessionInfo{}); out.Inject != "(nothing that is remembered is about this; the most recent:)\n- likes tea|likes teatrue" {
		t.Errorf("onSessionStart injects %q", out.Inject)
	}
}

func TestSeedRelayProgrammatic(t *testing.T) {
	p := plant(t, "relay.config.ts", "const deployed = []; async function deploy(t) { deployed.push(t); }\nasync function loadMemories(id) { return `of ${id}`; }\n"+seed(t, "relay-programmatic.ts"))
	if out := directed(p, "deploy", "staging", "now"); out.Inject != "Deployed to staging" {
		t.Errorf("@deploy injects %q", out.Inject)
	}
	fired(p, hook.SessionStart, hook.SessionInfo{})
	if out := fired(p, hook.SessionEnd, hook.SessionSummary{}); out.Inject != "Save important learnings with @memory:save" {
		t.Errorf("at the end it injects %q", out.Inject)
	}
	if want := []string{"Your memories:\nof Alice"}; !slices.Equal(p.session.typed, want) {
		t.Errorf("typed %q, want %q", p.session.typed, want)
	}
	if got := p.logged(); got != "Deploying to staging: now" {
		t.Errorf("logged %q", got)
	}
}

const relayFrame = "import { Relay } from 'agent-relay';\nconst relay = new Relay({ name: 'MyAgent' });\nconst format = (list) => list.map((m) => m.content).join('; ');\n"

func TestSeedRelayBuiltinRelay(t *testing.T) {
	p := plant(t, "relay.config.ts", relayFrame+seed(t, "relay-builtin-relay.ts"))
	directed(p, "relay", "Bob", "check the tests")
	directed(p, "relay", "*", "status")
	if want := []string{"Bob: check the tests", "*: status"}; !slices.Equal(p.session.messages, want) {
		t.Errorf("sent %q, want %q", p.session.messages, want)
	}
	if h := p.set.Hooks[0]; !h.Override {
		t.Error("the file's own @relay does not stand in for the built-in one: both would send")
	}
}

func TestSeedRelayBuiltinMemory(t *testing.T) {
	p := plant(t, "relay.config.ts", relayFrame+seed(t, "relay-builtin-memory.ts"))
	for _, c := range []struct{ action, content, want string }{
		{"save", "likes tea", "✓ Saved to memory"}, {"save", "uses Go", "✓ Saved to memory"},
		{"search", "drinks", "Memories:\nlikes tea; uses Go"}, {"forget", "1", "✓ Forgotten"}, {"search", "all", "Memories:\nuses Go"},
	} {
		if out := directed(p, "memory", c.action, c.content); out.Inject != c.want {
			t.Errorf("@memory:%s %s injects %q, want %q", c.action, c.content, out.Inject, c.want)
		}
	}
}

func TestSeedRelayFullMemory(t *testing.T) {
	p := plant(t, "relay.config.ts", seed(t, "relay-full-memory.ts"))
	if out := fired(p, hook.SessionStart, hook.SessionInfo{}); out.Inject != "" {
		t.Errorf("without memories it injects %q", out.Inject)
	}
	p.session.memories = []hook.Remembered{{ID: "1", Content: "likes tea"}}
	out := fired(p, hook.SessionStart, hook.SessionInfo{})
	if !strings.Contains(out.Inject, "[CONTEXT FROM MEMORY]\n- likes tea\n") || !strings.Contains(out.Inject, "[USER PREFERENCES]\n- likes tea\n") {
		t.Errorf("it injects %q", out.Inject)
	}
	if want := "project: " + p.ws; !slices.Contains(p.session.searched, want) || !slices.Contains(p.session.searched, "user preferences") {
		t.Errorf("searched %q", p.session.searched)
	}
	if out := fired(p, hook.SessionEnd, hook.SessionSummary{}); !strings.Contains(out.Inject, "@memory:save Auth tokens stored in httpOnly cookies") {
		t.Errorf("onSessionEnd injects %q", out.Inject)
	}
}

func TestRelayContextHasEverything(t *testing.T) {
	p := plant(t, "relay.config.ts", `export default { hooks: { onIdle: async (ctx) => {
  ctx.send("Bob", "hello");
  await ctx.relay.broadcast("all");
  const saved = await ctx.memory.save("m");
  return { inject: JSON.stringify([ctx.agentId, ctx.agentName, ctx.sessionId, ctx.env.SEED, ctx.output, ctx.messages[0].content, saved, (await ctx.memory.list()).length]) };
} } };`)
	p.session.env = []string{"SEED=yes"}
	out := fired(p, hook.Idle, hook.Silence{})
	if want := `["Alice","Alice","session-123","yes",["one","two"],"hi","1",1]`; out.Inject != want {
		t.Errorf("got %s, want %s", out.Inject, want)
	}
	if want := []string{"Bob: hello", "*: all"}; !slices.Equal(p.session.messages, want) {
		t.Errorf("sent %q", p.session.messages)
	}
}
