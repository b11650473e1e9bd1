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
