package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A mark is a hard limit of 0 for file locks (RLIMIT_LOCKS), which the kernel has not
// looked at since version 2.4. A process inherits it from the one that starts it, whatever
// becomes of its environment, its name, its session and its parents; and to raise a hard
// limit takes the rights of an administrator.

// Marks says that processes can be marked here.
const Marks = true

// Marked reports whether a process, or one of those that it descends from, was marked.
func Marked(pid int) bool {
	if pid <= 0 {
		return false
	}
	var has unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &has); err != nil {
		return limited(pid)
	}
	return has.Max == 0
}

// limited reads the limit of a process that the kernel tells no more of than anybody may
// read: one of another user, or one whose program has another user's rights.
func limited(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	_, line, _ := strings.Cut(string(text), "Max file locks")
	f := strings.Fields(line)
	return len(f) > 1 && f[1] == "0"
}

// mostMarked bounds how many processes are marked at once.
const mostMarked = 2000

// Mark marks a process and all that it has started, as far as they run still. It does
// nothing to processes of other users.
func Mark(pid int) {
	waiting := []int{pid}
	for n := 0; len(waiting) > 0 && n < mostMarked; n++ {
		pid, waiting = waiting[0], waiting[1:]
		// Before its children are looked for: one that is started meanwhile inherits it.
		if pid <= 0 || unix.Prlimit(pid, unix.RLIMIT_LOCKS, &unix.Rlimit{}, nil) != nil {
			continue
		}
		waiting = append(waiting, children(pid)...)
	}
}

// children are those that a process has started and that have not lost it.
func children(pid int) (all []int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for _, one := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(one); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}
