package facts

import (
	"path"
	"strings"
)

// ln makes links: what goes through one of them later in the line is known.
func (c *call) ln() values {
	out := programs()["ln"].run(c)
	symbolic := false
	var words []field
	for _, f := range c.args {
		if strings.HasPrefix(f.text, "--") {
			symbolic = symbolic || f.text == "--symbolic"
		} else if strings.HasPrefix(f.text, "-") {
			symbolic = symbolic || strings.Contains(f.text, "s")
		} else {
			words = append(words, f)
		}
	}
	if len(words) > 1 {
		c.replaces(words)
	}
	if !symbolic || len(words) == 0 || len(c.world.links) >= 64 {
		return out
	}
	name := path.Base(words[0].text)
	if len(words) > 1 {
		name = words[1].text
	}
	for _, p := range c.places(name) {
		if strings.ContainsRune(p, hole) || strings.ContainsRune(words[0].text, hole) {
			continue
		}
		if c.world.links == nil {
			c.world.links = map[string]string{}
		}
		c.world.links[path.Clean(p)] = words[0].text
	}
	return out
}

// replaces tells that a link takes the place of a file: with -f what is there goes. That is
// known of a file which can be looked at; and nothing is left behind of what leads to
// /dev/null.
func (c *call) replaces(words []field) {
	if !c.seen["force"] {
		return
	}
	last := words[len(words)-1]
	for _, p := range c.places(last.text) {
		if c.isFile(p) || words[0].text == "/dev/null" && len(words) == 2 {
			c.shell.path("delete", last, effect{empties: true})
			return
		}
	}
}

// isFile reports whether it is known that there is a file of that name, and no link or folder.
func (sh *shell) isFile(p string) bool {
	if sh.world.Lstat == nil || unclear(p) {
		return false
	}
	info, err := sh.world.Lstat(path.Clean(p))
	return err == nil && info.Mode().IsRegular()
}
