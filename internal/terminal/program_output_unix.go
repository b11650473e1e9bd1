//go:build linux || darwin

package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// After the end of the process group only a process outside it can hold the
// terminal open. Its output is awaited for drainTime of silence, and read up
// to drainBytes, which is more than a terminal buffers.
const (
	drainTime  = 300 * time.Millisecond
	drainBytes = 256 << 10
)

const (
	outputBytes = 32 << 10 // that go to the user in one write, at most
	pieceBytes  = 1 << 10  // after a smaller read there is nothing more, as a rule
)

// copyOutput gives the output to the user, then to the tap, until its end. It has
// a thread of its own, which waits in the kernel: so a byte takes no way through
// the scheduler.
func (r *run) copyOutput() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	buf := make([]byte, outputBytes)
	screen := r.cfg.Stdout
	for late := 0; late < drainBytes; {
		gone := false
		select {
		case <-r.reaped: // a slow screen must not use up the time to read
			gone = true
		default:
		}
		n, err := r.readOutput(buf, gone)
		if gone {
			late += n
		}
		if n > 0 {
			screen = r.showOutput(screen, buf[:n])
		}
		if err != nil { // EIO when no process holds the terminal any more
			break
		}
	}
	r.tidy(screen)
}

// readOutput reads what the program has printed, waiting for something, or, if the
// process group is gone, for a while. A terminal hands out its output in small
// pieces; with one write for many of them the user's terminal has less to do than
// the program.
func (r *run) readOutput(buf []byte, gone bool) (n int, err error) {
	err = withFd(r.pty, func(fd int) error {
		if err := r.awaitOutput(fd, gone); err != nil {
			return err
		}
		r.writing.Store(true) // before it is taken out: who waits for it must see it here or there
		for n < len(buf) {
			m, err := unix.Read(fd, buf[n:])
			switch {
			case err == unix.EINTR:
				continue
			case err == unix.EAGAIN:
				return nil
			case err != nil:
				return err
			case m == 0:
				return io.EOF
			}
			if n += m; m < pieceBytes {
				return nil
			}
		}
		return nil
	})
	if n > 0 {
		return n, nil // an error comes again
	}
	r.writing.Store(false)
	return 0, err
}

// awaitOutput waits for output, and an end of the waiting is not an error as long as
// the process group lives: the machine may be too busy to let us read in time.
func (r *run) awaitOutput(fd int, gone bool) error {
	if gone {
		ready, _, err := awaitBytes(fd, -1, drainTime)
		if err == nil && !ready {
			err = os.ErrDeadlineExceeded
		}
		return err
	}
	return withFd(r.news, func(news int) error {
		_, _, err := awaitBytes(fd, news, -1)
		return err
	})
}

// showOutput writes output to the user's screen, and then to all who want to
// look at it. It returns the screen for what follows.
func (r *run) showOutput(screen io.Writer, p []byte) io.Writer {
	_, err := screen.Write(p)
	if err == nil && r.user != nil {
		r.modes.see(p)
	}
	r.shown.Add(int64(len(p)))
	r.writing.Store(false)
	if err != nil {
		screen = io.Discard
		if _, isFile := r.cfg.Stdout.(*os.File); isFile && errors.Is(err, unix.EPIPE) {
			r.signal(unix.SIGPIPE) // as the program would have got it
			time.AfterFunc(r.cfg.grace()/4, func() { r.signal(unix.SIGHUP) })
		} else {
			r.screenErr = fmt.Errorf("write to the screen: %w", err)
			r.hangUp()
		}
	}
	r.tap.write(p)
	return screen
}

// tidy puts the user's screen back after a program that could not do so itself,
// because a signal has ended it or what it ran. One that has ended well has left
// the screen as it wanted it.
func (r *run) tidy(screen io.Writer) {
	<-r.reaped
	state := r.cmd.ProcessState
	if r.user == nil || r.cfg.Stdout != io.Writer(r.user) || state != nil && state.Exited() && state.ExitCode() < 128 {
		return
	}
	if text := r.modes.reset(); text != "" {
		_, _ = io.WriteString(screen, text)
	}
}
