//go:build linux || darwin

package terminal

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	settleTime  = 2 * time.Second        // for the last output before a stop to be shown, at most
	roomTime    = 50 * time.Millisecond  // for a screen to take something of ours
	deliverTime = 200 * time.Millisecond // for a signal to reach us that was sent
)

// suspend stops this process as Ctrl-Z stops a program, with the user's terminal
// as a shell wants it, and goes on when it is continued. If the program has
// stopped by itself, all that were started together with us are stopped, as by
// the key; else it is only us who were asked to. Without a shell above
// us, to continue what is stopped, nothing stops, as the kernel has it.
func (r *run) suspend(itself bool) {
	if orphaned() {
		r.signalAll(unix.SIGCONT)
		return
	}
	if !itself {
		r.signalAll(unix.SIGSTOP)
		r.await(func() bool { return isStopped(r.cmd.Process.Pid) }) // it may print until then
	}
	r.awaitShown()
	changed := r.modes.reset()
	r.show(changed)
	r.console.leave()
	select {
	case <-r.continued:
	default:
	}
	if itself {
		_ = unix.Kill(0, unix.SIGTSTP)
		arrive(r.stops) // our own
	}
	_ = unix.Kill(unix.Getpid(), unix.SIGSTOP) // the other one is caught here, for good
	arrive(r.continued)
	r.resume(changed != "")
}

// arrive waits for a signal that was sent already.
func arrive(signals <-chan os.Signal) {
	limit := time.NewTimer(deliverTime)
	defer limit.Stop()
	select {
	case <-signals:
	case <-limit.C:
	}
}

// orphaned reports whether no process could continue our process group: no process of
// it has a parent in the same session but outside the group.
func orphaned() bool {
	session, err := unix.Getsid(0)
	if err != nil {
		return true
	}
	for p, n := unix.Getppid(), 0; p > 1 && n < 100; p, n = parentOf(p), n+1 {
		if s, err := unix.Getsid(p); err != nil || s != session {
			return true
		}
		if group, err := unix.Getpgid(p); err != nil || group != unix.Getpgrp() {
			return err != nil
		}
	}
	return true
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
		if n, err := unix.Poll(set, int(roomTime.Milliseconds())); n != 1 || err != nil || set[0].Revents&unix.POLLOUT == 0 {
			return err
		}
		_, err := unix.Write(fd, []byte(text))
		return err
	})
}

// awaitShown waits until the user has got what the program had printed, but not
// for what others print meanwhile, nor long for a screen that does not take it.
func (r *run) awaitShown() {
	before := r.shown.Load()
	r.await(func() bool { return !r.behind() || r.shown.Load()-before > drainBytes })
}

// await waits until something holds, but not long.
func (r *run) await(holds func() bool) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(r.settle); !holds() && time.Now().Before(end); {
		<-tick.C
	}
}

// behind reports whether the program has printed something that the user has not got. To
// ask the terminal has the kernel hand over what is on its way; what is not there any
// more after that is being written, or was.
func (r *run) behind() bool {
	ready := false
	_ = withFd(r.pty, func(fd int) (err error) {
		ready, _, err = awaitBytes(fd, -1, 0)
		return err
	})
	return ready || r.writing.Load()
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
