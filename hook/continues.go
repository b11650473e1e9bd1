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
// going on while the agent went on because of a hook already.
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
	again := v.Action == ActionBlock && result.StopHookActive
	if r.e.continues.count(r.ev.Head().Session, again) <= limit {
		return
	}
	v.Action, v.Reason = ActionContinue, ""
	warning := fmt.Sprintf("hookway let the agent stop: hook %s made it go on %d times in a row", v.By, limit)
	v.UserMessage = join(v.UserMessage, warning, "\n")
	v.By = ""
}

func (c *continueCounts) count(session string, again bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !again {
		delete(c.session, session)
		return 0
	}
	if c.session == nil || len(c.session) >= maxCounted {
		c.session = map[string]int{}
	}
	c.session[session]++
	return c.session[session]
}
