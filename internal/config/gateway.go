package config

import (
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// gatewaySpec is "gateway" as it is written. Its webhooks and handlers are hooks as
// others are; they go into the file's.
type gatewaySpec struct {
	node     *yaml.Node
	hosts    []string
	mappings []*mappingSpec
	webhooks []*webhookSpec
	handlers []*gatewayHandlerSpec
}

var gatewayTable table[gatewaySpec]

func gatewayKeys() []key[gatewaySpec] { return gatewayTable.get(makeGatewayKeys) }

// readGateway reads "gateway", and gives its webhooks and handlers as hooks.
func readGateway(r *reader, n *yaml.Node) (g *gatewaySpec, hooks []*hookSpec) {
	g = &gatewaySpec{node: n}
	object(r, n, "gateway", gatewayKeys(), g)
	countSame(g.webhooks)
	for i, w := range g.webhooks {
		hooks = append(hooks, w.hook(r, i))
	}
	for i, h := range g.handlers {
		hooks = append(hooks, h.hook(r, i))
	}
	return g, hooks
}

func makeGatewayKeys() []key[gatewaySpec] {
	return []key[gatewaySpec]{
		{name: "hosts", doc: "Names by which services outside call the gateway, besides those of the doors: that of a proxy in front, for one.", shape: textsShape(),
			read: func(r *reader, n *yaml.Node, g *gatewaySpec) { g.hosts = readHosts(r, n) }},
		{name: "hooks", doc: "What may come in: POST /hooks/NAME becomes a message or an event.",
			shape: schema{"type": "object", "propertyNames": schema{"pattern": mappingName}, "additionalProperties": refShape("mapping")},
			read: func(r *reader, n *yaml.Node, g *gatewaySpec) {
				g.mappings = named(r, n, "gateway.hooks", "write hooks: {ci: {auth: …, message: …}}", (*reader).readMapping)
			}},
		{name: "webhooks", doc: "What is told to services outside: hooks that are web servers, signed as Standard Webhooks do.", shape: listShape(refShape("webhook")),
			read: func(r *reader, n *yaml.Node, g *gatewaySpec) {
				list(r, n, "gateway.webhooks", func(_ int, item *yaml.Node) {
					w := &webhookSpec{node: item}
					if w.keys = object(r, item, "a webhook", webhookKeys(), w); w.keys != nil {
						g.webhooks = append(g.webhooks, w)
					}
				})
			}},
		{name: "handlers", doc: "Hooks that are files, as OpenClaw's gateway has them: an event, and the path of a script or a program.", shape: listShape(refShape("handler")),
			read: func(r *reader, n *yaml.Node, g *gatewaySpec) {
				list(r, n, "gateway.handlers", func(_ int, item *yaml.Node) {
					h := &gatewayHandlerSpec{node: item}
					if h.keys = object(r, item, "a handler", gatewayHandlerKeys(), h); h.keys != nil {
						g.handlers = append(g.handlers, h)
					}
				})
			}},
	}
}

// readHosts reads names of hosts.
func readHosts(r *reader, n *yaml.Node) []string {
	var out []string
	for _, e := range r.Texts(n, "hosts") {
		if strings.ContainsAny(e.Text, "/:*[] ") {
			r.Fail(e.Node, "write hooks.example.com, without a scheme, a port and a path", "hosts: %q is not the name of a host", strict.Clip(e.Text))
			continue
		}
		out = append(out, strings.ToLower(e.Text))
	}
	return out
}

// named reads a map of things that have names.
func named[T any](r *reader, n *yaml.Node, what, hint string, read func(r *reader, name string, n *yaml.Node) *T) (all []*T) {
	node, ok := r.Enter(n)
	switch {
	case !ok, node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null":
		return nil
	case node.Kind != yaml.MappingNode:
		r.Fail(n, hint, "%s must be a map, not %s", what, strict.Describe(node))
		return nil
	}
	defer r.Deeper()()
	for _, p := range r.Pairs(node) {
		if !isMappingName(p.Key.Value) {
			r.Fail(p.Key, "use up to 64 letters, digits, '-', '_' and '.'; it is the end of the URL", "%q is not a name in %s", strict.Clip(p.Key.Value), what)
			continue
		}
		if one := read(r, p.Key.Value, p.Value); one != nil {
			all = append(all, one)
		}
	}
	return all
}

// finish checks the mappings' events, when those of the whole file are known, and
// gives what the gateway runs by.
func (g *gatewaySpec) finish(r *reader, known *hook.Engine) {
	for _, m := range g.mappings {
		m.findEvent(r, known)
	}
}

// config is what the gateway runs by.
func (g *gatewaySpec) config(dir string) *gateway.Config {
	c := &gateway.Config{Hosts: g.hosts, Hooks: map[string]*gateway.Mapping{}}
	for _, m := range g.mappings {
		if m.disabled {
			continue
		}
		one := m.Mapping
		if one.Auth.SecretFile != "" {
			one.Auth.SecretFile = shell.Under(dir, one.Auth.SecretFile)
		}
		if one.Event != nil && one.Event.CWD != "" {
			event := *one.Event
			event.CWD = shell.Under(dir, event.CWD)
			one.Event = &event
		}
		c.Hooks[one.Name] = &one
	}
	return c
}

// mappingName is what isMappingName takes.
const mappingName = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`

func isMappingName(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("._-", rune(c))) {
			return false
		}
	}
	return name != "" && len(name) <= 64
}
