package config

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// What a script registers while it handles an event is asked at the next one, and
// what it takes out is not asked any more.
func TestHooksThatAreRegisteredLaterAreAskedAtTheNextEvent(t *testing.T) {
	p := plant(t, "hookway.config.ts", `
export default function register(api) {
  let n = 0;
  api.on("session_start", () => {});
  api.registerHook({ event: "before-agent-start", handler: () => {
    n++;
    api.on("before_tool_call", (e) => e.params.command === "rm" ? { block: true, blockReason: "late " + n } : undefined, { name: "late" });
  } });
}`)
	if out := fired(p, hook.PreToolUse, shellCommand("rm")); out.Action != hook.ActionContinue {
		t.Errorf("before: %+v", out.Verdict)
	}
	fired(p, hook.AgentStart, hook.AgentRun{Prompt: "p"})
	if out := fired(p, hook.PreToolUse, shellCommand("rm")); out.Action != hook.ActionBlock || out.Reason != "late 1" {
		t.Errorf("after: %+v", out.Verdict)
	}
	fired(p, hook.AgentStart, hook.AgentRun{Prompt: "p"})
	if out := fired(p, hook.PreToolUse, shellCommand("rm")); out.Reason != "late 2" {
		t.Errorf("after two: %+v", out.Verdict)
	}
	var ids []string
	for _, h := range p.engine.All() {
		ids = append(ids, h.ID)
	}
	if got := strings.Join(ids, " "); !strings.Contains(got, "late late-2") {
		t.Errorf("the engine has %s", got)
	}
}

// A late hook sees what its script keeps, and does not keep the script open.
func TestALateHookSharesItsScriptsVariables(t *testing.T) {
	p := plant(t, "hookway.config.ts", `
import { on, block } from "hookway";
let asked = 0;
on("AgentStart", () => {
  on("PreToolUse", () => { asked++; return block("asked " + asked); }, { id: "late", lane: "guard" });
}, { id: "first" });
`)
	fired(p, hook.AgentStart, hook.AgentRun{})
	for _, want := range []string{"asked 1", "asked 2"} {
		if out := fired(p, hook.PreToolUse, shellCommand("x")); out.Reason != want {
			t.Errorf("reason %q, want %q", out.Reason, want)
		}
	}
}

// What is wrong with a hook is thrown where it is registered.
func TestAWrongLateHookIsTold(t *testing.T) {
	p := plant(t, "hookway.config.ts", `
import { on } from "hookway";
on("AgentStart", () => {
  try { on("NoSuchEvent", () => {}); } catch (e) { return { action: "block", reason: e.message }; }
}, { id: "first" });
`)
	if out := fired(p, hook.AgentStart, hook.AgentRun{}); !strings.Contains(out.Reason, "NoSuchEvent") {
		t.Errorf("reason %q", out.Reason)
	}
}
