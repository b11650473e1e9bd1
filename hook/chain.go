package hook

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// run is one firing of one event: the chain itself.
type run struct {
	e     *Engine
	ctx   context.Context // the caller's
	chain *chain
	info  *EventInfo
	began time.Time

	ev    AnyEvent // as the hooks have left it so far
	fired AnyEvent // as it was fired
	facts facts

	verdict Verdict
	steps   [1]Step // room for the usual case, in the same allocation
	first   callContext
	used    bool          // first is taken
	last    time.Duration // when the last transform hook answered, since began
}

// lanes runs the transform lane, then the guards, then tells the observers.
func (r *run) lanes() error {
	r.verdict = Verdict{Event: r.info.Name, Steps: r.steps[:0]}
	r.facts = newFacts(r.ev)

	err := r.transform()
	if err == nil && !final(r.verdict.Action) {
		err = r.guard()
	}
	if err != nil {
		r.verdict.Action, r.verdict.Reason, r.verdict.By = ActionBlock, err.Error(), ""
	}
	r.verdict.Metadata = r.ev.Head().Metadata
	r.settle()
	r.observe()
	return err
}

// final reports whether an action ends the firing: the operation does not run.
func final(a Action) bool {
	return a == ActionBlock || a == ActionRetry || a == ActionAnswer
}

// transform runs its hooks one after the other.
func (r *run) transform() error {
	w := r.chain.walk(Transform, r.facts.tool)
	for e := w.next(); e != nil; e = w.next() {
		if err := r.ctx.Err(); err != nil {
			return r.aborted(err)
		}
		ev := r.ev
		if e.hook.Profile.SeesOriginal {
			ev = r.fired
		}
		if !e.match.holds(&r.facts) {
			continue
		}
		d, err := r.call(e, ev, &r.verdict.Steps, r.last)
		if err != nil {
			return err
		}
		if r.take(e, d); final(r.verdict.Action) || d.Action == ActionSkip {
			return nil
		}
	}
	return nil
}

// maxGuards bounds how many guards of one firing run at once.
const maxGuards = 16

// guard runs the guards side by side on the final payload.
func (r *run) guard() error {
	w := r.chain.walk(Guard, r.facts.tool)
	if len(w.a) == 0 && len(w.b) == 0 {
		return nil
	}
	seen := r.facts // on the final payload, and through symbolic links
	seen.links = true
	var asked []*entry
	for e := w.next(); e != nil; e = w.next() {
		if e.match.holds(&seen) {
			asked = append(asked, e)
		}
	}
	if err := r.ctx.Err(); err != nil {
		return r.aborted(err)
	}
	answers := make([]guardAnswer, len(asked))
	if len(asked) == 1 {
		answers[0].ask(r, asked[0])
	} else {
		r.askAll(asked, answers)
	}
	for i, e := range asked {
		r.verdict.Steps = append(r.verdict.Steps, answers[i].steps...)
		if answers[i].err != nil {
			return answers[i].err
		}
		r.take(e, answers[i].decision)
	}
	return nil
}

// askAll asks the guards side by side, at most maxGuards at a time.
func (r *run) askAll(asked []*entry, answers []guardAnswer) {
	var all sync.WaitGroup
	slots := make(chan struct{}, maxGuards)
	for i, e := range asked {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			answers[i].ask(r, e)
		})
	}
	all.Wait()
}

// guardAnswer is what one guard said, and the steps it took.
type guardAnswer struct {
	decision Decision
	steps    []Step
	err      error
}

func (a *guardAnswer) ask(r *run, e *entry) {
	a.decision, a.err = r.call(e, r.ev, &a.steps, time.Since(r.began))
}

// aborted is the error of a firing whose caller gave up.
func (r *run) aborted(cause error) error {
	return fmt.Errorf("%s was cancelled: %w", r.info.Name, cause)
}

// settle does what follows from an event's outcome by rule.
func (r *run) settle() {
	switch r.info {
	case AgentStop.info:
		r.limitContinues()
	case AgentStart.info:
		if r.verdict.Action == ActionBlock {
			env := *r.ev.Head()
			env.ID, env.Time = "", time.Time{}
			_, _ = Fire(r.ctx, r.e, Error, env, Fault{Phase: "agent", Error: r.verdict.Reason})
		}
	}
}
