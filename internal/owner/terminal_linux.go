package owner

import (
	"fmt"
	"os"
	"strings"

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

// canType reports whether a process can put text into what was typed at its terminal
// (TIOCSTI): newer kernels let only the administrator's do that, if they are told so.
func canType() bool {
	said, err := os.ReadFile("/proc/sys/dev/tty/legacy_tiocsti")
	return err != nil || strings.TrimSpace(string(said)) != "0" || os.Geteuid() == 0
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
