package main

import (
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// Bounds of the file of what went wrong.
const (
	mostNotes   = 256 << 10
	longestNote = 2 << 10
	longestLog  = time.Second // a dead disk must not keep the agent waiting, and a busy one loses nothing
)

// notes are what went wrong. They are written when the answer is out, into
// shim.log in the state folder, for hookway doctor.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (s *shim) note(what string) {
	s.notes.mu.Lock()
	defer s.notes.mu.Unlock()
	s.notes.lines = append(s.notes.lines, what)
}

func (n *notes) write(agent, event string, deadline time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.lines) == 0 {
		return
	}
	line := time.Now().UTC().Format(time.RFC3339Nano) + " " + agent + " " + event + ": " + strings.Join(n.lines, "; ")
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(line, "?"))
	if len(line) > longestNote {
		line = line[:longestNote]
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		defer func() { _ = recover() }()
		appendNote(line + "\n")
	}()
	select {
	case <-written:
	case <-time.After(min(longestLog, max(time.Until(deadline), 0)+lastChance)):
	}
}

// appendNote appends a line. A file that has grown too long begins anew.
func appendNote(line string) {
	dir := call.StateDir(os.Getenv)
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	f, err := os.OpenFile(dir+string(os.PathSeparator)+"shim.log", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > mostNotes {
		_ = f.Truncate(0)
	}
	_, _ = f.WriteString(line)
}
