package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// GenerateRun is how a call of a model ended. Use Result unless Blocked is set.
type GenerateRun struct {
	// Result is the model's answer, with the request as hooks left it.
	Result GenerationResult

	// Reason says why the call was blocked, By which hook blocked or answered it.
	Reason string
	By     string

	// Blocked means that the model was not called, or that its answer is not to
	// be used: ResponseText and ToolCalls are empty then.
	Blocked bool

	// Answered means that a hook gave the result, and the model was not called.
	Answered bool

	// Recovered means that the call failed, and a hook of Error gave the result.
	Recovered bool

	// Tries is how often the model was called.
	Tries int
}

// Generate runs one call of a model with its hooks: GenerateStart, run,
// GenerateEnd, and Error if it failed. Text that hooks of GenerateStart inject is
// added as the last message of the request, with the role "user", or to its prompt
// if it has no messages. Retries, panics and the end of the context are as with Tool.
func Generate(ctx context.Context, e *Engine, env *Envelope, request Generation, run func(context.Context, Generation) (GenerationResult, error)) (GenerateRun, error) {
	for retries, ran := 0, 0; ; retries++ {
		r, again, err := tryGenerate(ctx, e, env, request, run)
		ran += r.Tries
		r.Tries = ran
		if again == nil {
			return r, err
		}
		if wait := waitRetry(ctx, again, retries); wait != nil {
			return r, errors.Join(err, wait)
		}
	}
}

// tryGenerate is one try. again is the verdict that asks for another.
func tryGenerate(ctx context.Context, e *Engine, env *Envelope, request Generation, run func(context.Context, Generation) (GenerationResult, error)) (r GenerateRun, again *Verdict, err error) {
	before, err := Fire(ctx, e, GenerateStart, env, request)
	if err == nil {
		err = e.asked(ctx, &before.Verdict, before.Payload)
	}
	request, env = withText(before.Payload, before.Inject), env.following(before.Metadata)
	r = GenerateRun{By: before.By}
	switch before.Action {
	case ActionBlock:
		r.Blocked, r.Reason = true, before.Reason
	case ActionRetry:
		again = &before.Verdict
	case ActionAnswer:
		r.Answered, r.Result = true, toGeneration(before.Result)
	default:
		r.Tries, r.By = 1, ""
		began := time.Now()
		r.Result, err = protect(ctx, request, run)
		if r.Result.DurationMS == 0 {
			r.Result.DurationMS = time.Since(began).Milliseconds()
		}
	}
	r.Result.Generation = request
	after, afterErr := r.after(ctx, e, env)
	if err = errors.Join(err, afterErr); err == nil || r.Blocked {
		if again == nil && !r.Blocked && after.Action == ActionRetry {
			again = &after
		}
		return r, again, err
	}
	out, err := e.faulted(ctx, env, Fault{Phase: "llm"}, err)
	switch {
	case out.Action == ActionRetry && ctx.Err() == nil:
		return r, &out.Verdict, err
	case out.Action == ActionAnswer:
		r.Recovered, r.By, r.Result = true, out.By, toGeneration(out.Result)
		r.Result.Generation = request
		return r, nil, nil
	}
	return r, nil, err
}

// after fires GenerateEnd, whatever became of the call.
func (r *GenerateRun) after(ctx context.Context, e *Engine, env *Envelope) (Verdict, error) {
	late, done := outlive(ctx)
	defer done()
	out, err := Fire(late, e, GenerateEnd, env, r.Result)
	if err != nil { // not every hook has seen the answer
		r.Result.ResponseText, r.Result.ToolCalls = "", nil
		return out.Verdict, err
	}
	r.Result = out.Payload
	if out.Action == ActionBlock {
		r.Blocked, r.Reason, r.By = true, out.Reason, out.By
		r.Result.ResponseText, r.Result.ToolCalls = "", nil
	}
	return out.Verdict, nil
}

// withText adds injected text to a request.
func withText(g Generation, text string) Generation {
	switch {
	case text == "":
	case len(g.Messages) > 0:
		g.Messages = append(slices.Clip(g.Messages), ChatMessage{"role": "user", "content": text})
	default:
		g.Prompt = join(g.Prompt, text, "\n\n")
	}
	return g
}

// toGeneration reads a hook's answer: a GenerationResult, a text, or the fields
// of a result.
func toGeneration(result any) GenerationResult {
	switch v := result.(type) {
	case GenerationResult:
		return v
	case *GenerationResult:
		if v != nil {
			return *v
		}
		return GenerationResult{}
	case nil:
		return GenerationResult{}
	case string:
		return GenerationResult{ResponseText: v}
	}
	var r GenerationResult
	data, err := json.Marshal(result)
	if err == nil {
		err = decodeExact(data, &r)
	}
	if err != nil {
		return GenerationResult{ResponseText: fmt.Sprint(result)}
	}
	return r
}
