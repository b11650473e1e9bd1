package hook

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// run is one firing of one event: the chain itself. The way through it:
//
//	fire           metadata of the operation, depth            fire.go
//	  lanes        transform, then guard, then settle, observe chain.go
//	    matches    may a hook see the event?                   match.go
//	    call       ask it: deadline, retries, circuit          call.go
//	    take       merge its decision into the verdict         take.go
//	  leave        keep metadata for the operation             follow.go
//
// It lives on the caller's stack; what may outlive the firing is in kept. The
// outcome's verdict, v, is handed from method to method, and not kept here, so that
// it can be written where the caller wants it.
type run struct {
	e     *Engine
	ctx   context.Context // the caller's
	chain *chain
	info  *EventInfo

	ev    AnyEvent // as the hooks have left it so far
	fired AnyEvent // as it was fired
	tool  string   // of ev, for the chain's index
	about *known   // of ev, made when the first matcher asks

	among func(id string) bool // nil: all lanes run; else only the guards for which it holds

	set map[string]any // of the metadata, by hooks, for the whole operation

	ended string // why a hook ended the operation, see Profile.BlockEnds

	last   time.Duration // when the last transform hook answered, since processStart
	kept   *kept
	spares []callContext // for transform hooks after the first
}

// look drops what was worked out about an earlier payload.
func (r *run) look() {
	r.tool, r.about = toolName(r.ev), nil
}

// matches asks a hook's matcher about the current payload.
func (r *run) matches(e *entry) bool {
	if e.hook.Builtin && r.overridden() {
		return false
	}
	return len(e.match.tests) == 0 || e.match.holds(r.known())
}

// known is what matchers ask of the current payload, worked out when needed.
func (r *run) known() *known {
	if r.about == nil {
		r.about = newKnown(r.ev)
	}
	return r.about
}

// lanes runs the transform lane, then the guards, then tells the observers.
func (r *run) lanes(v *Verdict) error {
	r.chain.once.Do(r.chain.index)
	if r.among != nil {
		return r.guard(v)
	}
	var err error
	if r.chain.has[Transform] {
		err = r.transform(v)
	}
	if err == nil && r.chain.has[Guard] && !final(v.Action) {
		err = r.guard(v)
	}
	r.settle(v)
	if r.chain.has[Observe] {
		r.observe(v)
	}
	return err
}

// final reports whether an action ends the firing: the operation does not run.
func final(a Action) bool {
	return a == ActionBlock || a == ActionRetry || a == ActionAnswer
}

// transform runs its hooks one after the other.
func (r *run) transform(v *Verdict) error {
	w := r.chain.walk(Transform, r.tool)
	var asked *entry // the first of the group that was asked last
	for e := w.next(); e != nil; e = w.next() {
		if r.ctx.Err() != nil {
			return r.aborted()
		}
		if e.hook.Profile.Together {
			if asked != nil && asked.hook.order() == e.hook.order() {
				continue
			}
			asked = e
			if skip, err := r.together(r.group(e, w), v); err != nil || skip || final(v.Action) {
				return err
			}
			continue
		}
		if ok, unclear := r.concerns(e); !ok {
			continue
		} else if unclear != nil {
			r.unasked(e, unclear, v)
			if final(v.Action) {
				return nil
			}
			continue
		}
		ev := r.ev
		if e.hook.Profile.SeesOriginal {
			ev = r.fired
		}
		var d Decision
		if err := r.call(e, ev, &v.Steps, &d); err != nil {
			return err
		}
		if r.take(e, &d, v); final(v.Action) || d.Action == ActionSkip {
			return nil
		}
	}
	return nil
}

// maxGuards bounds how many guards of one firing run at once: each may be a process.
const maxGuards = 16

// guard runs the guards side by side on the final payload. All of them are asked,
// and their answers are merged in hook order, so the outcome does not depend on
// which answers first. Paths are resolved through symbolic links here only: that
// reads the disk.
func (r *run) guard(v *Verdict) error {
	w := r.chain.walk(Guard, r.tool)
	if w.empty() {
		return nil
	}
	r.about = newKnown(r.ev)
	r.about.guard = true
	var asked []guardCall
	for e := w.next(); e != nil; e = w.next() {
		if r.among != nil && !r.among(e.hook.ID) {
			continue
		}
		if ok, why := r.concerns(e); ok {
			asked = append(asked, guardCall{e, why})
		}
	}
	r.about = nil // observers see paths as they are given
	if r.ctx.Err() != nil {
		return r.aborted()
	}
	answers := r.askAll(asked)
	for i := range asked {
		v.Steps = append(v.Steps, answers[i].steps...)
		if answers[i].err != nil {
			return answers[i].err
		}
		r.take(asked[i].entry, &answers[i].decision, v)
	}
	return nil
}

// guardCall is a guard whose matcher holds for an event.
type guardCall struct {
	*entry
	unclear error // why its matcher may not hold: then it is not asked, and has failed
}

// concerns asks a hook's matcher. The error says why it is unclear whether it
// matches: with every unclear path taken for a match it does, and else it does not.
func (r *run) concerns(e *entry) (ok bool, unclear error) {
	if len(e.match.tests) == 0 {
		return r.matches(e), nil
	}
	r.known().unclear = nil
	ok = r.matches(e)
	unclear, r.about.unclear = r.about.unclear, nil
	if ok || unclear == nil {
		return ok, nil
	}
	r.about.lenient = true
	ok = r.matches(e)
	r.about.lenient, r.about.unclear = false, nil
	return ok, unclear
}

// unasked is a hook of the transform lane of which it is unclear whether it is meant:
// it has failed.
func (r *run) unasked(e *entry, why error, v *Verdict) {
	r.record(&v.Steps, e, 0, why)
	var d Decision
	e.fail(&d, why)
	r.take(e, &d, v)
}

// askAll asks hooks side by side, at most maxGuards at a time, and returns their
// answers in the order of asked. One hook alone is asked on this goroutine.
func (r *run) askAll(asked []guardCall) []guardAnswer {
	answers := make([]guardAnswer, len(asked))
	shared := *r // the goroutines only read it; r itself stays on the stack
	if len(asked) == 1 {
		answers[0].ask(&shared, asked[0])
		return answers
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, maxGuards)
	for i, e := range asked {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			answers[i].ask(&shared, e)
		})
	}
	all.Wait()
	return answers
}

// guardAnswer is one guard's decision, with the steps of its calls.
type guardAnswer struct {
	decision Decision
	steps    []Step
	err      error
}

// ask asks a guard. One whose matcher could not be decided is not asked: it has failed, and
// its failure policy decides.
func (a *guardAnswer) ask(r *run, g guardCall) {
	if g.unclear != nil {
		r.record(&a.steps, g.entry, 0, g.unclear)
		g.fail(&a.decision, g.unclear)
		return
	}
	a.err = r.call(g.entry, r.ev, &a.steps, &a.decision)
}

// aborted is the error of a firing whose context ended.
func (r *run) aborted() error {
	return fmt.Errorf("%s was cancelled: %w", r.info.Name, &cancelled{context.Cause(r.ctx), r.ctx.Err()})
}

// cancelled reads as the cause of a context's end, and is its error, too.
type cancelled struct{ cause, err error }

func (c *cancelled) Error() string   { return c.cause.Error() }
func (c *cancelled) Unwrap() []error { return []error{c.cause, c.err} }

// settle applies the rules that follow from an event's outcome: how often an agent
// may be made to go on, Error after a blocked AgentStart or the end of an operation,
// and Error for a failed tool.
func (r *run) settle(v *Verdict) {
	switch r.info {
	case AgentStop.info, SubagentStop.info:
		r.limitContinues(v)
	case AgentStart.info:
		if v.Action == ActionBlock {
			r.ended = v.Reason
		}
	case PostToolUseFailure.info:
		r.fault(v)
	}
	if r.ended != "" && r.info != Error.info {
		env := *r.ev.Head()
		env.Mark = nil
		_, _ = Fire(r.ctx, r.e, Error, &env, Fault{Phase: r.phase(), Error: r.ended, ToolName: toolName(r.ev)})
	}
}

// phase is the part of an agent's work that the event belongs to: Fault.Phase.
func (r *run) phase() string {
	switch r.info {
	case IterationStart.info, IterationEnd.info:
		return "iteration"
	case GenerateStart.info, GenerateEnd.info:
		return "llm"
	case PreToolUse.info, PostToolUse.info, ToolResultPersist.info, PermissionRequest.info:
		return "tool"
	}
	return "agent"
}
