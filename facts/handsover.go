package facts

import (
	"slices"
	"strings"
)

// Words behind which a program that is not known may be given another to run, and parts of the
// names of options whose value may be a line for a shell.
var (
	handing    = []string{"--", "exec", "run", "-c", "-e", "-x", "--command", "--exec", "--run", "--cmd"}
	lineTakers = []string{"command", "cmd", "exec", "execute", "run", "shell", "rsh", "program", "pager", "invoke", "preview", "pre", "post", "wrapper", "runner", "hook", "pack", "pipe", "under", "editor", "browser"}
	// wrapped are programs of which the name says that what stands before it only starts it.
	wrapped = []string{"rm", "sh", "bash", "zsh", "dash", "dd", "shred", "chmod", "chown", "mkfs", "sudo", "curl", "wget", "python", "python3", "perl", "node", "ruby"}
)

// takesLine reports whether the name of an option says that its value is a line to run: its
// last part does, as of --password-command and --upload-pack.
func takesLine(option string) bool {
	return slices.Contains(lineTakers, option[strings.LastIndexAny(option, "-_")+1:])
}

// optionLines tells what the lines would do that options are given, of which the table of
// programs says nothing.
func (c *call) optionLines(args []field, e *entry) {
	if c.asText || c.st.calls >= maxCalls || c.name == "echo" || c.name == "printf" {
		return
	}
	for i, f := range args {
		option, line, joined := strings.Cut(f.text, "=")
		if !strings.HasPrefix(option, "--") || !takesLine(option) {
			continue
		}
		if e != nil {
			if o, known := e.options[option]; known && o.role != "" {
				continue
			}
		}
		if joined {
			f.text = line
		} else if i+1 < len(args) {
			f = args[i+1]
		}
		if first, _, more := strings.Cut(strings.TrimSpace(f.text), " "); more && f.known() && knownProgram(first) {
			c.unsure(func() { c.inner(f.text, c.at, nil, nil, false) })
		}
	}
}

// handsOver tells what another program would do that one of which nothing is known may run:
// x exec NAME -- rm -rf /srv, x --exec 'rm -rf /srv'.
func (c *call) handsOver() {
	if c.asText || c.st.calls >= maxCalls {
		return
	}
	for i, f := range c.args {
		rest := c.args[i+1:]
		switch {
		case len(rest) > 1 && slices.Contains(handing, f.text) && rest[0].known() && knownProgram(rest[0].text):
			c.unsure(func() { c.another(rest) })
			return
		case len(rest) > 0 && slices.Contains(wrapped, programName(f.text)) && strings.HasPrefix(rest[0].text, "-"):
			c.unsure(func() { c.another(c.args[i:]) })
			return
		}
	}
}

// another runs words as a command of their own.
func (c *call) another(words []field) {
	c.st.calls++
	c.shell.run(words, c.stdin, c.at)
	c.st.calls--
}

// knownProgram reports whether a word is the name of a program of which is known what it does.
func knownProgram(name string) bool {
	if strings.ContainsAny(name, " =") {
		return false
	}
	name = programName(name)
	return programs()[name] != nil || special[name] != nil
}
