package delivery

import (
	"fmt"
	"sync"
)

// mostLater bounds what waits to be injected, in bytes a session.
const mostLater = 32 << 10

// Later keeps text that an agent could not take at an event until one comes at
// which it can. The zero value is empty.
type Later struct {
	mu   sync.Mutex
	text map[Address]string
}

// Address is who text is for. A session may have several agents, of which one
// started the others, and each of them sub-agents.
type Address struct {
	Session  string
	Own      string // the agent's own id of its session: hookway run gives all of a terminal one
	Agent    string
	Subagent string // its id, or ""
}

// Put keeps text. It says what had to be left out.
func (l *Later) Put(to Address, text string) (warnings []string) {
	if text == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == nil {
		l.text = map[Address]string{}
	}
	before, known := l.text[to]
	switch {
	case to.Session == "", !known && len(l.text) >= maxSessions:
		return []string{"injected text was lost: the agent takes none at this event, and there is no session to keep it for"}
	case len(before)+len(text) > mostLater:
		return []string{fmt.Sprintf("injected text was lost: %d bytes wait already for an event at which the agent takes text", len(before))}
	case known:
		text = before + "\n\n" + text
	}
	l.text[to] = text
	return nil
}

// Drop forgets what will not be taken any more, and says so: with an agent its
// sub-agents end.
func (l *Later) Drop(of Address) (warnings []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for to := range l.text {
		mine := to
		if of.Subagent == "" {
			mine.Subagent = ""
		}
		if mine == of {
			delete(l.text, to)
			warnings = []string{"injected text was lost: its agent ended before an event at which it takes text"}
		}
	}
	return warnings
}

// Take gives the text.
func (l *Later) Take(of Address) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.text[of]
	delete(l.text, of)
	return text
}
