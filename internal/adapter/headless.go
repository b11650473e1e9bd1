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
	p, found := agentAbove(pid, program, look)
	return !found || alone(&p)
}

// Unattended reports whether it is known that the agent, as in Headless, has no user whom
// it could ask. If that cannot be found out, it may have one.
func Unattended(pid int, program string) bool {
	p, found := agentAbove(pid, program, process.Look)
	return found && alone(&p)
}

// alone reports whether an agent runs without a user.
func alone(p *process.Process) bool {
	return !p.Interactive || slices.ContainsFunc(p.Args, takesPrompt)
}

// agentAbove finds the program that started a process.
func agentAbove(pid int, program string, look func(pid int) (process.Process, bool)) (p process.Process, found bool) {
	for range maxParents {
		p, ok := look(pid)
		if !ok || pid <= 1 {
			break
		}
		if p.Runs(program) {
			return p, true
		}
		pid = p.Parent
	}
	return p, false
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
