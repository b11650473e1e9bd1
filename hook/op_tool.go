package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ToolRun is how a call of a tool ended. Give the model Response.Output and then
// Inject, whatever the other fields say: they hold for blocked, answered, failed
// and recovered calls alike.
type ToolRun struct {
	// Use is the call, as hooks left it.
	Use ToolUse

	// Response is what the agent gets.
	Response ToolResponse

	// Stored is what is to go into the transcript; nil if a hook of
	// ToolResultPersist blocked that.
	Stored *ToolResponse

	// Inject is further text for the agent, from the hooks before and after.
	Inject string

	// Reason says why the call was blocked, By which hook blocked or answered it.
	Reason string
	By     string

	// Blocked means that a hook refused the call, so it did not run.
	Blocked bool

	// Answered means that a hook gave the response, so it did not run.
	Answered bool

	// Recovered means that it failed, and a hook of Error gave the response.
	Recovered bool

	// Tries is how often the tool ran.
	Tries int

	env *Envelope // of its events, with what hooks have set
}

// Tool runs one call of a tool with its hooks:
//
//  1. PreToolUse. A block, or an answer, and the tool does not run. An ask goes to
//     Engine.Ask.
//  2. run, with the input as hooks left it. A panic becomes its error.
//  3. PostToolUse, also for a call that did not run, or failed.
//  4. Error, if it failed: its hooks may recover, ask for a retry or change the error.
//  5. ToolResultPersist, for what goes into the transcript.
//
// Hooks may have it tried again, at most MaxRetries times. A refusal is not an
// error: the run says Blocked, and its response is the reason. The error is the
// tool's own, as hooks left it, or says that the context ended. Hooks after the
// tool run for a few seconds even then, so that what was done is on record.
//
//	run, err := hook.Tool(ctx, &engine, env, use, func(ctx context.Context, use hook.ToolUse) (hook.ToolResponse, error) {
//		out, err := shell(ctx, use.Text("command"))
//		return hook.ToolResponse{Success: err == nil, Output: out}, err
//	})
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

// refused notes that the call is not made. The model reads why, in place of a result.
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

// toResponse reads a hook's answer: a ToolResponse, a text, or a value with the
// JSON form of one. Nothing is a success without output.
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
