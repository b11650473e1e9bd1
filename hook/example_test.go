package hook_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/hookway/hookway/hook"
)

func ExampleOn() {
	var engine hook.Engine

	err := hook.On(&engine, hook.PreToolUse,
		func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
			if strings.Contains(ev.Payload.Text("command"), "--force") {
				return hook.Ask("a forced push rewrites history"), nil
			}
			return hook.Continue(), nil
		},
		hook.Named("careful-push"), hook.As(hook.Guard), hook.MatchTool("Bash"), hook.MatchCommand(`^git\s+push`))

	fmt.Println(err, engine.Len())
	// Output: <nil> 1
}

func ExampleFire() {
	var engine hook.Engine
	_ = engine.Add(hook.New("no-rm", hook.Static(hook.Block("deleting is not allowed")),
		hook.For("before-tool-call"), hook.As(hook.Guard), hook.MatchCommand(`rm\s+-rf`)))

	use := hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "rm -rf build"}}
	out, err := hook.Fire(context.Background(), &engine, hook.PreToolUse, &hook.Envelope{Session: "s-1"}, use)

	fmt.Println(out.Action, "by", out.By+":", out.Reason, err)
	// Output: block by no-rm: deleting is not allowed <nil>
}

func ExampleTool() {
	var engine hook.Engine
	_ = hook.On(&engine, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		return hook.Change(ev.Payload.WithInput("limit", 10)), nil
	})
	_ = hook.On(&engine, hook.Error, func(context.Context, *hook.Event[hook.Fault]) (hook.Decision, error) {
		return hook.Answer("no results; the index is being built"), nil
	})

	use := hook.ToolUse{ToolName: "Search", ToolInput: map[string]any{"query": "hooks"}}
	run, err := hook.Tool(context.Background(), &engine, nil, use,
		func(_ context.Context, use hook.ToolUse) (hook.ToolResponse, error) {
			return hook.ToolResponse{}, fmt.Errorf("no index for %v results", use.ToolInput["limit"])
		})

	fmt.Println(run.Recovered, run.Response.Output, err)
	// Output: true no results; the index is being built <nil>
}

// Deploy is the payload of an event that a program defines for itself.
type Deploy struct {
	Target string `json:"target"`
}

var Deploying = hook.Define[Deploy]("ExampleDeploying", "example-before-deploy")

func ExampleDefine() {
	var engine hook.Engine
	_ = hook.On(&engine, Deploying, func(_ context.Context, ev *hook.Event[Deploy]) (hook.Decision, error) {
		return hook.Block("no deploys to " + ev.Payload.Target + " today"), nil
	}, hook.MatchField("target", "prod-*"))

	for _, target := range []string{"staging", "prod-eu"} {
		out, _ := hook.Fire(context.Background(), &engine, Deploying, nil, Deploy{target})
		fmt.Printf("%s: %v %q\n", target, out.Action, out.Reason)
	}
	// Output:
	// staging: continue ""
	// prod-eu: block "no deploys to prod-eu today"
}

func ExampleEngine_Watch() {
	var engine hook.Engine
	stop := engine.Watch(func(n hook.Notice) {
		fmt.Printf("%s of %s, event %q\n", n.Kind, n.Hook, n.Event)
	})
	defer stop()

	_ = engine.Add(hook.New("log", hook.Static{}, hook.For("Stop")))
	_, _ = hook.Fire(context.Background(), &engine, hook.AgentStop, nil, hook.AgentResult{})
	engine.Remove("log")
	// Output:
	// HookRegistered of log, event ""
	// HookStarted of log, event "AgentStop"
	// HookCompleted of log, event "AgentStop"
	// HookUnregistered of log, event ""
}
