//go:build unix

package judge_test

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/relay"
)

func TestHooksOfAnAgentSendInItsName(t *testing.T) {
	m := newMail(t, quiet, false)
	hooks := `hooks:
  - {id: note, on: MessageSending, inject: your words were changed, match: {fields: {content: "*loud*"}}}
  - {id: shout, on: MessageSending, modify: {content: SHOUTED}, match: {fields: {content: "*loud*"}}}
  - {id: secret, on: MessageSending, block: it is secret, match: {fields: {content: "*secret*"}}}
  - {id: told, on: MessageSent, lane: observe, command: 'cat >> sent; echo >> sent'}
  - {id: script, on: [PreToolUse, MessageReceived], script: send.js}
`
	m.write("hookway.yaml", hooks)
	m.write("send.js", `
export default async function (ev, ctx) {
	if (ev.hook_event_name === "MessageReceived") {
		if (ev.content.startsWith("ping")) await ctx.relay.send("Bob", "pong to " + ev.from);
		return;
	}
	try { await ctx.send("Bob", "ran " + ev.tool_input.command) } catch (e) { return { inject: "failed: " + e.message } }
}
`)
	m.trust()
	m.want(m.printed(m.bash(session, "t0", "ls")), "failed: ", "Bob") // no agent has that name yet
	bob, err := m.open().Join(t.Context(), relay.Presence{Session: "bobs", Name: "Bob", Kind: "user"})
	if err != nil {
		t.Fatal(err)
	}
	got := func() (texts string) {
		t.Helper()
		all, err := bob.Take(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			texts += one.Message.From + ": " + one.Message.Content + "; "
			if err := bob.Begin(t.Context(), one.Message.ID, "x", "mcp"); err != nil {
				t.Error(err)
			}
			if err := bob.Done(t.Context(), one.Message.ID, false); err != nil {
				t.Error(err)
			}
		}
		return texts
	}
	m.want(m.printed(m.bash(session, "t1", "ls")), "!failed")
	m.want(m.printed(m.bash(session, "t2", "be loud")), "!failed", "your words were changed")
	m.want(m.printed(m.bash(session, "t3", "tell a secret")), "failed: ", "it is secret")
	if texts := got(); texts != "claude-0c4f: ran ls; claude-0c4f: SHOUTED; " {
		t.Errorf("Bob got %s", texts)
	}
	id := m.mail("claude-0c4f", "ping")
	m.want(m.printed(m.own(session, "PostToolUse")), "ping")
	m.is(id, relay.StateInjected) // a hook has answered, not the agent
	if texts := got(); texts != "claude-0c4f: pong to Bob; " {
		t.Errorf("Bob got %s", texts)
	}
	if err := m.Close(); err != nil { // observers have written
		t.Error(err)
	}
	if sent := m.read("sent"); strings.Count(sent, `"success":true`) != 3 || !strings.Contains(sent, "SHOUTED") {
		t.Errorf("the hooks of MessageSent were told\n%s", sent)
	}
}

func TestHooksOfAFiredEventSend(t *testing.T) {
	m := newMail(t, quiet, true)
	m.write("hookway.yaml", "hooks: [{id: script, on: PreToolUse, script: send.js}]\n")
	m.write("send.js", `export default async (ev, ctx) => { await ctx.send("Bob", "hi from " + ctx.agentName) }`)
	m.trust()
	bob, err := m.open().Join(t.Context(), relay.Presence{Session: "bobs", Name: "Bob", Kind: "user"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Fire(t.Context(), judge.Firing{Event: "PreToolUse", Payload: []byte(`{"tool_name":"Bash","tool_input":{}}`), Agent: "Dora", CWD: m.dir, Env: m.env})
	if err != nil || len(out.Steps) != 1 || out.Steps[0].Err != nil {
		t.Fatalf("got %+v, %v, want err == nil and len(out.Steps) == 1 and out.Steps[0].Err == nil", out, err)
	}
	got, err := bob.Take(t.Context(), 1)
	if err != nil || len(got) != 1 {
		t.Errorf("Bob got %+v, %v", got, err)
	} else if got[0].Message.From != "Dora" || got[0].Message.Content != "hi from Dora" {
		t.Errorf("Bob got %+v, %v", got, err)
	}
}
