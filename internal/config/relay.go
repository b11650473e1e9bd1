package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/internal/loopback"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// Relay says how messages between agents travel; the zero value is the default: by
// a server inside the daemon, on this machine alone. Files are absolute paths.
type Relay struct {
	Machine  string              // what other machines call this one; "": the host's name
	NATS     string              // servers of the user's own, with commas between them; "": the one inside the daemon
	Creds    string              // credentials for them
	TLS      RelayTLS            // for them
	Leaf     RelayLeaf           // joins the daemons of several machines
	Limits   RelayLimits         //
	Channels map[string][]string // members by the channel's name, without #
}

// RelayLeaf joins the daemons of several machines.
type RelayLeaf struct {
	Listen    string // where others may join; "": nowhere
	TLS       RelayTLS
	TokenFile string // the secret of those who join
	Remotes   []RelayRemote
}

// RelayRemote is a machine that is joined.
type RelayRemote struct {
	URL       string
	Creds     string
	TokenFile string
	TLS       RelayTLS
}

// RelayTLS names files in PEM form.
type RelayTLS struct{ Cert, Key, CA string }

// RelayLimits bound what agents may do to each other. Zero is the default, negative
// is none.
type RelayLimits struct{ PerMinute, PingPong, Hops, Inbox int }

// relaySpec is "relay" as it is written.
type relaySpec struct {
	Relay
	node, nats, leaf *yaml.Node
	own              []ownServer // keys that only mean something with nats
	remotes          []*remoteSpec
}

// ownServer is a key that belongs to nats.
type ownServer struct {
	name string
	node *yaml.Node
}

// remoteSpec is a machine to join, as it is written.
type remoteSpec struct {
	RelayRemote
	node *yaml.Node
}

var (
	relayTable      table[relaySpec]
	leafTable       table[relaySpec]
	remoteTable     table[remoteSpec]
	relayLimitTable table[RelayLimits]
	relayTLSTable   table[RelayTLS]
)

func relayKeys() []key[relaySpec] { return relayTable.get(makeRelayKeys) }

func leafKeys() []key[relaySpec] { return leafTable.get(makeLeafKeys) }

func remoteKeys() []key[remoteSpec] { return remoteTable.get(makeRemoteKeys) }

func relayLimitKeys() []key[RelayLimits] { return relayLimitTable.get(makeRelayLimitKeys) }

func relayTLSKeys() []key[RelayTLS] { return relayTLSTable.get(makeRelayTLSKeys) }

func fileText(r *reader, n *yaml.Node, what string) string {
	s, _ := r.Text(n, what)
	return s
}

func readRelay(r *reader, n *yaml.Node) *relaySpec {
	s := &relaySpec{node: n}
	before := len(r.Problems)
	object(r, n, "relay", relayKeys(), s)
	if len(r.Problems) == before {
		s.check(r)
	}
	return s
}

func makeRelayKeys() []key[relaySpec] {
	return []key[relaySpec]{
		{name: "machine", doc: "What other machines call this one: up to 32 of a-z, 0-9, - and _. Default: the host's name.",
			shape: schema{"type": "string", "pattern": "^[A-Za-z0-9_-]{1,32}$"}, read: readMachine},
		{name: "nats", doc: "Servers of your own, as nats://host:4222 or tls://host:4222; one, a list, or several with commas. Default: the server inside the daemon.",
			shape: textsShape(), read: readServers},
		{name: "creds", doc: "A credentials file for nats, from the folder of this file or ~/.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, s *relaySpec) {
				s.Creds, s.own = fileText(r, n, "creds"), append(s.own, ownServer{"creds", n})
			}},
		{name: "tls", doc: "Certificates for nats.", shape: refShape("relay_tls"),
			read: func(r *reader, n *yaml.Node, s *relaySpec) {
				object(r, n, "tls", relayTLSKeys(), &s.TLS)
				s.own = append(s.own, ownServer{"tls", n})
			}},
		{name: "leaf", doc: "Joins the daemons of several machines, each with the server inside it.", shape: refShape("leaf"),
			read: func(r *reader, n *yaml.Node, s *relaySpec) { s.leaf = n; object(r, n, "leaf", leafKeys(), s) }},
		{name: "limits", doc: "What agents may do to each other; 0 is no limit.", shape: refShape("limits"),
			read: func(r *reader, n *yaml.Node, s *relaySpec) { object(r, n, "limits", relayLimitKeys(), &s.Limits) }},
		{name: "channels", doc: "Channels and who is in them, as {build: [Alice, Bob]}.",
			shape: schema{"type": "object", "additionalProperties": textsShape()}, read: readChannels},
	}
}

func makeLeafKeys() []key[relaySpec] {
	return []key[relaySpec]{
		textKey("listen", "Where other machines may join, as 0.0.0.0:7422. It needs tls unless it is a loopback address.", func(s *relaySpec) *string { return &s.Leaf.Listen }),
		{name: "tls", doc: "The listener's certificate; with ca, it wants certificates that this authority has signed.", shape: refShape("relay_tls"),
			read: func(r *reader, n *yaml.Node, s *relaySpec) { object(r, n, "tls", relayTLSKeys(), &s.Leaf.TLS) }},
		textKey("token_file", "The file that has the secret (16 characters or more) which those who join must know. Only its owner may read it.", func(s *relaySpec) *string { return &s.Leaf.TokenFile }),
		{name: "remotes", doc: "Machines to join.", shape: listShape(refShape("remote")),
			read: func(r *reader, n *yaml.Node, s *relaySpec) {
				list(r, n, "remotes", func(_ int, item *yaml.Node) {
					m := &remoteSpec{node: item}
					if found := object(r, item, "a remote", remoteKeys(), m); found != nil && found["url"] == nil {
						r.Fail(item, "write {url: tls://hub:7422}", "the remote has no url")
					}
					s.remotes = append(s.remotes, m)
				})
			}},
	}
}

func makeRemoteKeys() []key[remoteSpec] {
	tls := borrow(relayTLSKeys(), func(m *remoteSpec) *RelayTLS { return &m.TLS })
	return append([]key[remoteSpec]{
		{name: "url", doc: "Its listener, as tls://hub:7422; nats:// for a loopback address.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, m *remoteSpec) { m.URL = fileText(r, n, "url"); m.node = n }},
		textKey("creds", "A credentials file, where the other side is a NATS server with accounts.", func(m *remoteSpec) *string { return &m.Creds }),
		textKey("token_file", "The file that has the secret of the other side. Only its owner may read it.", func(m *remoteSpec) *string { return &m.TokenFile }),
	}, tls...)
}

func makeRelayTLSKeys() []key[RelayTLS] {
	return []key[RelayTLS]{
		textKey("cert", "A certificate, from the folder of this file or ~/.", func(t *RelayTLS) *string { return &t.Cert }),
		textKey("key", "Its key.", func(t *RelayTLS) *string { return &t.Key }),
		textKey("ca", "The authority that must have signed the other side's certificate. Default: those of the system.", func(t *RelayTLS) *string { return &t.CA }),
	}
}

func makeRelayLimitKeys() []key[RelayLimits] {
	limit := func(name, doc string, most int64, of func(*RelayLimits) *int) key[RelayLimits] {
		return key[RelayLimits]{name: name, doc: doc, shape: integerShape(0, most),
			read: func(r *reader, n *yaml.Node, l *RelayLimits) {
				if v, ok := r.Integer(n, name, 0, most); ok {
					if *of(l) = v; v == 0 {
						*of(l) = -1
					}
				}
			}}
	}
	return []key[RelayLimits]{
		limit("per_minute", "Messages that one agent may send in a minute. Default: 30.", 100_000, func(l *RelayLimits) *int { return &l.PerMinute }),
		limit("ping_pong", "Messages that two agents may send to and fro until a person speaks. Default: 20.", 100_000, func(l *RelayLimits) *int { return &l.PingPong }),
		limit("hops", "How often hooks may pass one message on. Default: 8.", 1000, func(l *RelayLimits) *int { return &l.Hops }),
		limit("inbox", "Messages that may wait for one agent. Default: 1000.", 1_000_000, func(l *RelayLimits) *int { return &l.Inbox }),
	}
}

func readMachine(r *reader, n *yaml.Node, s *relaySpec) {
	name, ok := r.Text(n, "machine")
	if !ok {
		return
	}
	name = strings.ToLower(name)
	if len(name) > 32 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		r.Fail(n, "use up to 32 of a-z, 0-9, - and _", "machine: %q cannot be the name of a machine", strict.Clip(name))
		return
	}
	s.Machine = name
}

// readServers reads addresses of NATS servers.
func readServers(r *reader, n *yaml.Node, s *relaySpec) {
	s.nats = n
	var all []string
	for _, e := range r.Texts(n, "nats") {
		for one := range strings.SplitSeq(e.Text, ",") {
			one = strings.TrimSpace(one)
			u, err := url.Parse(one)
			if err != nil || u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls" && u.Scheme != "ws" && u.Scheme != "wss" {
				r.Fail(e.Node, "write nats://host:4222 or tls://host:4222", "nats: this is not the address of a server") // it may hold a password
				continue
			}
			all = append(all, one)
		}
	}
	s.NATS = strings.Join(all, ",")
}

func readChannels(r *reader, n *yaml.Node, s *relaySpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	if node.Kind != yaml.MappingNode {
		r.Fail(n, "write channels: {build: [Alice, Bob]}", "channels must be a map, not %s", strict.Describe(node))
		return
	}
	defer r.Deeper()()
	s.Channels = map[string][]string{}
	for _, p := range r.Pairs(node) {
		name := strings.TrimPrefix(p.Key.Value, "#")
		if name == "" || strings.ContainsAny(name, "@#*/ \t\n") {
			r.Fail(p.Key, "write a name without spaces and @ # * /", "%q is not the name of a channel", strict.Clip(p.Key.Value))
			continue
		}
		for _, e := range r.Texts(p.Value, "the members of a channel") {
			if strings.ContainsAny(e.Text, "@#*/ \t\n") {
				r.Fail(e.Node, "write names of agents, as [Alice, Bob]", "%q is not the name of an agent", strict.Clip(e.Text))
				continue
			}
			s.Channels[name] = append(s.Channels[name], e.Text)
		}
	}
}

// check tells what cannot work together.
func (s *relaySpec) check(r *reader) {
	if s.nats != nil && s.leaf != nil {
		r.Fail(s.leaf, "leave one of them out", "nats and leaf are both here: leaf joins the servers inside the daemons, and nats stands in for these")
		return
	}
	for _, k := range s.own {
		if s.nats == nil {
			r.Fail(k.node, "name the servers with nats:, or leave it out", "%s is for servers of your own", k.name)
		}
	}
	r.checkPair(s.node, s.TLS)
	s.checkListener(r)
	for _, m := range s.remotes {
		m.check(r)
		s.Leaf.Remotes = append(s.Leaf.Remotes, m.RelayRemote)
	}
	if s.leaf != nil && s.Leaf.Listen == "" && len(s.remotes) == 0 {
		r.Fail(s.leaf, "write listen: 0.0.0.0:7422, or remotes: [{url: tls://hub:7422}]", "leaf joins nothing")
	}
}

func (m *remoteSpec) check(r *reader) {
	u, err := url.Parse(m.URL)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "tls" && u.Scheme != "nats" || u.Path != "":
		r.Fail(m.node, "write tls://hub:7422", "this is not the address of a machine to join")
	case u.Scheme == "nats" && !loopback.Host(u.Hostname()) && m.TLS == (RelayTLS{}):
		r.Fail(m.node, "write tls://"+u.Host, "messages to %s would go in the clear", strict.Clip(u.Hostname()))
	}
	r.checkPair(m.node, m.TLS)
}

func (s *relaySpec) checkListener(r *reader) {
	l := s.Leaf
	if l.Listen == "" {
		if l.TLS != (RelayTLS{}) || l.TokenFile != "" {
			r.Fail(s.leaf, "write listen: 0.0.0.0:7422, or put them into the remote", "tls and token_file of leaf are those of the listener, and there is no listen")
		}
		return
	}
	host, port, err := net.SplitHostPort(l.Listen)
	if _, e := net.LookupPort("tcp", port); err != nil || e != nil || port == "0" {
		r.Fail(s.leaf, "write 0.0.0.0:7422 or 127.0.0.1:7422", "listen: %q is not an address", strict.Clip(l.Listen))
		return
	}
	r.checkPair(s.leaf, l.TLS)
	if loopback.Host(host) {
		return
	}
	if l.TLS.Cert == "" {
		r.Fail(s.leaf, "write tls: {cert: hub.pem, key: hub-key.pem}", "others would send messages to %s in the clear", l.Listen)
	}
	if l.TokenFile == "" && l.TLS.CA == "" {
		r.Fail(s.leaf, "write token_file: hub.token, or tls.ca to want certificates", "anybody who reaches %s could read messages", l.Listen)
	}
}

// checkPair wants a certificate with its key.
func (r *reader) checkPair(n *yaml.Node, t RelayTLS) {
	if (t.Cert == "") != (t.Key == "") {
		r.Fail(n, "write both, cert: and key:", "a certificate needs its key, and a key its certificate")
	}
}

// settled is what was written, with its files found from a folder or a home.
func (s *relaySpec) settled(dir, home string) Relay {
	out := s.Relay
	file := func(path *string) {
		if rest, ok := strings.CutPrefix(*path, "~/"); ok && home != "" {
			*path = filepath.Join(home, filepath.FromSlash(rest))
		} else if *path != "" {
			*path = shell.Under(dir, *path)
		}
	}
	files := func(t *RelayTLS) { file(&t.Cert); file(&t.Key); file(&t.CA) }
	file(&out.Creds)
	files(&out.TLS)
	file(&out.Leaf.TokenFile)
	files(&out.Leaf.TLS)
	out.Leaf.Remotes = nil
	for _, m := range s.Leaf.Remotes {
		file(&m.Creds)
		file(&m.TokenFile)
		files(&m.TLS)
		out.Leaf.Remotes = append(out.Leaf.Remotes, m)
	}
	return out
}

// RelayOf reads from the user's configuration, and nothing else of it, how messages
// travel. Without such a file it costs a look at the disk. A mistake in that part
// of the file is an error, since messages must not go another way than was meant.
func RelayOf(getenv func(string) string) (Relay, error) {
	o := Options{Getenv: getenv}
	dir, _, err := o.places()
	if err != nil {
		return Relay{}, err
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Relay{}, nil
	}
	if err == nil {
		err = trust.CheckOwner(dir, info)
	}
	if err != nil {
		return Relay{}, fmt.Errorf("how messages travel cannot be read: %w", err)
	}
	for _, name := range []string{fileName, fileNameYML} {
		path := filepath.Join(dir, name)
		data, err := keptFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Relay{}, fmt.Errorf("how messages travel cannot be read: %w", err)
		}
		return relayIn(path, data, o.home())
	}
	return Relay{}, nil
}

// relayIn finds the relay in a file.
func relayIn(path string, data []byte, home string) (Relay, error) {
	root, problems := strict.Document(path, data)
	if len(problems) > 0 {
		return Relay{}, fmt.Errorf("how messages travel cannot be read: %w", problems)
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return Relay{}, nil
	}
	r := &reader{Reader: strict.Reader{File: path}}
	out := Relay{}
	for _, p := range r.Pairs(root) {
		if p.Key.Value == "relay" {
			r.Problems = nil // of other parts of the file
			out = readRelay(r, p.Value).settled(filepath.Dir(path), home)
			if len(r.Problems) > 0 {
				return Relay{}, fmt.Errorf("how messages travel: %w", r.Problems)
			}
		}
	}
	return out, nil
}
