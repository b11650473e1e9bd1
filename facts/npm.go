package facts

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"sync"
)

// manifest is what of a package.json runs something.
type manifest struct {
	Scripts map[string]string `json:"scripts"`
}

// packageJSON reads the package.json of the line's folder, as far as it is known.
func (c buildCall) packageJSON() (m manifest, ok bool) {
	if len(c.st.dirs) != 1 || strings.ContainsRune(c.st.dirs[0], hole) {
		return m, false
	}
	name := path.Join(c.st.dirs[0], "package.json")
	for _, v := range c.code(c.content(field{value: value{text: name}})) {
		if v.known() && json.Unmarshal([]byte(v.text), &m) == nil {
			return m, true
		}
	}
	return m, false
}

// npmScript runs a script of the manifest, with those that go before and after it.
func (c buildCall) npmScript(name string, args []field) {
	m, ok := c.packageJSON()
	if !ok || c.st.calls >= maxCalls {
		return
	}
	c.st.calls++
	for _, n := range []string{"pre" + name, name, "post" + name} {
		line := m.Scripts[n]
		if line == "" {
			continue
		}
		if n == name {
			for _, f := range args {
				if f.text != "--" {
					line += " " + quote(f.text)
				}
			}
		}
		c.inner(clean(line), c.at, nil, nil, false)
	}
	c.st.calls--
}

// installScripts are the scripts that an installation runs by itself.
var installScripts = []string{"preinstall", "install", "postinstall", "prepare"}

// npmInstall runs what an installation runs by itself.
func (c buildCall) npmInstall() {
	for _, n := range installScripts {
		if m, ok := c.packageJSON(); ok && m.Scripts[n] != "" {
			c.inner(clean(m.Scripts[n]), c.at, nil, nil, false)
		}
	}
}

// installScript is one of them in a part of a package.json.
var installScript = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:pre|post)?install"\s*:\s*("(?:\\.|[^"\\])*")`) })

// scriptsIn are those that stand in a part of a package.json.
func scriptsIn(text string) (lines []string) {
	for _, m := range installScript().FindAllStringSubmatch(text, maxScripts+1) {
		var line string
		if json.Unmarshal([]byte(m[1]), &line) == nil {
			lines = append(lines, line)
		}
	}
	return lines
}
