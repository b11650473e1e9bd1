package hooktest

import (
	"context"
	"fmt"

	"github.com/hookway/hookway/hook"
)

// FakeAgent is a small agent whose model is a script. It fires the events that
// an agent fires, in the same order: SessionStart, AgentStart, then for each
// turn GenerateStart, GenerateEnd and for each tool call PreToolUse, PostToolUse
// (and what hook.Tool fires beside them), at last AgentStop and SessionEnd. It
// does what hooks decide, so that a test sees what hooks make of an agent.
type FakeAgent struct {
	Engine   *hook.Engine
	Envelope hook.Envelope // of all its events

	// Tools run its tool calls. A tool that is not there fails.
	Tools map[string]func(ctx context.Context, input map[string]any) (hook.ToolResponse, error)
}

// Turn is one answer of the scripted model.
type Turn struct {
	Text  string
	Calls []hook.ToolCall
}

// Story is what became of a run of a FakeAgent.
type Story struct {
	Prompt     string         // as hooks left it
	Texts      []string       // what the model said, as hooks left it
	Calls      []hook.ToolRun // the tool calls, in order
	Injected   []string       // texts that hooks injected, in order
	Refused    string         // why the prompt was refused, or empty
	Continues  int            // how often hooks made it go on when it wanted to stop
	Unanswered int            // turns of the script that it did not come to
}

// Run returns the agent a prompt and plays the script. A hook of AgentStop that
// blocks makes it go on with the next turn, if there is one left. The error
// says that the context ended, or that an event could not be fired.
func (a *FakeAgent) Run(ctx context.Context, prompt string, script ...Turn) (Story, error) {
	p := play{FakeAgent: a, script: script}
	err := hook.Session(ctx, a.Engine, &a.Envelope, hook.SessionInfo{Source: "startup"},
		func(ctx context.Context, inject string) (hook.SessionSummary, error) {
			p.inject(inject)
			err := p.work(ctx, prompt)
			return hook.SessionSummary{TotalToolCalls: int64(len(p.story.Calls))}, err
		})
	p.story.Unanswered = len(p.script)
	return p.story, err
}

// play is one run.
type play struct {
	*FakeAgent
	script   []Turn // what is left of it
	messages []hook.ChatMessage
	story    Story
}

// work answers a prompt: until the model has nothing to do and hooks let it stop.
func (p *play) work(ctx context.Context, prompt string) error {
	out, err := hook.Fire(ctx, p.Engine, hook.AgentStart, &p.Envelope, hook.AgentRun{Prompt: prompt})
	if err != nil {
		return err
	}
	p.story.Prompt = out.Payload.Prompt
	p.say("user", out.Payload.Prompt)
	p.inject(out.Inject)
	if out.Action == hook.ActionBlock {
		p.story.Refused = out.Reason
		return nil
	}
	goingOn := false
	for {
		last, err := p.turns(ctx)
		if err != nil {
			return err
		}
		stop, err := hook.Fire(ctx, p.Engine, hook.AgentStop, &p.Envelope, hook.AgentResult{
			LastMessage: last, Success: true, StopHookActive: goingOn,
		})
		if err != nil {
			return err
		}
		p.inject(stop.Inject)
		if stop.Action != hook.ActionBlock {
			return nil
		}
		goingOn = true
		p.story.Continues++
		p.say("user", stop.Reason)
	}
}

// turns plays the script until a turn calls no tool.
func (p *play) turns(ctx context.Context) (last string, err error) {
	for len(p.script) > 0 {
		turn := p.script[0]
		p.script = p.script[1:]
		if last, err = p.generate(ctx, turn); err != nil {
			return last, err
		}
		for _, call := range turn.Calls {
			if err := p.call(ctx, call); err != nil {
				return last, err
			}
		}
		if len(turn.Calls) == 0 {
			break
		}
	}
	return last, ctx.Err()
}

// generate is one call of the scripted model. A blocked one says nothing.
func (p *play) generate(ctx context.Context, turn Turn) (string, error) {
	run, err := hook.Generate(ctx, p.Engine, &p.Envelope, hook.Generation{Messages: p.messages, ModelName: "script"},
		func(_ context.Context, g hook.Generation) (hook.GenerationResult, error) {
			return hook.GenerationResult{Generation: g, ResponseText: turn.Text, ToolCalls: turn.Calls}, nil
		})
	if err != nil {
		return "", err
	}
	text := run.Result.ResponseText
	if run.Blocked {
		text = run.Reason
	}
	p.story.Texts = append(p.story.Texts, text)
	p.say("assistant", text)
	return text, nil
}

// call is one tool call. A tool that fails is a response, not the end.
func (p *play) call(ctx context.Context, call hook.ToolCall) error {
	use := hook.ToolUse{ToolName: call.Name, ToolInput: call.Input, ToolUseID: call.ID}
	run, err := hook.Tool(ctx, p.Engine, &p.Envelope, use, func(ctx context.Context, use hook.ToolUse) (hook.ToolResponse, error) {
		tool := p.Tools[use.ToolName]
		if tool == nil {
			return hook.ToolResponse{}, fmt.Errorf("the fake agent has no tool %q; put it into Tools", use.ToolName)
		}
		return tool(ctx, use.ToolInput)
	})
	p.story.Calls = append(p.story.Calls, run)
	p.say("tool", run.Response.Output)
	p.inject(run.Inject)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}

func (p *play) inject(text string) {
	if text != "" {
		p.story.Injected = append(p.story.Injected, text)
		p.say("user", text)
	}
}

func (p *play) say(role, content string) {
	p.messages = append(p.messages, hook.ChatMessage{"role": role, "content": content})
}
