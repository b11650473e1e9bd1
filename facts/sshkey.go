package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// sshKey tells what ssh-keygen does to the file of a key: it looks at it, takes its passphrase
// away, or puts another key in its place.
func (c *call) sshKey(f field, e effect) {
	if c.seen["reads"] || c.seen["-R"] || c.seen["-F"] || c.seen["-Y"] || c.seen["-s"] {
		c.shell.path("read", f, effect{dry: true})
		return
	}
	c.shell.path("write", f, e)
	if c.seen["-p"] {
		if c.seen["-N"] && c.value["-N"] == "" {
			c.tell(hook.Fact{Does: "system", What: "permissions", Object: "no passphrase for " + visible(f.text), At: f.at, Sure: true})
		}
		return
	}
	for _, p := range c.places(f.text) {
		usual := strings.HasSuffix(path.Dir(p), "/.ssh") && secretNames[path.Base(p)] != ""
		if usual || slices.ContainsFunc(c.stdin, func(v value) bool { return v.text != "" }) { // it asks before it replaces one, and is told yes
			c.unsure(func() { c.shell.path("delete", f, effect{empties: true}) })
		}
	}
}
