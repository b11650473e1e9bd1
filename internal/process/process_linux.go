package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Look reads what the kernel tells of a process.
func Look(pid int) (Process, bool) {
	folder := fmt.Sprintf("/proc/%d/", pid)
	stat, err := os.ReadFile(folder + "stat")
	if err != nil {
		return Process{}, false
	}
	// pid (name) state parent group session terminal …; the name may have anything in it
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 5 {
		return Process{}, false
	}
	p := Process{PID: pid}
	for i, to := range map[int]*int{1: &p.Parent, 3: &p.Session, 4: &p.Terminal} {
		if *to, err = strconv.Atoi(fields[i]); err != nil {
			return Process{}, false
		}
	}
	line, err := os.ReadFile(folder + "cmdline")
	if err != nil {
		return Process{}, false
	}
	p.Args = strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	p.Exe, _ = os.Readlink(folder + "exe")
	p.Interactive = p.Terminal != 0 && isTerminal(folder+"fd/0") && isTerminal(folder+"fd/1")
	return p, true
}

func isTerminal(fd string) bool {
	file, err := os.Readlink(fd)
	return err == nil && (strings.HasPrefix(file, "/dev/pts/") || strings.HasPrefix(file, "/dev/tty") || file == "/dev/console")
}

// Environ is the environment with which a process began. Those of other users are not
// told.
func Environ(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// All are the processes that run now.
func All() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// firstPTS is the device number of /dev/pts/0; major numbers 136 to 143 are pseudo
// terminals.
const firstPTS = 136

// Holders are the processes that hold the other end of a pseudo terminal, so that they
// can type into it; those of other users are not told.
func Holders(terminal int) []int {
	major, minor := terminal>>8&0xfff, terminal&0xff|terminal>>12&0xfff00
	if major < firstPTS || major > firstPTS+7 {
		return nil
	}
	index := strconv.Itoa((major-firstPTS)<<20 | minor)
	var pids []int
	for _, pid := range All() {
		if holds(pid, index) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func holds(pid int, index string) bool {
	folder := fmt.Sprintf("/proc/%d/", pid)
	fds, err := os.ReadDir(folder + "fd")
	if err != nil {
		return false
	}
	for _, fd := range fds {
		file, err := os.Readlink(folder + "fd/" + fd.Name())
		if err != nil || filepath.Base(file) != "ptmx" {
			continue
		}
		info, err := os.ReadFile(folder + "fdinfo/" + fd.Name())
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(bytes.NewReader(info))
		for lines.Scan() {
			if value, ok := strings.CutPrefix(lines.Text(), "tty-index:"); ok && strings.TrimSpace(value) == index {
				return true
			}
		}
	}
	return false
}

// Namespaces names the process and user namespaces that this process is in: where
// others see other processes.
func Namespaces() string {
	pid, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	user, err := os.Readlink("/proc/self/ns/user")
	if err != nil {
		return ""
	}
	return pid + " " + user
}
