package config

import (
	"testing"

	"github.com/hookway/hookway/hook"
)

// What an A3S engine registers and unregisters in a handler counts from the next
// event on: the one that is being fired meets the hooks that it met.
func TestA3SRegistersAndUnregistersAtAnyTime(t *testing.T) {
	p := plant(t, "hookway.config.ts", a3sFrame+`
engine.register(Hook.new("first", HookEventType.PreToolUse).with_config({ priority: 1 }));
engine.register(Hook.new("second", HookEventType.PreToolUse).with_config({ priority: 2 }));
engine.register_handler("second", { handle: () => HookResponse.block("second") });
engine.register_handler("first", { handle: (e) => {
  if (e.payload.args.command === "swap") {
    engine.unregister("second");
    engine.unregister_handler("second");
    engine.register(Hook.new("third", HookEventType.PreToolUse).with_matcher(HookMatcher.tool("Bash")));
    engine.register_handler("third", { handle: () => HookResponse.block("third of " + engine.hook_count()) });
  }
  if (e.payload.args.command === "wrong") {
    try { engine.register(Hook.new("bad", HookEventType.PreToolUse).with_matcher(HookMatcher.command("("))); } catch (e) { return HookResponse.block("wrong"); }
  }
  return HookResponse.continue_();
} });
`)
	for _, c := range []struct{ command, want string }{{"swap", "second"}, {"ls", "third of 2"}, {"wrong", "wrong"}, {"ls", "third of 2"}} {
		if out := fired(p, hook.PreToolUse, shellCommand(c.command)); out.Action != hook.ActionBlock || out.Reason != c.want {
			t.Errorf("%s: %v %q, want %q (%+v)", c.command, out.Action, out.Reason, c.want, out.Steps)
		}
	}
}

// The name of a compilr hook is its id and description.
func TestNamesOfCompilrHooksAreShown(t *testing.T) {
	p := plant(t, "hookway.config.ts", `export default { beforeTool: [{ name: "limits", hook: () => undefined }, { id: "own", name: "said", hook: () => undefined }, () => undefined] };`)
	p.want(p.set, "hookway.config/limits active, own active, hookway.config/beforeTool-3 active")
	if p.set.Hooks[0].Description != "limits" || p.set.Hooks[1].Description != "said" {
		t.Errorf("described as %q, %q", p.set.Hooks[0].Description, p.set.Hooks[1].Description)
	}
}

// agent-relay's own file counts where HOOKWAY_HOME is set, too.
func TestTheUsersRelayConfigIsReadBesideHookwayHome(t *testing.T) {
	w := newWorld(t)
	home := t.TempDir()
	w.env["HOME"], w.env["XDG_CONFIG_HOME"] = home, ""
	w.write(home+"/.config/agent-relay/relay.config.ts", "export default { hooks: { onIdle: () => {} } };\n")
	w.want(w.load(), "relay.config/onIdle active")
}
