package transcript

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mostOpen bounds how many files of one process are looked at.
const mostOpen = 4096

// family finds the processes of a program: how far each is below it. rivals says
// that a process called as one of the names, and none of these, runs in one of the
// folders.
func family(root int, names, folders []string) (tree map[int]int, rivals bool) {
	parents := map[int]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(pid); ok {
			parents[pid] = parent
		}
	}
	tree = descent(root, parents)
	above := map[int]bool{}
	for pid := root; pid > 1 && !above[pid]; pid = parents[pid] {
		above[pid] = true
	}
	for pid := range parents {
		if _, ours := tree[pid]; ours || above[pid] || rivals {
			continue
		}
		if !calledAs(pid, names) {
			continue
		}
		at, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
		rivals = err == nil && slices.Contains(folders, at)
	}
	return tree, rivals
}

func parentOf(pid int) (parent int, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// The name in parentheses may hold anything.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, err == nil
}

// calledAs reports whether a process was started as one of the names, perhaps by an
// interpreter.
func calledAs(pid int, names []string) bool {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return false
	}
	return called(strings.Split(string(line), "\x00"), names)
}

// opened are the files that a program's processes have open, as far as they are
// wanted.
func (p *place) opened(wanted func(path string) bool) (found []owned) {
	for pid, depth := range p.tree {
		dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
		folder, err := os.Open(dir)
		if err != nil {
			continue
		}
		names, _ := folder.Readdirnames(mostOpen)
		_ = folder.Close() // it was read only
		for _, name := range names {
			path, err := os.Readlink(filepath.Join(dir, name))
			if one := (owned{path, depth}); err == nil && wanted(path) && !slices.Contains(found, one) {
				found = append(found, one)
			}
		}
	}
	return nearest(found)
}
