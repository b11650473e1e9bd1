package owner

import "github.com/hookway/hookway/internal/process"

// What an agent starts can outlive it, under any name, with an empty environment and
// without a parent. So hookway marks agents while it sees them, and what they start inherits
// the mark.

// Remember marks the agents that have started a process, and with them all that they have
// started and will start.
func (r Rule) Remember(pid int) {
	if process.Marked(pid) {
		return // from its agent
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
	}
}

// marked reports whether an agent was above a process once. Where the process that counts as
// the first one is marked, too, that tells nothing.
func (r Rule) marked(m *machine, pid int) bool {
	return m.marked(pid) && (r.Until == 0 || !m.marked(r.Until))
}
