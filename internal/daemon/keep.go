package daemon

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

const (
	keepTime  = 2 * time.Second  // between two looks at what is due
	trimAfter = 10 * time.Second // of quiet, memory goes back to the system
	settled   = time.Second      // of quiet, before the daemon makes room for a new version
)

// keep looks from time to time whether the daemon should end, until it does.
func (s *server) keep() {
	every := keepTime
	if s.c.Idle > 0 {
		every = max(min(every, s.c.Idle/4), time.Millisecond)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	trim := trimAfter
	for {
		select {
		case <-tick.C:
		case <-s.stopping:
			return
		}
		s.file.look()
		quiet, ok := s.activity.quiet()
		switch {
		case !ok:
			trim = trimAfter
		case s.c.Idle > 0 && quiet >= s.c.Idle && !s.needed():
			s.stop(fmt.Sprintf("there was no call for %v", s.c.Idle))
		case s.file.replaced() && quiet >= settled:
			s.stopReplaced()
		case s.socket != nil && quiet >= settled && !standsAt(s.c.Places.Socket, s.socket):
			s.stop("its socket is gone, so that it cannot be called any more")
		case quiet < trimAfter:
			trim = trimAfter
		case quiet >= trim: // and later again, for what was remembered for a while
			debug.FreeOSMemory()
			trim *= 4
		}
	}
}

// needed reports that something would be lost with the daemon.
func (s *server) needed() bool { return s.c.Needed != nil && s.c.Needed() }

// standsAt reports whether a path still leads to the file.
func standsAt(path string, file os.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(now, file)
}

// program watches the file that a process was started from. A nil program is
// never replaced.
type program struct {
	path string

	mu    sync.Mutex
	first os.FileInfo
	seen  os.FileInfo // at the last look, if it was another file than the first
	gone  bool        // there was none at the last look
	other bool        // it is another one, and does not change any more
}

func newProgram(path string) *program {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return &program{path: path, first: info}
}

// look compares the file with the one that was started. It must be found changed
// twice in the same way: a file that is being written is not a program yet.
func (p *program) look() {
	if p == nil {
		return
	}
	info, err := os.Stat(p.path)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		p.other = p.gone
		p.gone, p.seen = true, nil
	case same(info, p.first):
		p.other, p.gone, p.seen = false, false, nil
	default:
		p.other = p.seen != nil && same(info, p.seen)
		p.gone, p.seen = false, info
	}
}

func (p *program) replaced() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.other
}

func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
