package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// plist is a list of settings of macOS that a program changes: a file, and for defaults also
// the name of one. Some settings of the window for logging in run programs.
func (c *call) plist(f field, p parsed) {
	name := f
	switch c.name {
	case "defaults":
		if domain := strings.TrimSuffix(strings.ToLower(f.text), ".plist"); strings.HasSuffix(domain, "loginwindow") && len(p.operands) > 1 {
			if key := strings.ToLower(p.operands[1].text); strings.HasSuffix(key, "hook") || strings.Contains(key, "launch") {
				c.tell(hook.Fact{Does: "system", What: "service", Object: visible(f.text + " " + p.operands[1].text), At: f.at, Sure: f.known()})
			}
		}
		if !strings.Contains(f.text, "/") {
			return
		}
		if !strings.HasSuffix(f.text, ".plist") {
			name.text += ".plist"
		}
	case "plistbuddy":
		verb, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(c.value["-c"])), " ")
		if !slices.Contains([]string{"add", "set", "delete", "merge", "import", "copy", "clear"}, verb) {
			return
		}
	default:
		if !c.seen["edits"] {
			return
		}
	}
	c.shell.path("write", name, effect{})
}
