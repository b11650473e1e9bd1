package hook

import "maps"

// turnsKey is where hooks find in the metadata which turn of the agent's loop it is.
const turnsKey = "iteration"

// turns counts the turns of a run, from 1. Few agents report turns themselves: else
// a call of the model begins one, and where those are not reported, a call of a tool
// after the result of another.
type turns struct {
	N      int  `json:"n"`
	By     int  `json:"by,omitempty"` // what counts: the best that was reported
	Result bool `json:"result,omitempty"`
}

// What counts turns, each better than the one before.
const (
	byTool = iota
	byModel
	byAgent
)

// counts notes that a hook for which turns are counted comes, or goes.
func (e *Engine) counts(of *entry, by int32) {
	if of != nil && of.hook.Profile.Iterations {
		e.counting.Add(by)
	}
}

// counted adds the count to metadata.
func (s *operations) counted(head *Envelope, kept map[string]any) map[string]any {
	run := s.run(head)
	if run == nil || run.Count == nil {
		return kept
	}
	kept = maps.Clone(kept)
	if kept == nil {
		kept = map[string]any{}
	}
	kept[turnsKey] = run.Count.N
	return kept
}

// count notes which turn begins with an event, before its hooks are asked.
func (o *Operations) count(ev AnyEvent) {
	head, info := ev.Head(), ev.Info()
	switch info {
	case AgentStart.info:
		o.edit(head, func(s *operations) {
			s.end(head)
			s.begin(&agentRun{Agent: head.Agent, Subagent: head.Subagent(), Count: &turns{N: 1}})
		})
	case IterationStart.info, GenerateStart.info, PreToolUse.info:
		o.edit(head, func(s *operations) {
			run := s.need(head)
			if run.Count == nil {
				run.Count = &turns{}
			}
			run.Count.begin(ev)
		})
	case PostToolUse.info, PostToolUseFailure.info, PermissionDenied.info:
		o.edit(head, func(s *operations) {
			if run := s.run(head); run != nil && run.Count != nil {
				run.Count.Result = true
			}
		})
	}
}

// begin counts a turn. Iterations that the agent reports count before calls of its model,
// and these before results of tools.
func (t *turns) begin(ev AnyEvent) {
	if p, ok := ev.pointer().(*IterationInfo); ok {
		switch {
		case p.Iteration > 0:
			t.N = p.Iteration
		case t.By == byAgent || t.N == 0:
			t.N++
		}
		t.By = byAgent
		return
	}
	switch {
	case ev.Info() == GenerateStart.info && t.By <= byModel:
		if t.By == byModel || t.Result || t.N == 0 {
			t.N++
		}
		t.By, t.Result = byModel, false
	case ev.Info() == PreToolUse.info && t.By == byTool:
		if t.Result || t.N == 0 {
			t.N++
		}
		t.Result = false
	}
}
