//go:build linux || darwin

package terminal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"regexp"
	"sync"
	"syscall"
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

// ctrlC is how terminals send Ctrl-C to a program that reads keys.
var ctrlC = [][]byte{{0x03}, []byte("\x1b[99;5u"), []byte("\x1b[27;5;99~")}

// leaveHint is what programs show that end with the next Ctrl-C.
var leaveHint = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bctrl[ +-]*c\b.{0,20}\bagain\b.{0,12}\b(exit|quit|leave|close)|\bagain to (exit|quit)\b`)
})

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
		if row.Text != "" && leaveHint().MatchString(row.Text) {
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

// lookAgain is how often a program in the background looks whether it has come
// to the front: no signal tells one that was not stopped.
const lookAgain = 200 * time.Millisecond

// notify asks for the signals that concern the program. One that this process was
// started to ignore, as by nohup, stays ignored for both.
func (r *run) notify() {
	var pass []os.Signal
	for _, s := range r.cfg.Signals {
		if !signal.Ignored(s) {
			pass = append(pass, s)
		}
	}
	if len(pass) > 0 { // none would be all
		signal.Notify(r.signals, pass...)
	}
	if !signal.Ignored(unix.SIGTSTP) {
		signal.Notify(r.stops, unix.SIGTSTP)
	}
	signal.Notify(r.resized, unix.SIGWINCH)
	signal.Notify(r.continued, unix.SIGCONT)
	signal.Notify(r.children, unix.SIGCHLD)
	signal.Notify(r.broken, unix.SIGPIPE)
}

func (r *run) unnotify() {
	for _, c := range []chan os.Signal{r.signals, r.stops, r.resized, r.continued, r.children, r.broken} {
		signal.Stop(c)
	}
}

// supervise passes signals on and ends the program when the context does.
func (r *run) supervise() {
	r.resize()
	cancelled := r.ctx.Done()
	var kill <-chan time.Time
	for {
		var front <-chan time.Time
		if !r.console.isRaw() {
			front = time.After(lookAgain)
		}
		select {
		case <-r.exited:
			return
		case <-cancelled:
			cancelled = nil
			r.signal(unix.SIGTERM)
			r.signal(unix.SIGCONT) // a stopped program cannot end
			kill = time.After(r.cfg.grace())
		case <-kill:
			r.signal(unix.SIGKILL)
		case <-r.resized:
			r.resize()
		case <-r.continued: // after a stop that could not be seen coming
			_ = r.console.enter()
			r.resize()
		case <-front:
			_ = r.console.enter()
		case <-r.children:
			if hasStopped(r.cmd.Process.Pid) && cancelled != nil && r.console.file != nil && r.console.isRaw() {
				r.suspend(true)
			}
		case <-r.stops:
			r.suspend(false)
		case s := <-r.signals:
			if s == unix.SIGHUP {
				r.hangUp()
			} else {
				r.signal(s.(syscall.Signal))
			}
		}
	}
}

// signal signals the program's process group while its leader lives.
func (r *run) signal(s syscall.Signal) {
	select {
	case <-r.exited:
	default:
		_ = unix.Kill(-r.cmd.Process.Pid, s)
	}
}

func (r *run) resize() {
	if r.user != nil {
		size := sizeFor(r.user, r.cfg.Env)
		r.tap.resize(int(size.Col), int(size.Row)) // before the program can draw for it
		_ = setSize(r.pty, size)
	}
}

// awaitCopied waits until the user has got all output. A screen that takes
// nothing is waited for, as by every program, until somebody asks for the end.
func (r *run) awaitCopied() {
	asked := r.ctx.Done()
	var enough <-chan time.Time
	for {
		select {
		case <-r.copied:
			return
		case <-asked:
			asked = nil
			enough = time.After(r.cfg.grace())
		case <-r.signals:
			r.cancel()
		case <-enough:
			return
		}
	}
}
