package config

import (
	"context"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// What happens to hooks reaches scripts as compilr tells of it.
func TestScriptsAreToldOfHooks(t *testing.T) {
	p := plant(t, "hookway.config.ts", `
import { on, hooks } from "hookway";
const show = (e) => console.log([e.type, e.hookType, e.hookId, e.hookName ?? "-", typeof e.durationMs, e.error?.message.split(": ").pop() ?? "-"].join(" "));
const stop = hooks.on(["hook:started", "hook:completed"], show);
hooks.on("hook:error", show);
on("hook:registered", (e) => console.log("registered " + e.hook_id + " of " + e.events));
let more = 0;
export default {
  beforeTool: [
    { id: "limits", name: "Limits of tools", hook: (c) => { if (c.input.command === "boom") throw new Error("bad luck"); } },
    { id: "later", hook: (c) => { if (c.input.command === "last") stop(); if (!more++) on("Idle", { id: "idles" }, () => {}); } },
  ],
};`)
	if p.set.Hooks[0].Lane != hook.Observe {
		t.Errorf("it is in the lane %v", p.set.Hooks[0].Lane)
	}
	fire := func(command string) string {
		t.Helper()
		if _, err := hook.Fire(p.ctx, p.engine, hook.PreToolUse, &seedEnvelope, shellCommand(command)); err != nil {
			t.Fatal(err)
		}
		said := p.logged()
		p.mu.Lock()
		p.logs = nil
		p.mu.Unlock()
		return said
	}
	for command, want := range map[string][]string{
		"boom": {
			"hook:started beforeTool limits Limits of tools undefined -", "hook:error beforeTool limits Limits of tools number bad luck",
			"hook:started beforeTool later - undefined -", "hook:completed beforeTool later - number -",
			"registered limits of PreToolUse", "registered later of PreToolUse", "registered idles of Idle",
		},
	} {
		said := fire(command)
		for _, line := range want {
			if !strings.Contains("\n"+said+"\n", "\n"+line+"\n") {
				t.Errorf("%s: %q is missing of\n%s", command, line, said)
			}
		}
	}
	fire("last")
	if said := fire("ls"); said != "" {
		t.Errorf("its handler was taken out, and heard %s", said)
	}
}

// A HooksConfig may have a handler of what happens to its hooks.
func TestCompilrConfigHasAHandlerOfHookEvents(t *testing.T) {
	p := plant(t, "hookway.config.ts", `export default { beforeTool: [(c) => {}], onHookEvent: (e) => console.log(e.type) };`)
	fired(p, hook.PreToolUse, shellCommand("ls"))
	if said := p.logged(); said != "hook:registered\nhook:started\nhook:completed" {
		t.Errorf("it heard %s", said)
	}
}

// In hookway.yaml, too, and a command may hear of them.
func TestHooksOfHooksInYAML(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("hookway.yaml"), `hooks:
  - {id: told, on: ["hook:error", HookCompleted], command: "cat > told.json"}
  - {id: y, description: A plain rule, on: PreToolUse, block: "no"}
`)
	set := w.load()
	w.want(set, "told active, y active")
	if set.Hooks[0].Lane != hook.Observe || set.Hooks[1].Name != "A plain rule" {
		t.Errorf(`got %+v, want set.Hooks[0].Lane == hook.Observe and set.Hooks[1].Name == "A plain rule"`, set.Hooks)
	}
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: both, on: [Idle, hook:error], command: cat}\n")
	set, err := Load(context.Background(), w.options())
	w.must(err)
	if len(set.Problems) != 1 || !strings.Contains(set.Problems[0].String(), "for such events alone") {
		t.Errorf("problems: %s", set.Problems)
	}
}
