package hooktest_test

import (
	"context"
	"fmt"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

// A scripted agent shows what hooks make of an agent, without a model.
func ExampleFakeAgent() {
	var engine hook.Engine
	_ = engine.Add(hook.New("no-rm", hook.Static(hook.Block("delete by name")),
		hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchCommand(`\brm\b`)))

	agent := hooktest.FakeAgent{Engine: &engine, Tools: map[string]func(context.Context, map[string]any) (hook.ToolResponse, error){
		"Bash": func(context.Context, map[string]any) (hook.ToolResponse, error) {
			return hook.ToolResponse{Success: true, Output: "done"}, nil
		},
	}}
	bash := func(command string) hook.ToolCall {
		return hook.ToolCall{Name: "Bash", Input: map[string]any{"command": command}}
	}
	story, err := agent.Run(context.Background(), "clean up",
		hooktest.Turn{Calls: []hook.ToolCall{bash("rm -rf build"), bash("make clean")}}, hooktest.Turn{Text: "All clean."})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range story.Calls {
		fmt.Println(call.Blocked, call.Response.Output)
	}
	// Output:
	// true delete by name
	// false done
}

// A recorder keeps what it is asked, and has no opinion.
func ExampleRecorder() {
	var engine hook.Engine
	var seen hooktest.Recorder
	_ = engine.Add(hook.New("seen", &seen, hook.For("*")))

	_, _ = hook.Fire(context.Background(), &engine, hook.AgentStart, nil, hook.AgentRun{Prompt: "Hello"})
	_, _ = hook.Fire(context.Background(), &engine, hook.AgentStop, nil, hook.AgentResult{})
	fmt.Println(seen.Names())
	// Output: [AgentStart AgentStop]
}
