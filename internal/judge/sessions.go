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
	last map[string]glimpse
}

// glimpse is the last that was heard of a session.
type glimpse struct {
	at    time.Time
	shown *wrapped // where hookway run says how it stands, if that wrapped it
}

// saw notes an event of a session; m is where that is shared with hookway run.
func (s *sessions) saw(ev hook.AnyEvent, m *member) {
	id := ev.Head().Session
	if id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[string]glimpse{}
	}
	if ev.Info() == hook.SessionEnd.Info() && (m != nil || s.last[id].shown == nil) { // of a wrapped one, not of an agent within it
		delete(s.last, id)
		return
	}
	if len(s.last) >= maxSessions {
		s.forget()
	}
	if len(s.last) < maxSessions {
		g := glimpse{at: time.Now(), shown: s.last[id].shown}
		if m != nil {
			g.shown = &m.wrapped
		}
		s.last[id] = g
	}
}

// forget drops what was not heard of for long. The caller holds mu.
func (s *sessions) forget() {
	for id, g := range s.last {
		if time.Since(g.at) > sessionTime || g.shown.over() {
			delete(s.last, id)
		}
	}
}

// over reports a wrapped session whose end hookway run has told.
func (w *wrapped) over() bool {
	if w == nil {
		return false
	}
	s, err := w.read()
	return err == nil && !s.Open
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
