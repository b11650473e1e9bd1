//go:build !linux

package transcript

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// family finds the processes of a program: how far each is below it. rivals says
// that a process called as one of the names, and none of these, runs; in which
// folder cannot be seen here.
func family(root int, names, _ []string) (tree map[int]int, rivals bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-axo", "pid=,ppid=,args=").Output()
	if err != nil {
		return map[int]int{root: 0}, true
	}
	parents, lines := map[int]int{}, map[int][]string{}
	for line := range strings.Lines(string(out)) {
		var pid, parent int
		if n, _ := fmt.Sscan(line, &pid, &parent); n == 2 {
			parents[pid] = parent
			lines[pid] = strings.Fields(line)[2:]
		}
	}
	tree = descent(root, parents)
	above := map[int]bool{}
	for pid := root; pid > 1 && !above[pid]; pid = parents[pid] {
		above[pid] = true
	}
	for pid, args := range lines {
		if _, ours := tree[pid]; !ours && !above[pid] && called(args, names) {
			return tree, true
		}
	}
	return tree, false
}

// opened would be the files that the program's processes have open: the system does
// not tell them cheaply.
func (p *place) opened(func(path string) bool) []owned { return nil }
