package agenterr

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// maxAbove is how many processes may stand between a hook and its agent.
const maxAbove = 8

// between are the programs that agents start hooks with, and hookway's own.
var between = []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "busybox", "env", "timeout", "nice", "hookway", "hookway-hook"}

func tell(pid int, line string) error {
	for range maxAbove {
		name, parent, err := process(pid)
		if err != nil {
			return err
		}
		if !slices.Contains(between, name) {
			return write(pid, line)
		}
		if pid = parent; pid <= 1 {
			break
		}
	}
	return ErrNone
}

// process gives the name of a process of this user, and its parent.
func process(pid int) (name string, parent int, err error) {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return "", 0, ErrNone
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
		return "", 0, ErrNone
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if err != nil || open < 0 || end < open {
		return "", 0, ErrNone
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 2 {
		return "", 0, ErrNone
	}
	parent, err = strconv.Atoi(fields[1])
	return string(stat[open+1 : end]), parent, err
}

// write writes to what a process has for its errors, if that is open for writing and
// a pipe or a file.
func write(pid int, line string) error {
	path := fmt.Sprintf("/proc/%d/fd/2", pid)
	link, err := os.Readlink(path)
	if err != nil || !strings.HasPrefix(link, "pipe:[") && (!strings.HasPrefix(link, "/") || strings.HasPrefix(link, "/dev/")) || !writes(pid) {
		return ErrNone
	}
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_APPEND|syscall.O_NONBLOCK|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return ErrNone
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFIFO && st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return ErrNone
	}
	if _, err := syscall.Write(fd, []byte(line)); err != nil { // it is full, or not read
		return fmt.Errorf("%w: %w", ErrNone, err)
	}
	return nil
}

// writes reports whether a process has its error output open for writing.
func writes(pid int) bool {
	info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/2", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(info)) {
		if text, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseInt(strings.TrimSpace(text), 8, 64)
			return err == nil && flags&syscall.O_ACCMODE != syscall.O_RDONLY
		}
	}
	return false
}
