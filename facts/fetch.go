package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// runners run packages that they fetch first.
var runners = []string{"npx", "bunx", "pnpx", "dlx", "npm", "pnpm", "yarn", "bun", "uvx", "uv", "pipx", "nix", "nix-shell", "nix-env", "cargo-binstall", "zx", "jbang", "groovy", "tsx", "ts-node", "mshta", "rundll32", "regsvr32", "javaws", "scala-cli", "kotlin", "nu", "elvish", "xonsh", "babashka", "bb", "cpx", "pkgx", "devbox", "flox", "pixi"}

// runnerOptions are those by which runners are told what to fetch.
var runnerOptions = []string{"--from", "--with", "--package", "-p", "--spec", "--git", "-if", "-i", "-f", "--install", "--add-source", "-from-module"}

// fetches tells that what a runner runs is fetched from somewhere else than a registry: the
// word that it runs, or the value of an option.
func (c netCall) fetches(f field) {
	if !slices.Contains(runners, c.name) {
		return
	}
	c.fetched(f)
	for i, a := range c.args {
		name, val, has := strings.Cut(a.text, "=")
		switch {
		case !slices.Contains(runnerOptions, name):
			continue
		case !has && i+1 < len(c.args):
			a = c.args[i+1]
		default:
			a.text = val
		}
		if a.text != f.text {
			c.fetched(a)
		}
	}
}

// fetched tells of one word that is the address of code.
func (c netCall) fetched(f field) {
	t := f.text
	if _, rest, named := strings.Cut(t, "@"); named && (strings.HasPrefix(rest, "http") || strings.HasPrefix(rest, "git+")) { // name@address
		t = rest
	}
	source := packageSource(t)
	if source == "url-http" || source == "index" {
		source = "url"
	}
	if source != "git" && source != "url" {
		return
	}
	c.tell(hook.Fact{Does: "package", Manager: c.name, Verb: "install", Name: visible(f.text), Source: source, At: f.at, Sure: true})
}

// runsAddress tells that a runner of which the table says nothing is given an address.
func (c netCall) runsAddress() {
	for _, f := range c.args {
		if !strings.HasPrefix(f.text, "-") && !slices.Contains([]string{"run", "shell", "develop", "exec", "x"}, f.text) {
			c.fetches(f)
			return
		}
	}
}

// goModule tells that go fetches a module and runs a program of it.
func (c netCall) goModule(f field) {
	if at := strings.IndexByte(f.text, '@'); at > 0 && c.strangeModule(f.text) {
		c.tell(hook.Fact{Does: "package", Manager: "go", Verb: "install", Name: visible(f.text), Source: "url", At: f.at, Sure: true})
	}
}

// forges are hosts on which anybody may keep what others install.
var forges = []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht", "gopkg.in"}

// goHosts are hosts from which modules usually come, and owners of tools that many use: somebody
// looks after them. On a host where anybody may have modules, the others are not known.
var goHosts = []string{"golang.org", "go.dev", "google.golang.org", "cloud.google.com", "k8s.io", "sigs.k8s.io", "go.uber.org", "honnef.co", "mvdan.cc", "gotest.tools", "rsc.io", "helm.sh", "go.mongodb.org", "go.opentelemetry.io", "go.etcd.io",
	"modernc.org", "gorm.io", "entgo.io", "ariga.io", "cuelang.org", "goa.design", "gocloud.dev", "gonum.org", "istio.io", "knative.dev", "filippo.io", "buf.build", "connectrpc.com", "tailscale.com", "fyne.io", "gioui.org", "dagger.io", "tinygo.org", "code.gitea.io", "charm.land",
	"github.com/golang", "github.com/google", "github.com/golangci", "github.com/goreleaser", "github.com/go-delve", "github.com/golang-migrate", "github.com/bufbuild", "github.com/grpc-ecosystem", "github.com/kubernetes-sigs", "github.com/sqlc-dev", "github.com/swaggo", "github.com/air-verse", "github.com/onsi", "github.com/securego", "github.com/mgechev", "github.com/dominikh", "github.com/gotestyourself", "github.com/pressly", "github.com/a-h", "github.com/vektra", "github.com/uber-go", "github.com/hashicorp", "github.com/hookway"}

// strangeModule reports whether a module lies on a host of which nothing is known here, and
// that no file of the project names.
func (c netCall) strangeModule(name string) bool {
	module, _, _ := strings.Cut(name, "@")
	host, _, path := strings.Cut(module, "/")
	if !path || !strings.Contains(host, ".") || strings.Trim(host, ".") == "" || strings.HasSuffix(host, ".go") {
		return false
	}
	for _, known := range goHosts {
		if strings.HasPrefix(module, known+"/") || strings.HasSuffix(host, "."+known) {
			return false
		}
	}
	for named := range c.build().namedPackages("go") {
		if module == named || strings.HasPrefix(module, named+"/") {
			return false
		}
	}
	for pattern := range strings.SplitSeq(c.world.Env["GOPRIVATE"], ",") {
		if pattern = strings.TrimRight(pattern, "/*"); pattern != "" && strings.HasPrefix(module, pattern) {
			return false
		}
	}
	return true
}
