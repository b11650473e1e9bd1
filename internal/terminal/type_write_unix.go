//go:build linux || darwin

package terminal

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// askAgain is how often a write that the program does not read looks whether
// anybody still wants it.
const askAgain = 20 * time.Millisecond

// writeSome hands bytes to the terminal and gives up when ctx ends: a program
// that does not read fills the terminal's buffer.
func (p *Program) writeSome(ctx context.Context, b []byte) (n int, err error) {
	for n < len(b) {
		select {
		case <-p.exited:
			return n, ErrEnded
		default:
		}
		full := false
		err := withFd(p.pty, func(fd int) error {
			m, err := unix.Write(fd, b[n:])
			if err == unix.EAGAIN {
				full = true
				return awaitRoom(fd, askAgain)
			}
			n += max(m, 0)
			return err
		})
		if full && ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err != nil && err != unix.EINTR {
			return n, p.writeError(err)
		}
	}
	return n, nil
}

func (p *Program) writeError(err error) error {
	select {
	case <-p.exited:
		return ErrEnded
	default:
		return err
	}
}
