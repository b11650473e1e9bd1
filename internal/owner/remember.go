package owner

import (
	"sync"
	"time"

	"github.com/hookway/hookway/internal/process"
)

// Marker marks the agents that call hookway. What an agent starts can outlive it, under any
// name, with an empty environment and without a parent; but it inherits the mark. The zero
// value is ready, and may be used from many goroutines.
type Marker struct {
	mu     sync.Mutex
	lately map[int]time.Time // processes that no agent is above, and when that was seen
}

// asLong is how long nobody looks anew for an agent above a process: that costs a tenth of a
// millisecond, and who called a moment ago calls again.
const asLong = time.Second

// mostLately bounds what a marker keeps.
const mostLately = 256

// Mark marks the agents that have started a process, and with them all that they have
// started and will start. A process that has a mark has it from its agent.
func (m *Marker) Mark(r Rule, pid int) {
	if !process.Marks || process.Marked(pid) || m.knows(pid) {
		return
	}
	parent := process.Parent(pid)
	if m.knows(parent) {
		return
	}
	chain, _ := r.chain(r.machine(), pid) // of too many, those that were looked at
	top := 0
	for i := range chain {
		if agentOf(&chain[i]) != "" {
			top = chain[i].PID
		}
	}
	if top != 0 {
		process.Mark(top)
		return
	}
	m.keep(pid, parent)
}

// knows reports whether it was seen a moment ago that no agent is above a process.
func (m *Marker) knows(pid int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.lately[pid]
	return ok && time.Since(at) < asLong
}

func (m *Marker) keep(pids ...int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lately == nil || len(m.lately)+len(pids) > mostLately {
		m.lately = map[int]time.Time{}
	}
	for _, pid := range pids {
		if pid > 1 { // what lost its parent has the first process for one, with all others
			m.lately[pid] = time.Now()
		}
	}
}

// marked reports whether an agent was above a process once. Where the process that counts as
// the first one is marked, too, that tells nothing.
func (r Rule) marked(m *machine, pid int) bool {
	return m.marked(pid) && (r.Until == 0 || !m.marked(r.Until))
}
