package config

import (
	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/internal/strict"
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
		textKey("secret", "Signs requests as Standard Webhooks do: whsec_ and base64, or ${NAME} for a variable of the environment.", func(w *webSpec) *string { return &w.Secret }),
		{name: "secret_file", doc: "The file that has the secret, from the folder of this file, in place of secret. Only its owner may read it.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, w *webSpec) {
				if s, ok := r.Text(n, "secret_file"); ok {
					w.key, w.SecretFile = &strict.Entry{Text: s, Node: n}, s
				}
			}},
		boolKey("verify", "true demands that answers are signed with the secret, too. Default: false.", func(w *webSpec) *bool { return &w.Verify }),
		{name: "headers", doc: "Headers of each request; ${NAME} in a value stands for a variable of the environment.",
			shape: schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean"}}},
			read:  func(r *reader, n *yaml.Node, w *webSpec) { w.Headers = readHeaders(r, n, "Authorization") }},
		entryKey("ca", "A file of certificates, from the folder of this file: the authorities that may vouch for the server, in place of the system's.", func(w *webSpec) **strict.Entry { return &w.ca }),
		boolKey("allow_private", "true permits addresses inside the machine's own network: loopback, link-local, private. Default: false.", func(w *webSpec) *bool { return &w.AllowPrivate }),
	}
}

// readWeb reads a URL, or a map with one.
func readWeb(r *reader, n *yaml.Node) *webSpec {
	node, ok := r.Enter(n)
	if !ok {
		return nil
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
	return w
}

// readHeaders reads headers by their names. example is one.
func readHeaders(r *reader, n *yaml.Node, example string) map[string]string {
	node, ok := r.Enter(n)
	if !ok {
		return nil
	}
	if node.Kind != yaml.MappingNode {
		r.Fail(n, "write headers: {"+example+": 'Bearer ${TOKEN}'}", "headers must be a map, not %s", strict.Describe(node))
		return nil
	}
	headers := map[string]string{}
	for _, p := range r.Pairs(node) {
		if value, ok := r.Scalar(p.Value, "headers."+strict.Clip(p.Key.Value)); ok {
			headers[p.Key.Value] = value
		}
	}
	return headers
}

// marked is what tells two servers apart.
func (w *webSpec) marked() any {
	if w == nil {
		return nil
	}
	return []any{w.URL, w.Secret, w.SecretFile, w.Verify, w.Headers, w.CA, w.AllowPrivate}
}
