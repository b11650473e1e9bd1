package call

import (
	"os"
	"time"
)

// stuckFor is how long a daemon that hung is not asked: else every event would
// wait for it in vain.
const stuckFor = 10 * time.Second

// MarkStuck remembers, in a file beside the socket, that the daemon hangs.
func (p Places) MarkStuck() {
	f, err := os.OpenFile(p.stuck(), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return // the next event finds it out again
	}
	_ = f.Close()
	now := time.Now()
	_ = os.Chtimes(p.stuck(), now, now)
}

// Stuck reports whether the daemon hung a moment ago, and whether it did at all
// since it was last seen well.
func (p Places) Stuck() (lately, ever bool) {
	info, err := os.Lstat(p.stuck())
	if err != nil {
		return false, false
	}
	return time.Since(info.ModTime()).Abs() < stuckFor, true
}

// ClearStuck says that the daemon is well, or another one.
func (p Places) ClearStuck() { _ = os.Remove(p.stuck()) }

func (p Places) stuck() string { return join(p.Dir, "stuck") }
