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
	text map[string]string // by session
}

// put keeps text. It says what had to be left out.
func (l *later) put(session, text string) (warnings []string) {
	if text == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == nil {
		l.text = map[string]string{}
	}
	before, known := l.text[session]
	switch {
	case session == "", !known && len(l.text) >= maxSessions:
		return []string{"injected text was lost: the agent takes none at this event, and there is no session to keep it for"}
	case len(before)+len(text) > maxLater:
		return []string{fmt.Sprintf("injected text was lost: %d bytes wait already for an event at which the agent takes text", len(before))}
	case known:
		text = before + "\n\n" + text
	}
	l.text[session] = text
	return nil
}

// end drops what nobody will take any more, and says so.
func (l *later) end(session string) (warnings []string) {
	if l.take(session) != "" {
		warnings = []string{"injected text was lost: the session ended before an event at which the agent takes text"}
	}
	return warnings
}

func (l *later) take(session string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.text[session]
	delete(l.text, session)
	return text
}
