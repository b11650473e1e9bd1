package procgroup

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// Populated reports whether a process of the group runs.
func Populated(group int) bool {
	if syscall.Kill(-group, 0) == syscall.ESRCH {
		return false
	}
	proc, err := os.Open("/proc")
	if err != nil {
		return true
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return true
	}
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err == nil && runsIn(stat, group) {
			return true
		}
	}
	return false
}

// runsIn reports whether a stat file is that of a running process of the
// group: "pid (name) state parent group …", where the name may hold anything.
func runsIn(stat []byte, group int) bool {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return false
	}
	return string(fields[2]) == strconv.Itoa(group)
}
