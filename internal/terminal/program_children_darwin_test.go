package terminal

import (
	"fmt"
	"os/exec"
	"strings"
)

// children are the processes that another has started, with their arguments.
func children(parent int) map[int]string {
	found := map[int]string{}
	out, _ := exec.Command("ps", "-axo", "ppid=,pid=,args=").Output()
	for line := range strings.Lines(string(out)) {
		var of, pid int
		if n, _ := fmt.Sscan(line, &of, &pid); n == 2 && of == parent {
			found[pid] = line
		}
	}
	return found
}
