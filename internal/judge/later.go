package judge

import (
	"fmt"
	"sync"
)

// Bounds of what waits to be injected.
const (
	maxLater    = 32 << 10 // bytes a session
	maxSessions = 1024
)

// later keeps text that an agent could not take at an event until one comes at
// which it can.
type later struct {
	mu   sync.Mutex
	text map[reader]string
}

// reader is who text is for. A session may have several agents, of which one
// started the others, and each of them sub-agents.
type reader struct {
	session string
	own     string // the agent's own id of its session: hookway run gives all of a terminal one
	agent   string
	sub     string // id of the sub-agent, or ""
}

// reader is who the event comes from.
func (h *hearing) reader() reader {
	head := h.ev.Head()
	return reader{session: head.Session, own: h.own, agent: h.codec.About().Agent, sub: head.Subagent()}
}

// put keeps text. It says what had to be left out.
func (l *later) put(to reader, text string) (warnings []string) {
	if text == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == nil {
		l.text = map[reader]string{}
	}
	before, known := l.text[to]
	switch {
	case to.session == "", !known && len(l.text) >= maxSessions:
		return []string{"injected text was lost: the agent takes none at this event, and there is no session to keep it for"}
	case len(before)+len(text) > maxLater:
		return []string{fmt.Sprintf("injected text was lost: %d bytes wait already for an event at which the agent takes text", len(before))}
	case known:
		text = before + "\n\n" + text
	}
	l.text[to] = text
	return nil
}

// end drops what nobody will take any more, and says so: with an agent its
// sub-agents end.
func (l *later) end(of reader) (warnings []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for r := range l.text {
		mine := r
		if of.sub == "" {
			mine.sub = ""
		}
		if mine == of {
			delete(l.text, r)
			warnings = []string{"injected text was lost: its agent ended before an event at which it takes text"}
		}
	}
	return warnings
}

func (l *later) take(of reader) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.text[of]
	delete(l.text, of)
	return text
}
