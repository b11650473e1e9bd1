// Package process tells what the kernel knows of running processes: who started them,
// what they run, and which terminal they belong to.
package process

import (
	"path"
	"slices"
	"strings"
)

// Process is what is known of a running process. What a system does not tell is zero.
type Process struct {
	PID, Parent int
	Args        []string // its command line, which it may have changed
	Exe         string   // the file of its program, if that may be known
	Session     int      // the process that leads its session
	Terminal    int      // the device number of its controlling terminal; 0: it has none

	// Interactive: it reads from a terminal, writes to one, and belongs to one.
	Interactive bool
}

// Runs reports whether it runs the program of this name: by itself, or as a script of an
// interpreter.
func (p *Process) Runs(program string) bool {
	if len(p.Args) == 0 {
		return false
	}
	if isProgram(p.Args[0], program) {
		return true
	}
	script := p.Script()
	return script != "" && isProgram(script, program)
}

// Script is the script that an interpreter of JavaScript runs, or "".
func (p *Process) Script() string {
	if len(p.Args) == 0 {
		return ""
	}
	switch name := path.Base(p.Args[0]); {
	case strings.HasPrefix(name, "node"), name == "bun", name == "deno":
		if i := slices.IndexFunc(p.Args[1:], func(arg string) bool { return !strings.HasPrefix(arg, "-") }); i >= 0 {
			return p.Args[1+i]
		}
	}
	return ""
}

func isProgram(file, program string) bool {
	name := strings.TrimSuffix(path.Base(file), ".js")
	return name == program || strings.Contains(file, "/"+program+"-cli/")
}
