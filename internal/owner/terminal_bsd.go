//go:build unix && !linux

package owner

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/hookway/hookway/internal/process"
)

// terminalOf is the device of the terminal that this process belongs to; 0 where the
// system does not tell.
func terminalOf() (uint64, error) {
	p, _ := process.Look(os.Getpid())
	return uint64(p.Terminal), nil
}

// canType reports whether a process can put text into what was typed at its terminal.
func canType() bool { return true }

// nameOf is the file of a terminal.
func nameOf(file *os.File) string { return file.Name() }

// discard drops what was typed and not read.
func discard(tty *os.File) error {
	return unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, 1) // FREAD
}
