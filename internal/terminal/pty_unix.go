//go:build linux || darwin

package terminal

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// openPTY returns both ends of a new terminal. The runtime's poller has neither:
// with edges for every byte that comes and goes, even if none is waited for, it would
// wake threads for nothing while the user waits. Reads and writes of the first
// end do not block; awaitBytes says when they can go on.
func openPTY(size unix.Winsize) (ptm, tty *os.File, err error) {
	ptm, tty, err = pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("open a pseudo-terminal (are there free ones in /dev/pts?): %w", err)
	}
	if err = setSize(tty, size); err == nil {
		err = utf8Editing(tty)
	}
	if err == nil {
		ptm, err = unpolled(ptm)
	}
	if err == nil {
		tty, err = unpolled(tty)
	}
	if err == nil {
		err = withFd(ptm, func(fd int) error { return unix.SetNonblock(fd, true) })
	}
	if err != nil {
		ptm.Close()
		tty.Close()
		return nil, nil, err
	}
	return ptm, tty, nil
}

// unpolled replaces f by a file of the same terminal that blocks in the kernel
// and is not in the poller, whatever opening it has done to f.
func unpolled(f *os.File) (*os.File, error) {
	var fd int
	err := withFd(f, func(old int) (err error) {
		if fd, err = unix.FcntlInt(uintptr(old), unix.F_DUPFD_CLOEXEC, 0); err == nil {
			err = unix.SetNonblock(fd, false)
		}
		return err
	})
	if err != nil {
		return f, fmt.Errorf("set up the pseudo-terminal: %w", err)
	}
	name := f.Name()
	f.Close()
	return os.NewFile(uintptr(fd), name), nil
}

// utf8Editing makes the terminal's own line editing erase whole characters.
func utf8Editing(tty *os.File) error {
	const iutf8 = 0x4000 // the same on Linux and macOS
	return withFd(tty, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return err
		}
		t.Iflag |= iutf8
		return unix.IoctlSetTermios(fd, setTermios, t)
	})
}

// readsLines reports whether the terminal collects whole lines for the program.
func readsLines(tty *os.File) bool {
	canonical := false
	_ = withFd(tty, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		canonical = err == nil && t.Lflag&unix.ICANON != 0
		return err
	})
	return canonical
}

// withFd calls do with the descriptor of f. Unlike File.Fd it leaves the
// file's mode alone.
func withFd(f *os.File, do func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil {
		return err
	}
	return inner
}

func isTerminal(f *os.File) bool {
	ok := false
	_ = withFd(f, func(fd int) error {
		ok = term.IsTerminal(fd)
		return nil
	})
	return ok
}

func setSize(f *os.File, size unix.Winsize) error {
	return withFd(f, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &size) })
}

// userTerminal returns the terminal that the user looks at, or nil.
func userTerminal(cfg Config) *os.File {
	for _, stream := range []any{cfg.Stdout, cfg.Stdin} {
		if f, ok := stream.(*os.File); ok && f != nil && isTerminal(f) {
			return f
		}
	}
	return nil
}

// sizeFor returns the size of the user's terminal, else what COLUMNS and
// LINES say, else 80x24.
func sizeFor(user *os.File, env []string) unix.Winsize {
	if user != nil {
		var size *unix.Winsize
		err := withFd(user, func(fd int) (err error) {
			size, err = unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
			return err
		})
		if err == nil && size.Row > 0 && size.Col > 0 {
			return *size
		}
	}
	return unix.Winsize{Col: fromEnv(env, "COLUMNS", 80), Row: fromEnv(env, "LINES", 24)}
}

func fromEnv(env []string, key string, otherwise uint16) uint16 {
	n := otherwise
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, key+"="); ok {
			if v, err := strconv.ParseUint(value, 10, 16); err == nil && v > 0 {
				n = uint16(v)
			}
		}
	}
	return n
}

// console is the terminal at which the user types. It is raw while the program
// runs, and is given back to its owner on every way out.
type console struct {
	file *os.File // nil: the keys come from elsewhere

	mu    sync.Mutex
	saved *unix.Termios // as it was before; nil: it is not raw
	raw   unix.Termios  // as we have set it
	over  bool          // it was given back for good
}

// newConsole is the console of a program whose input is in; in may not be a terminal.
func newConsole(in any) *console {
	if f, ok := in.(*os.File); ok && f != nil && isTerminal(f) {
		return &console{file: f}
	}
	return &console{}
}

// front reports whether this process may use the terminal: a shell that runs us
// in the background uses it itself.
func (c *console) front() bool {
	yes := false
	_ = withFd(c.file, func(fd int) error {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		yes = err != nil || group == unix.Getpgrp() // no error: it is our session's terminal
		return nil
	})
	return yes
}

// enter makes the terminal raw, if it is ours to use. What another program has
// set meanwhile, as a shell does while we are stopped, is what leave puts back.
func (c *console) enter() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil || c.over || !c.front() {
		return nil
	}
	err := withFd(c.file, func(fd int) error {
		now, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return err
		}
		if c.saved != nil && *now == c.raw {
			return nil
		}
		if _, err := term.MakeRaw(fd); err != nil {
			return err
		}
		c.saved = now
		raw, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			c.raw = *raw
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("put the terminal in raw mode: %w", err)
	}
	return nil
}

// isRaw reports whether the terminal is raw, or none.
func (c *console) isRaw() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.file == nil || c.saved != nil
}

// leave puts back what was set before. A terminal that a shell has taken from us
// is left as it is.
func (c *console) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack()
}

// end is leave, for good.
func (c *console) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack()
	c.over = true
}

func (c *console) giveBack() {
	if c.saved == nil {
		return
	}
	saved := c.saved
	c.saved = nil
	if !c.front() { // the kernel would stop us for it
		return
	}
	_ = withFd(c.file, func(fd int) error { return unix.IoctlSetTermios(fd, setTermios, saved) })
}

// operands says in the words of stty how to put back what raw mode has changed.
func (c *console) operands() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved == nil {
		return nil
	}
	var words []string
	for _, flag := range []struct {
		on   bool
		name string
	}{
		{c.saved.Iflag&unix.IGNBRK != 0, "ignbrk"}, {c.saved.Iflag&unix.BRKINT != 0, "brkint"}, {c.saved.Iflag&unix.PARMRK != 0, "parmrk"},
		{c.saved.Iflag&unix.ISTRIP != 0, "istrip"}, {c.saved.Iflag&unix.INLCR != 0, "inlcr"}, {c.saved.Iflag&unix.IGNCR != 0, "igncr"},
		{c.saved.Iflag&unix.ICRNL != 0, "icrnl"}, {c.saved.Iflag&unix.IXON != 0, "ixon"}, {c.saved.Oflag&unix.OPOST != 0, "opost"},
		{c.saved.Lflag&unix.ECHO != 0, "echo"}, {c.saved.Lflag&unix.ECHONL != 0, "echonl"}, {c.saved.Lflag&unix.ICANON != 0, "icanon"},
		{c.saved.Lflag&unix.ISIG != 0, "isig"}, {c.saved.Lflag&unix.IEXTEN != 0, "iexten"},
	} {
		if !flag.on {
			flag.name = "-" + flag.name
		}
		words = append(words, flag.name)
	}
	return words
}

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

// inputOf looks at a terminal: at the program's end of it for what waits there,
// at ours for who is in the foreground, which a terminal tells only its own.
// The program was started with the process id leader.
func inputOf(pty, tty *os.File, leader int) Input {
	var in Input
	err := withFd(tty, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return err
		}
		in.Lines, in.Echo = t.Lflag&unix.ICANON != 0, t.Lflag&unix.ECHO != 0
		in.Unread, err = unix.IoctlGetInt(fd, unread)
		return err
	})
	in.Gone = err != nil
	_ = withFd(pty, func(fd int) error {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if err == nil && group > 0 && group != leader {
			in.Front = commandOf(group)
		} else if line := commandOf(leader); line[0] != "" {
			in.Leader = line
		}
		return err
	})
	return in
}
