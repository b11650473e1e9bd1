package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// gatewayKey is the key of the file.
func gatewayKey() key[fileSpec] {
	return key[fileSpec]{name: "gateway", doc: "What comes in from services outside and what is told to them. Only the user's configuration may say it.", shape: refShape("gateway"),
		read: func(r *reader, n *yaml.Node, f *fileSpec) {
			f.gateway = &gatewaySpec{node: n}
			object(r, n, "gateway", gatewayKeys(), f.gateway)
			countSame(f.gateway.webhooks)
			for i, w := range f.gateway.webhooks {
				f.hooks = append(f.hooks, w.hook(r, i))
			}
			for i, h := range f.gateway.handlers {
				f.hooks = append(f.hooks, h.hook(r, i))
			}
		}}
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
			r.Fail(e.Node, "write hooks.example.com, without a scheme, a port and a path", "hosts: %q is no name of a host", strict.Clip(e.Text))
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
			r.Fail(p.Key, "use up to 64 letters, digits, '-', '_' and '.'; it is the end of the URL", "%q is no name in %s", strict.Clip(p.Key.Value), what)
			continue
		}
		if one := read(r, p.Key.Value, p.Value); one != nil {
			all = append(all, one)
		}
	}
	return all
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

// borrow takes keys of one table into another.
func borrow[T, U any](keys []key[U], of func(*T) *U, names ...string) (out []key[T]) {
	for _, k := range keys {
		if len(names) > 0 && !slices.Contains(names, k.name) {
			continue
		}
		out = append(out, key[T]{name: k.name, aliases: k.aliases, doc: k.doc, shape: k.shape,
			read: func(r *reader, n *yaml.Node, into *T) { k.read(r, n, of(into)) }})
	}
	return out
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

// foreignGateway is the mistake of a file that may not have a gateway.
func (l *files) foreignGateway(path string, g *gatewaySpec) Problem {
	return Problem{File: path, Line: g.node.Line, Column: g.node.Column,
		Message: "gateway is for the user's configuration alone: a workspace opens no way in, and sends nothing out by itself",
		Hint:    "put it into " + filepath.Join(l.userDir, fileName)}
}

// lacksFile reports whether the user's hookway.yaml is there and could not be loaded.
func (s *Set) lacksFile() bool {
	return slices.ContainsFunc(s.Failed, func(path string) bool {
		return path == s.UserDir || path == filepath.Join(s.UserDir, fileName) || path == filepath.Join(s.UserDir, fileNameYML)
	})
}

// webhookSpec is a service that is told of events.
type webhookSpec struct {
	node *yaml.Node
	keys map[string]*yaml.Node
	spec hookSpec
	web  webSpec
	same int // webhooks before it at the same URL, of those without an id that are told
}

var webhookTable table[webhookSpec]

func webhookKeys() []key[webhookSpec] { return webhookTable.get(makeWebhookKeys) }

func makeWebhookKeys() []key[webhookSpec] {
	of := func(w *webhookSpec) *hookSpec { return &w.spec }
	keys := borrow(whenKeys(), of)
	for _, k := range borrow(howKeys(), of, "lane", "priority", "timeout", "max_retries", "on_failure", "queue") {
		switch k.name {
		case "lane":
			k.doc = "observe (default): it is told; guard or transform: it is asked, as a hook with http is."
		case "timeout":
			k.doc = "Time for one try of a webhook that is told; for one event with all its tries of one that is asked. Default: 30s."
		case "max_retries":
			k.doc = "Further tries. Default: for one that is told, as many as there are in three days, with pauses that grow from seconds to hours; else 0."
		case "queue":
			k.doc = "How many events it may be behind; more are dropped, and counted. Default: 256."
		}
		keys = append(keys, k)
	}
	keys = append(keys, borrow(webKeys(), func(w *webhookSpec) *webSpec { return &w.web })...)
	return append(keys, key[webhookSpec]{name: "secret_env", doc: "The variable of the environment that has the secret, in place of secret.", shape: textShape(),
		read: func(r *reader, n *yaml.Node, w *webhookSpec) {
			if name, ok := r.variable(n, "secret_env"); ok {
				w.web.Secret = "${" + name + "}"
			}
		}})
}

// variable reads the name of a variable of the environment.
func (r *reader) variable(n *yaml.Node, what string) (string, bool) {
	name, ok := r.Text(n, what)
	if !ok {
		return "", false
	}
	for i, c := range []byte(name) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			r.Fail(n, "write its name alone, as in "+what+": CI_SECRET", "%s is no name of a variable", what) // it may be the secret itself
			return "", false
		}
	}
	return name, true
}

// Defaults of a webhook that is told.
const (
	webhookTimeout = time.Minute
	webhookRetries = 8
	webhookQueue   = 256
)

// hook is the webhook as a hook.
func (w *webhookSpec) hook(r *reader, i int) *hookSpec {
	h := &w.spec
	h.node, h.keys = w.node, map[string]*yaml.Node{"id": w.node, "http": w.node}
	for _, name := range []string{"id", "on", "lane", "timeout", "queue", "max_retries"} {
		if n := w.keys[name]; n != nil {
			h.keys[name] = n
		}
	}
	if h.id == "" {
		h.id = fmt.Sprintf("webhook-%d", i+1)
	}
	if w.keys["url"] == nil {
		r.Fail(w.node, "write webhooks: [{url: https://example.com/hooks, on: MessageSent}]", "the webhook has no url")
	} else if w.web.URL != "" {
		r.FailErr(w.keys["url"], "http: ", w.web.Check())
	}
	if a, b := w.keys["secret"], w.keys["secret_env"]; a != nil && b != nil {
		r.Fail(b, "take one of them out", "secret and secret_env are both here")
	}
	if w.keys["lane"] == nil {
		h.lane = hook.Observe
	}
	h.handler.web = &w.web
	if h.lane != hook.Observe {
		return h
	}
	h.webhook = w.toldAs(h)
	if timeout := webhookTimeout; h.timeout == nil { // of what is told from memory
		h.timeout = &timeout
	}
	if w.keys["max_retries"] == nil {
		h.retries = webhookRetries
	}
	if h.queue == 0 {
		h.queue = webhookQueue
	}
	return h
}
