package hook_test

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// Every name that a system of the field uses leads to the event that it means.
func TestAliases(t *testing.T) {
	for want, names := range map[string][]string{
		"GatewayStart":       {"GatewayStart", "gateway-start", "gateway_start", "gatewaystart", "GATEWAY_START"},
		"GatewayStop":        {"gateway-stop"},
		"SessionStart":       {"session-start", "sessionStart", "session_start", "onSessionStart", "on-session-start"},
		"SessionEnd":         {"session-end", "sessionEnd", "on_session_end"},
		"AgentStart":         {"before-agent-start", "agent-start", "UserPromptSubmit", "user_prompt_submit", "BeforeAgent", "beforeSubmitPrompt"},
		"AgentStop":          {"agent-stop", "Stop", "stop", "onStop", "AfterAgent"},
		"IterationStart":     {"beforeIteration", "step-start"},
		"IterationEnd":       {"afterIteration", "step-stop"},
		"GenerateStart":      {"beforeLLM", "before-llm", "before_llm", "BeforeModel", "generate_start"},
		"GenerateEnd":        {"afterLLM", "AfterModel"},
		"PreToolUse":         {"pre_tool_use", "before-tool-call", "before_tool_call", "beforeTool", "BeforeTool", "tool-call-start", "tool_call_start", "onToolCall", "onToolCallStart", "preToolUse"},
		"PostToolUse":        {"post_tool_use", "after-tool-call", "afterTool", "AfterTool", "tool-call-end", "tool_call_end"},
		"ToolResultPersist":  {"tool-result-persist", "tool_result_persist"},
		"PermissionRequest":  {"permission_request", "permissionRequest"},
		"PermissionDenied":   {"permission_denied"},
		"PostToolUseFailure": {"post_tool_use_failure", "postToolUseFailure", "tool-error"},
		"MessageReceived":    {"messageReceived", "message-received", "onMessageReceived"},
		"MessageSending":     {"message-sending", "message_sending"},
		"MessageSent":        {"message-sent"},
		"PreCompact":         {"before-compaction", "pre_compact"},
		"PostCompact":        {"after-compaction"},
		"Output":             {"onOutput", "output"},
		"Idle":               {"onIdle", "idle"},
		"Directive":          {"directive", "onDirective"},
		"Error":              {"onError", "error", "agent-error"},
		"SubagentStart":      {"subagent-start", "subagent_start"},
		"SubagentStop":       {"subagent-stop"},
		"Notification":       {"notification", "onNotification"},
	} {
		for _, name := range append(names, want) {
			info, err := hook.Lookup(name)
			if err != nil || info.Name != want {
				t.Errorf("%s: %v, %v; want %s", name, info, err, want)
			}
		}
	}
}

// Whatever name a hook is registered under, it gets the event.
func TestHookOfAnAliasGetsTheEvent(t *testing.T) {
	for _, name := range []string{"onToolCall", "tool_call_start", "before-tool-call", "beforeTool", "PRE_TOOL_USE"} {
		var e hook.Engine
		add(t, &e, "h", says(hook.Block("no")), hook.For(name))
		if out := fire(t, &e, bash("ls")); out.Action != hook.ActionBlock || out.Event != "PreToolUse" {
			t.Errorf("%s: %v of %s", name, out.Action, out.Event)
		}
	}
}

func TestUnknownEventSuggestsTheNearest(t *testing.T) {
	for _, c := range []struct{ name, near string }{
		{"PreToolUze", "PreToolUse"}, {"pre_tool_used", "PreToolUse"}, {"SessionStrat", "SessionStart"},
		{"UserPromptSubmitted", "UserPromptSubmit"}, {"Notifications", "Notification"}, {"messageRecieved", "MessageReceived"},
	} {
		_, err := hook.Lookup(c.name)
		if err == nil || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), "did you mean "+c.near) {
			t.Errorf("%s: %v; want a hint at %s", c.name, err, c.near)
		}
		var e hook.Engine
		if err := e.Add(hook.New("h", says(hook.Decision{}), hook.For(c.name))); err == nil || !strings.Contains(err.Error(), c.near) {
			t.Errorf("%s as a hook's event: %v", c.name, err)
		}
	}
	for _, name := range []string{"", "x", "completely different", "on", "*"} {
		if _, err := hook.Lookup(name); err == nil || strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%q: %v; want an error without a hint", name, err)
		}
	}
}

var deployed = hook.Define[struct {
	Target string `json:"target"`
}]("TestDeployed", "test-after-deploy")

func TestDefineMakesATypedEvent(t *testing.T) {
	info, err := hook.Lookup("onTest_After-Deploy")
	if err != nil || info.Name != "TestDeployed" || info.Name != deployed.Name() {
		t.Fatalf(`got %v, %v, want err == nil and info.Name == "TestDeployed" and info.Name == deployed.Name()`, info, err)
	}
	var e hook.Engine
	add(t, &e, "prod", says(hook.Ask("sure?")), hook.For("testDeployed"), hook.MatchField("target", "prod*"))
	payload := deployed.New(hook.Envelope{}, struct {
		Target string `json:"target"`
	}{"prod-eu"})
	if out := fireAt(t, &e, deployed, payload.Payload); out.Action != hook.ActionAsk {
		t.Errorf("got %v", out.Action)
	}
	if out, err := e.Fire(t.Context(), payload); err != nil || out.Action != hook.ActionAsk || out.Event != "TestDeployed" {
		t.Errorf("untyped: %v, %v", out.Action, err)
	}
}

func TestDefineOfATakenNamePanics(t *testing.T) {
	for _, name := range []string{"PreToolUse", "before_tool", "onError", "", "-", "*"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was taken", name)
				}
			}()
			hook.Define[int](name)
		}()
	}
	if _, err := hook.Lookup("PreToolUse"); err != nil {
		t.Error(err)
	}
}

func TestEngineDefinesEventsOfItsOwn(t *testing.T) {
	var e, other hook.Engine
	if err := e.Define(hook.Custom("deploy-done", hook.May{Block: true}, "afterDeploy")); err != nil {
		t.Fatal(err)
	}
	add(t, &e, "h", says(hook.Block("not on a Friday")), hook.For("after_deploy"), hook.MatchField("env.name", "prod"))
	if err := other.Add(hook.New("h", says(hook.Decision{}), hook.For("deploy-done"))); err == nil {
		t.Error("another engine knows the event")
	}
	if _, err := hook.Lookup("deploy-done"); err == nil {
		t.Error("the whole process knows the event")
	}
	info, err := e.Lookup("onDeployDone")
	if err != nil {
		t.Fatal(err)
	}
	ev, err := info.New(hook.Envelope{Session: "s"}, map[string]any{"env": map[string]any{"name": "prod"}})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := e.Fire(t.Context(), ev); err != nil || out.Action != hook.ActionBlock || out.Event != "deploy-done" {
		t.Errorf(`got %v, %v, want err == nil and out.Action == hook.ActionBlock and out.Event == "deploy-done"`, out, err)
	}
	for _, name := range []string{"deploy_done", "AfterDeploy", "onDeployDone", "pre_tool_use", "Stop", "", "*", "_"} {
		if err := e.Define(hook.Custom(name, hook.May{})); err == nil {
			t.Errorf("the name %q was taken twice, or is none", name)
		}
	}
	if err := e.Define(hook.Custom("fresh", hook.May{}, "other", "Stop")); err == nil {
		t.Error("a taken alias was accepted")
	}
	if _, err := e.Lookup("fresh"); err == nil {
		t.Error("a refused event was entered by half")
	}
	if _, err := e.Lookup("deploy-dome"); err == nil || !strings.Contains(err.Error(), "deploy-done") {
		t.Errorf("no hint at the engine's own event: %v", err)
	}
}

// An agent's event that is in no table reaches hooks under its own name.
func TestNativeEventReachesHooks(t *testing.T) {
	var e hook.Engine
	if err := e.Define(hook.Native("TabActivated")); err != nil {
		t.Fatal(err)
	}
	add(t, &e, "tab", says(hook.Decision{Action: hook.ActionBlock, Reason: "no", Inject: "note"}), hook.For("tab-activated"), hook.MatchField("tab.index", "3"))
	add(t, &e, "every", says(hook.Decision{}), hook.For("*"))
	for _, c := range []struct {
		name  string
		index any
		want  hook.Action
	}{{"TabActivated", 3, hook.ActionBlock}, {"TabActivated", 4, hook.ActionContinue}, {"NeverHeardOf", 3, hook.ActionContinue}} {
		ev, err := hook.Native(c.name).New(hook.Envelope{}, map[string]any{"tab": map[string]any{"index": c.index}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Fire(t.Context(), ev)
		switch {
		case err != nil:
			t.Errorf("%s %v: %v by %v, %v", c.name, c.index, out.Action, ids(out.Steps), err)
		case out.Action != c.want:
			t.Errorf("%v: %v: out.Action: got %v, want %v", c.name, c.index, out.Action, c.want)
		case out.Event != c.name:
			t.Errorf("%v: %v: out.Event: got %v, want %v", c.name, c.index, out.Event, c.name)
		case count(ids(out.Steps), "every") != 1 && c.want != hook.ActionBlock:
			t.Errorf("%s %v: %v by %v, %v", c.name, c.index, out.Action, ids(out.Steps), err)
		}
	}
}

func TestEventsOfTheWrongPayloadAreRefused(t *testing.T) {
	if _, err := hook.PreToolUse.Info().New(hook.Envelope{}, "text"); err == nil || !strings.Contains(err.Error(), "ToolUse") {
		t.Errorf("error %v", err)
	}
	if _, err := hook.PreToolUse.Info().New(hook.Envelope{}, (*hook.ToolUse)(nil)); err == nil {
		t.Error("a nil payload was taken")
	}
	ev, err := hook.PreToolUse.Info().New(hook.Envelope{}, &hook.ToolUse{ToolName: "Bash"})
	if err != nil || ev.Body().(hook.ToolUse).ToolName != "Bash" {
		t.Errorf(`got %v, %v, want err == nil and ev.Body().(hook.ToolUse).ToolName == "Bash"`, ev, err)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"block", "allow", "continue", "low", "git"}
	for in, want := range map[string]string{"blok": "block", "BLOCK": "block", "alow": "allow", "contnue": "continue", "zzz": "", "": "",
		"lbock": "block", "gti": "git", "hot": "", "x": ""} {
		if got := hook.Nearest(in, names); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
