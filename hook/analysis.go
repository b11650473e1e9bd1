package hook

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// Analyser finds what the tool call of an event would do: package facts has one. It
// must be safe for concurrent use, and give the same facts for the same event.
type Analyser func(ctx context.Context, ev AnyEvent) []Fact

// analysis is the facts of one payload, found when they are first asked for.
type analysis struct {
	ctx  context.Context
	find Analyser

	once  sync.Once
	facts []Fact
	made  atomic.Bool
}

// analysis is nil if the engine has no analyser, or the event is about no tool call.
func (e *Engine) analysis(ctx context.Context, ev AnyEvent) *analysis {
	if _, isCall := ev.pointer().(caller); !isCall || e.Analyse == nil {
		return nil
	}
	return &analysis{ctx: ctx, find: e.Analyse}
}

// of gives the facts. What the analyser panics at is unknown, and so a fact.
func (a *analysis) of(ev AnyEvent) []Fact {
	if a == nil {
		return nil
	}
	a.once.Do(func() {
		defer a.made.Store(true)
		defer func() {
			if p := recover(); p != nil {
				a.facts = []Fact{{Does: "unknown", Many: true, Because: LogLine(fmt.Sprintf("the analysis of the call failed: %v", p))}}
			}
		}()
		a.facts = a.find(a.ctx, ev)
	})
	return a.facts
}

// known gives the facts if somebody asked for them.
func (a *analysis) known() []Fact {
	if a == nil || !a.made.Load() {
		return nil
	}
	return a.facts
}

// again is the analysis of another payload.
func (a *analysis) again() *analysis {
	if a == nil {
		return nil
	}
	return &analysis{ctx: a.ctx, find: a.find}
}
