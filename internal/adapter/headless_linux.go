package adapter

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// lookAt reads what the kernel tells of a process.
func lookAt(pid int) (process, bool) {
	folder := fmt.Sprintf("/proc/%d/", pid)
	stat, err := os.ReadFile(folder + "stat")
	if err != nil {
		return process{}, false
	}
	// pid (name) state parent group session terminal …; the name may have anything in it
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 5 {
		return process{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return process{}, false
	}
	line, err := os.ReadFile(folder + "cmdline")
	if err != nil {
		return process{}, false
	}
	return process{
		args:     strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00"),
		parent:   parent,
		terminal: fields[4] != "0" && isTerminal(folder+"fd/0") && isTerminal(folder+"fd/1"),
	}, true
}

func isTerminal(fd string) bool {
	file, err := os.Readlink(fd)
	return err == nil && (strings.HasPrefix(file, "/dev/pts/") || strings.HasPrefix(file, "/dev/tty") || file == "/dev/console")
}
