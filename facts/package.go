package facts

import (
	"net/url"
	"slices"
	"strings"
)

// packages tells of each package that a call installs, removes or publishes, and
// where it comes from: registry, index (a registry of another address), git, url or
// path.
func (c buildCall) packages(t template, p parsed) {
	one := t.fact(c.call, p)
	one.Name, one.Source = "", "registry"
	for _, name := range []string{"-i", "--index-url", "--extra-index-url", "--registry", "--index", "-s", "--source", "-Source", "--default-index", "--server", "--mirror", "--add", "-a", "-c", "--channel", "--find-links", "-f"} {
		if v := c.value[name]; strings.Contains(v, "://") && !usualRegistry(v) {
			one.Source = "index"
		}
	}
	for _, name := range []string{"NPM_CONFIG_REGISTRY", "npm_config_registry", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "GOPROXY"} {
		for _, v := range c.st.vars[name] {
			if v.text != "" && v.text != "off" && v.text != "direct" && !usualRegistry(strings.SplitN(v.text, ",", 2)[0]) {
				one.Source = "index"
			}
		}
	}
	if one.Manager == "npm" && one.Verb == "install" && !c.seen["noscripts"] {
		c.npmInstall()
	}
	if v := c.value["--git"]; v != "" {
		one.Name, one.Source = visible(v), "git"
		c.tell(one)
		return
	}
	if v := c.value["--path"]; v != "" && len(p.operands) == 0 { // what the project itself makes
		one.Name, one.Source, one.Global = visible(v), "path", false
	}
	if v := c.value["-e"]; v != "" && c.name != "npm" {
		p.operands = append(p.operands, operand{field: field{value: value{text: v}, at: c.at}})
	}
	if len(p.operands) == 0 {
		c.tell(one)
		return
	}
	var named map[string]bool
	for _, o := range p.operands {
		fact := one
		fact.Name, fact.At, fact.Sure = visible(o.text), o.at, o.known()
		s := packageSource(o.text)
		if s == "registry" && fact.Manager == "npm" && isShorthand(o.text) {
			s = "git"
		}
		if s != "registry" {
			fact.Source = s
			fact.Global = fact.Global && (s != "path" || fact.Manager != "gem")
		} else if one.Source == "registry" && c.name == "go" && p.sub == "install" && strings.Contains(o.text, "@") && c.net().strangeModule(o.text) {
			fact.Source = "url"
		} else if fact.Verb == "install" {
			if named == nil {
				named = c.namedPackages(fact.Manager)
			}
			if near := nearNamed(fact.Manager, o.text, named); near != "" {
				fact.What = "near " + near
			}
		}
		c.tell(fact)
	}
}

// packageSource says where a package comes from, by how it is written.
func packageSource(s string) string {
	if i := strings.Index(s, " @ "); i >= 0 { // PEP 508: name @ address
		s = s[i+3:]
	}
	if i := strings.Index(s, "@npm:"); i > 0 { // an alias
		return "registry"
	}
	low := strings.ToLower(s)
	switch {
	case strings.HasPrefix(low, "git+"), strings.HasPrefix(low, "git:"), strings.HasPrefix(low, "git@"), strings.HasPrefix(low, "github:"), strings.HasPrefix(low, "gitlab:"), strings.HasPrefix(low, "bitbucket:"), strings.HasPrefix(low, "gist:"),
		strings.HasSuffix(low, ".git"), strings.Contains(low, ".git#"), strings.Contains(low, ".git@"):
		return "git"
	case strings.HasPrefix(low, "http://"):
		return "url-http"
	case strings.HasPrefix(low, "https://"):
		if usualRegistry(s) {
			return "registry"
		}
		if u, err := url.Parse(s); err != nil || !slices.ContainsFunc(slices.Concat(forges, goHosts), func(h string) bool { return u.Hostname() == h || strings.HasSuffix(u.Hostname(), "."+h) }) {
			return "index" // nobody looks after what lies there
		}
		return "url"
	case strings.HasPrefix(s, "."), strings.HasPrefix(s, "/"), strings.HasPrefix(s, "~"), strings.HasPrefix(low, "file:"), strings.HasPrefix(low, "link:"), strings.HasPrefix(low, "workspace:"), strings.HasSuffix(low, ".whl"), strings.HasSuffix(low, ".tgz"), strings.HasSuffix(low, ".deb"), strings.HasSuffix(low, ".gem"):
		return "path"
	}
	return "registry"
}

// isShorthand reports whether npm takes a name for a repository of GitHub: owner/name.
func isShorthand(s string) bool {
	owner, name, ok := strings.Cut(s, "/")
	return ok && owner != "" && owner[0] != '@' && owner[0] != '.' && owner[0] != '-' && !strings.ContainsAny(name, "/:@") && name != "" && !strings.Contains(owner, ":")
}

// usualRegistry reports whether an address is one of the registries that everybody
// uses, or one of this machine.
func usualRegistry(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if hostClass(host) == "loopback" {
		return true
	}
	return u.Scheme == "https" && slices.Contains([]string{"registry.npmjs.org", "registry.yarnpkg.com", "npm.pkg.github.com", "pypi.org", "files.pythonhosted.org", "test.pypi.org", "download.pytorch.org",
		"rubygems.org", "index.crates.io", "static.crates.io", "crates.io", "proxy.golang.org", "repo.maven.apache.org", "repo1.maven.org", "api.nuget.org", "packagist.org", "repo.packagist.org", "hex.pm", "pub.dev", "registry.npmmirror.com", "conda.anaconda.org"}, host)
}
