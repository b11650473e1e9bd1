package judge

import (
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
