package facts

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// clients.txt says of each program that talks to other machines where its words name
// them. It is read beside programs.txt, which says which words are options.
//
//go:embed clients.txt
var clientText string

// client is one row of clients.txt.
type client struct {
	scheme string
	groups []clientGroup
}

// clientGroup is a kind with the sources that are of it.
type clientGroup struct {
	kind    string
	sources []string
}

// clients are the rows by their names; "docker pull" is one.
var clients = sync.OnceValue(func() map[string]*client {
	table := map[string]*client{}
	for line := range strings.Lines(clientText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		names, rest, _ := strings.Cut(line, ": ")
		groups := strings.Split(rest, "|")
		one := &client{scheme: strings.TrimSpace(groups[0])}
		for _, g := range groups[1:] {
			words := strings.Fields(g)
			one.groups = append(one.groups, clientGroup{words[0], words[1:]})
		}
		for name := range strings.SplitSeq(names, ",") {
			table[strings.TrimSpace(name)] = one
		}
	}
	return table
})

// clientPrograms are the programs that have a row, or whose sub-commands have one.
var clientPrograms = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for name := range clients() {
		names[firstOf(name)] = true
	}
	return names
})

// endpoint is what a client is told to talk to.
type endpoint struct {
	hostPort
	at    field
	maybe bool
}

// clientCall is a client with its words.
type clientCall struct {
	*client
	scheme   string
	options  func(name string) []field
	flag     func(name string) bool
	variable func(name string) values
	operands []field
	at       hook.Span
}

// connects tells to which hosts a call connects, if its program is a client. What the
// call has told since is not told again: a port that was missing there is added.
func (c netCall) connects(args []field, since int) {
	k, ok := c.client(args)
	if !ok {
		return
	}
	sends := c.secretsOf(k.sends(c.stdin))
	for _, e := range k.endpoints() {
		c.shell.connects(e, sends, k.at, since)
	}
}

// client gives the row of a call, with its words.
func (c netCall) client(args []field) (clientCall, bool) {
	e := programs()[c.name]
	if e == nil || !clientPrograms()[c.name] {
		return clientCall{}, false
	}
	probe := *c.call
	probe.seen, probe.value, probe.args = nil, nil, args
	return probe.net().clientOf(e.read(&probe))
}

// clientOf gives the row of a call of which the words have been read.
func (c netCall) clientOf(p parsed) (clientCall, bool) {
	if !clientPrograms()[c.name] {
		return clientCall{}, false
	}
	k := clientCall{operands: fieldsOf(p.operands), at: c.at, flag: func(name string) bool { return c.seen[name] }, variable: c.environment}
	k.options = func(name string) (out []field) {
		for _, v := range p.valued {
			if v.name == name {
				out = append(out, v.field)
			}
		}
		return out
	}
	name := strings.TrimSpace(c.name + " " + p.sub)
	for n := min(3, len(k.operands)); n >= 0; n-- { // a sub-command that programs.txt does not have is an operand
		long := strings.TrimSpace(name + " " + shownWords(k.operands[:n]))
		if k.client = clients()[long]; k.client != nil {
			k.operands = k.operands[n:]
			break
		}
	}
	if k.client == nil {
		k.client = clients()[c.name]
	}
	if k.client == nil {
		return k, false
	}
	k.scheme = k.client.scheme
	return k, true
}

// elsewhere reports whether a client acts on another machine, or may.
func (c netCall) elsewhere() bool {
	k, ok := c.client(c.args)
	return ok && slices.ContainsFunc(k.endpoints(), func(e endpoint) bool {
		return !strings.HasPrefix(e.host, "/") && hostClass(e.host) != "loopback"
	})
}

// environment is what a variable holds: in the line, or in the call's environment.
func (c netCall) environment(name string) values {
	if vs, ok := c.st.vars[name]; ok {
		return vs
	}
	if s, ok := c.world.Env[name]; ok && s != "" {
		return text(clean(s))
	}
	return nil
}

// source gives the words of a source.
func (k *clientCall) source(name string) []field {
	n, err := strconv.Atoi(name)
	switch {
	case err == nil && n <= len(k.operands):
		return k.operands[n-1 : n]
	case err == nil:
	case name == "*":
		return k.operands
	case name == "last":
		return k.operands[max(0, len(k.operands)-1):]
	case strings.HasPrefix(name, "$"):
		var out []field
		for _, v := range k.variable(name[1:]) {
			out = append(out, field{value: v, at: k.at})
		}
		return out
	default:
		return k.options(name)
	}
	return nil
}

// endpoints are all that the call may connect to. An option goes before a variable.
func (k *clientCall) endpoints() []endpoint {
	var out []endpoint
	port, fixed := 0, ""
	for _, g := range k.groups {
		switch g.kind {
		case "not":
			if slices.ContainsFunc(g.sources, k.idle) {
				return nil
			}
			continue
		case "sends":
			continue
		case "is":
			fixed = g.sources[0]
			continue
		}
		for _, source := range g.sources {
			source, maybe := strings.CutPrefix(source, "?")
			if strings.HasPrefix(source, "$") && len(out) > 0 && g.kind != "port" {
				continue
			}
			for _, f := range k.source(source) {
				if n, err := strconv.Atoi(f.text); g.kind == "port" && err == nil && port == 0 {
					port = n
				}
				for _, a := range readAddress(g.kind, f.text) {
					out = append(out, endpoint{hostPort: a, at: f, maybe: maybe})
				}
			}
		}
	}
	if len(out) == 0 && fixed != "" {
		out = k.usual(fixed)
	}
	for i := range out {
		if out[i].port == 0 {
			out[i].port = port
		}
		if out[i].scheme == "" {
			out[i].scheme = k.scheme
		}
	}
	return out
}

// idle reports whether a flag or a first operand says that nobody is called.
func (k *clientCall) idle(word string) bool {
	return k.flag(word) || len(k.operands) > 0 && k.operands[0].text == word
}

// usual is the host that a program talks to if its words name none.
func (k *clientCall) usual(host string) []endpoint {
	if strings.Contains(host, "$1") {
		if len(k.operands) == 0 || strings.Trim(strings.ToLower(k.operands[0].text), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return nil
		}
		host = strings.ReplaceAll(host, "$1", strings.ToLower(k.operands[0].text))
	}
	return []endpoint{{hostPort: hostPort{host: host}, at: field{at: k.at}, maybe: true}}
}

// sends is what leaves this machine with the call.
func (k *clientCall) sends(stdin values) []string {
	for _, g := range k.groups {
		if g.kind != "sends" {
			continue
		}
		switch what := g.sources[0]; {
		case what == "image" && len(k.operands) > 0:
			return []string{"image:" + visible(k.operands[0].text)}
		case what == "image":
			return nil
		default:
			return leavesHere(stdin, what == "stdin")
		}
	}
	return nil
}

// leavesHere is what goes out with a standard input: whatever it is, or only what comes
// from a file or the like.
func leavesHere(stdin values, whatever bool) []string {
	if !slices.ContainsFunc(stdin, func(v value) bool { return v.text != "" }) {
		return nil
	}
	from := slices.DeleteFunc(slices.Clone(stdin.sources()), func(s string) bool { return s == "file:/dev/null" || s == "file:/dev/zero" })
	if whatever && (len(from) > 0 || len(stdin.sources()) == 0) {
		from = append(from, "stdin")
	}
	return from
}

// connects tells of an endpoint, if that has not been told since.
func (sh *shell) connects(e endpoint, sends []string, at hook.Span, since int) {
	fact := hook.Fact{Does: "connect", Scheme: e.scheme, Host: strings.ToLower(visible(e.host)), Port: e.port, Sends: sends, At: at, Sure: e.at.known() && !e.maybe}
	if !e.at.at.IsZero() {
		fact.At = e.at.at
	}
	if unclear(e.host) {
		fact.Host, fact.Sure = "", false
		sh.unknown(fact.At, "to which host it talks shows only when it runs")
	}
	fact.Class = hostClass(fact.Host)
	for i := min(since, len(sh.out)); i < len(sh.out); i++ {
		f := &sh.out[i]
		if f.Does != "connect" || !strings.EqualFold(f.Host, fact.Host) {
			continue
		}
		if f.Port == 0 {
			f.Port = fact.Port
		}
		f.Sends = union(f.Sends, sends)
		return
	}
	sh.tell(fact)
}
