package facts

import (
	"path"
	"strconv"
	"strings"
)

// Bounds of what is read to find out which machine the name of an ssh host means.
const (
	maxSSHConfig   = 64 << 10 // of one file
	maxSSHFiles    = 32       // that include each other
	maxSSHSettings = 1024
	maxSSHJumps    = 4 // machines on the way
)

// sshConfig is what a configuration of ssh says, in its order: the first that holds counts.
type sshConfig struct {
	settings []sshSetting
	files    int
	looked   int // patterns that were compared with a host
}

// sshSetting is one line, and for which hosts it holds: one pattern of each list has to.
type sshSetting struct {
	key, value string
	hosts      [][]string
	maybe      bool // it also depends on what is not looked at
}

// sshSettings is the configuration that a call of ssh reads: that of -F, or the user's and
// then the machine's.
func (c *call) sshSettings(args []field) *sshConfig {
	name := ""
	for i, f := range args {
		if rest, ok := strings.CutPrefix(f.text, "-F"); ok && f.known() {
			if name = rest; name == "" && i+1 < len(args) {
				name = args[i+1].text
			}
			break
		}
	}
	if c.shared.ssh[name] == nil {
		cfg := &sshConfig{}
		switch {
		case c.world.ReadFile == nil || name == "none":
		case name != "":
			c.sshFile(cfg, c.places(name)[0], nil, false)
		default:
			if c.world.Home != "" {
				c.sshFile(cfg, c.world.Home+"/.ssh/config", nil, false)
			}
			c.sshFile(cfg, "/etc/ssh/ssh_config", nil, false)
		}
		if c.shared.ssh == nil {
			c.shared.ssh = map[string]*sshConfig{}
		}
		c.shared.ssh[name] = cfg
	}
	return c.shared.ssh[name]
}

// sshFile adds the settings of a file, which holds where the hosts do.
func (c *call) sshFile(cfg *sshConfig, name string, hosts [][]string, maybe bool) {
	if cfg.files++; cfg.files > maxSSHFiles || !c.step() || strings.ContainsRune(name, hole) {
		return
	}
	b, err := c.world.ReadFile(name, maxSSHConfig)
	if err != nil {
		return
	}
	c.steps += len(b) / 64
	outer, guess := hosts, maybe
	for line := range strings.Lines(clean(string(b[:min(len(b), maxSSHConfig)]))) {
		key, value := sshLine(line)
		switch key {
		case "":
		case "host":
			hosts, maybe = append(outer[:len(outer):len(outer)], strings.Fields(value)), guess
		case "match":
			patterns, sure := sshMatch(value)
			hosts, maybe = append(outer[:len(outer):len(outer)], patterns), guess || !sure
		case "include":
			for _, word := range strings.Fields(value) {
				for _, file := range c.sshIncluded(path.Dir(name), strings.Trim(word, `"`)) {
					c.sshFile(cfg, file, hosts, maybe)
				}
			}
		case "hostname", "port", "proxyjump":
			if len(cfg.settings) < maxSSHSettings {
				cfg.settings = append(cfg.settings, sshSetting{key, value, hosts, maybe})
			}
		}
	}
}

// sshLine takes a line apart: "Key value" or "Key = value", without a comment.
func sshLine(line string) (key, value string) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", ""
	}
	i := strings.IndexAny(line, " \t=")
	if i < 0 {
		return "", ""
	}
	value = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line[i:]), "="))
	if strings.Count(value, `"`) == 2 && strings.HasPrefix(value, `"`) && strings.HasSuffix(value, `"`) {
		value = value[1 : len(value)-1]
	}
	return strings.ToLower(line[:i]), value
}

// sshMatch reads for which hosts a Match holds, and whether they are all that it asks for.
func sshMatch(value string) (patterns []string, sure bool) {
	words := strings.Fields(strings.ToLower(value))
	if len(words) == 1 && words[0] == "all" {
		return []string{"*"}, true
	}
	for i := 0; i+1 < len(words); i++ {
		if words[i] == "host" || words[i] == "originalhost" {
			return strings.Split(words[i+1], ","), len(words) == 2
		}
	}
	return []string{"*"}, false
}

// sshIncluded are the files that Include names, with patterns in the last part of a path.
func (c *call) sshIncluded(dir, name string) []string {
	switch {
	case strings.HasPrefix(name, "~/"):
		name = c.world.Home + name[1:]
	case !strings.HasPrefix(name, "/"):
		if strings.HasPrefix(dir, c.world.Home+"/") || c.world.Home == "" || dir != "/etc/ssh" {
			dir = c.world.Home + "/.ssh"
		}
		name = dir + "/" + name
	}
	if !strings.ContainsAny(name, "*?[") {
		return []string{name}
	}
	folder, pattern := path.Split(name)
	if c.world.ReadDir == nil || strings.ContainsAny(folder, "*?[") || !c.step() {
		return nil
	}
	names, err := c.world.ReadDir(path.Clean(folder))
	if err != nil {
		return nil
	}
	var out []string
	for _, n := range names {
		if matchGlob(pattern, n, false) && (n[0] != '.' || pattern[0] == '.') && len(out) < maxSSHFiles {
			out = append(out, path.Join(folder, n))
		}
	}
	return out
}

// patternsOfStep is how many patterns may be compared with a host for one step.
const patternsOfStep = 16

// holds reports whether a setting is for a host. Where the patterns are too many, it is:
// what is left unread then is told by the steps.
func (cfg *sshConfig) holds(s *sshSetting, host string) bool {
	for _, patterns := range s.hosts {
		found := false
		for _, p := range patterns {
			if cfg.looked++; cfg.looked > patternsOfStep*maxSteps {
				return true
			}
			p, not := strings.CutPrefix(strings.ToLower(strings.Trim(p, `"`)), "!")
			if matchGlob(p, host, true) {
				if not {
					return false
				}
				found = true
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// values are what a key may be for a host, the sure one last.
func (cfg *sshConfig) values(key, host string) (out []sshSetting) {
	for _, s := range cfg.settings {
		if s.key == key && cfg.holds(&s, host) {
			if out = append(out, s); !s.maybe {
				break
			}
		}
	}
	return out
}

// machines are those that the name of a host leads to: the one that is meant, which gets
// what is sent, and those on the way.
func (cfg *sshConfig) machines(host string, depth int) (meant, way []endpoint) {
	if len(cfg.settings) == 0 || host == "" || depth > maxSSHJumps {
		return nil, nil
	}
	port := 0
	if set := cfg.values("port", host); len(set) > 0 {
		port, _ = strconv.Atoi(set[len(set)-1].value)
	}
	for _, set := range cfg.values("hostname", host) {
		name := strings.ReplaceAll(strings.ReplaceAll(set.value, "%h", host), "%%", "%")
		if strings.ContainsAny(name, "% \t") || strings.EqualFold(name, host) {
			continue
		}
		meant = append(meant, endpoint{hostPort: hostPort{scheme: "ssh", host: name, port: port}, maybe: set.maybe})
	}
	for _, set := range cfg.values("proxyjump", host) {
		if strings.EqualFold(set.value, "none") {
			continue
		}
		for _, a := range addresses(set.value) {
			a.scheme = "ssh"
			to, over := cfg.machines(strings.ToLower(a.host), depth+1)
			way = append(append(append(way, endpoint{hostPort: a, maybe: set.maybe}), to...), over...)
			if len(way) > 4*maxSSHJumps {
				return meant, way
			}
		}
	}
	return meant, way
}
