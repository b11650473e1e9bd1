package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/hookway/hookway/internal/visible"
)

// progress is a bar on a terminal.
type progress struct {
	to   io.Writer
	unit func(n int64) string // all, in words
	mu   sync.Mutex
	last time.Time
}

// progress gives a bar if the user looks on, and what takes it away; tell is nil otherwise.
func (a *app) progress(unit func(n int64) string) (tell func(done, all int64), clear func()) {
	if err, ok := a.err.(visible.Writer); ok {
		if f, ok := err.To.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			bar := &progress{to: f, unit: unit}
			return bar.tell, bar.clear
		}
	}
	return nil, func() {}
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// barWidth is how many signs the bar has.
const barWidth = 30

// tell draws the bar anew, a few times a second.
func (p *progress) tell(done, all int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.last) > 100*time.Millisecond && all > 0 {
		p.last = now
		done = max(min(done, all), 0)
		n := int(done * barWidth / all)
		fmt.Fprintf(p.to, "\r[%s%s] %3d %% of %s", strings.Repeat("#", n), strings.Repeat(".", barWidth-n), done*100/all, p.unit(all))
	}
}

// clear takes the bar away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.last.IsZero() {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
