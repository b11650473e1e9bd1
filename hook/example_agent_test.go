package hook_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/hook"
)

// A session's hooks may say something at its start, and hear how it ended.
func ExampleSession() {
	var engine hook.Engine
	_ = engine.Add(hook.New("style", hook.Static(hook.Inject("Use tabs.")), hook.For("SessionStart")))
	_ = hook.On(&engine, hook.SessionEnd, func(_ context.Context, ev *hook.Event[hook.SessionSummary]) (hook.Decision, error) {
		fmt.Println("ended after", ev.Payload.TotalToolCalls, "calls")
		return hook.Continue(), nil
	})

	err := hook.Session(context.Background(), &engine, &hook.Envelope{Session: "s-1"}, hook.SessionInfo{Source: "startup"},
		func(_ context.Context, inject string) (hook.SessionSummary, error) {
			fmt.Println("the agent gets:", inject)
			return hook.SessionSummary{TotalToolCalls: 3}, nil
		})
	fmt.Println(err)
	// Output:
	// the agent gets: Use tabs.
	// ended after 3 calls
	// <nil>
}

// Hooks may change what a model is asked, and what it answered.
func ExampleGenerate() {
	var engine hook.Engine
	_ = hook.On(&engine, hook.GenerateStart, func(_ context.Context, ev *hook.Event[hook.Generation]) (hook.Decision, error) {
		request := ev.Payload
		request.SystemPrompt += " Answer in one word."
		return hook.Change(request), nil
	})

	run, err := hook.Generate(context.Background(), &engine, nil, hook.Generation{SystemPrompt: "You are terse.", Prompt: "Is it late?"},
		func(_ context.Context, request hook.Generation) (hook.GenerationResult, error) {
			fmt.Println(request.SystemPrompt)
			return hook.GenerationResult{ResponseText: "Yes."}, nil
		})
	fmt.Println(run.Result.ResponseText, run.Tries, err)
	// Output:
	// You are terse. Answer in one word.
	// Yes. 1 <nil>
}

// A hook of Error may have a turn that failed run again.
func ExampleIteration() {
	var engine hook.Engine
	_ = hook.On(&engine, hook.Error, func(_ context.Context, ev *hook.Event[hook.Fault]) (hook.Decision, error) {
		fmt.Println(ev.Payload.Phase, "failed:", ev.Payload.Error)
		return hook.Retry(time.Millisecond), nil
	})

	tries := 0
	run, err := hook.Iteration(context.Background(), &engine, nil, hook.IterationInfo{Iteration: 1},
		func(context.Context, hook.IterationInfo) (hook.IterationResult, error) {
			if tries++; tries == 1 {
				return hook.IterationResult{}, errors.New("the model is overloaded")
			}
			return hook.IterationResult{CompletedWithText: true}, nil
		})
	fmt.Println(run.Result.CompletedWithText, tries, err)
	// Output:
	// iteration failed: the model is overloaded
	// true 2 <nil>
}

// A hook that answers a tool call spares it.
func ExampleAnswer() {
	var engine hook.Engine
	_ = engine.Add(hook.New("cache", hook.Static(hook.Answer("42")), hook.For("PreToolUse"), hook.MatchTool("Compute")))

	run, err := hook.Tool(context.Background(), &engine, nil, hook.ToolUse{ToolName: "Compute"},
		func(context.Context, hook.ToolUse) (hook.ToolResponse, error) {
			return hook.ToolResponse{}, errors.New("it is not called")
		})
	fmt.Println(run.Response.Output, err)
	// Output: 42 <nil>
}
