package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// IsPseudo reports whether a terminal is one that a program made.
func IsPseudo(terminal int) bool {
	major := terminal >> 8 & 0xfff
	return major >= firstPTS && major <= firstPTS+7
}

// TellsHolders reports whether [Holders] finds those of a terminal here: not each system
// that runs programs of Linux tells.
func TellsHolders() bool {
	end, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer end.Close()
	index, err := unix.IoctlGetInt(int(end.Fd()), unix.TIOCGPTN)
	return err == nil && holds(os.Getpid(), strconv.Itoa(index))
}

// Rights are the user who started a process, and whether its program has another user's
// or group's rights by its file.
func Rights(pid int) (user int, raised, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false, false
	}
	var real, effective [2]int
	for line := range bytes.Lines(text) {
		for i, name := range []string{"Uid:", "Gid:"} {
			if rest, is := bytes.CutPrefix(line, []byte(name)); is {
				if _, err := fmt.Sscan(string(rest), &real[i], &effective[i]); err != nil {
					return 0, false, false
				}
			}
		}
	}
	return real[0], real != effective, true
}
