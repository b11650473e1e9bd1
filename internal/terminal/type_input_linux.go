package terminal

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const unread = unix.TIOCINQ

// commandOf is the command line of a process.
func commandOf(pid int) []string {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(line) == 0 {
		return []string{""}
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
}
