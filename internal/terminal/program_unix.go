//go:build linux || darwin

package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hookway/hookway/internal/procgroup"
)

// run is what the goroutines of one program share.
type run struct {
	*Program
	cfg   Config
	cmd   *exec.Cmd
	tty   *os.File // the program's end; kept open so that its own end is not an end of output
	news  *os.File // never written to: it has something to read, its end, when drain is closed
	drain *os.File
	user  *os.File // the user's terminal, or nil
	ctx   context.Context

	console *console     // where the user types
	modes   *screenModes // what the program has switched on in user
	notice  notice       // the title that stands there in place of the program's
	writing atomic.Bool  // output is on its way to the user's screen
	shown   atomic.Int64 // bytes of it that have come there
	settle  time.Duration

	signals    chan os.Signal
	stops      chan os.Signal // this process is to stop
	resized    chan os.Signal // one for any number of changes: the last size counts
	continued  chan os.Signal // this process was continued
	children   chan os.Signal // a child has stopped, or ended
	broken     chan os.Signal // there to be asked for: else a closed pipe would end this process
	reaped     chan struct{}  // closed when the process group is gone
	copied     chan struct{}  // closed when the output has been read to its end
	supervised chan struct{}  // closed when signals are no longer handled
	given      chan struct{}  // closed when the user's terminal is given back
	leave      leave
	screenErr  error // of writing to the user's screen; read after copied
}

// Start starts the program. Until its end it passes on Config.Signals to the
// program's process group, and changes of the size of the user's terminal.
// When ctx ends, the process group gets SIGTERM and after the grace SIGKILL.
func Start(ctx context.Context, cfg Config) (*Program, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("no command to run: give a program and its arguments")
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("run %s: %w", cfg.Command[0], err)
	}
	if cfg.Env == nil {
		cfg.Env = os.Environ()
	}
	if cfg.Stdout == nil {
		cfg.Stdout = io.Discard
	}
	if cfg.Signals == nil {
		cfg.Signals = []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2}
	}
	r := newRun(cfg)
	outer := ctx
	r.ctx, r.cancel = context.WithCancel(ctx)
	var in *input
	if cfg.Stdin != nil {
		var err error
		if in, err = openInput(cfg.Stdin); err != nil {
			return nil, err
		}
		if r.console.file != nil {
			in.front = r.console.front
		}
	}
	if err := r.start(); err != nil {
		r.cancel()
		in.end()
		return nil, err
	}
	r.launch(outer, in)
	return r.Program, nil
}

func newRun(cfg Config) *run {
	return &run{
		Program: newProgram(cfg), cfg: cfg, user: userTerminal(cfg),
		console: newConsole(cfg.Stdin), modes: newScreenModes(), settle: settleTime,
		signals: make(chan os.Signal, 16), stops: make(chan os.Signal, 1), resized: make(chan os.Signal, 1), continued: make(chan os.Signal, 1),
		children: make(chan os.Signal, 1), broken: make(chan os.Signal, 1),
		reaped: make(chan struct{}), copied: make(chan struct{}), supervised: make(chan struct{}), given: make(chan struct{}),
	}
}

func newProgram(cfg Config) *Program {
	p := &Program{
		restore: func() {},
		tap:     newTap(cfg.buffer()), typed: newTyped(), turn: make(chan struct{}, 1),
		exited: make(chan struct{}), done: make(chan struct{}),
	}
	p.reader = newReader(p.tap, p.typed)
	return p
}

// start opens the terminals and starts the process.
func (r *run) start() (err error) {
	size := sizeFor(r.user, r.cfg.Env)
	r.tap.resize(int(size.Col), int(size.Row))
	r.pty, r.tty, err = openPTY(size)
	if err != nil {
		return err
	}
	if r.news, r.drain, err = os.Pipe(); err != nil {
		return errors.Join(fmt.Errorf("watch the output: %w", err), r.pty.Close(), r.tty.Close())
	}
	r.kill, r.grace = func(s os.Signal) { r.signal(s.(syscall.Signal)) }, r.cfg.grace()
	r.titled = r.title
	r.canonical = func() bool { return readsLines(r.tty) }
	r.typed.canonical = r.canonical
	r.intake = func() Input { return inputOf(r.pty, r.tty, r.cmd.Process.Pid) }
	r.cmd = exec.Command(r.cfg.Command[0], r.cfg.Command[1:]...)
	r.cmd.Dir, r.cmd.Env = r.cfg.Dir, r.cfg.Env
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = r.tty, r.tty, r.tty
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := r.console.enter(); err != nil {
		return errors.Join(err, r.closeAll())
	}
	r.restore = r.console.end
	r.notify()
	if err := r.cmd.Start(); err != nil {
		r.unnotify()
		r.restore()
		_ = r.closeAll()
		return fmt.Errorf("run %s%s: %w", r.cfg.Command[0], in(r.cfg.Dir), err)
	}
	r.pid = r.cmd.Process.Pid
	return nil
}

func (r *run) closeAll() error {
	return errors.Join(r.pty.Close(), r.tty.Close(), r.news.Close(), r.drain.Close())
}

// in names the folder in an error: a missing one and a missing program look
// the same to the kernel.
func in(dir string) string {
	if dir == "" {
		return ""
	}
	return " in " + dir
}

// launch starts the goroutines; the last one ends after all others.
func (r *run) launch(outer context.Context, in *input) {
	copying := make(chan struct{})
	living, exited := context.WithCancel(r.ctx)
	r.leave.ctx = living
	go func() {
		defer r.guard()
		defer close(r.copied)
		r.copyOutput()
	}()
	go func() {
		defer r.guard()
		defer close(r.supervised)
		r.supervise()
	}()
	go func() {
		defer r.guard()
		defer close(copying)
		if in != nil {
			r.copyInput(living, in)
		}
	}()
	kept := make(chan struct{})
	go func() {
		defer r.guard()
		defer close(kept)
		r.keep()
	}()
	go func() {
		defer r.guard()
		waitErr := r.cmd.Wait()
		ended := outer.Err()
		close(r.exited)
		exited()
		r.finish(in, copying)
		close(r.given)
		<-kept
		r.conclude(waitErr, ended)
	}()
}

// guard gives the user's terminal back when its goroutine panics.
func (r *run) guard() {
	if v := recover(); v != nil {
		r.restore()
		panic(v)
	}
}

// finish ends everything that belongs to the program, whose process has ended.
func (r *run) finish(in *input, copying <-chan struct{}) {
	<-r.supervised
	if in != nil && in.stop != nil {
		in.stop()
		<-copying
	}
	in.end()
	r.leave.end()
	r.turn <- struct{}{} // Type has left the terminal; nothing is typed any more
	r.tty.Close()
	reap(r.cmd.Process.Pid, r.cfg.grace())
	close(r.reaped)
	r.drain.Close()
	r.awaitCopied()
	r.restore()
	r.unnotify()
	r.pty.Close()
	r.news.Close()
	r.tap.end()
	r.reader.finish()
	r.cancel()
}

// end releases what watching the input has used. A nil input has nothing.
func (in *input) end() {
	if in != nil && in.close != nil {
		in.close()
	}
}

// conclude says how the program ended. ended is the error of the caller's
// context at that moment.
func (r *run) conclude(waitErr, ended error) {
	r.status = ExitStatus{Code: -1} // somebody else has waited for the process
	if state := r.cmd.ProcessState; state != nil {
		r.status.Code = state.ExitCode()
		if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			r.status = ExitStatus{Code: 128 + int(ws.Signal()), Signal: ws.Signal()}
		}
	}
	var exit *exec.ExitError
	if errors.As(waitErr, &exit) {
		waitErr = nil
	}
	if ended != nil {
		ended = fmt.Errorf("run %s: %w", r.cfg.Command[0], ended)
	}
	select {
	case <-r.copied:
		waitErr = errors.Join(waitErr, r.screenErr)
	default: // the screen takes nothing, and still has the copying
	}
	r.err = errors.Join(waitErr, ended)
	close(r.done)
}

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
	r.notice.mu.Lock()
	_, err := screen.Write(p)
	if err == nil && r.user != nil {
		r.modes.see(p)
		r.notice.after(r, p)
	}
	r.notice.mu.Unlock()
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
	r.notice.close(r)
	<-r.reaped
	state := r.cmd.ProcessState
	if r.user == nil || r.cfg.Stdout != io.Writer(r.user) || state != nil && state.Exited() && state.ExitCode() < 128 {
		return
	}
	if text := r.modes.reset(); text != "" {
		_, _ = io.WriteString(screen, text)
	}
}

// reap ends what is left of the process group: SIGTERM, and SIGKILL after the
// grace. It returns when the group is empty, or soon after the SIGKILL.
func reap(group int, grace time.Duration) {
	if !procgroup.Populated(group) {
		return
	}
	_ = unix.Kill(-group, unix.SIGTERM)
	_ = unix.Kill(-group, unix.SIGCONT)
	if !emptied(group, grace) {
		_ = unix.Kill(-group, unix.SIGKILL)
		emptied(group, time.Second)
	}
}

// emptied waits until the group has no process, at most for the given time.
func emptied(group int, within time.Duration) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(within); time.Now().Before(end); <-tick.C {
		if !procgroup.Populated(group) {
			return true
		}
	}
	return false
}
