package owner

import (
	"os"
	"strings"
)

// alone reports whether this process's user namespace maps a single user of another one:
// programs make such themselves, engines of containers map many.
func alone() bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	f := strings.Fields(string(text))
	return err == nil && len(f) == 3 && f[2] == "1"
}

// inUsersPrograms reports whether this process belongs to what a logged in user started,
// and not to a service of the machine.
func inUsersPrograms() bool {
	text, err := os.ReadFile("/proc/self/cgroup")
	return err == nil && strings.Contains(string(text), "/user.slice/")
}
