package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// download is a program that fetches and sends: what of its words say where to.
type download struct {
	*call
	method   string
	targets  []field  // addresses
	sends    []string // sources
	receives []string // files
}

// posts sets the method that a body brings, if none was asked for.
func (d *download) posts(method string) {
	if d.method == "GET" {
		d.method = method
	}
}

// curl reads its options one by one: where it sends to, what, and where to it writes.
func (c netCall) curl() values {
	p := programs()["curl"].read(c.call)
	d := download{call: c.call, method: "GET"}
	for _, o := range p.operands {
		d.targets = append(d.targets, o.field)
	}
	saves := false
	for _, v := range p.valued {
		if !d.body(v) {
			saves = d.setting(v) || saves
		}
	}
	if c.seen["-O"] || c.seen["--remote-name"] {
		saves = true
		d.remoteNames()
	}
	var urls []string
	for _, u := range d.targets {
		if strings.HasPrefix(u.text, "file://") {
			u.text = u.text[len("file://"):]
			return c.load(u, u.at)
		}
		urls = append(urls, c.connect(u, d.method, d.sends, d.receives))
	}
	for _, v := range p.valued {
		if v.name == "-o" || v.name == "--output" {
			for _, place := range c.places(v.text) {
				c.store(place, anything(urls...))
			}
		}
	}
	if saves {
		return nil
	}
	return anything(urls...)
}

// body reads the options of curl that say what is sent.
func (d *download) body(v valued) bool {
	switch v.name {
	case "-d", "--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json":
		d.posts("POST")
		d.data(v.field, false)
	case "--data-raw":
		d.method = "POST"
		d.sends = union(d.sends, v.from)
	case "-F", "--form":
		d.method = "POST"
		f := v.field
		_, f.text, _ = strings.Cut(v.text, "=")
		if file := strings.HasPrefix(f.text, "@") || strings.HasPrefix(f.text, "<"); file {
			f.text, _, _ = strings.Cut(f.text[1:], ";")
			d.data(f, true)
		} else {
			d.data(f, false)
		}
	case "-T", "--upload-file":
		d.method = "PUT"
		d.data(v.field, true)
	case "-H", "--header", "-u", "--user", "-A", "--user-agent", "-b", "--cookie", "-e", "--referer":
		if strings.HasPrefix(v.text, "@") {
			d.data(v.field, false)
		}
		d.sends = union(d.sends, ownService(d.net().leaving(v.from), d.targets))
	default:
		return false
	}
	return true
}

// data is a body: a text, or a file with its name.
func (d *download) data(f field, file bool) {
	if !file && !strings.HasPrefix(f.text, "@") {
		d.sends = union(d.sends, f.from)
		return
	}
	f.text = strings.TrimPrefix(f.text, "@")
	if f.text == "-" {
		from := d.stdin.sources()
		if len(from) == 0 {
			from = []string{"stdin"}
		}
		d.sends = union(d.sends, from)
		return
	}
	d.shell.path("read", f, effect{sends: true})
	d.sends = union(d.sends, d.net().sourcesOf(f))
}

// setting reads the other options of curl; it says whether the answer goes into a file.
func (d *download) setting(v valued) (saves bool) {
	switch v.name {
	case "--unix-socket", "--abstract-unix-socket":
		d.net().unixSocket(v.field)
	case "--url":
		d.targets = append(d.targets, v.field)
	case "-X", "--request":
		d.method = strings.ToUpper(v.text)
	case "-o", "--output":
		if v.text == "-" {
			return false
		}
		d.shell.path("write", v.field, effect{})
		for _, place := range d.places(v.text) {
			d.receives = append(d.receives, visible(place))
		}
		return true
	case "-K", "--config":
		d.shell.path("read", v.field, effect{})
		d.unknown(v.at, "curl takes its options from a file")
	}
	return false
}

// unixSocket tells of a Unix socket behind which somebody acts: the daemon, docker.
func (c netCall) unixSocket(f field) {
	if strings.Contains(f.text, "hookway") {
		c.tell(hook.Fact{Does: "self", What: "daemon", Object: visible(f.text), At: f.at, Sure: true})
	}
	if strings.Contains(f.text, "docker") || strings.Contains(f.text, "containerd") || strings.Contains(f.text, "podman") {
		c.tell(hook.Fact{Does: "infra", System: "docker", Verb: "mount-socket", Object: visible(f.text), At: f.at, Sure: true})
	}
}

// remoteNames tells of the files that -O writes, by the last part of each address.
func (d *download) remoteNames() {
	for _, u := range d.targets {
		f := u
		f.text = path.Base(u.text)
		d.shell.path("write", f, effect{})
		for _, place := range d.places(f.text) {
			d.receives = append(d.receives, visible(place))
			d.store(place, anything("net:"+visible(u.text)))
		}
	}
}

// secretsOf adds to sources what credential lies in the files among them.
func (c netCall) secretsOf(from []string) []string {
	from = notEvery(from)
	for _, s := range from {
		if name, ok := strings.CutPrefix(s, "file:"); ok {
			if kind := secretFile(c.world.resolve(name), c.world); kind != "" {
				from = union(from, []string{"secret:" + kind})
			}
		}
	}
	return from
}

// sourcesOf names the file that a field names, as what is sent.
func (c netCall) sourcesOf(f field) []string {
	from := c.content(f).sources()
	for _, p := range c.places(f.text) {
		if !strings.ContainsRune(p, hole) {
			from = union(from, []string{"file:" + path.Clean(p)})
		}
	}
	return c.secretsOf(from)
}

// ownService takes out the credentials of the very service that is called: what
// $GITHUB_TOKEN is for.
func ownService(from []string, targets []field) []string {
	var out []string
	for _, f := range from {
		name, isVar := strings.CutPrefix(f, "env:")
		service, _, _ := strings.Cut(strings.ToLower(name), "_")
		if long, short := shortNames[service]; short {
			service = long
		}
		if isVar && len(service) > 1 && slices.ContainsFunc(targets, func(t field) bool { return strings.Contains(strings.ToLower(t.text), service) }) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// shortNames are services by the names that their variables begin with.
var shortNames = map[string]string{"gh": "github", "gl": "gitlab", "do": "digitalocean", "cf": "cloudflare", "hf": "huggingface", "hcloud": "hetzner", "gemini": "googleapis", "gcp": "googleapis", "gcloud": "googleapis", "az": "azure", "ado": "azure", "arm": "azure", "tf": "terraform", "tfe": "terraform", "jira": "atlassian", "confluence": "atlassian", "dd": "datadoghq", "datadog": "datadoghq", "pd": "pagerduty"}

// leaving is what goes out with a header that nobody expects there. What a service that builds
// has in one is the key for whom it calls.
func (c netCall) leaving(from []string) []string {
	if c.st.remote == buildService {
		return nil
	}
	return from
}

func (c netCall) wget() values {
	e := programs()["wget"]
	p := e.read(c.call)
	var sends []string
	method, to := "GET", ""
	for _, v := range p.valued {
		switch v.name {
		case "--post-data", "--body-data":
			method = "POST"
			sends = union(sends, v.from)
		case "--post-file", "--body-file":
			method = "POST"
			c.shell.path("read", v.field, effect{sends: true})
			sends = union(sends, c.sourcesOf(v.field))
		case "--header", "--user", "--password":
			sends = union(sends, c.leaving(v.from))
		case "--method":
			method = v.text
		case "-O", "--output-document":
			to = v.text
			if to != "-" {
				c.shell.path("write", v.field, effect{})
			}
		case "-i", "--input-file":
			c.shell.path("read", v.field, effect{})
			c.unknown(v.at, "wget takes its addresses from a file")
		}
	}
	var urls []string
	for _, u := range p.operands {
		var receives []string
		if to == "" {
			f := u.field
			f.text = path.Base(strings.SplitN(u.text, "?", 2)[0])
			for _, place := range c.places(f.text) {
				receives = append(receives, visible(place))
			}
		} else if to != "-" {
			receives = append(receives, visible(c.places(to)[0]))
		}
		from := c.connect(u.field, method, sends, receives)
		urls = append(urls, from)
		for _, r := range receives {
			c.store(r, anything(from))
		}
	}
	if to == "-" {
		return anything(urls...)
	}
	return nil
}
