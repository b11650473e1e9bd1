package facts

import (
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
)

// connect tells that a program talks to the host of a URL, and gives the source of
// what it gets from there.
func (c *call) connect(f field, method string, sends, receives []string) string {
	raw := f.text
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	fact := hook.Fact{Does: "connect", At: f.at, Sure: f.known(), Method: method, Sends: sends, Receives: receives}
	u, err := url.Parse(strings.Map(func(r rune) rune {
		if r == hole || r == word {
			return 'x'
		}
		return r
	}, raw))
	if err == nil {
		fact.Scheme = strings.ToLower(u.Scheme)
		fact.Host = strings.ToLower(u.Hostname())
		fact.Port, _ = strconv.Atoi(u.Port())
	}
	authority := raw[strings.Index(raw, "://")+3:]
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	if strings.ContainsRune(authority, hole) || err != nil {
		fact.Host, fact.Sure = "", false
		c.unknown(f.at, "to which host it talks shows only when it runs")
	}
	fact.Class = hostClass(fact.Host)
	if len(f.from) > 0 {
		fact.Sends = union(fact.Sends, f.from)
	}
	fact.Sends = c.secretsOf(fact.Sends)
	c.tell(fact)
	return "net:" + visible(raw)
}

// host tells that a program talks to a host, which may have a user before and a path behind it.
func (c *call) host(f field) {
	name := f.text
	if i := strings.LastIndexByte(name, '@'); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, ":")
	c.tell(hook.Fact{Does: "connect", Scheme: "ssh", Host: visible(name), Class: hostClass(name), At: f.at, Sure: f.known()})
}

// hostClass says what kind of network a host is in.
func hostClass(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	switch {
	case host == "":
		return ""
	case host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "host.docker.internal":
		return "loopback"
	case host == "metadata.google.internal" || host == "metadata" || host == "instance-data":
		return "metadata"
	case strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") || strings.HasSuffix(host, ".lan") || !strings.ContainsAny(host, ".:"):
		if addr, ok := numeric(host); ok {
			return addrClass(addr)
		}
		return "private"
	}
	if addr, ok := numeric(host); ok {
		return addrClass(addr)
	}
	return "public"
}

func addrClass(a netip.Addr) string {
	a = a.Unmap()
	switch {
	case a.IsLoopback() || a.IsUnspecified():
		return "loopback"
	case a == netip.MustParseAddr("169.254.169.254") || a == netip.MustParseAddr("100.100.100.200") || a == netip.MustParseAddr("fd00:ec2::254") || a == netip.MustParseAddr("169.254.170.2"):
		return "metadata"
	case a.IsPrivate() || a.IsLinkLocalUnicast():
		return "private"
	}
	return "public"
}

// numeric reads an address as inet_aton does, in decimal, octal and hexadecimal.
func numeric(host string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return a, true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var n uint64
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 0, 32)
		if err != nil {
			return netip.Addr{}, false
		}
		if i == len(parts)-1 {
			n = n<<(8*(4-i)) | v
			if i == 0 {
				n = v
			}
			break
		}
		n = n<<8 | v
	}
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true
}

// curl reads its options one by one: where it sends to, what, and where to it writes.
func (c *call) curl() values {
	e := programs()["curl"]
	p := e.read(c)
	var sends, receives, urls []string
	method := "GET"
	out := false
	var targets []field
	for _, o := range p.operands {
		targets = append(targets, o.field)
	}
	data := func(f field, file bool) {
		t := f.text
		if file || strings.HasPrefix(t, "@") {
			f.text = strings.TrimPrefix(t, "@")
			if f.text == "-" {
				sends = union(sends, c.stdin.sources())
				if len(c.stdin.sources()) == 0 {
					sends = union(sends, []string{"stdin"})
				}
				return
			}
			c.shell.path("read", f, effect{sends: true})
			sends = union(sends, c.sourcesOf(f))
			return
		}
		sends = union(sends, f.from)
	}
	for _, v := range p.valued {
		switch v.name {
		case "--unix-socket", "--abstract-unix-socket":
			if strings.Contains(v.text, "hookway") {
				c.tell(hook.Fact{Does: "self", What: "daemon", Object: visible(v.text), At: v.at, Sure: true})
			}
			if strings.Contains(v.text, "docker") || strings.Contains(v.text, "containerd") || strings.Contains(v.text, "podman") {
				c.tell(hook.Fact{Does: "infra", System: "docker", Verb: "mount-socket", Object: visible(v.text), At: v.at, Sure: true})
			}
		case "--url":
			targets = append(targets, v.field)
		case "-X", "--request":
			method = strings.ToUpper(v.text)
		case "-d", "--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json":
			if method == "GET" {
				method = "POST"
			}
			data(v.field, false)
		case "--data-raw":
			method = "POST"
			sends = union(sends, v.from)
		case "-F", "--form":
			method = "POST"
			_, val, _ := strings.Cut(v.text, "=")
			f := v.field
			f.text = val
			if strings.HasPrefix(val, "@") || strings.HasPrefix(val, "<") {
				f.text, _, _ = strings.Cut(val[1:], ";")
				data(f, true)
			} else {
				data(f, false)
			}
		case "-T", "--upload-file":
			method = "PUT"
			data(v.field, true)
		case "-H", "--header", "-u", "--user", "-A", "--user-agent", "-b", "--cookie", "-e", "--referer":
			f := v.field
			if strings.HasPrefix(f.text, "@") {
				data(f, false)
			}
			sends = union(sends, ownService(f.from, targets))
		case "-o", "--output":
			if v.text == "-" {
				break
			}
			out = true
			c.shell.path("write", v.field, effect{})
			for _, place := range c.places(v.text) {
				receives = append(receives, visible(place))
			}
		case "-K", "--config":
			c.shell.path("read", v.field, effect{})
			c.unknown(v.at, "curl takes its options from a file")
		}
	}
	if c.seen["-O"] || c.seen["--remote-name"] {
		out = true
		for _, u := range targets {
			f := u
			f.text = path.Base(u.text)
			c.shell.path("write", f, effect{})
			for _, place := range c.places(f.text) {
				receives = append(receives, visible(place))
				c.store(place, anything("net:"+visible(u.text)))
			}
		}
	}
	for _, u := range targets {
		if strings.HasPrefix(u.text, "file://") {
			u.text = u.text[len("file://"):]
			return c.load(u, u.at)
		}
		urls = append(urls, c.connect(u, method, sends, receives))
	}
	for _, v := range p.valued {
		if v.name == "-o" || v.name == "--output" {
			for _, place := range c.places(v.text) {
				c.store(place, anything(urls...))
			}
		}
	}
	if out {
		return nil
	}
	return anything(urls...)
}

// secretsOf adds to sources what credential lies in the files among them.
func (c *call) secretsOf(from []string) []string {
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
func (c *call) sourcesOf(f field) []string {
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
		if isVar && len(service) > 1 && slices.ContainsFunc(targets, func(t field) bool { return strings.Contains(strings.ToLower(t.text), service) }) {
			continue
		}
		out = append(out, f)
	}
	return out
}

func (c *call) wget() values {
	e := programs()["wget"]
	p := e.read(c)
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
			sends = union(sends, v.from)
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
