package transcript

import (
	"path/filepath"
	"slices"
	"strings"
)

// descent is how far each process is below the root, by everybody's parent.
func descent(root int, parents map[int]int) map[int]int {
	children := map[int][]int{}
	for pid, parent := range parents {
		children[parent] = append(children[parent], pid)
	}
	tree := map[int]int{root: 0}
	for level, depth := []int{root}, 1; len(level) > 0; depth++ {
		var below []int
		for _, pid := range level {
			for _, child := range children[pid] {
				if _, seen := tree[child]; !seen {
					tree[child] = depth
					below = append(below, child)
				}
			}
		}
		level = below
	}
	return tree
}

// called reports whether a command line is of a program with one of the names,
// perhaps behind an interpreter with its flags.
func called(args, names []string) bool {
	words := 0
	for _, arg := range args {
		if arg == "" || strings.HasPrefix(arg, "-") {
			continue
		}
		name := strings.ToLower(filepath.Base(arg))
		for _, end := range []string{".exe", ".js", ".mjs", ".cjs"} {
			name = strings.TrimSuffix(name, end)
		}
		if slices.Contains(names, Plain(name)) {
			return true
		}
		if words++; words == 2 {
			return false
		}
	}
	return false
}

// Plain is a program's name without the platform that some publishers put behind
// it: copilot-linux-x64 is copilot.
func Plain(name string) string {
	for _, system := range []string{"-linux", "-darwin", "-win32", "-windows"} {
		if base, rest, found := strings.Cut(name, system); found && base != "" && (rest == "" || rest[0] == '-' || rest[0] == 'm') {
			return base
		}
	}
	return name
}
