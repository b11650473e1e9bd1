package adapter

import (
	"path"
	"slices"
	"strings"
)

// maxParents bounds how far up a process is looked for.
const maxParents = 32

// process is what is known of a running process.
type process struct {
	args     []string
	parent   int
	terminal bool // it reads from a terminal, writes to one, and belongs to one
}

// Headless reports whether the agent whose program has this name, and which
// started the process pid, has no user whom it could ask. If that cannot be found
// out, there is none: an agent that hangs is worse than a refusal.
func Headless(pid int, program string) bool {
	return headless(pid, program, lookAt)
}

func headless(pid int, program string, look func(pid int) (process, bool)) bool {
	for range maxParents {
		p, ok := look(pid)
		if !ok || pid <= 1 {
			return true
		}
		if runs(p.args, program) {
			return !p.terminal || slices.ContainsFunc(p.args, takesPrompt)
		}
		pid = p.parent
	}
	return true
}

// runs reports whether a command line runs the program: by itself, or as a script
// by an interpreter.
func runs(args []string, program string) bool {
	if len(args) == 0 {
		return false
	}
	if isProgram(args[0], program) {
		return true
	}
	switch name := path.Base(args[0]); {
	case strings.HasPrefix(name, "node"), name == "bun", name == "deno":
		script := slices.IndexFunc(args[1:], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
		return script >= 0 && isProgram(args[1+script], program)
	}
	return false
}

func isProgram(file, program string) bool {
	name := strings.TrimSuffix(path.Base(file), ".js")
	return name == program || strings.Contains(file, "/"+program+"-cli/")
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
