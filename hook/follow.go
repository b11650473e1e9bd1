package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// follows reports whether an event has to be fired though it has no hooks, because
// Error follows it, or metadata is kept for its operation. Where neither is so, an event
// without hooks costs nothing.
func (e *Engine) follows(info *EventInfo) bool {
	return info == PostToolUseFailure.info || !e.operations().idle(e)
}

// follow returns an event the metadata of its operation, before its hooks are asked.
func (e *Engine) follow(ev AnyEvent) AnyEvent {
	o := e.operations()
	if o.idle(e) {
		return ev
	}
	if e.counting.Load() > 0 {
		o.count(ev)
	}
	var kept map[string]any
	o.read(ev.Head(), func(s *operations) { kept = s.of(ev) })
	if e.counting.Load() == 0 && kept[turnsKey] != nil {
		delete(kept, turnsKey)
	}
	if len(kept) == 0 {
		return ev
	}
	env := *ev.Head()
	if own, ok := env.Metadata[turnsKey]; ok && kept[turnsKey] != nil {
		kept[turnsKey] = own
	}
	env.Metadata = laid(kept, env.Metadata)
	return ev.sameKind(env)
}

// leave notes what hooks set at an event, and which operations begin and end with
// it. fired is the event as it came, now as hooks left it.
func (e *Engine) leave(fired, now AnyEvent, set map[string]any, v *Verdict) {
	o := e.operations()
	if len(set) == 0 && o.idle(e) {
		return
	}
	m := movement{fired: fired, now: now, set: set, action: v.Action, counts: e.counting.Load() > 0}
	if stop, ok := StopOf(fired); ok {
		m.held = stop.Held(v)
	}
	changes := len(set) > 0 && m.keeps()
	if !changes {
		o.read(fired.Head(), func(s *operations) { changes = m.ends(s) })
	}
	if changes || m.counts && m.info() == AgentStart.info {
		o.edit(fired.Head(), m.note)
	}
}

// movement is what one event changes in the operations of its session.
type movement struct {
	fired, now AnyEvent
	set        map[string]any
	action     Action
	held       bool // an agent that was about to stop goes on
	counts     bool
}

func (m *movement) info() *EventInfo { return m.fired.Info() }

// keeps reports whether an event's metadata is kept for its operation.
func (m *movement) keeps() bool {
	switch m.info() {
	case AgentStart.info, SubagentStart.info, IterationStart.info, GenerateStart.info, PreToolUse.info, PermissionRequest.info, PostToolUse.info, PostToolUseFailure.info:
		return true
	}
	return false
}

// ends reports whether an event that sets nothing changes what is kept.
func (m *movement) ends(s *operations) bool {
	switch m.info() {
	case AgentStart.info, SessionEnd.info, AgentStop.info, SubagentStop.info, SubagentStart.info:
		return true
	case IterationStart.info, GenerateStart.info, IterationEnd.info:
		run := s.run(m.fired.Head())
		return run != nil && (run.Turn != nil || run.Model != nil)
	case PreToolUse.info, PostToolUse.info, PostToolUseFailure.info:
		return len(s.Calls) > 0 || m.counts
	}
	return false
}

// note applies the event to the operations. A sub-agent without an id cannot be
// distinguished from others, so nothing is kept for it.
func (m *movement) note(s *operations) {
	head := m.fired.Head()
	if _, sub := m.fired.pointer().(*Subagent); sub && head.Subagent() == "" {
		return
	}
	switch m.info() {
	case SessionEnd.info:
		if s.end(head); len(s.Runs) == 0 {
			s.Calls = nil
		}
	case AgentStart.info, SubagentStart.info:
		s.end(head)
		if m.action == ActionBlock {
			return
		}
		run := &agentRun{Agent: head.Agent, Subagent: head.Subagent(), Set: m.set}
		if m.counts {
			run.Count = &turns{N: 1}
		}
		if len(m.set) > 0 || m.counts {
			s.begin(run)
		}
	case AgentStop.info, SubagentStop.info:
		if !m.held {
			s.end(head)
		}
	case IterationStart.info:
		run := s.need(head)
		run.Turn, run.TurnOver = m.set, false
	case IterationEnd.info:
		if run := s.run(head); run != nil {
			run.TurnOver = true
		}
	case GenerateStart.info:
		s.need(head).Model = m.set
	default:
		s.call(m)
	}
}

// of returns what an event gets into its metadata from its operation.
func (s *operations) of(ev AnyEvent) (kept map[string]any) {
	head, info := ev.Head(), ev.Info()
	if info == AgentStart.info || info == SessionStart.info || info == SessionEnd.info {
		return s.counted(head, nil)
	}
	fault, _ := ev.pointer().(*Fault)
	for _, run := range s.runsOf(head) {
		kept = laid(run.Set, kept)
		if !run.TurnOver || info == IterationEnd.info || fault != nil && fault.Phase == "iteration" {
			kept = laid(run.Turn, kept)
		}
		if info == GenerateEnd.info || fault != nil && fault.Phase == "llm" {
			kept = laid(run.Model, kept)
		}
	}
	if info != PreToolUse.info {
		if call := s.find(ev); call != nil {
			kept = laid(call.Set, kept)
		}
	}
	return s.counted(head, kept)
}

// runsOf returns the runs that an event belongs to, the innermost last.
func (s *operations) runsOf(head *Envelope) (out []*agentRun) {
	sub := head.Subagent()
	for _, run := range s.Runs {
		if run.Subagent == "" && run.by(head) {
			out = append(out, run)
		}
	}
	for _, run := range s.Runs {
		if sub != "" && run.Subagent == sub && run.by(head) {
			out = append(out, run)
		}
	}
	return out
}

// by reports whether a run may be of the agent of an event: an empty name is any.
func (run *agentRun) by(head *Envelope) bool {
	return run.Agent == head.Agent || run.Agent == "" || head.Agent == ""
}

// run is the innermost run of an event, or nil.
func (s *operations) run(head *Envelope) *agentRun {
	if runs := s.runsOf(head); len(runs) > 0 && runs[len(runs)-1].Subagent == head.Subagent() {
		return runs[len(runs)-1]
	}
	return nil
}

// need is the run of an event. It begins one if the event of its start was missed.
func (s *operations) need(head *Envelope) *agentRun {
	run := s.run(head)
	if run == nil {
		run = &agentRun{Agent: head.Agent, Subagent: head.Subagent()}
		s.begin(run)
	}
	return run
}

// begin adds a run. The oldest goes if there are too many: an agent that never reports an
// end must not fill the memory.
func (s *operations) begin(run *agentRun) {
	if len(s.Runs) >= maxRuns {
		s.Runs = slices.Delete(s.Runs, 0, 1)
	}
	s.Runs = append(s.Runs, run)
}

// end ends a run, with those of its sub-agents and with the calls that were made.
func (s *operations) end(head *Envelope) {
	sub := head.Subagent()
	s.Runs = slices.DeleteFunc(s.Runs, func(run *agentRun) bool {
		return run.by(head) && (sub == "" || run.Subagent == sub)
	})
	s.Calls = slices.DeleteFunc(s.Calls, func(c *toolRun) bool { return c.Over })
}

// call notes what an event of a tool's call sets.
func (s *operations) call(m *movement) {
	known := s.find(m.fired)
	if m.info() == PreToolUse.info {
		if known != nil && known.ID != "" {
			s.Calls = slices.DeleteFunc(s.Calls, func(c *toolRun) bool { return c == known })
		}
		known = nil
	}
	if known == nil && len(m.set) > 0 {
		at, _ := CallOf(m.fired)
		left, _ := CallOf(m.now)
		known = &toolRun{ID: at.ID, Tool: at.Name, Inputs: []string{digest(at.Input), digest(left.Input)}}
		if len(s.Calls) >= maxCalls {
			s.Calls = slices.Delete(s.Calls, 0, 1)
		}
		s.Calls = append(s.Calls, known)
	}
	if known != nil {
		known.Set = laid(m.set, known.Set)
		known.Over = known.Over || m.info() == PostToolUse.info || m.info() == PostToolUseFailure.info
	}
	if run := s.run(m.fired.Head()); run != nil && run.Count != nil && final(m.action) {
		run.Count.Result = true // no other comes of it
	}
}

// find returns the call that an event is about, or nil: that of its id; without ids
// the first open one of its tool and input; and, where an event tells neither, the
// last of its tool.
func (s *operations) find(ev AnyEvent) *toolRun {
	if len(s.Calls) == 0 {
		return nil
	}
	call, whole := CallOf(ev)
	switch p := ev.pointer().(type) {
	case *ToolPersist:
		call = ToolCall{ID: p.ToolUseID, Name: p.ToolName}
	case *Fault:
		if call.Name = p.ToolName; p.Phase != "tool" || call.Name == "" {
			return nil
		}
	default:
		if !whole {
			return nil
		}
	}
	if call.ID != "" {
		if i := slices.IndexFunc(s.Calls, func(c *toolRun) bool { return c.ID == call.ID && c.Tool == call.Name }); i >= 0 {
			return s.Calls[i]
		}
	}
	if !whole {
		for _, c := range slices.Backward(s.Calls) {
			if c.Tool == call.Name && (c.ID == "" || call.ID == "") {
				return c
			}
		}
		return nil
	}
	sum := digest(call.Input)
	for _, c := range s.Calls {
		if c.Tool == call.Name && !c.Over && (c.ID == "" || call.ID == "") && slices.Contains(c.Inputs, sum) {
			return c
		}
	}
	return nil
}

// digest tells the inputs of calls apart.
func digest(input map[string]any) string {
	data, err := json.Marshal(input)
	if err != nil || len(input) == 0 {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
