package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Bounds of what is read to find out where a repository's remotes are.
const (
	maxGitConfig  = 256 << 10
	maxGitParents = 32 // folders above the line's own in which a repository may begin
)

// gitConfig is what settings say of the machines that a repository talks to.
type gitConfig struct {
	dir      string              // of the repository: where HEAD is
	common   string              // of all its work trees: where branches are
	top      string              // of the work tree
	settings map[string][]string // "remote.origin.url"
	read     bool
	vague    bool // it may be of another repository than git would take
}

// gitConnects tells to which machines a command of git talks.
func (c gitCall) gitConnects(verb string, p parsed, since int) {
	push := verb == "push" || verb == "send-pack" || verb == "lfs" && p.sub == "push"
	var sends []string
	if push && !c.seen["dry"] {
		sends = []string{"commits"}
	}
	cfg := c.gitConfig()
	for _, name := range c.gitPeers(verb, p, cfg, push) {
		urls := c.gitURLs(cfg, name.text, push)
		if len(urls) == 0 { // a name of which nothing is known
			c.tell(hook.Fact{Does: "connect", Sends: sends, At: name.at, Dry: c.seen["dry"]})
		}
		for _, u := range urls {
			for _, a := range peerHost(u) {
				f := name
				f.text = u
				if a.scheme == "" {
					a.scheme = "ssh"
				}
				c.shell.connects(endpoint{hostPort: a, at: f}, sends, c.at, since)
			}
		}
	}
}

// gitPeers are the words that say with whom a command of git talks: names of remotes,
// and addresses.
func (c gitCall) gitPeers(verb string, p parsed, cfg *gitConfig, push bool) []field {
	var words []field
	named := func(names ...string) []field {
		var out []field
		for _, n := range names {
			out = append(out, field{value: value{text: n}, at: c.at})
		}
		return out
	}
	first := fieldsOf(p.operands[:min(1, len(p.operands))])
	switch verb {
	case "clone":
		return first
	case "push", "send-pack", "fetch", "pull", "fetch-pack", "ls-remote":
		for _, v := range p.valued {
			if v.name == "--repo" && len(first) == 0 {
				first = []field{v.field}
			}
		}
		if words = first; len(words) > 0 {
			return words
		}
		if c.seen["--all"] && verb == "fetch" {
			return named(cfg.remotes()...)
		}
		return named(cfg.usual(push))
	case "archive":
		for i, f := range c.args {
			if u, ok := strings.CutPrefix(f.text, "--remote="); ok {
				f.text = u
				words = append(words, f)
			} else if f.text == "--remote" && i+1 < len(c.args) {
				words = append(words, c.args[i+1])
			}
		}
		return words
	case "submodule":
		if p.sub == "add" {
			return first
		}
		return named(c.gitModules(cfg)...)
	case "remote":
		if len(first) > 0 && first[0].text == "update" {
			return named(cfg.remotes()...)
		}
		if len(p.operands) > 1 {
			return fieldsOf(p.operands[1:2])
		}
	case "lfs":
		return named(cfg.usual(push))
	}
	return words
}

// gitRemote notes an address that the line gives to a remote.
func (c gitCall) gitRemote(name, address string) {
	if len(c.shared.remotes) < maxValues {
		c.shared.remotes[name] = append(c.shared.remotes[name], address)
	}
}

// gitURLs are the addresses of a remote; an address is its own. A path here is none, and
// of a remote that is not known there are none.
func (c gitCall) gitURLs(cfg *gitConfig, name string, push bool) []string {
	urls := c.shared.remotes[name]
	if len(urls) == 0 && push {
		urls = cfg.settings["remote."+name+".pushurl"]
	}
	if len(urls) == 0 {
		urls = cfg.settings["remote."+name+".url"]
	}
	if len(urls) == 0 && (strings.ContainsAny(name, ":/.") || strings.ContainsRune(name, hole)) {
		urls = []string{name}
	}
	urls = slices.Clone(urls)
	for i, u := range urls {
		urls[i] = cfg.instead(u, push)
	}
	return urls
}

// instead is an address as url.X.insteadOf changes it; the longest beginning counts.
func (g *gitConfig) instead(u string, push bool) string {
	best, out := "", u
	for key, starts := range g.settings {
		base, plain := strings.CutSuffix(key, ".insteadof")
		if !plain {
			var only bool
			if base, only = strings.CutSuffix(key, ".pushinsteadof"); !only || !push {
				continue
			}
		}
		base = strings.TrimPrefix(base, "url.")
		for _, start := range starts {
			if strings.HasPrefix(u, start) && (len(start) > len(best) || len(start) == len(best) && base < out) {
				best, out = start, base+u[len(start):]
			}
		}
	}
	return out
}

// remotes are the names of all remotes.
func (g *gitConfig) remotes() []string {
	var out []string
	for key := range g.settings {
		if name, ok := strings.CutSuffix(key, ".url"); ok && strings.HasPrefix(name, "remote.") {
			out = append(out, name[len("remote."):])
		}
	}
	slices.Sort(out)
	return out
}

// usual is the remote of the branch that is checked out.
func (g *gitConfig) usual(push bool) string {
	one := func(key string) string {
		if vs := g.settings[key]; len(vs) > 0 {
			return vs[len(vs)-1]
		}
		return ""
	}
	branch := one("HEAD")
	if push {
		if name := one("branch." + branch + ".pushremote"); name != "" {
			return name
		}
		if name := one("remote.pushdefault"); name != "" {
			return name
		}
	}
	if name := one("branch." + branch + ".remote"); name != "" {
		return name
	}
	if all := g.remotes(); len(all) == 1 {
		return all[0]
	}
	return "origin"
}

// gitConfig reads the settings of the repository in which the line is, and the user's.
func (c gitCall) gitConfig() *gitConfig {
	g := &gitConfig{settings: map[string][]string{}}
	if c.world.ReadFile == nil || len(c.st.dirs) == 0 || strings.ContainsRune(c.st.dirs[0], hole) {
		return g
	}
	if c.world.Home != "" {
		c.gitSettings(g, c.world.Home+"/.gitconfig")
	}
	if vs := c.net().environment("GIT_DIR"); len(vs) > 0 && vs[0].known() && vs[0].text != "" {
		g.dir = path.Clean(c.places(vs[0].text)[0])
		g.common = g.dir
		g.read = c.gitSettings(g, g.dir+"/config")
	}
	if !g.read {
		c.gitDiscover(g)
	}
	if ref, ok := strings.CutPrefix(c.gitFile(g.dir+"/HEAD"), "ref: refs/heads/"); ok && g.read {
		g.settings["HEAD"] = []string{ref}
	}
	return g
}

// gitDiscover looks for the repository of a folder, and reads its settings.
func (c gitCall) gitDiscover(g *gitConfig) {
	for dir, n := c.st.dirs[0], 0; n < maxGitParents; dir, n = path.Dir(dir), n+1 {
		g.top, g.dir = dir, path.Join(dir, ".git")
		g.common = g.dir
		if g.read = c.gitSettings(g, g.dir+"/config"); g.read || dir == "/" || dir == "." {
			return
		}
		if to, ok := strings.CutPrefix(c.gitFile(g.dir), "gitdir: "); ok { // of a work tree
			g.dir = joined(dir, to)
			g.common = g.dir
			if s := c.gitFile(g.dir + "/commondir"); s != "" {
				g.common = joined(g.dir, s)
			}
			g.read = c.gitSettings(g, g.common+"/config")
			return
		}
		if path.Base(dir) != ".git" && (c.gitFile(dir+"/HEAD") != "" || c.gitFile(g.dir+"/HEAD") != "") {
			g.vague = true // a bare one, or one without settings
		}
	}
}

// joined is a path as it is seen from a folder.
func joined(dir, name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// gitFile is a small file of a repository, or "".
func (c gitCall) gitFile(name string) string {
	if !c.step() {
		return ""
	}
	b, err := c.world.ReadFile(name, 4<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// gitModules are the addresses of the submodules.
func (c gitCall) gitModules(g *gitConfig) []string {
	more := &gitConfig{settings: map[string][]string{}}
	if c.world.ReadFile != nil && g.top != "" {
		c.gitSettings(more, g.top+"/.gitmodules")
	}
	var out []string
	for key, urls := range more.settings {
		if strings.HasPrefix(key, "submodule.") && strings.HasSuffix(key, ".url") {
			for _, u := range urls {
				if strings.HasPrefix(u, "./") || strings.HasPrefix(u, "../") { // beside the repository itself
					u = g.usual(false)
				}
				out = append(out, u)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// gitSettings adds the settings of a file. It reports false if there is none.
func (c gitCall) gitSettings(g *gitConfig, name string) bool {
	if !c.step() {
		return false
	}
	b, err := c.world.ReadFile(name, maxGitConfig)
	if err != nil {
		return false
	}
	section := ""
	for line := range strings.Lines(clean(string(b[:min(len(b), maxGitConfig)]))) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			head, after, _ := strings.Cut(rest, "]")
			name, sub, _ := strings.Cut(head, " ")
			section = strings.ToLower(name)
			if sub = strings.Trim(strings.TrimSpace(sub), `"`); sub != "" {
				section += "." + strings.ReplaceAll(sub, `\`, "")
			}
			line = strings.TrimSpace(after)
		}
		key, val, ok := strings.Cut(line, "=")
		if !ok || line[0] == '#' || line[0] == ';' {
			continue
		}
		key = section + "." + strings.ToLower(strings.TrimSpace(key))
		g.settings[key] = append(g.settings[key], gitSettingValue(val))
	}
	return true
}

// gitSettingValue is a value without its quotes and the comment behind it.
func gitSettingValue(s string) string {
	var b strings.Builder
	quoted := false
	s = strings.TrimSpace(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}
