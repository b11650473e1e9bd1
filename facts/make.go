package facts

import (
	"path"
	"strings"

	"github.com/hookway/hookway/hook"
)

// recipes reads the recipes of a makefile for some targets.
func (c buildCall) recipes(file string, targets []string) {
	if len(c.st.dirs) == 0 {
		return
	}
	names := []string{"GNUmakefile", "makefile", "Makefile"}
	if file != "" {
		names = []string{file}
	}
	for _, n := range names {
		p := n
		if !strings.HasPrefix(p, "/") {
			p = path.Join(c.st.dirs[0], n)
		}
		from := c.content(field{value: value{text: p}})
		if n == "-" {
			from = c.stdin
		}
		for _, v := range c.code(from) {
			if !v.known() && len(v.from) > 0 && n == "-" {
				c.tell(hook.Fact{Does: "execute", From: origin(v), Language: "make", At: c.at, Sure: true})
			}
			if v.known() {
				c.makefile(v.text, targets)
				return
			}
		}
	}
}

func (c buildCall) makefile(src string, targets []string) {
	rules, needs, vars := map[string][]string{}, map[string][]string{}, map[string]string{}
	var current []string
	first := ""
	for line := range strings.Lines(strings.ReplaceAll(src, "\\\n", " ")) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "\t") {
			for _, t := range current {
				rules[t] = append(rules[t], strings.TrimLeft(strings.TrimSpace(line), "@-+"))
			}
			continue
		}
		if i := strings.Index(line, "="); i > 0 && !strings.Contains(line[:i], " :") {
			vars[strings.TrimSpace(strings.TrimRight(line[:i], ":?+ "))] = strings.TrimSpace(line[i+1:])
			continue
		}
		if t, rest, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			current = strings.Fields(t)
			if needed, recipe, ok := strings.Cut(rest, ";"); ok {
				rest = needed
				for _, name := range current {
					rules[name] = append(rules[name], strings.TrimLeft(strings.TrimSpace(recipe), "@-+"))
				}
			}
			for _, name := range current {
				needs[name] = strings.Fields(rest)
				if first == "" && !strings.HasPrefix(name, ".") {
					first = name
				}
			}
		}
	}
	if len(targets) == 0 {
		targets = []string{first}
	}
	done := map[string]bool{}
	var build func(string, int)
	build = func(t string, depth int) {
		if done[t] || depth > 8 {
			return
		}
		done[t] = true
		for _, n := range needs[t] {
			build(n, depth+1)
		}
		for _, l := range rules[t] {
			for range 4 {
				for name, val := range vars {
					l = strings.NewReplacer("$("+name+")", val, "${"+name+"}", val).Replace(l)
				}
			}
			c.inner(strings.ReplaceAll(l, "$$", "$"), c.at, nil, nil, true)
		}
	}
	for _, t := range targets {
		build(t, 0)
	}
}

// make runs recipes of a file that lies in the folder.
func (c buildCall) make() values {
	file, more := "", ""
	var targets []string
	for i := 0; i < len(c.args); i++ {
		t := c.args[i].text
		switch {
		case t == "-C" && i+1 < len(c.args):
			i++
			c.chdir(c.args[i])
		case (t == "-f" || t == "--file") && i+1 < len(c.args):
			i++
			file = c.args[i].text
		case t == "-n" || t == "--dry-run" || t == "--just-print":
			return anything()
		case t == "-j" || t == "-l" || t == "-I" || t == "-o" || t == "-W":
			if i+1 < len(c.args) && !strings.HasPrefix(c.args[i+1].text, "-") {
				i++
			}
		case strings.HasPrefix(t, "--file=") || strings.HasPrefix(t, "--makefile="):
			_, file, _ = strings.Cut(t, "=")
		case strings.HasPrefix(t, "-f"):
			file = t[2:]
		case strings.HasPrefix(t, "--eval="):
			more = strings.ReplaceAll(t[len("--eval="):], `\n`, "\n")
		case t == "--eval" && i+1 < len(c.args):
			i++
			more = c.args[i].text
		case strings.HasPrefix(t, "-"):
		case strings.Contains(t, "="):
			name, val, _ := strings.Cut(t, "=")
			name = strings.TrimRight(name, ":?+")
			c.st.set(name, values{{val, c.args[i].from}})
			if c.variable(name, c.st.vars[name], c.args[i].at); name == "SHELL" {
				c.unsure(func() { c.inner(val, c.args[i].at, nil, nil, false) })
			}
		default:
			targets = append(targets, t)
		}
	}
	if more != "" {
		c.makefile(more, targets)
	}
	c.recipes(file, targets)
	return anything()
}
