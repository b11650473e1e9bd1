package judge

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
)

// sessionTime is how long a session of which nothing is heard still counts.
const sessionTime = time.Hour

// sessions knows which agents are at work.
type sessions struct {
	mu   sync.Mutex
	last map[string]time.Time
}

func (s *sessions) saw(ev hook.AnyEvent) {
	id := ev.Head().Session
	if id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[string]time.Time{}
	}
	if ev.Info() == hook.SessionEnd.Info() {
		delete(s.last, id)
		return
	}
	if len(s.last) >= maxSessions {
		s.forget()
	}
	if len(s.last) < maxSessions {
		s.last[id] = time.Now()
	}
}

// forget drops what was not heard of for long. The caller holds mu.
func (s *sessions) forget() {
	for id, at := range s.last {
		if time.Since(at) > sessionTime {
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
