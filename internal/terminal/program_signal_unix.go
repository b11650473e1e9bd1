//go:build linux || darwin

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

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
