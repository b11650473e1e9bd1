package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// stat reads of a process what the kernel tells in numbers.
func stat(pid int) (p Process, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, false
	}
	// pid (name) state parent group session terminal …; the name may have anything in it
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 5 {
		return p, false
	}
	p.PID = pid
	for i, to := range map[int]*int{1: &p.Parent, 3: &p.Session, 4: &p.Terminal} {
		if *to, err = strconv.Atoi(fields[i]); err != nil {
			return Process{}, false
		}
	}
	return p, true
}

// Parent is the process that started another one, or 0.
func Parent(pid int) int {
	p, _ := stat(pid)
	return p.Parent
}

// Look reads what the kernel tells of a process.
func Look(pid int) (Process, bool) {
	p, ok := stat(pid)
	if !ok {
		return Process{}, false
	}
	folder := fmt.Sprintf("/proc/%d/", pid)
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

// Tracer is the process that is attached to another one, as a debugger is; 0 is none.
func Tracer(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "TracerPid:"); ok {
			tracer, _ := strconv.Atoi(strings.TrimSpace(value)) // what is no number is none
			return tracer
		}
	}
	return 0
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
func Namespaces() string { return NamespacesOf(os.Getpid()) }

// NamespacesOf are those of a process; "" if they cannot be found out.
func NamespacesOf(pid int) string {
	all := ""
	for _, kind := range []struct {
		name string
		get  uint
	}{{"pid", unix.PIDFD_GET_PID_NAMESPACE}, {"user", unix.PIDFD_GET_USER_NAMESPACE}} {
		one, err := namespace(pid, kind.name, kind.get)
		if err != nil {
			return ""
		}
		all = strings.TrimSpace(all + " " + one)
	}
	return all
}

// namespace asks the kernel itself, if it is new enough: what stands in /proc may be
// another file that was put there.
func namespace(pid int, name string, get uint) (string, error) {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, name))
	}
	defer unix.Close(process)
	space, err := unix.IoctlRetInt(process, get)
	if err != nil {
		return os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, name))
	}
	defer unix.Close(space)
	var stat unix.Stat_t
	err = unix.Fstat(space, &stat)
	return fmt.Sprintf("%s:[%d]", name, stat.Ino), err
}

// FirstNamespaces are those that the machine itself begins with.
const FirstNamespaces = "pid:[4026531836] user:[4026531837]"
