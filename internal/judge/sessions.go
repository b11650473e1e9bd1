package judge

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
)

// sessionTime is how long a session without an event still counts.
const sessionTime = time.Hour

// maxSessions bounds the sessions that are known.
const maxSessions = 1024

// sessions knows which agents are at work.
type sessions struct {
	mu   sync.Mutex
	last map[string]glimpse
}

// glimpse is the last event of a session.
type glimpse struct {
	at   time.Time
	over func() bool // whether hookway run has told of its end; nil: it has not wrapped it
}

// saw notes an event of a session. over tells of a wrapped one whether it is over; nil: it is
// not wrapped.
func (s *sessions) saw(ev hook.AnyEvent, over func() bool) {
	id := ev.Head().Session
	if id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[string]glimpse{}
	}
	if ev.Info() == hook.SessionEnd.Info() && (over != nil || s.last[id].over == nil) { // of a wrapped one, not of an agent within it
		delete(s.last, id)
		return
	}
	if len(s.last) >= maxSessions {
		s.forget()
	}
	if len(s.last) < maxSessions {
		g := glimpse{at: time.Now(), over: s.last[id].over}
		if over != nil {
			g.over = over
		}
		s.last[id] = g
	}
}

// forget drops sessions without an event for long. The caller holds mu.
func (s *sessions) forget() {
	for id, g := range s.last {
		if time.Since(g.at) > sessionTime || g.over != nil && g.over() {
			delete(s.last, id)
		}
	}
}

// Load names the workspaces that are kept warm and the sessions that are open, as
// far as the agents tell.
func (j *Judge) Load() (workspaces, open []string) {
	j.workspaces.mu.Lock()
	for key := range j.workspaces.kept {
		if folder, _, _ := strings.Cut(key, "\x00"); folder != "" && !slices.Contains(workspaces, folder) {
			workspaces = append(workspaces, folder)
		}
	}
	j.workspaces.mu.Unlock()
	j.sessions.mu.Lock()
	j.sessions.forget()
	open = slices.Collect(maps.Keys(j.sessions.last))
	j.sessions.mu.Unlock()
	slices.Sort(workspaces)
	slices.Sort(open)
	return workspaces, open
}
