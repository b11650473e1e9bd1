package hooktest

import (
	"log/slog"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/logline"
)

// Log collects the lines that something under test logs, from any goroutine:
// Logger is what a handler's Config takes as its Log. The zero value is ready.
type Log struct {
	mu    sync.Mutex
	lines []string
}

// Logger returns a logger whose records become lines here, as in
// command.Config{Log: log.Logger()}.
func (l *Log) Logger() *slog.Logger { return logline.New(l.Add) }

// Add takes a line.
func (l *Log) Add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// String returns the lines so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
