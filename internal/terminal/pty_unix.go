//go:build linux || darwin

package terminal

import (
	"fmt"
	"os"
	"strconv"
	"strings"

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
