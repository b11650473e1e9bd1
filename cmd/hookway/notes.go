package main

import (
	"fmt"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// maxNotes bounds what is kept for the user until the wrapped program ended.
const maxNotes = 100

// notes keeps lines for the user while the terminal belongs to a program. Its
// methods may be called from many goroutines.
type notes struct {
	app *app

	mu      sync.Mutex
	lines   []string
	dropped int
}

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.lines) == maxNotes {
		n.dropped++
		return
	}
	n.lines = append(n.lines, hook.LogLine(line))
}

func (n *notes) print() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range n.lines {
		fmt.Fprintf(n.app.err, "hookway: %s\n", line)
	}
	if n.dropped > 0 {
		fmt.Fprintf(n.app.err, "hookway: and %s\n", visible.Count(n.dropped, "more line"))
	}
	n.lines, n.dropped = nil, 0
}
