package hook

import (
	"fmt"
	"sync"
)

// DefaultMaxContinues is how often in a row hooks may make an agent go on when it
// wants to stop. Several agents have no bound of their own, and would go on for
// ever. Engine.MaxContinues changes it.
const DefaultMaxContinues = 10

// maxCounted bounds how many sessions are counted at a time.
const maxCounted = 4096

// continueCounts counts, by who stops, the stops in a row that hooks turned into
// going on: the first, and those of an agent that goes on because of a hook.
type continueCounts struct {
	mu  sync.Mutex
	row map[string]int
}

// limitContinues lets an agent stop that hooks made go on too often in a row, and
// tells the user so.
func (r *run) limitContinues(v *Verdict) {
	stop, ok := StopOf(r.ev)
	if !ok {
		return
	}
	limit := r.e.MaxContinues
	if limit == 0 {
		limit = DefaultMaxContinues
	}
	if r.e.continues.count(stop.Who, stop.Held(v), stop.Again) <= limit {
		return
	}
	by := "hooks"
	if v.By != "" {
		by = "hook " + v.By
	}
	v.Action, v.Reason, v.Inject, v.By = ActionContinue, "", "", ""
	warning := fmt.Sprintf("hookway let the agent stop: %s made it go on %d times in a row", by, limit)
	v.UserMessage = join(v.UserMessage, warning, "\n")
}

// Stop is an agent, or a sub-agent, that is about to stop.
type Stop struct {
	Who   string // by session, and of a sub-agent its id
	Again bool   // it goes on already because of a hook

	nameless bool // a sub-agent without an id
}

// StopOf returns which agent is about to stop, for AgentStop and SubagentStop; it
// reports false for other events. Sub-agents do not report whether a hook made them
// go on, so Again is always true for them. Those without an id are distinguished by
// their type only.
func StopOf(ev AnyEvent) (Stop, bool) {
	head := ev.Head()
	switch p := ev.pointer().(type) {
	case *AgentResult:
		return Stop{Who: head.Session, Again: p.StopHookActive}, true
	case *Subagent:
		s := Stop{Who: head.Session + "\x00" + head.Subagent(), Again: true}
		if head.Subagent() == "" {
			s.Who, s.nameless = s.Who+"\x00"+p.AgentType, true
		}
		return s, ev.Info() == SubagentStop.Info()
	}
	return Stop{}, false
}

// Held reports whether an outcome makes the agent go on. Injected text counts: some
// agents do not stop if they are given any. These give their sub-agents ids, so for
// a sub-agent without one text does not count.
func (s Stop) Held(v *Verdict) bool {
	return v.Action == ActionBlock || v.Inject != "" && !s.nameless
}

// count notes a stop, and says how many in a row were held with it. One that is
// not in consequence of a hook begins a row.
func (c *continueCounts) count(who string, held, again bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !held || !again {
		delete(c.row, who)
	}
	if !held {
		return 0
	}
	if c.row == nil || len(c.row) >= maxCounted {
		c.row = map[string]int{}
	}
	c.row[who]++
	return c.row[who]
}
