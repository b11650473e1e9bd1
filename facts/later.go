package facts

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/hookway/hookway/hook"
)

// runsLater reads what is written where other programs run it by themselves: git its
// hooks, npm the scripts of an installation, direnv what a folder sets.
func (sh *shell) runsLater(name string, vs values) {
	for _, v := range vs {
		var lines []string
		starts := startsItself(name, sh.world.Home)
		switch {
		case starts && slices.ContainsFunc(v.from, func(s string) bool { return strings.HasPrefix(s, "net:") }):
			sh.tell(hook.Fact{Does: "execute", From: "download", Path: visible(name), Sure: true})
		case !v.known():
		case starts || strings.HasSuffix(name, "/.git/config"):
			lines = startingLines(name, v.text)
		case isCI(name):
			sh.builds(name, v.text)
		case strings.HasSuffix(name, "/.vscode/tasks.json"), strings.HasSuffix(name, "/devcontainer.json"):
			lines = startsWithFolder(name, v.text)
		case strings.HasSuffix(name, "/lefthook.yml"), strings.HasSuffix(name, "/.pre-commit-config.yaml"):
			lines = sh.hooksIn(name, v.text)
		case strings.Contains(name, "/.git/hooks/"), strings.Contains(name, "/.husky/"), strings.HasSuffix(name, "/.envrc"):
			lines = []string{v.text}
		case strings.HasSuffix(name, "/package.json"):
			var m manifest
			if json.Unmarshal([]byte(v.text), &m) == nil {
				for _, n := range installScripts {
					lines = append(lines, m.Scripts[n])
				}
			} else { // a part of it
				lines = scriptsIn(v.text)
			}
		}
		if len(lines) > maxScripts {
			sh.unread(hook.Span{}, "a file has too much that is run by itself")
			lines = lines[:maxScripts]
		}
		for _, line := range lines {
			if line != "" {
				later := func() { sh.inner(line, hook.Span{}, nil, nil, true) }
				if starts || strings.Contains(name, "/.git/") {
					later()
				} else {
					sh.unsure(later)
				}
			}
		}
	}
}

// startsItself reports whether what is in a file runs as a shell, a session or the machine
// starts, or at a time.
func startsItself(name, home string) bool {
	return slices.Contains([]string{"shell-rc", "cron", "service"}, systemFile(name, home)) || strings.Contains(name, "/fish/conf.d/")
}

// startingLines are the lines for a shell in such a file, or in the settings of a repository.
func startingLines(name, src string) []string {
	switch ext := path.Ext(name); {
	case strings.Contains(name, "/cron") || strings.HasSuffix(name, "crontab"):
		return cronLines(src)
	case ext == ".desktop" || ext == ".service" || ext == ".timer":
		return valuesOf(src, func(key string) bool { return strings.HasPrefix(key, "exec") })
	case strings.HasSuffix(name, "/.git/config"):
		return gitLines(src)
	case ext == ".plist" || ext == ".ps1":
		return nil
	}
	return []string{src}
}

// cronLines are the commands of a table for cron.
func cronLines(src string) []string {
	var out []string
	for line := range strings.Lines(src) {
		line = strings.TrimLeft(line, string(hole)) // of what was there before
		fields := strings.Fields(line)
		n := 5
		if len(fields) > 0 && strings.HasPrefix(fields[0], "@") {
			n = 1
		}
		if len(fields) <= n || strings.HasPrefix(fields[0], "#") || strings.Contains(fields[0], "=") {
			continue
		}
		rest := strings.TrimSpace(line)
		for range n {
			rest = strings.TrimLeftFunc(rest[strings.IndexFunc(rest, unicode.IsSpace):], unicode.IsSpace)
		}
		out = append(out, rest)
	}
	return out
}

// gitLines are what settings of git run: aliases with a !, and values that are commands.
func gitLines(src string) []string {
	var out []string
	section := ""
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.NewReplacer("[", "", "]", "", `"`, "", " ", ".").Replace(line))
			continue
		}
		key, val, ok := strings.Cut(line, "=")
		val = strings.Trim(val, ` \t"`)
		switch key = section + "." + strings.ToLower(strings.TrimSpace(key)); {
		case !ok || val == "true" || val == "false":
		case strings.HasPrefix(val, "!"), gitRuns(key) && key != "core.hookspath":
			out = append(out, strings.TrimPrefix(val, "!"))
		}
	}
	return out
}

// valuesOf are the values of settings with certain keys, written as key = value.
func valuesOf(src string, want func(key string) bool) []string {
	var out []string
	for line := range strings.Lines(src) {
		key, val, ok := strings.Cut(line, "=")
		if ok && want(strings.ToLower(strings.TrimSpace(key))) {
			out = append(out, strings.TrimLeft(strings.Trim(strings.TrimSpace(val), `"`), "-@+!"))
		}
	}
	return out
}

// timed reads a table for cron, and what at is given by a pipe.
func (c *call) timed(p parsed) {
	texts := c.stdin
	if c.name == "crontab" && len(p.operands) > 0 && p.operands[0].text != "-" {
		texts = c.code(c.content(p.operands[0].field))
	}
	for _, v := range texts {
		switch {
		case slices.ContainsFunc(v.from, func(s string) bool { return strings.HasPrefix(s, "net:") }):
			c.tell(hook.Fact{Does: "execute", From: "download", At: c.at, Sure: true})
		case c.name == "crontab":
			for _, line := range cronLines(v.text) {
				c.builtin().runText(value{text: line}, nil)
			}
		case v.known():
			c.inner(v.text, c.at, nil, nil, false)
		}
	}
}
