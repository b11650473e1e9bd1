package config

import (
	"errors"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// webSpec is a server that a hook asks.
type webSpec struct {
	web.Config
	url *yaml.Node
	ca  *strict.Entry // a file of certificates
	key *strict.Entry // the file of the secret
}

var webTable table[webSpec]

func webKeys() []key[webSpec] { return webTable.get(makeWebKeys) }

func makeWebKeys() []key[webSpec] {
	return []key[webSpec]{
		{name: "url", doc: "Where events are sent with POST: https or http.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, w *webSpec) { w.URL, _ = r.Text(n, "url"); w.url = n }},
		{name: "secret", doc: "Signs requests as Standard Webhooks do: whsec_ and base64, or ${NAME} for a variable of the environment.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, w *webSpec) { w.Secret, _ = r.Text(n, "secret") }},
		{name: "secret_file", doc: "The file that has the secret, from the folder of this file, in place of secret. Only its owner may read it.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, w *webSpec) {
				if s, ok := r.Text(n, "secret_file"); ok {
					w.key, w.SecretFile = &strict.Entry{Text: s, Node: n}, s
				}
			}},
		{name: "verify", doc: "true demands that answers are signed with the secret, too. Default: false.", shape: boolShape(),
			read: func(r *reader, n *yaml.Node, w *webSpec) { w.Verify, _ = r.Boolean(n, "verify") }},
		{name: "headers", doc: "Headers of each request; ${NAME} in a value stands for a variable of the environment.",
			shape: schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean"}}},
			read:  readHeaders},
		{name: "ca", doc: "A file of certificates, from the folder of this file: the authorities that may vouch for the server, in place of the system's.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, w *webSpec) {
				if s, ok := r.Text(n, "ca"); ok {
					w.ca = &strict.Entry{Text: s, Node: n}
				}
			}},
		{name: "allow_private", doc: "true permits addresses inside the machine's own network: loopback, link-local, private. Default: false.", shape: boolShape(),
			read: func(r *reader, n *yaml.Node, w *webSpec) { w.AllowPrivate, _ = r.Boolean(n, "allow_private") }},
	}
}

// webKey is the key of a hook that names a server.
func webKey() key[hookSpec] {
	return key[hookSpec]{name: "http", doc: "A server: its URL, or a map. It gets the event with POST and answers with a decision.",
		shape: schema{"anyOf": []schema{textShape(), objectSchema(webKeys(), "url")}}, read: readWeb}
}

// readWeb reads a URL, or a map with one.
func readWeb(r *reader, n *yaml.Node, h *hookSpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	w := &webSpec{}
	before := len(r.Problems)
	if node.Kind == yaml.ScalarNode {
		w.URL, _ = r.Text(n, "http")
	} else if keys := object(r, n, "http", webKeys(), w); keys != nil && keys["url"] == nil {
		r.Fail(n, "write http: {url: https://example.com/hooks}", "http has no url")
	}
	if len(r.Problems) == before {
		r.FailErr(n, "http: ", w.Check())
	}
	h.handler.web = w
}

func readHeaders(r *reader, n *yaml.Node, w *webSpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	if node.Kind != yaml.MappingNode {
		r.Fail(n, "write headers: {Authorization: 'Bearer ${TOKEN}'}", "headers must be a map, not %s", strict.Describe(node))
		return
	}
	w.Headers = map[string]string{}
	for _, p := range r.Pairs(node) {
		if value, ok := r.Scalar(p.Value, "headers."+strict.Clip(p.Key.Value)); ok {
			w.Headers[p.Key.Value] = value
		}
	}
}

// authorities reads the certificates that a layer's servers name. In a workspace
// they are part of what is trusted.
func (l *files) authorities(la *layer) {
	for _, f := range la.found {
		w := f.spec.handler.web
		if w == nil || w.ca == nil || f.spec.disabled {
			continue
		}
		check := trust.CheckOwner
		if f.source.layer == LayerWorkspace {
			check = nil
		}
		data, err := l.read(*f.source, shell.Under(f.source.dir, w.ca.Text), check)
		if err == nil && len(data) == 0 {
			err = errors.New("the file is empty")
		}
		if err == nil {
			w.CA = data
			err = w.Check()
		}
		if err != nil {
			l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: w.ca.Node.Line, Column: w.ca.Node.Column, Hook: f.spec.id,
				Message: strict.Line("ca: " + err.Error()), Hint: "it starts from the folder of this file"})
			l.leaveOut(la)
		}
	}
}

// webConfig is how a hook's server is asked.
func (l *builder) webConfig(f *found, c command.Config) web.Config {
	w := f.spec.handler.web.Config
	if f.spec.handler.web.key != nil {
		w.SecretFile = shell.Under(f.source.dir, w.SecretFile)
	}
	if c := f.spec.claude; c != nil {
		w.Fill = c.Server.Fill
	}
	w.Profile, w.EventNames, w.Environ, w.Log = c.Profile, c.EventNames, command.Environ, l.opts.Log
	return w
}

// marked is what tells two servers apart.
func (w *webSpec) marked() any {
	if w == nil {
		return nil
	}
	return []any{w.URL, w.Secret, w.SecretFile, w.Verify, w.Headers, w.CA, w.AllowPrivate}
}

// leaseWeb holds the handler of a server.
func leaseWeb(w web.Config) (*lease, error) {
	return newLease(func() (closing, error) { return web.New(w) })
}
