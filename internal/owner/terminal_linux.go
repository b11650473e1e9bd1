package owner

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hookway/hookway/internal/process"
)

// terminalOf is the device of the terminal that this process belongs to.
func terminalOf() (uint64, error) {
	p, ok := process.Look(os.Getpid())
	if !ok || p.Terminal == 0 {
		return 0, notOwner("the terminal that this command belongs to is not known: is /proc there?")
	}
	return unix.Mkdev(uint32(p.Terminal>>8&0xfff), uint32(p.Terminal&0xff|p.Terminal>>12&0xfff00)), nil
}

// nameOf is the file of a terminal.
func nameOf(file *os.File) string {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
	if err != nil {
		return ""
	}
	return name
}

// discard drops what was typed and not read.
func discard(tty *os.File) error { return unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
