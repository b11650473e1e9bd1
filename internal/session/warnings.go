package session

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/terminal"
	"github.com/hookway/hookway/internal/visible"
)

const (
	warningsBound = 100 // lines held back; the rest is counted
	warningRunes  = 500 // length of a line
)

// warnings holds what the user should know until the screen is theirs again.
type warnings struct {
	mu    sync.Mutex
	tell  func(string)
	free  bool // the program has left the screen
	held  []string
	more  int
	hooks map[string]bool // those whose failure is known to the user
}

func newWarnings(tell func(string)) *warnings {
	if tell == nil {
		tell = func(string) {}
	}
	return &warnings{tell: tell, hooks: map[string]bool{}}
}

func (w *warnings) addf(format string, args ...any) { w.add(fmt.Sprintf(format, args...)) }

// add tells a message line by line, without terminal escapes.
func (w *warnings) add(message string) {
	var lines terminal.Lines
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range lines.Feed([]byte(message + "\n")) {
		if clean := strings.TrimSpace(line.Text); clean != "" {
			w.line(visible.Clip(clean, warningRunes))
		}
	}
}

// failed tells of the first failure of each hook: a hook that fails at every
// output would fill the screen.
func (w *warnings) failed(hook, event string, err error) {
	w.mu.Lock()
	known := w.hooks[hook]
	w.hooks[hook] = true
	w.mu.Unlock()
	if !known {
		w.addf("hook %s failed at %s: %v", hook, event, err)
	}
}

func (w *warnings) line(line string) {
	switch {
	case w.free:
		w.tell(line)
	case len(w.held) < warningsBound:
		w.held = append(w.held, line)
	default:
		w.more++
	}
}

// release tells what was held back; from now on nothing is.
func (w *warnings) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = true
	for _, line := range w.held {
		w.tell(line)
	}
	if w.more > 0 {
		w.tell(fmt.Sprintf("… and %d more messages", w.more))
	}
	w.held, w.more = nil, 0
}
