//go:build linux || darwin

package terminal

import (
	"io"
	"sync"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/visible"
)

// notice is a title of ours in the user's terminal. The terminal keeps the one before on
// its stack, where it has one; a title that the program has set is written again, too.
type notice struct {
	mu    sync.Mutex // held while the user's screen is written to
	tail  []byte     // the last bytes of the program
	title string     // that is to stand there; "" is the program's own
	ring  bool       // the bell is to ring
	shown string     // that stands there; "" is the program's own
	set   int        // how often the program had set its own when ours was written
	over  bool       // the program has ended, and its own title is back
}

// mostTitle is how long our titles are, in characters.
const mostTitle = 100

// title sets what is to stand there.
func (r *run) title(text string, ring bool) {
	if r.user == nil || r.cfg.Stdout != io.Writer(r.user) {
		return
	}
	r.notice.mu.Lock()
	defer r.notice.mu.Unlock()
	if r.notice.over {
		return
	}
	r.notice.title, r.notice.ring = visible.Clip(visible.Line(text), mostTitle), ring
	r.notice.write(r)
}

// close gives the program's own title back, for good.
func (n *notice) close(r *run) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.title, n.ring, n.over = "", false, true
	if _, _, between := r.modes.standing(); n.shown != "" && !between {
		r.show("\x18\x1b\\") // ends what was broken off
	}
	n.write(r)
}

// after looks whether something is to be written after a part of the output. A program
// that sets its own title meanwhile has it back when ours is gone.
func (n *notice) after(r *run, p []byte) {
	if n.tail = append(n.tail, p[max(0, len(p)-utf8.UTFMax):]...); len(n.tail) > utf8.UTFMax {
		n.tail = append(n.tail[:0], n.tail[len(n.tail)-utf8.UTFMax:]...)
	}
	if n.title != n.shown || n.ring || n.shown != "" {
		n.write(r)
	}
}

// write writes what is to be written, if the program is between two sequences.
func (n *notice) write(r *run) {
	own, set, between := r.modes.standing()
	if (!between || halved(n.tail)) && !n.over {
		return
	}
	text := ""
	switch {
	case n.title == "" && n.shown != "":
		text = "\x1b[23;0t"
		if own != "" {
			text += "\x1b]" + own + "\x1b\\"
		}
	case n.title != n.shown, n.title != "" && n.set != set:
		if n.shown == "" {
			text = "\x1b[22;0t"
		}
		text += "\x1b]2;" + n.title + "\x1b\\"
	}
	if n.ring {
		text += "\a"
	}
	n.shown, n.set, n.ring = n.title, set, false
	r.show(text)
}
