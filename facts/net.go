package facts

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
)

// connect tells that a program talks to the host of a URL, and gives the source of
// what it gets from there.
func (c netCall) connect(f field, method string, sends, receives []string) string {
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
	if len(f.from) > 0 && !(fact.Host == "" && strings.HasPrefix(f.from[0], ciSecret)) { // an address that is a secret itself
		fact.Sends = union(fact.Sends, f.from)
	}
	for _, found := range Credentials(raw) {
		if !found.Searched() {
			c.unread(f.at, "an address is too much work to be searched for credentials")
			continue
		}
		fact.Sends = union(fact.Sends, []string{"secret:" + found.Kind})
	}
	fact.Sends = c.secretsOf(fact.Sends)
	c.tell(fact)
	c.answersHTTP(raw, method, fact.Class, f.at)
	if u != nil {
		c.service().restDeletes(u, method, c.bodyText(), f, fact.Sure)
	}
	if strings.Contains(raw, "/_delete_by_query") && method == "POST" {
		c.tell(hook.Fact{Does: "infra", System: "elasticsearch", Verb: "delete", Object: visible(raw), Bulk: true, At: f.at, Sure: fact.Sure})
	}
	return "net:" + visible(raw)
}

// bodyText is what the options of a request say that it sends, as far as they say it.
func (c netCall) bodyText() string {
	var b strings.Builder
	for _, name := range []string{"-d", "--data", "--data-raw", "--data-binary", "--json", "--body-data"} {
		b.WriteString(c.value[name])
	}
	return b.String()
}

// host tells that a program talks to a host, which may have a user before and a path behind it.
func (c netCall) host(f field) {
	for _, a := range addresses(f.text) {
		c.tell(hook.Fact{Does: "connect", Scheme: "ssh", Host: strings.ToLower(visible(a.host)), Port: a.port, Class: hostClass(a.host), At: f.at, Sure: f.known()})
	}
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
