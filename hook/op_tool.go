package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ToolRun is how a call of a tool ended.
type ToolRun struct {
	Use      ToolUse      // the call, as hooks left it
	Response ToolResponse // what the agent is to be told

	// Stored is what is to go into the transcript; nil if a hook of
	// ToolResultPersist blocked that.
	Stored *ToolResponse

	Inject string // further text for the agent
	Reason string // why it was blocked
	By     string // the hook that blocked or answered it

	Blocked   bool // it did not run: refused
	Answered  bool // it did not run: a hook gave the response
	Recovered bool // it failed, and a hook gave the response
	Tries     int  // how often it ran

	env *Envelope // of its events, with what hooks have set
}

// Tool runs one call of a tool with its hooks: PreToolUse, run, PostToolUse,
// Error if it failed, ToolResultPersist. Hooks may block it, change its input
// and response, answer in its place, have it tried again (at most MaxRetries
// times) and recover from its error. A refusal is not an error: the run says
// Blocked, and its response is the reason. The error is the tool's own, as
// hooks left it, or says that the context ended.
func Tool(ctx context.Context, e *Engine, env *Envelope, use ToolUse, run func(context.Context, ToolUse) (ToolResponse, error)) (ToolRun, error) {
	if use.ToolName == "" {
		r := ToolRun{Use: use}
		r.refused(ErrNoTool.Error())
		return r, ErrNoTool
	}
	for retries, ran := 0, 0; ; retries++ {
		r, again, err := tryTool(ctx, e, env, use, run)
		ran += r.Tries
		r.Tries = ran
		if again == nil {
			if err == nil {
				err = r.store(ctx, e)
			}
			return r, err
		}
		if wait := waitRetry(ctx, again, retries); wait != nil {
			return r, errors.Join(err, wait)
		}
	}
}

// tryTool is one try. again is the verdict that asks for another.
func tryTool(ctx context.Context, e *Engine, env *Envelope, use ToolUse, run func(context.Context, ToolUse) (ToolResponse, error)) (r ToolRun, again *Verdict, err error) {
	before, err := Fire(ctx, e, PreToolUse, env, use)
	if err == nil {
		err = e.asked(ctx, &before.Verdict, before.Payload)
	}
	r = ToolRun{Use: before.Payload, Inject: before.Inject, By: before.By, env: env.following(before.Metadata)}
	switch before.Action {
	case ActionBlock:
		r.refused(before.Reason)
	case ActionRetry:
		r.Response = ToolResponse{Output: "to be tried again: " + before.Reason, Extra: map[string]any{"retry": true}}
		again = &before.Verdict
	case ActionAnswer:
		r.Answered, r.Response = true, toResponse(before.Result)
	default:
		r.Tries, r.By = 1, ""
		r.Response, err = protect(ctx, r.Use, run)
		if err != nil {
			r.Response = ToolResponse{Output: err.Error(), ExitCode: r.Response.ExitCode, DurationMS: r.Response.DurationMS, Extra: r.Response.Extra}
		}
	}
	err = errors.Join(err, r.after(ctx, e))
	if err != nil && !r.Blocked {
		if again, err = r.fault(ctx, e, err); again != nil {
			return r, again, err
		}
	}
	return r, again, err
}

func (r *ToolRun) refused(reason string) {
	r.Blocked, r.Reason = true, reason
	r.Response = ToolResponse{Output: reason, Extra: map[string]any{"blocked": true}}
}

// after fires PostToolUse, whatever became of the call.
func (r *ToolRun) after(ctx context.Context, e *Engine) error {
	late, done := outlive(ctx)
	defer done()
	out, err := Fire(late, e, PostToolUse, r.env, ToolResult{ToolUse: r.Use, ToolResponse: r.Response})
	if err != nil { // not every hook has seen the response
		r.Response = ToolResponse{Output: err.Error()}
		return err
	}
	r.Response, r.env = out.Payload.ToolResponse, r.env.following(out.Metadata)
	r.Inject = join(r.Inject, out.Inject, "\n\n")
	if out.Action == ActionBlock {
		r.Reason, r.By = out.Reason, out.By
		r.Response = ToolResponse{Output: out.Reason, ExitCode: r.Response.ExitCode, DurationMS: r.Response.DurationMS}
	}
	return nil
}

// fault lets the hooks of Error recover from the call's error.
func (r *ToolRun) fault(ctx context.Context, e *Engine, cause error) (again *Verdict, err error) {
	out, err := e.faulted(ctx, r.env, Fault{Phase: "tool", ToolName: r.Use.ToolName}, cause)
	switch {
	case out.Action == ActionRetry && ctx.Err() == nil:
		return &out.Verdict, err
	case out.Action == ActionAnswer:
		r.Recovered, r.By, r.Response = true, out.By, toResponse(out.Result)
		return nil, nil
	}
	if changed := (*ChangedError)(nil); errors.As(err, &changed) {
		r.Response.Output = changed.Text
	}
	return nil, err
}

// store asks the hooks of ToolResultPersist what goes into the transcript.
func (r *ToolRun) store(ctx context.Context, e *Engine) error {
	late, done := outlive(ctx)
	defer done()
	out, err := Fire(late, e, ToolResultPersist, r.env, ToolPersist{ToolName: r.Use.ToolName, ToolUseID: r.Use.ToolUseID, ToolResponse: r.Response})
	if err != nil {
		return err
	}
	if out.Action != ActionBlock {
		r.Stored = &out.Payload.ToolResponse
	}
	return nil
}

// toResponse reads a hook's answer: a ToolResponse, a text, or the fields of one.
func toResponse(result any) ToolResponse {
	switch v := result.(type) {
	case ToolResponse:
		return v
	case *ToolResponse:
		if v != nil {
			return *v
		}
		return ToolResponse{Success: true}
	case nil:
		return ToolResponse{Success: true}
	case string:
		return ToolResponse{Success: true, Output: v}
	}
	var r ToolResponse
	data, err := json.Marshal(result)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return ToolResponse{Success: true, Output: fmt.Sprint(result)}
	}
	return r
}
