package doctor

import (
	"errors"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/audit"
)

// Seen is when hookway last saw an event of an agent. A zero time is never.
type Seen struct {
	Agent string     `json:"agent"`
	Event string     `json:"event"`
	Last  *time.Time `json:"last"` // null: never
}

// LastSeen lists, for each event at which hookway is installed, when an agent
// last brought it. Self-tests do not count.
func (c *Checkup) LastSeen() (Section, []Seen) {
	s := Section{Name: "seen", Title: "Last seen"}
	last := map[string]time.Time{}
	for r, err := range audit.Read(c.auditDir(), audit.Filter{}) {
		var damage *audit.Damage
		if err != nil {
			if !errors.As(err, &damage) {
				s.warn("hookway log verify tells more", "the audit log: %v", err)
			}
			continue
		}
		if r.Source == "" || strings.HasPrefix(r.Session, selfTestSession) {
			continue
		}
		source := r.Source
		if codec, err := adapter.Lookup(source); err == nil {
			source = codec.About().Agent
		}
		key := source + " " + r.Native
		if r.Time.After(last[key]) {
			last[key] = r.Time
		}
	}
	var all []Seen
	for i := range c.agents {
		if p := &c.agents[i]; len(p.installed) > 0 {
			all = append(all, c.seen(&s, p, last)...)
		}
	}
	return s, all
}

// seen tells of one agent.
func (c *Checkup) seen(s *Section, p *patient, last map[string]time.Time) []Seen {
	about := c.about(p)
	var all []Seen
	var newest time.Time
	known := map[string]bool{}
	for _, st := range p.installed {
		for _, e := range st.Events {
			if known[e.Name] {
				continue
			}
			known[e.Name] = true
			seen := Seen{Agent: p.name, Event: e.Name}
			if at, ok := last[about.Agent+" "+e.Name]; ok {
				seen.Last = &at
				if at.After(newest) {
					newest = at
				}
			}
			all = append(all, seen)
		}
	}
	if newest.IsZero() {
		s.warn("start "+p.name+" once and give it something to do; if it is not seen then, its hooks do not fire", "%s: never", about.Title)
		return all
	}
	s.ok("%s: %s ago", about.Title, ago(c.Now.Sub(newest)))
	return all
}
