package hook

import (
	"fmt"
	"sync"
)

// DefaultMaxContinues is how often in a row hooks may make an agent go on.
// Several agents have no bound of their own, and would go on for ever.
const DefaultMaxContinues = 10

// maxCounted bounds how many sessions are counted at a time.
const maxCounted = 4096

// continueCounts counts, by who stops, the stops in a row that hooks turned into
// going on: the first, and those of an agent that goes on because of a hook.
type continueCounts struct {
	mu  sync.Mutex
	row map[string]int
}

// limitContinues lets an agent stop that was told to go on too often. Text counts
// as being told: there are agents that do not stop if they are given any.
func (r *run) limitContinues(v *Verdict) {
	who, again, ok := stops(r.ev)
	if !ok {
		return
	}
	limit := r.e.MaxContinues
	if limit == 0 {
		limit = DefaultMaxContinues
	}
	if r.e.continues.count(who, v.Action == ActionBlock || v.Inject != "", again) <= limit {
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

// stops says who is about to stop, and whether it goes on already because of a
// hook. A sub-agent does not say so, but it has an id, and stops once if it is let.
func stops(ev AnyEvent) (who string, again, ok bool) {
	head := ev.Head()
	switch p := ev.pointer().(type) {
	case *AgentResult:
		return head.Session, p.StopHookActive, true
	case *Subagent:
		id, ok := head.Metadata["agent_id"].(string)
		if native, _ := head.Metadata["native"].(map[string]any); !ok {
			id, _ = native["agent_id"].(string)
		}
		return head.Session + "\x00" + id, true, id != "" && ev.Info() == SubagentStop.Info()
	}
	return "", false, false
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
