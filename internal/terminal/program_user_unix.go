//go:build linux || darwin

package terminal

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

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
