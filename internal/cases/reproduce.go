package cases

import (
	"path/filepath"
	"regexp"

	"github.com/hookway/hookway/internal/shell"
)

// maxInline bounds a payload that is shown inside a command line, in bytes.
const maxInline = 1000

// Reproduce is a shell command that fires the case's event by hand: with hookway
// fire, or, if that cannot say all that the case says, this one case in detail.
func (c *Case) Reproduce(style Style) string {
	fire := "hookway fire " + c.Event.Name
	envelope := option(" --session", c.session) + option(" --agent", c.agent)
	cd := style.cd()
	switch {
	case c.elsewhere:
	case c.payloadFile != "":
		return cd + fire + " -f " + shell.Quote(below(style.Root, c.payloadFile)) + envelope
	case string(c.payload) == "{}":
		return cd + fire + envelope + " </dev/null"
	case len(c.payload) <= maxInline:
		return cd + "printf %s " + shell.Quote(string(c.payload)) + " | " + fire + " -" + envelope
	}
	return cd + "hookway test " + shell.Quote(below(style.Root, c.File)) + " -v --run " + shell.Quote("^"+regexp.QuoteMeta(c.Name)+"$")
}

// cd goes to the folder that the hooks belong to.
func (s *Style) cd() string {
	if s.Root == s.Here {
		return ""
	}
	return "cd " + shell.Quote(below(s.Here, s.Root)) + " && "
}

// below shortens a path that is inside a folder.
func below(folder, path string) string {
	if folder == "" {
		return path
	}
	if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

func option(name, value string) string {
	if value == "" {
		return ""
	}
	return name + " " + shell.Quote(value)
}
