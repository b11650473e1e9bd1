package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// What a program of another system misspells is told, and what to write: a filter, an
// option or a handler that is passed over would make another hook of it.
func TestMistakesInOtherSystemsProgramsAreTold(t *testing.T) {
	const box = `import { HookEngine, Hook, HookEventType } from "@a3s-lab/box"; const engine = new HookEngine();
engine.register_handler("a", { handle: () => ({ action: "Continue" }) });
`
	relay := func(text string) string { return "export default { hooks: { onIdle() {} }, " + text + " };" }
	plugin := func(text string) string { return "export default (api) => { api.registerHook({ " + text + " }); };" }
	engine := func(text string) string { return box + "engine.register({ id: 'a', " + text + " });" }
	for text, want := range map[string]string{
		relay("patern: {}"):                               "the configuration has no patern; did you mean patterns?",
		"export default { patern: { deploy() {} } };":     "the default export has no patern; did you mean patterns?",
		relay("version: 1"):                               "version means nothing here; a configuration of agent-relay has patterns, hooks, options, memory",
		relay("options: { idleTreshold: 5 }"):             "options has no idleTreshold; did you mean idleThreshold?",
		relay("options: { idleThreshold: '60s' }"):        `options.idleThreshold must be a number of milliseconds above 0, as in idleThreshold: 60000; it is "60s"`,
		relay("options: { idleThreshold: -1 }"):           "above 0",
		relay("options: 5"):                               "options must be an object",
		relay("memory: []"):                               "memory must be an object",
		"export default { memory: 'mem0' };":              "memory must be an object",
		relay("patterns: []"):                             "patterns must be an object",
		relay("patterns: { deploy: 'builtin' }"):          "there is no built-in pattern deploy; there is relay, memory, broadcast",
		relay("patterns: { deploy: { handlr() {} } }"):    "the pattern deploy has no handler",
		relay("patterns: { '@deploy:': () => {} }"):       `"@deploy:" can be no namespace of a directive`,
		"export default { hooks: { onIdle: 5 } };":        "the hook onIdle is no function",
		"export default { hooks: { onSesionEnd() {} } };": "did you mean SessionEnd?",
		`import { Relay } from "agent-relay"; new Relay({ nam: "x" }).on("idle", () => {});`: "new Relay has no nam; did you mean name?",
		`import { Relay } from "agent-relay"; new Relay({ name: 5 }).on("idle", () => {});`:  "the name of a Relay must be text",

		plugin("evnt: 'message-sent', handler() {}"):                "a hook has no evnt; did you mean event?",
		plugin("event: '', handler() {}"):                           "a hook needs the name of an event",
		plugin("handler() {}"):                                      "a hook needs the name of an event",
		plugin("event: 'message-sent', handler() {}, prioritty: 1"): "a hook has no prioritty; did you mean priority?",
		plugin("event: 'message-sent'"):                             "the hook of message-sent has no handler",
		plugin("event: 'message-snt', handler() {}"):                "nothing here fires message-snt",

		"export default { beforeTol: [() => {}] };":                                    "the default export has no beforeTol; did you mean beforeTool?",
		"export default { beforeTool: [() => {}], afterTol: [] };":                     "compilr has no hook afterTol",
		"export default { beforeTool: [5] };":                                          "beforeTool[0] is no function",
		"export default { beforeTool: [{ hok() {} }] };":                               "beforeTool[0] has no hok; did you mean hook?",
		"export default { beforeTool: [{ hook() {}, prio: 5 }] };":                     "beforeTool[0] has no prio; it has hook, id, name, priority",
		"export default { beforeTool: [{ hook() {}, name: 'n', priority: 'high' }] };": "priority must be a whole number",

		engine("event_typ: 'pre_tool_use'"):                                  "the hook a has no event_typ; did you mean event_type?",
		engine("event_type: HookEventType.PreToolUs"):                        "the hook a needs an event_type: pre_tool_use, post_tool_use",
		engine("event_type: 'pre_tol_use'"):                                  "did you mean PreToolUse?",
		engine("event_type: 'pre_tool_use', mather: { tool: 'Bash' }"):       "the hook a has no mather; did you mean matcher?",
		engine("event_type: 'pre_tool_use', matcher: { tol: 'Bash' }"):       "the matcher of a has no tol; did you mean tool?",
		engine("event_type: 'pre_tool_use', matcher: { branch: 'main' }"):    "the matcher of a has no branch; it has tool, path_pattern, command_pattern, session_id",
		engine("event_type: 'pre_tool_use', matcher: 'Bash'"):                `the matcher of a must be an object, not "Bash"`,
		engine("event_type: 'pre_tool_use', config: { prioritty: 1 }"):       "the config of a has no prioritty; did you mean priority?",
		engine("event_type: 'pre_tool_use', config: { timeout_ms: '5s' }"):   `the config of a: timeout_ms must be a number, as in timeout_ms: 30000; it is "5s"`,
		engine("event_type: 'pre_tool_use', config: { async_execution: 1 }"): "async_execution must be a boolean",
		box + "engine.register(Hook.new('b', HookEventType.PreToolUse));":    "the handler of a is never called: no hook a is registered",
		box + "engine.register_handler('b', { handl() {} });":                "the handler of b has no handle(event)",
	} {
		t.Run(want+" "+text, func(t *testing.T) {
			w := newWorld(t)
			w.env["HOOKWAY_TRUST"] = "1"
			w.write(w.work("hookway.yaml"), "hooks:\n  - {id: seed, script: program.ts}\n")
			w.write(w.work("program.ts"), text)
			set := w.load()
			if told := fmt.Sprint(set.Problems, set.Warnings); !strings.Contains(told, want) || strings.Contains(told, "hookway:entry") {
				t.Errorf("it tells %s, want %q", told, want)
			}
		})
	}
}

// A configuration of agent-relay that only says what hookway's own hooks do is one.
func TestARelayConfigNeedsNoHooksOfItsOwn(t *testing.T) {
	for _, text := range []string{"patterns: { memory: 'builtin' }", "options: { idleThreshold: 60000 }", "patterns: {}", "memory: { promptOnEnd: true }", "hooks: { onIdle: undefined }"} {
		w := newWorld(t)
		w.env["HOOKWAY_TRUST"] = "1"
		w.write(w.work("relay.config.ts"), "export default { "+text+" };\n")
		if set := w.load(); len(set.Problems)+len(set.Warnings) > 0 {
			t.Errorf("%s: it tells %v %v, want nothing", text, set.Problems, set.Warnings)
		}
	}
}

// A plugin is one whatever else its object has.
func TestAPluginWithOptionsIsNoRelayConfig(t *testing.T) {
	p := plant(t, "program.ts", `export default { id: "own", options: { mode: 1 }, memory: {}, register(api) { api.registerHook({ event: "session-end", handler() {} }); } };`, "read")
	if got := p.set.Hooks[0].Profile.Name; len(p.set.Problems)+len(p.set.Warnings) > 0 || got != hook.ProfileOpenClaw.Name {
		t.Errorf("its profile is %q, want openclaw; it tells %v %v", got, p.set.Problems, p.set.Warnings)
	}
}

// What a config or a matcher leaves undefined is as if it were not there.
func TestAnUndefinedOptionOfA3SIsItsDefault(t *testing.T) {
	p := plant(t, "program.ts", `import { HookEngine } from "@a3s-lab/box"; const engine = new HookEngine();
engine.register({ id: "a", event_type: "pre_tool_use", matcher: { tool: "Bash", session_id: undefined }, config: { priority: undefined, timeout_ms: undefined } });
engine.register_handler("a", () => ({ action: "Block", reason: "seen" }));
`, "read")
	h := p.set.Hooks[0]
	if h.Priority != 100 || h.Timeout.Milliseconds() != 30000 {
		t.Errorf("its priority is %d and its timeout %v, want 100 and 30s", h.Priority, h.Timeout)
	}
}
