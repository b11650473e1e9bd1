package adapter

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/process"
)

// maxParents bounds how far up a process is looked for.
const maxParents = 32

// Headless reports whether the agent whose program has this name, and which
// started the process pid, has no user whom it could ask. If that cannot be found
// out, there is none: an agent that hangs is worse than a refusal.
func Headless(pid int, program string) bool {
	return headless(pid, program, process.Look)
}

func headless(pid int, program string, look func(pid int) (process.Process, bool)) bool {
	for range maxParents {
		p, ok := look(pid)
		if !ok || pid <= 1 {
			return true
		}
		if p.Runs(program) {
			return !p.Interactive || slices.ContainsFunc(p.Args, takesPrompt)
		}
		pid = p.Parent
	}
	return true
}

// takesPrompt reports an argument that hands over the only prompt. One that only
// looks like it counts as well.
func takesPrompt(arg string) bool {
	if name, _, _ := strings.Cut(arg, "="); name == "--prompt" {
		return true
	}
	flags, single := strings.CutPrefix(arg, "-")
	return single && !strings.HasPrefix(flags, "-") && strings.Contains(flags, "p")
}
