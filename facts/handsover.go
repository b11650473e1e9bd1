package facts

import (
	"slices"
	"strings"
)

// Words behind which a program that is not known may be given another to run, and options
// whose value may be a line for a shell.
var (
	handing    = []string{"--", "exec", "run", "-c", "-e", "-x", "--command", "--exec", "--run", "--cmd"}
	lineTakers = []string{"--exec", "--cmd", "--command", "--run", "--run-command", "--shell-command"}
)

// handsOver tells what another program would do that one of which nothing is known may run:
// x exec NAME -- rm -rf /srv, x --exec 'rm -rf /srv'.
func (c *call) handsOver() {
	if c.asText || c.st.calls >= maxCalls {
		return
	}
	for i, f := range c.args {
		option, line, joined := strings.Cut(f.text, "=")
		switch rest := c.args[i+1:]; {
		case joined && slices.Contains(lineTakers, option):
			f.text = line
		case len(rest) > 1 && slices.Contains(handing, f.text) && rest[0].known() && knownProgram(rest[0].text):
			c.unsure(func() { c.another(rest) })
			return
		case len(rest) > 0 && slices.Contains(lineTakers, f.text):
			f = rest[0]
		default:
			continue
		}
		if first, _, more := strings.Cut(strings.TrimSpace(f.text), " "); more && f.known() && knownProgram(first) {
			c.unsure(func() { c.inner(f.text, c.at, c.stdin, nil, false) })
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
