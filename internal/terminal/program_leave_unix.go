//go:build linux || darwin

package terminal

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"sync"

	"golang.org/x/sys/unix"
)

// ctrlC is how terminals send Ctrl-C to a program that reads keys.
var ctrlC = [][]byte{{0x03}, []byte("\x1b[99;5u"), []byte("\x1b[27;5;99~")}

// leaveHint is what programs show that end with the next Ctrl-C.
var leaveHint = regexp.MustCompile(`(?i)\bctrl[ +-]*c\b.{0,20}\bagain\b.{0,12}\b(exit|quit|leave|close)|\bagain to (exit|quit)\b`)

// hung is how far the program got the news that the user's terminal is gone.
type hung byte

const (
	attached hung = iota
	hanging       // Hangup is called
	hungUp        // it has returned
)

// leave announces the program's end before it comes.
type leave struct {
	ctx     context.Context // ends with the program
	waiting sync.WaitGroup

	mu   sync.Mutex
	held context.CancelFunc // ends the waiting of a key; nil if none waits
	hung hung
	over bool // the program has ended; nothing is announced any more
}

// end waits until all announcements have returned.
func (l *leave) end() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.waiting.Wait()
}

// hold keeps a Ctrl-C back that ends the program, until Config.Leaving returns or
// the user presses it again. It reports whether the keys are taken.
func (r *run) hold(b []byte) bool {
	if r.cfg.Leaving == nil || !pressed(b) {
		return false
	}
	l := &r.leave
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != nil {
		l.held()
		return false
	}
	if l.over || r.canonical() || !leaves(r.Screen()) {
		return false
	}
	ctx, cancel := context.WithCancel(l.ctx)
	l.held = cancel
	keys := bytes.Clone(b)
	l.waiting.Go(func() {
		defer r.guard()
		defer cancel()
		r.cfg.Leaving(ctx)
		again := ctx.Err() != nil
		l.mu.Lock()
		l.held = nil
		l.mu.Unlock()
		if !again { // else the second one was passed on
			_ = r.pass(l.ctx, keys)
		}
	})
	return true
}

func pressed(b []byte) bool {
	for _, key := range ctrlC {
		if bytes.Contains(b, key) {
			return true
		}
	}
	return false
}

// leaves reports whether the program says that it ends with the next Ctrl-C.
func leaves(s Screen) bool {
	for _, row := range s.Rows {
		if row.Text != "" && leaveHint.MatchString(row.Text) {
			return true
		}
	}
	return false
}

// hangUp tells the program that the user's terminal is gone, after Config.Hangup.
func (r *run) hangUp() {
	l := &r.leave
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	switch {
	case l.hung == hungUp || r.cfg.Hangup == nil:
		r.signal(unix.SIGHUP)
	case l.hung == attached:
		l.hung = hanging
		l.waiting.Go(func() {
			defer r.guard()
			r.cfg.Hangup(l.ctx)
			r.signal(unix.SIGHUP)
			r.signal(unix.SIGCONT) // a stopped program cannot end
			l.mu.Lock()
			l.hung = hungUp
			l.mu.Unlock()
		})
	}
}

// gone reports whether a failed read says that the user's terminal is gone.
func (r *run) gone(err error) bool {
	return r.cfg.Hangup != nil && r.console.file != nil && errors.Is(err, unix.EIO)
}
