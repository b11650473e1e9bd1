package facts

import (
	"strings"

	"github.com/hookway/hookway/hook"
)

// actNet reads the roles of words that name hosts and addresses.
func (c tableCall) actNet(r role, f field, p parsed, e effect) {
	switch r {
	case "url":
		c.net().connect(f, "GET", nil, nil)
	case "host":
		c.net().host(f)
	case "repository":
		if strings.Contains(f.text, "://") && !strings.HasPrefix(f.text, "file:") {
			c.net().connect(f, "GET", nil, nil)
		}
	case "hosttcp":
		c.tcp(f)
	case "socat":
		c.socat(f)
	case "httpie":
		c.httpie(f, p)
	case "lftp":
		if strings.Contains(f.text, "mirror -R") || strings.Contains(f.text, "put ") || strings.Contains(f.text, "mirror --reverse") {
			c.tell(hook.Fact{Does: "connect", Scheme: "ftp", Host: "ftp", Class: "public", Method: "PUT", Sends: []string{"file:" + c.st.dirs[0]}, At: f.at, Sure: true})
		}
	case "peer": // a file here, or "host:path" on another machine
		c.peer(f, p)
	case "remote":
		if !strings.Contains(f.text, ":") {
			c.shell.path("write", f, e)
			return
		}
		c.uploads(r, f, p)
	case "sends":
		c.uploads(r, f, p)
	case "sent":
		c.sent(f, p)
	}
}

// sent tells that a file goes to the server that another word names.
func (c tableCall) sent(f field, p parsed) {
	if c.name == "ftp" && !c.seen["puts"] || c.name == "tftp" && c.value["-c"] != "put" {
		return
	}
	server := p.operands[0].text
	for _, o := range p.operands {
		if strings.Contains(o.text, "://") {
			server = o.text
		}
	}
	c.shell.path("read", f, effect{sends: true})
	for _, a := range addresses(server) {
		c.tell(hook.Fact{Does: "connect", Scheme: "ftp", Host: strings.ToLower(visible(a.host)), Port: a.port, Class: hostClass(a.host), Method: "PUT", Sends: c.net().sourcesOf(f), At: f.at, Sure: f.known()})
	}
}

// uploads tells that files go to another machine.
func (c tableCall) uploads(r role, f field, p parsed) {
	host, _, _ := strings.Cut(f.text, ":")
	fact := hook.Fact{Does: "connect", Class: "public", Host: visible(host), At: f.at, Sure: true, Method: "POST", Dry: c.seen["dry"]}
	for _, o := range p.operands {
		if o.at != f.at || r == "sends" {
			fact.Sends = union(fact.Sends, c.net().sourcesOf(o.field))
		}
	}
	c.tell(fact)
}

// tcp tells of a connection to a host.
func (c tableCall) tcp(f field) {
	if strings.HasPrefix(f.text, "+") || c.name == "dig" && dnsTypes[f.text] {
		return // options of dig
	}
	if c.seen["-U"] {
		c.net().unixSocket(f)
		return
	}
	if c.seen["listen"] { // whoever calls gets what is piped in
		if sends := c.net().secretsOf(leavesHere(c.stdin, true)); len(sends) > 0 {
			c.tell(hook.Fact{Does: "connect", Scheme: "tcp", Class: "public", Sends: sends, At: f.at, Sure: true})
		}
		return
	}
	for _, a := range addresses(f.text) {
		for _, v := range c.stdin {
			method, _, _ := strings.Cut(v.text, " ")
			c.answersHTTP(v.text, method, hostClass(a.host), c.at)
		}
		c.tell(hook.Fact{Does: "connect", Scheme: "tcp", Host: strings.ToLower(visible(a.host)), Port: a.port, Class: hostClass(a.host), Sends: f.from, At: f.at, Sure: f.known()})
	}
}

// dnsTypes are words of dig that say what is asked, and not about which name.
var dnsTypes = map[string]bool{"A": true, "AAAA": true, "ANY": true, "CAA": true, "CNAME": true, "IN": true, "MX": true, "NS": true, "PTR": true, "SOA": true, "SRV": true, "TXT": true}

// httpie reads an operand of http: METHOD, address, or an item of the request.
func (c tableCall) httpie(f field, p parsed) {
	method, url := "GET", ""
	var sends []string
	for _, o := range p.operands {
		switch t := o.text; {
		case strings.Trim(t, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
			method = t
		case url == "":
			url = t
		case strings.Contains(t, "@") && !strings.Contains(strings.SplitN(t, "@", 2)[0], ":"):
			_, name, _ := strings.Cut(t, "@")
			g := o.field
			g.text = name
			sends = union(sends, c.net().sourcesOf(g))
		}
	}
	if f.text == url {
		c.net().connect(f, method, sends, nil)
	}
}

// socat reads one of its two addresses: what it connects to, and what it runs there.
func (c tableCall) socat(f field) {
	kind, rest, _ := strings.Cut(f.text, ":")
	rest, _, _ = strings.Cut(rest, ",")
	switch kind = strings.ToLower(kind); {
	case strings.HasPrefix(kind, "unix") || kind == "abstract-connect":
		c.net().unixSocket(field{value: value{rest, f.from}, at: f.at})
	case kind == "exec" || kind == "system" || kind == "shell":
		c.builtin().runText(value{rest, f.from}, nil)
		c.tell(hook.Fact{Does: "connect", Scheme: "tcp", What: "shell", At: f.at, Sure: true})
	case strings.HasPrefix(kind, "tcp") || strings.HasPrefix(kind, "udp") || strings.HasPrefix(kind, "openssl") || strings.HasPrefix(kind, "ssl"):
		c.socatHost(rest, kind, f)
	case strings.HasPrefix(kind, "proxy") || strings.HasPrefix(kind, "socks"): // PROXY:proxy:host:port
		proxy, rest, _ := strings.Cut(rest, ":")
		c.socatHost(proxy, kind, f)
		c.socatHost(rest, kind, f)
	case kind == "open" || kind == "file" || kind == "create":
		g := f
		g.text = rest
		c.shell.path("write", g, effect{})
	}
}

// socatHost tells of a host that socat calls. What is piped into socat goes there.
func (c tableCall) socatHost(s, kind string, f field) {
	if strings.Contains(kind, "listen") {
		return
	}
	for _, a := range addresses(s) {
		c.tell(hook.Fact{Does: "connect", Scheme: "tcp", Host: strings.ToLower(visible(a.host)), Port: a.port, Class: hostClass(a.host), Sends: c.net().secretsOf(leavesHere(c.stdin, true)), At: f.at, Sure: f.known()})
	}
}

// peer reads an operand of scp and rsync.
func (c tableCall) peer(f field, p parsed) {
	there := peerHost(f.text)
	if len(there) == 0 {
		c.here(f, p)
		return
	}
	var sends []string
	for _, o := range p.operands[:max(len(p.operands)-1, 0)] {
		if len(peerHost(o.text)) == 0 {
			sends = union(sends, c.net().sourcesOf(o.field))
		}
	}
	if p.operands[len(p.operands)-1].text != f.text {
		sends = nil
	}
	for _, a := range there {
		c.tell(hook.Fact{Does: "connect", Scheme: "ssh", Host: strings.ToLower(visible(a.host)), Port: a.port, Class: hostClass(visible(a.host)), Sends: sends, At: f.at, Sure: f.known(), Dry: c.seen["dry"]})
	}
}

// here reads an operand of scp and rsync that is a file of this machine.
func (c tableCall) here(f field, p parsed) {
	does := "read"
	if last := len(p.operands) - 1; last > 0 && p.operands[last].text == f.text {
		does = "write"
	}
	c.shell.path(does, f, effect{recursive: c.seen["recursive"], dry: c.seen["dry"]})
	if does == "write" && c.seen["delete"] {
		c.shell.path("delete", f, effect{recursive: true, many: true, dry: c.seen["dry"]})
	}
	if does == "read" && c.seen["move"] {
		c.shell.path("move", f, effect{recursive: true, dry: c.seen["dry"]})
	}
}
