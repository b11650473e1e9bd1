package facts

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
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
	names    []string // of the files that it is made of
	gap      string   // why there may be more of it; "" if there is not
	looked   int      // patterns that were compared with a host
}

// sshSetting is one line, and for which hosts it holds: all conditions have to.
type sshSetting struct {
	key, value string
	hosts      []sshCondition
	maybe      bool // it also depends on what is not looked at
}

// sshCondition holds if one of its patterns does.
type sshCondition struct {
	patterns []string
	meant    bool // of the name that HostName has made of the one that was given
}

// sshSettings is the configuration that a call of ssh reads: that of -F, or the user's and
// then the machine's.
func (c sshCall) sshSettings(args []field) *sshConfig {
	f, named := c.sshNamed(args)
	name := f.text
	if named && (!f.known() || name == "") {
		return &sshConfig{gap: "which configuration ssh reads shows only when it runs"}
	}
	if c.shared.ssh[name] == nil {
		cfg := &sshConfig{}
		switch {
		case named && (name == "none" || name == "/dev/null"):
		case named:
			if !c.sshFile(cfg, path.Clean(c.places(name)[0]), nil, false) {
				cfg.gap = "the configuration " + visible(name) + " of ssh cannot be read"
			}
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

// sshGap says why what ssh reads may be another thing than its configuration says now; ""
// if it is that.
func (c sshCall) sshGap(cfg *sshConfig) string {
	for _, name := range cfg.names {
		_, written := c.files[name]
		for i := 0; i < len(c.out) && !written; i++ {
			f := &c.out[i]
			written = f.Does == "write" && !f.Dry && (f.Path == visible(name) || f.Real == visible(name))
		}
		if written {
			return "the line itself writes " + visible(name) + ", which says where ssh leads"
		}
	}
	return cfg.gap
}

// sshValued are the options of ssh's programs that take a value, of those that know -F.
var sshValued = map[string]string{
	"ssh": "BDEFIJLOPQRSWbceilmopw", "autossh": "BDEFIJLMOPQRSWbceilmopw", "slogin": "BDEFIJLOPQRSWbceilmopw",
	"scp": "DFJPSXcilo", "sftp": "BDFJPRSXbcilos", "sshfs": "Fop", "ssh-copy-id": "Fiopst",
}

// sshNamed is the configuration that a call names for ssh. Of its words only its own
// options count: those before the destination, and with ssh right behind it, too.
func (c sshCall) sshNamed(args []field) (file field, named bool) {
	if c.name == "rsync" {
		return c.sshOfRsync(args)
	}
	return sshNamedBy(c.name, args)
}

func sshNamedBy(program string, args []field) (file field, named bool) {
	valued, behind := sshValued[program], program == "ssh" || program == "autossh" || program == "slogin"
	for i := 0; i < len(args) && valued != ""; i++ {
		word := args[i].text
		if len(word) < 2 || word[0] != '-' { // the destination
			if !behind {
				break
			}
			behind = false
			continue
		}
		if word == "--" {
			break
		}
		for j := 1; j < len(word); j++ {
			if strings.IndexByte(valued, word[j]) < 0 {
				continue
			}
			f := args[i]
			if f.text = word[j+1:]; f.text == "" {
				if i++; i >= len(args) {
					return file, named
				}
				f = args[i]
			}
			if word[j] == 'F' {
				file, named = f, true
			}
			break
		}
	}
	return file, named
}

// sshOfRsync looks into the line of ssh that rsync is told to run.
func (c sshCall) sshOfRsync(args []field) (file field, named bool) {
	for i, f := range args {
		line, found := strings.CutPrefix(f.text, "--rsh=")
		short := len(f.text) > 1 && f.text[0] == '-' && f.text[1] != '-' && strings.HasSuffix(f.text, "e")
		if (short || f.text == "--rsh") && i+1 < len(args) {
			line, found = args[i+1].text, true
		}
		words := strings.Fields(line)
		if !found || len(words) == 0 || programName(words[0]) != "ssh" {
			continue
		}
		var own []field
		for _, w := range words[1:] {
			own = append(own, field{value: value{text: strings.Trim(w, `'"`)}, at: f.at})
		}
		return sshNamedBy("ssh", own)
	}
	return file, false
}

// sshFile adds the settings of a file, which holds where the hosts do. It reports whether
// the file could be read.
func (c sshCall) sshFile(cfg *sshConfig, name string, hosts []sshCondition, maybe bool) bool {
	if len(cfg.names) >= maxSSHFiles || !c.step() || strings.ContainsRune(name, hole) || c.world.ReadFile == nil {
		return false
	}
	cfg.names = append(cfg.names, name)
	b, err := c.world.ReadFile(name, maxSSHConfig)
	if err != nil {
		return false
	}
	c.steps += len(b) / 64
	outer, guess := hosts, maybe
	for line := range strings.Lines(clean(string(b[:min(len(b), maxSSHConfig)]))) {
		key, value := sshLine(line)
		switch key {
		case "":
		case "host":
			hosts, maybe = append(outer[:len(outer):len(outer)], sshCondition{patterns: strings.Fields(value)}), guess
		case "match":
			m := sshMatch(value)
			hosts, maybe = append(outer[:len(outer):len(outer)], m.hosts...), guess || !m.sure
			for _, line := range m.exec {
				cfg.add(sshSetting{"exec", line, hosts, true})
			}
		case "include":
			for _, word := range strings.Fields(value) {
				for _, file := range c.sshIncluded(cfg, path.Dir(name), strings.Trim(word, `"`)) {
					c.sshFile(cfg, file, hosts, maybe)
				}
			}
		case "hostname", "port", "proxyjump", "proxycommand", "localcommand", "permitlocalcommand":
			cfg.add(sshSetting{key, value, hosts, maybe})
		}
	}
	return true
}

func (cfg *sshConfig) add(s sshSetting) {
	if len(cfg.settings) < maxSSHSettings {
		cfg.settings = append(cfg.settings, s)
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

// sshMatches is what a line Match asks for.
type sshMatches struct {
	hosts []sshCondition
	exec  []string // lines that ssh runs to find out
	sure  bool     // the hosts are all that it asks for
}

// sshMatch reads a line Match. What host has to be is the name that HostName has made.
func sshMatch(value string) (m sshMatches) {
	m.sure = true
	words := sshWords(value)
	for i := 0; i < len(words); i++ {
		key := strings.ToLower(words[i])
		switch key {
		case "all":
			continue
		case "canonical", "final":
			m.sure = false
			continue
		}
		if i++; i >= len(words) {
			m.sure = false
			break
		}
		switch key {
		case "host", "originalhost":
			m.hosts = append(m.hosts, sshCondition{strings.Split(words[i], ","), key == "host"})
		case "exec":
			m.exec, m.sure = append(m.exec, words[i]), false
		default:
			m.sure = false
		}
	}
	return m
}

// sshWords takes a line apart at spaces and equals signs, but for what stands in quotes.
func sshWords(s string) (words []string) {
	for s != "" {
		s = strings.TrimLeft(s, " \t=")
		if rest, quoted := strings.CutPrefix(s, `"`); quoted {
			word, after, _ := strings.Cut(rest, `"`)
			words, s = append(words, word), after
			continue
		}
		i := strings.IndexAny(s, " \t=")
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			words = append(words, s[:i])
		}
		s = s[i:]
	}
	return words
}

// sshIncluded are the files that Include names, which may be patterns.
func (c sshCall) sshIncluded(cfg *sshConfig, dir, name string) []string {
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
	at := []string{"/"}
	for part := range strings.SplitSeq(strings.Trim(path.Clean(name), "/"), "/") {
		var next []string
		for _, folder := range at {
			next = append(next, c.sshNames(cfg, folder, part)...)
		}
		if at = next; len(at) > maxSSHFiles {
			at, cfg.gap = at[:maxSSHFiles], "an Include of ssh's configuration names too many files"
		}
	}
	return at
}

// sshNames are the paths in a folder that a part of a path means.
func (c sshCall) sshNames(cfg *sshConfig, folder, part string) (out []string) {
	if !strings.ContainsAny(part, "*?[") {
		return []string{path.Join(folder, part)}
	}
	if c.world.ReadDir == nil || !c.step() {
		cfg.gap = "an Include of ssh's configuration cannot be looked at"
		return nil
	}
	names, err := c.world.ReadDir(folder)
	if errors.Is(err, fs.ErrPermission) {
		cfg.gap = "an Include of ssh's configuration cannot be looked at"
	}
	for _, n := range names {
		if n != "" && matchGlob(part, n, false) && (n[0] != '.' || part[0] == '.') && len(out) <= maxSSHFiles {
			out = append(out, path.Join(folder, n))
		}
	}
	return out
}

// patternsOfStep is how many patterns may be compared with a host for one step.
const patternsOfStep = 16

// holds reports whether a setting is for a host, which is given by one name and means one
// of others. Where the patterns are too many, it is: what is left unread then is told by
// the steps. It is not sure if it hangs on what the host means, and that is not sure.
func (cfg *sshConfig) holds(s *sshSetting, host string, meant []string) (holds, sure bool) {
	sure = true
	for _, condition := range s.hosts {
		names := []string{host}
		if condition.meant {
			names = meant
		}
		n := 0
		for _, name := range names {
			if cfg.matches(condition.patterns, name) {
				n++
			}
		}
		if n == 0 {
			return false, true
		}
		sure = sure && n == len(names)
	}
	return true, sure
}

// matches reports whether a name is one of those of patterns.
func (cfg *sshConfig) matches(patterns []string, name string) (found bool) {
	for _, p := range patterns {
		if cfg.looked++; cfg.looked > patternsOfStep*maxSteps {
			return true
		}
		p, not := strings.CutPrefix(strings.ToLower(strings.Trim(p, `"`)), "!")
		if matchGlob(p, name, true) {
			if not {
				return false
			}
			found = true
		}
	}
	return found
}

// sshHost is what a configuration says of a host: of each key what may hold, the sure one
// last.
type sshHost struct {
	given string
	names []string // that it may mean
	port  int
	said  map[string][]sshSetting
}

// host finds what the configuration says of a host. Settings are taken in their order, as
// ssh does: the first of a kind counts, and what follows goes by the name that it has made.
func (cfg *sshConfig) host(given string) *sshHost {
	h := &sshHost{given: given, names: []string{given}, said: map[string][]sshSetting{}}
	done := map[string]bool{}
	for i := range cfg.settings {
		s := cfg.settings[i]
		kind := strings.TrimSuffix(strings.TrimSuffix(s.key, "jump"), "command") // the two ways to a proxy are one
		if done[kind] {
			continue
		}
		holds, sure := cfg.holds(&s, given, h.names)
		if !holds {
			continue
		}
		s.maybe = s.maybe || !sure
		done[kind] = !s.maybe
		switch s.key {
		case "hostname":
			s.value = strings.ToLower(h.with(s.value))
			if strings.ContainsAny(s.value, "% \t") {
				continue
			}
			if !s.maybe {
				h.names = h.names[1:]
			}
			h.names = append(h.names, s.value)
		case "port":
			h.port, _ = strconv.Atoi(s.value)
		}
		h.said[s.key] = append(h.said[s.key], s)
	}
	return h
}

// with is a text of the configuration with what stands for the host in it.
func (h *sshHost) with(text string) string {
	return strings.NewReplacer("%%", "%", "%h", h.names[len(h.names)-1], "%n", h.given, "%p", strconv.Itoa(cmp.Or(h.port, 22)), "%r", "user").Replace(text)
}

// runs are the lines that ssh runs to reach the host, or when it has reached it.
func (h *sshHost) runs() (lines []sshSetting) {
	permitted := h.said["permitlocalcommand"]
	for _, key := range []string{"exec", "proxycommand", "localcommand"} {
		for _, s := range h.said[key] {
			if strings.EqualFold(s.value, "none") || key == "localcommand" && !slices.ContainsFunc(permitted, func(p sshSetting) bool { return strings.EqualFold(p.value, "yes") }) {
				continue
			}
			s.value = h.with(s.value)
			lines = append(lines, s)
		}
	}
	return lines
}

// machines are those that a host leads to: the one that is meant, which gets what is sent,
// and those on the way.
func (cfg *sshConfig) machines(h *sshHost, depth int) (meant, way []endpoint) {
	if h.given == "" || depth > maxSSHJumps {
		return nil, nil
	}
	for _, set := range h.said["hostname"] {
		if !strings.EqualFold(set.value, h.given) {
			meant = append(meant, endpoint{hostPort: hostPort{scheme: "ssh", host: set.value, port: h.port}, maybe: set.maybe})
		}
	}
	for _, set := range h.said["proxyjump"] {
		if strings.EqualFold(set.value, "none") {
			continue
		}
		for _, a := range addresses(set.value) {
			a.scheme = "ssh"
			to, over := cfg.machines(cfg.host(strings.ToLower(a.host)), depth+1)
			way = append(append(append(way, endpoint{hostPort: a, maybe: set.maybe}), to...), over...)
			if len(way) > 4*maxSSHJumps {
				return meant, way
			}
		}
	}
	return meant, way
}
