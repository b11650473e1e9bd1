//go:build linux || darwin

package terminal

import (
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

const (
	settleTime = 50 * time.Millisecond  // for the last output before a stop to be shown
	resumeTime = 200 * time.Millisecond // after which a stop that did not happen is none
)

// suspend stops this process as Ctrl-Z stops a program, with the user's terminal
// as a shell wants it, and goes on when it is continued. If the program has
// stopped by itself, all that were started together with us are stopped, as by
// the key; else it is only us who were asked to.
//
// Who has no shell above, to continue what is stopped, cannot stop: then the
// kernel lets both go on at once.
func (r *run) suspend(itself bool) {
	if !itself {
		r.signalAll(unix.SIGSTOP)
	}
	r.awaitShown()
	changed := r.modes.reset()
	r.show(changed)
	r.console.leave()
	select {
	case <-r.continued:
	default:
	}
	signal.Reset(unix.SIGTSTP)
	whom := unix.Getpid()
	if itself {
		whom = 0
	}
	_ = unix.Kill(whom, unix.SIGTSTP)
	limit := time.NewTimer(resumeTime)
	select {
	case <-r.continued:
	case <-limit.C:
	}
	limit.Stop()
	signal.Notify(r.signals, unix.SIGTSTP)
	r.resume(changed != "")
}

// resume makes the terminal the program's again, and lets it go on.
func (r *run) resume(redraw bool) {
	_ = r.console.enter() // one that is gone tells so when it is read
	r.show(r.modes.again())
	r.resize()
	r.signalAll(unix.SIGCONT)
	if redraw {
		r.signalAll(unix.SIGWINCH)
	}
}

// show writes something of ours to the user's screen, if that takes it now.
func (r *run) show(text string) {
	if text == "" || r.user == nil {
		return
	}
	_ = withFd(r.user, func(fd int) error {
		set := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		if n, err := unix.Poll(set, int(settleTime.Milliseconds())); n != 1 || err != nil || set[0].Revents&unix.POLLOUT == 0 {
			return err
		}
		_, err := unix.Write(fd, []byte(text))
		return err
	})
}

// awaitShown waits until the user has got what the program had printed, but not
// for a screen that does not take it.
func (r *run) awaitShown() {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	calm := 0
	for end := time.Now().Add(settleTime); calm < 3 && time.Now().Before(end); <-tick.C {
		if calm++; r.writing.Load() || r.unread() > 0 {
			calm = 0
		}
	}
}

// unread is how much the program has printed that we have not read.
func (r *run) unread() (n int) {
	_ = withFd(r.pty, func(fd int) (err error) {
		n, err = unix.IoctlGetInt(fd, unreadBytes)
		return err
	})
	return n
}

// signalAll signals the process groups that use the terminal: that of the
// program, and the one that it runs in the foreground, as a shell does. Stopped
// from the top and continued from the bottom, a shell does not see its programs
// stopped.
func (r *run) signalAll(s unix.Signal) {
	front := 0
	_ = withFd(r.pty, func(fd int) (err error) {
		front, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	inner := front > 0 && front != r.cmd.Process.Pid
	if inner && s != unix.SIGSTOP {
		_ = unix.Kill(-front, s)
	}
	r.signal(s)
	if inner && s == unix.SIGSTOP {
		_ = unix.Kill(-front, s)
	}
}
