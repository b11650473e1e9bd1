package daemon

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// forgetProgram takes the pages of the program's own file out of what this process holds:
// most were needed to start, and never again. The system keeps the file in its cache, so
// what is needed comes back without the disk. Pages that differ from the file stay.
func forgetProgram() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer smaps.Close()
	for _, m := range mappingsOf(smaps, program) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED)
	}
}

// mapping is a part of the memory of a process.
type mapping struct{ from, to uintptr }

// mappingsOf gives the mappings of a file that nobody can write and that hold nothing but
// the file, out of the text of /proc/PID/smaps: see proc_pid_smaps(5).
func mappingsOf(smaps io.Reader, file string) (found []mapping) {
	var at mapping
	ours := false
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), " ")
		if name == "Anonymous:" {
			if ours && strings.TrimSpace(rest) == "0 kB" {
				found = append(found, at)
			}
			continue
		}
		if strings.HasSuffix(name, ":") {
			continue
		}
		fields := strings.SplitN(rest, " ", 5) // permissions, offset, device, inode, path
		_, err := fmt.Sscanf(name, "%x-%x", &at.from, &at.to)
		ours = err == nil && len(fields) == 5 && !strings.Contains(fields[0], "w") && strings.TrimSpace(fields[4]) == file
	}
	return found
}
