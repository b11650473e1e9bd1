package terminal

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// children are the processes that another has started, with their arguments.
func children(parent int) map[int]string {
	found := map[int]string{}
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", parent))
	for _, task := range tasks {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", parent, task.Name()))
		for _, word := range strings.Fields(string(list)) {
			var pid int
			_, _ = fmt.Sscan(word, &pid)
			args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			found[pid] = string(bytes.ReplaceAll(args, []byte{0}, []byte{' '}))
		}
	}
	return found
}
