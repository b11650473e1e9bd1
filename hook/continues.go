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

// continueCounts counts, by session, the stops in a row that hooks turned into
// going on: the first, and those of an agent that goes on because of a hook.
type continueCounts struct {
	mu      sync.Mutex
	session map[string]int
}

// limitContinues lets an agent stop that was told to go on too often.
func (r *run) limitContinues(v *Verdict) {
	result, ok := r.ev.pointer().(*AgentResult)
	if !ok {
		return
	}
	limit := r.e.MaxContinues
	if limit == 0 {
		limit = DefaultMaxContinues
	}
	if r.e.continues.count(r.ev.Head().Session, v.Action == ActionBlock, result.StopHookActive) <= limit {
		return
	}
	v.Action, v.Reason = ActionContinue, ""
	warning := fmt.Sprintf("hookway let the agent stop: hook %s made it go on %d times in a row", v.By, limit)
	v.UserMessage = join(v.UserMessage, warning, "\n")
	v.By = ""
}

// count notes a stop, and says how many in a row were held with it. One that is
// not in consequence of a hook begins a row.
func (c *continueCounts) count(session string, held, again bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !held || !again {
		delete(c.session, session)
	}
	if !held {
		return 0
	}
	if c.session == nil || len(c.session) >= maxCounted {
		c.session = map[string]int{}
	}
	c.session[session]++
	return c.session[session]
}
