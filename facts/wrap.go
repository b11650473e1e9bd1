package facts

import (
	"strings"

	"github.com/hookway/hookway/hook"
)

// wrapped runs the words after a wrapper: assignments first, then a command.
func (c *call) wrapped(args []field) values {
	for len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	for len(args) > 0 {
		name, val, ok := strings.Cut(args[0].text, "=")
		if !ok || name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			break
		}
		c.st.set(name, values{{val, args[0].from}})
		c.variable(name, c.st.vars[name], args[0].at)
		args = args[1:]
	}
	if len(args) == 0 {
		return nil
	}
	return c.shell.run(args, c.stdin, c.at)
}

// env runs a command in a changed environment, or prints the environment.
func (c *call) env() values {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		t := args[0].text
		switch {
		case t == "-u" || t == "--unset" || t == "-C" || t == "--chdir" || t == "-P":
			if (t == "-C" || t == "--chdir") && len(args) > 1 {
				c.chdir(args[1])
			}
			args = args[min(2, len(args)):]
			continue
		case strings.HasPrefix(t, "--chdir="):
			f := args[0]
			f.text = t[len("--chdir="):]
			c.chdir(f)
		case t == "-S" || t == "--split-string" || strings.HasPrefix(t, "-S") || strings.HasPrefix(t, "--split-string="):
			line := strings.TrimPrefix(strings.TrimPrefix(t, "-S"), "--split-string=")
			rest := args[1:]
			if t == "-S" || t == "--split-string" {
				if len(rest) == 0 {
					return nil
				}
				line, rest = rest[0].text, rest[1:]
			}
			for _, f := range rest {
				line += " " + quote(f.text)
			}
			return c.builtin().runText(value{text: line}, c.stdin)
		}
		args = args[1:]
	}
	plain := true
	for _, f := range args {
		plain = plain && strings.Contains(f.text, "=")
	}
	if plain {
		c.wrapped(args)
		c.tell(hook.Fact{Does: "read", Path: "env:*", At: c.at, Sure: true, Many: true})
		return anything("env:*")
	}
	return c.wrapped(args)
}
