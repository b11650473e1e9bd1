package config

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// mappingSpec is one entry of gateway.hooks.
type mappingSpec struct {
	gateway.Mapping
	disabled bool
	event    *strict.Entry // its name, as written
}

var (
	mappingTable table[mappingSpec]
	authTable    table[gateway.Auth]
	rateTable    table[gateway.Mapping]
	filterTable  table[gateway.Match]
	messageTable table[gateway.MessageTemplate]
)

func mappingKeys() []key[mappingSpec]             { return mappingTable.get(makeMappingKeys) }
func authKeys() []key[gateway.Auth]               { return authTable.get(makeAuthKeys) }
func rateKeys() []key[gateway.Mapping]            { return rateTable.get(makeRateKeys) }
func filterKeys() []key[gateway.Match]            { return filterTable.get(makeFilterKeys) }
func messageKeys() []key[gateway.MessageTemplate] { return messageTable.get(makeMessageKeys) }

var bodySizes = []unit{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"KB", 1e3}, {"MB", 1e6}}

// maxGatewayTime bounds how long a service may be made to wait.
const maxGatewayTime = 10 * time.Minute

func makeMappingKeys() []key[mappingSpec] {
	event := func(m *mappingSpec) *gateway.EventTemplate {
		if m.Event == nil {
			m.Event = &gateway.EventTemplate{}
		}
		return m.Event
	}
	return []key[mappingSpec]{
		{name: "description", doc: "What it is for.", shape: schema{"type": "string"},
			read: func(r *reader, n *yaml.Node, _ *mappingSpec) { _, _ = r.Text(n, "description") }},
		{name: "enabled", doc: "false switches it off. Default: true.", shape: boolShape(),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) {
				on, ok := r.Boolean(n, "enabled")
				m.disabled = ok && !on
			}},
		{name: "auth", doc: "How its requests are told from others'.", shape: refShape("auth"),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) { r.readAuth(n, &m.Auth) }},
		{name: "max_body", doc: "How large a body may be, as 256KiB. Default: 256KiB.", shape: schema{"type": "string", "pattern": `^[0-9]+ ?[KM]i?B$`},
			read: func(r *reader, n *yaml.Node, m *mappingSpec) {
				m.MaxBody = int(r.measure(n, "max_body", "write it as 256KiB or 1MiB", bodySizes, 1<<10, gateway.MostBody))
			}},
		{name: "rate", doc: "How many requests are answered.", shape: refShape("rate"),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) { object(r, n, "rate", rateKeys(), &m.Mapping) }},
		{name: "timeout", doc: "How long hooks may take. Default: 30s.", shape: durationShape(),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) {
				d, ok := r.Duration(n, "timeout", maxGatewayTime)
				if m.Timeout = d; ok && d == 0 {
					r.Fail(n, "write 30s", "timeout must be more than 0: a service does not wait for ever")
				}
			}},
		{name: "idempotency_header", doc: "Of type bearer: the header that tells a request sent again. Default: Idempotency-Key.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) { m.KeyHeader = r.header(n, "idempotency_header") }},
		{name: "match", doc: "Which requests count; the others are answered and ignored.", shape: refShape("filter"),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) { r.readFilter(n, &m.Match) }},
		{name: "message", doc: "The message that a request becomes. Texts are templates.", shape: refShape("message"),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) { m.Message = r.readMessage(n) }},
		{name: "event", doc: "The event that a request becomes, in place of a message.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) {
				if s, ok := r.Text(n, "event"); ok {
					m.event = &strict.Entry{Text: s, Node: n}
				}
				event(m)
			}},
		{name: "payload", doc: "event: its payload; texts in it are templates. \"{{ . }}\" is the whole body. Default: none.", shape: schema{"type": []string{"object", "string"}},
			read: func(r *reader, n *yaml.Node, m *mappingSpec) { event(m).Payload = r.templates(n, "payload") }},
		{name: "session", doc: "event: a template of the session that it belongs to.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) { event(m).Session = r.template(n, "session") }},
		{name: "agent", doc: "event: a template of the agent that it is about.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) { event(m).Agent = r.template(n, "agent") }},
		{name: "cwd", doc: "event: the folder whose hooks are asked. Default: the user's own hooks are.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, m *mappingSpec) { event(m).CWD, _ = r.Text(n, "cwd") }},
	}
}

func (r *reader) readMessage(n *yaml.Node) *gateway.MessageTemplate {
	m := &gateway.MessageTemplate{}
	if found := object(r, n, "message", messageKeys(), m); found != nil {
		for _, name := range []string{"to", "text"} {
			if found[name] == nil {
				r.Fail(n, `write message: {to: Alice, text: "{{ .title }}"}`, "message has no %s", name)
			}
		}
	}
	return m
}

func makeAuthKeys() []key[gateway.Auth] {
	return []key[gateway.Auth]{
		choiceKey("type", "bearer: a token in a header; standard: signed as Standard Webhooks do; github: HMAC-SHA256 of the body, in hex.", gateway.Schemes(), func(a *gateway.Auth, word string) { a.Scheme = gateway.Scheme(word) }),
		{name: "header", doc: "bearer and github: where the token or signature stands. Default: Authorization, X-Hub-Signature-256.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, a *gateway.Auth) { a.Header = r.header(n, "header") }},
		variableKey("secret_env", "The variable of the daemon's environment that has the secret.", func(a *gateway.Auth) *string { return &a.SecretEnv }),
		textKey("secret_file", "The file that has the secret, from the folder of this file. Only its owner may read it.", func(a *gateway.Auth) *string { return &a.SecretFile }),
	}
}

func makeRateKeys() []key[gateway.Mapping] {
	return []key[gateway.Mapping]{
		integerKey("per_minute", "Requests a minute. Default: 60.", 1, 100_000, func(m *gateway.Mapping) *int { return &m.PerMinute }),
		integerKey("burst", "How many may come at once. Default: 30.", 1, 10_000, func(m *gateway.Mapping) *int { return &m.Burst }),
	}
}

func makeFilterKeys() []key[gateway.Match] {
	values := schema{"type": "object", "additionalProperties": scalarsShape()}
	return []key[gateway.Match]{
		{name: "fields", doc: "Fields of the body by path, as pull_request.draft; values exact or with * and ?.", shape: values,
			read: func(r *reader, n *yaml.Node, m *gateway.Match) { m.Fields = r.patterns(n, "fields") }},
		{name: "headers", doc: "Headers by name; values exact or with * and ?.", shape: values,
			read: func(r *reader, n *yaml.Node, m *gateway.Match) { m.Headers = r.patterns(n, "headers") }},
		{name: "any", doc: "One of these must hold.", shape: schema{"type": "array", "items": refShape("filter")},
			read: func(r *reader, n *yaml.Node, m *gateway.Match) {
				list(r, n, "any", func(_ int, item *yaml.Node) {
					var one gateway.Match
					object(r, item, "any", filterKeys(), &one)
					m.Any = append(m.Any, one)
				})
			}},
		{name: "not", doc: "This must not hold.", shape: refShape("filter"),
			read: func(r *reader, n *yaml.Node, m *gateway.Match) {
				m.Not = &gateway.Match{}
				object(r, n, "not", filterKeys(), m.Not)
			}},
	}
}

func makeMessageKeys() []key[gateway.MessageTemplate] {
	text := func(name, doc string, at func(*gateway.MessageTemplate) **gateway.Template) key[gateway.MessageTemplate] {
		return key[gateway.MessageTemplate]{name: name, doc: doc, shape: textShape(),
			read: func(r *reader, n *yaml.Node, m *gateway.MessageTemplate) { *at(m) = r.template(n, name) }}
	}
	type M = gateway.MessageTemplate
	return []key[M]{
		text("to", "Who it is for: a name, Name@machine, #channel or *.", func(m *M) **gateway.Template { return &m.To }),
		text("text", "What it says.", func(m *M) **gateway.Template { return &m.Text }),
		text("from", "Who it is from. Default: the name of this entry.", func(m *M) **gateway.Template { return &m.From }),
		text("thread", "The thread that it belongs to.", func(m *M) **gateway.Template { return &m.Thread }),
		text("reply_to", "The id of the message that it answers.", func(m *M) **gateway.Template { return &m.ReplyTo }),
		text("priority", "low, normal, high or urgent.", func(m *M) **gateway.Template { return &m.Priority }),
		{name: "metadata", doc: "What the receiver's hooks are told besides; texts are templates.", shape: schema{"type": "object"},
			read: func(r *reader, n *yaml.Node, m *M) {
				if value, ok := r.templates(n, "metadata").(map[string]any); ok {
					m.Metadata = value
				} else if node, ok := r.Enter(n); ok && node.Kind != yaml.MappingNode {
					r.Fail(n, "", "metadata must be a map, not %s", strict.Describe(node))
				}
			}},
	}
}

// readMapping reads an entry of gateway.hooks.
func (r *reader) readMapping(name string, n *yaml.Node) *mappingSpec {
	m := &mappingSpec{Mapping: gateway.Mapping{Name: name, MaxBody: gateway.DefaultMaxBody, PerMinute: gateway.DefaultPerMinute, Burst: gateway.DefaultBurst, Timeout: gateway.DefaultTimeout}}
	what := "gateway.hooks." + name
	keys := object(r, n, what, mappingKeys(), m)
	if keys == nil {
		return nil
	}
	if keys["auth"] == nil {
		r.Fail(n, "write auth: {type: bearer, secret_file: ci.token}", "%s has no auth; anybody could call it", what)
	}
	switch {
	case m.Message != nil && m.Event != nil:
		at := keys["event"]
		if at == nil {
			at = n
		}
		r.Fail(at, "make two entries of it", "%s has a message and an event; a request becomes one of them", what)
	case m.Message == nil && m.event == nil:
		r.Fail(n, `write message: {to: Alice, text: "{{ .title }}"}, or event: NAME`, "%s has neither a message nor an event", what)
	case m.Message != nil && m.Message.From == nil:
		m.Message.From, _ = gateway.ParseTemplate(name)
	}
	if at := keys["idempotency_header"]; at != nil && m.Auth.Scheme != gateway.Bearer && m.Auth.Scheme != "" {
		r.Fail(at, "take it out", "idempotency_header is for auth of type bearer; what is signed names itself")
	}
	return m
}

// readAuth reads how requests are told from others'.
func (r *reader) readAuth(n *yaml.Node, a *gateway.Auth) {
	keys := object(r, n, "auth", authKeys(), a)
	if keys == nil {
		return
	}
	if keys["type"] == nil {
		r.Fail(n, "write type: bearer, standard or github", "auth has no type")
	}
	switch file, env := keys["secret_file"], keys["secret_env"]; {
	case file == nil && env == nil:
		r.Fail(n, "name its file with secret_file, or its variable with secret_env", "auth has no secret")
	case file != nil && env != nil:
		r.Fail(env, "take one of them out", "secret_file and secret_env are both here")
	}
	if at := keys["header"]; at != nil && a.Scheme == gateway.Standard {
		r.Fail(at, "take it out", "header is for the types bearer and github; Standard Webhooks have headers of their own")
	}
}

// readFilter reads which requests count.
func (r *reader) readFilter(n *yaml.Node, m *gateway.Match) {
	before := len(r.Problems)
	if object(r, n, "match", filterKeys(), m) == nil || len(r.Problems) > before {
		return
	}
	if err := m.Compile(); err != nil {
		r.Fail(n, "", "match: %v", err)
	}
}

// patterns reads a map of values, or lists of them.
func (r *reader) patterns(n *yaml.Node, what string) map[string][]string {
	node, ok := r.Enter(n)
	if !ok {
		return nil
	}
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		r.Fail(n, "write "+what+": {action: opened}", "%s must be a map of values, not %s", what, describeEmpty(node))
		return nil
	}
	out := map[string][]string{}
	for _, p := range r.Pairs(node) {
		name := what + "." + strict.Clip(p.Key.Value)
		value, ok := r.Enter(p.Value)
		if !ok {
			continue
		}
		items := []*yaml.Node{p.Value}
		if value.Kind == yaml.SequenceNode {
			if items = value.Content; len(items) == 0 {
				r.Fail(p.Value, "leave the key out if nothing is meant", "%s is an empty list", name)
			}
		}
		for _, item := range items {
			if text, ok := r.Scalar(item, name); ok {
				out[p.Key.Value] = append(out[p.Key.Value], text)
			}
		}
	}
	return out
}

// header reads the name of a header.
func (r *reader) header(n *yaml.Node, what string) string {
	name, ok := r.Text(n, what)
	if ok && strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		r.Fail(n, "write it as X-Gitlab-Token", "%s %q is not the name of a header", what, strict.Clip(name))
		return ""
	}
	return name
}

// template reads a text with places. A number or a boolean is the text that it is written as.
func (r *reader) template(n *yaml.Node, what string) *gateway.Template {
	text, ok := r.Scalar(n, what)
	if !ok {
		return nil
	}
	return r.parseTemplate(n, what, text)
}

func (r *reader) parseTemplate(n *yaml.Node, what, text string) *gateway.Template {
	t, err := gateway.ParseTemplate(text)
	if err != nil {
		at := *n
		var wrong *gateway.TemplateError
		if errors.As(err, &wrong) && n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && !strings.Contains(n.Value, "\n") {
			at.Column += len([]rune(text[:min(wrong.Offset, len(text))]))
			if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
				at.Column++
			}
		}
		r.Fail(&at, "", "%s: %v", what, err)
		return nil
	}
	for _, name := range t.Headers() {
		if gateway.Secret(name) {
			r.Fail(n, "take it out", "%s: the header %s tells who calls, and goes into no message", what, name)
		}
	}
	return t
}

// templates reads a value in which every text is a template.
func (r *reader) templates(n *yaml.Node, what string) any {
	node, ok := r.Enter(n)
	if !ok {
		return nil
	}
	defer r.Deeper()()
	switch {
	case node.Kind == yaml.MappingNode:
		out := map[string]any{}
		for _, p := range r.Pairs(node) {
			out[p.Key.Value] = r.templates(p.Value, what+"."+strict.Clip(p.Key.Value))
		}
		return out
	case node.Kind == yaml.SequenceNode:
		out := []any{}
		for _, item := range node.Content {
			out = append(out, r.templates(item, what))
		}
		return out
	case strict.IsText(node):
		if t := r.parseTemplate(node, what, node.Value); t != nil {
			return t
		}
		return nil
	}
	var value any
	if text, ok := r.JSON(n, what); !ok || json.Unmarshal(text, &value) != nil {
		return nil
	}
	return value
}

// findEvent looks up the event of a mapping.
func (m *mappingSpec) findEvent(r *reader, known *hook.Engine) {
	if m.event == nil {
		return
	}
	info, err := known.Lookup(m.event.Text)
	if err != nil {
		message, hint, _ := strings.Cut(err.Error(), "; ")
		r.Fail(m.event.Node, hint, "%s", message)
		return
	}
	m.Event.Name = info.Name
}
