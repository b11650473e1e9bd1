package config

import (
	"context"
	"testing"

	"github.com/hookway/hookway/hook"
)

// Under an agent of its own, which has no message bus, a plugin hears the agent's
// answer as a message that was sent, and may change a result as one that is kept.
func TestAPluginHearsAnAgentsOwnEvents(t *testing.T) {
	p := plug(t, map[string]string{"openclaw.plugin.json": `{"id": "a"}`, "index.ts": `
export const activate = (api) => {
  const heard = [];
  api.on("message_sent", (e) => { heard.push(e.content); });
  api.on("tool_result_persist", (e) => ({ message: { ...e.message, content: [{ type: "text", text: e.message.content[0].text.replace("secret", "***") }] } }));
  api.on("before_tool_call", (e) => e.params.command === "heard" ? { block: true, blockReason: heard.join() } : undefined);
  api.registerHook("message:received", (e) => e); // what it was given is not an answer
  api.on("before_prompt_build", (e) => e);
};`}, "")
	native := seedEnvelope
	native.Source = "claude"
	out, err := hook.Fire(p.ctx, p.engine, hook.PostToolUse, &native, hook.ToolResult{
		ToolUse: shellCommand("cat key"), ToolResponse: hook.ToolResponse{Success: true, Output: "a secret"},
	})
	p.must(err)
	if out.Payload.ToolResponse.Output != "a ***" {
		t.Errorf("the result is %+v (%+v)", out.Payload.ToolResponse, out.Steps)
	}
	start, err := hook.Fire(p.ctx, p.engine, hook.AgentStart, &native, hook.AgentRun{Prompt: "go"})
	p.must(err)
	for _, s := range start.Steps {
		if s.Err != nil || s.Action != hook.ActionContinue {
			t.Errorf("%s at AgentStart: %v %v", s.Hook, s.Action, s.Err)
		}
	}
	_, err = hook.Fire(p.ctx, p.engine, hook.AgentStop, &native, hook.AgentResult{LastMessage: "all done", Success: true})
	p.must(err)
	p.must(p.engine.Close(context.Background())) // the observers have heard it
	if out := fired(p, hook.PreToolUse, shellCommand("heard")); out.Reason != "all done" {
		t.Errorf("heard %q (%+v)", out.Reason, out.Steps)
	}
}

// What remove takes out is asked no more, from the next event on.
func TestAHookThatIsRemovedIsAskedNoMore(t *testing.T) {
	p := plant(t, "hookway.config.ts", `import { add, remove } from "hookway:hooks";
const first = add({ id: "first", on: "PreToolUse" }, (ev) => {
  if (ev.tool_input.command !== "out") return undefined;
  return { metadata: { removed: [remove(second), remove(second), remove({})].join() } };
}, () => {});
const second = add({ id: "second", on: "PreToolUse" }, () => ({ action: "block", reason: "second" }), () => {});
export default undefined;
`)
	for _, c := range []struct{ command, want string }{{"ls", "second"}, {"out", "second"}, {"ls", ""}} {
		out := fired(p, hook.PreToolUse, shellCommand(c.command))
		if out.Reason != c.want {
			t.Errorf("%s: %q, want %q (%+v)", c.command, out.Reason, c.want, out.Steps)
		}
		if c.command == "out" && out.Metadata["removed"] != "true,false,false" {
			t.Errorf("remove gave %v", out.Metadata)
		}
	}
}
