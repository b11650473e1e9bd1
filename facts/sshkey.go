package facts

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// usualKey tells of the key that ssh-keygen makes where no file is named: in its usual place,
// where one may be.
func (c sshCall) usualKey() {
	kind, file := c.value["-t"], c.value["-f"]
	reads := slices.ContainsFunc([]string{"reads", "-R", "-F", "-Y", "-s", "-A", "-p", "-c", "-K", "-D", "-G", "-T", "-M", "-Q", "-k"}, func(flag string) bool { return c.seen[flag] })
	if c.name != "ssh-keygen" || file != "" || reads || len(c.args) == 0 {
		return
	}
	home, _ := c.tilde("")
	name := "id_" + strings.ReplaceAll(cmp.Or(kind, "ed25519"), "-", "_")
	c.unsure(func() {
		c.shell.path("delete", field{value: value{text: home + "/.ssh/" + name}, at: c.at}, effect{empties: true})
	})
}

// sshKey tells what ssh-keygen does to the file of a key: it looks at it, takes its passphrase
// away, or puts another key in its place.
func (c sshCall) sshKey(f field, e effect) {
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
