package config

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/gateway/spool"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// webhookAs is a webhook that is told, and not asked.
type webhookAs struct {
	ID     string // in the spool
	Policy spool.Policy
}

// handlerKinds are the keys of which a hook has exactly one.
var handlerKinds = []string{"block", "allow", "ask", "inject", "modify", "answer", "retry", "skip", "command", "script", "http", "grpc", "wasm"}

// handlerSpec is what a hook runs: a fixed decision, a merge patch or a command.
type handlerSpec struct {
	kind     string // one of handlerKinds
	decision hook.Decision
	patch    json.RawMessage // modify
	fields   []strict.Pair   // of modify, with their places
	argv     []strict.Entry  // command as a list
	shell    *strict.Entry   // command as a line
	script   *strict.Entry   // a file of TypeScript or JavaScript
	web      *webSpec        // a server
	rpc      *rpcSpec        // a gRPC server
	wasm     *strict.Entry   // a file of WebAssembly
}

// hookSpec is one hook as it is written.
type hookSpec struct {
	node *yaml.Node            // its map
	keys map[string]*yaml.Node // the keys that it has, by canonical name

	id          string
	on          []strict.Entry
	events      []*hook.EventInfo // of on, found
	every       bool              // on has "*"
	told        map[string]string // canonical event name → Claude Code's own, if on says so
	match       hook.Match
	lane        hook.Lane
	async       bool
	priority    *int
	timeout     *time.Duration
	retries     int
	onFail      hook.Failure
	profile     *hook.Profile
	queue       int
	override    bool
	disabled    bool
	description string
	env         []string
	needs       []string
	cwd         string
	worker      bool
	runs        string          // the word of mode that is about a command; "": none is said
	trial       *bool           // mode says monitor, or enforce; nil: neither
	byNode      bool            // its script is run by Node
	plugin      bool            // its script is called as OpenClaw calls a hook's handler
	grants      []script.Grant  // allow as a list; nil: it is none
	settings    json.RawMessage // config: of a script

	handler handlerSpec
	claude  *claudehooks.Hook // it is imported
	webhook *webhookAs        // of a webhook that is told
}

var hookTable table[hookSpec]

func hookKeys() []key[hookSpec] { return hookTable.get(makeHookKeys) }

// makeHookKeys lists the keys of a hook.
func makeHookKeys() []key[hookSpec] {
	return slices.Concat(whenKeys(), howKeys(), decisionKeys(), programKeys())
}

// whenKeys say what the hook is and which events it wants.
func whenKeys() []key[hookSpec] {
	return []key[hookSpec]{
		nameKey("id", "Names the hook; unique in its file.", func(h *hookSpec) *string { return &h.id }),
		{name: "on", doc: "The events: one name or a list; aliases are welcome; \"*\" is every event.", shape: eventShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.on = r.Texts(n, "on") }},
		{name: "match", doc: "Which of these events; all given fields must hold.", shape: refShape("match"),
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.match, _ = r.readMatch(n, "match") }},
		{name: "description", doc: "What the hook is for; shown by `hookway list`.", shape: schema{"type": "string"},
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.description, _ = r.Text(n, "description") }},
		{name: "enabled", doc: "false switches the hook off. Default: true.", shape: boolShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				on, ok := r.Boolean(n, "enabled")
				h.disabled = ok && !on
			}},
	}
}

// howKeys say how the hook is run.
func howKeys() []key[hookSpec] {
	return []key[hookSpec]{
		choiceKey("lane", "transform (default): may change; guard: judges the final payload; observe: only watches.", []string{"transform", "guard", "observe"}, func(h *hookSpec, word string) { h.lane, _ = hook.ParseLane(word) }),
		boolKey("async", "true puts the hook into the observe lane.", func(h *hookSpec) *bool { return &h.async }),
		numberKey("priority", "Order inside the lane: lower first. Default: 100, or the profile's.", math.MinInt32, math.MaxInt32, func(h *hookSpec) **int { return &h.priority }),
		durationKey("timeout", "Time for one call with all its tries, as 500ms or 2m; 0 is none. Default: 30s.", func(h *hookSpec) **time.Duration { return &h.timeout }),
		{name: "timeout_ms", doc: "The timeout in milliseconds; 0 is none.", shape: integerShape(0, hook.MaxTimeout.Milliseconds()),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if ms, ok := r.Integer(n, "timeout_ms", 0, hook.MaxTimeout.Milliseconds()); ok {
					d := time.Duration(ms) * time.Millisecond
					h.timeout = &d
				}
			}},
		integerKey("max_retries", "Further tries after a failure, inside the same timeout. Default: 0.", 0, hook.MaxRetries, func(h *hookSpec) *int { return &h.retries }),
		choiceKey("on_failure", "What a failure of the hook does. Default: block for guards, continue for all others.", []string{"continue", "block"}, func(h *hookSpec, word string) { h.onFail, _ = hook.ParseFailure(word) }),
		choiceKey("profile", "The habits of the system that the hook was written for.", profileNames(), func(h *hookSpec, word string) {
			p, _ := hook.ParseProfile(word)
			h.profile = &p
		}),
		boolKey("override", "Directive only: true switches hookway's own handling of the matched namespace off. Default: false.", func(h *hookSpec) *bool { return &h.override }),
		integerKey("queue", "Observe lane: how many events the hook may be behind. Default: 64.", 1, maxQueue, func(h *hookSpec) *int { return &h.queue }),
	}
}

// maxQueue bounds what an observe hook may be behind.
const maxQueue = 65_536

// decisionKeys are the handlers that always decide the same.
func decisionKeys() []key[hookSpec] {
	verdict := func(kind, doc string, action hook.Action) key[hookSpec] {
		return key[hookSpec]{name: kind, doc: doc, shape: textOrTrueShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				h.handler.decision = hook.Decision{Action: action, Reason: r.reason(n, kind)}
			}}
	}
	return []key[hookSpec]{
		verdict("block", "Stop the operation; the text is the reason, told to the agent.", hook.ActionBlock),
		{name: "allow", doc: "Approve without asking the user; the text is the reason. Beside script or wasm: a list of what that may do: exec, read, write, net.", shape: allowShape(),
			read: readAllow},
		verdict("ask", "The user must confirm; the text is the reason.", hook.ActionAsk),
		{name: "inject", doc: "Text for the agent.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				s, _ := r.Text(n, "inject")
				h.handler.decision = hook.Inject(s)
			}},
		{name: "modify", doc: "Change the payload: a JSON merge patch (RFC 7386).", shape: schema{"type": "object", "minProperties": 1},
			read: func(r *reader, n *yaml.Node, h *hookSpec) { r.readPatch(n, &h.handler) }},
		{name: "answer", doc: "The operation is not run; this stands in for its result.",
			shape: schema{"type": []string{"string", "number", "boolean", "object", "array"}},
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if result, ok := r.result(n); ok {
					h.handler.decision = hook.Answer(result)
				}
			}},
		{name: "retry", doc: "The caller waits this long and tries the operation again.", shape: durationShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				d, _ := r.Duration(n, "retry", hook.MaxTimeout)
				h.handler.decision = hook.Retry(d)
			}},
		{name: "skip", doc: "No further hooks of this lane; the operation goes on.", shape: trueShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if v, ok := r.Boolean(n, "skip"); ok && !v {
					r.Fail(n, "take the key out", "skip can only be true")
				}
				h.handler.decision = hook.Skip()
			}},
	}
}

// programKeys are the handlers that run or ask something, and what belongs to them.
func programKeys() []key[hookSpec] {
	return []key[hookSpec]{
		{name: "command", doc: "A program: a list of arguments, or a line for the shell. It reads the event from stdin and answers on stdout.", shape: commandShape(),
			read: readCommand},
		entryKey("script", "A file of TypeScript or JavaScript, from the folder of this file: it exports a default function, or, without on, hooks of its own.", func(h *hookSpec) **strict.Entry { return &h.handler.script }),
		choiceKey("runtime", "script: embedded (default) runs it inside hookway; node by Node, as a command, where no grants are enforced.", []string{"embedded", "node"}, func(h *hookSpec, word string) { h.byNode = word == "node" }),
		{name: "config", doc: "script: the settings of a plugin, its api.pluginConfig. What its openclaw.plugin.json says of them is checked.", shape: schema{"type": "object"},
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if node, ok := r.Enter(n); ok && node.Kind != yaml.MappingNode {
					r.Fail(n, "write config: {apiKey: …}", "config must be a map of settings, not %s", strict.Describe(node))
				} else if ok {
					h.settings, _ = r.JSON(n, "config")
				}
			}},
		{name: "http", doc: "A server: its URL, or a map. It gets the event with POST and answers with a decision.",
			shape: schema{"anyOf": []schema{textShape(), objectSchema(webKeys(), "url")}},
			read:  func(r *reader, n *yaml.Node, h *hookSpec) { h.handler.web = readWeb(r, n) }},
		{name: "grpc", doc: "A server of the gRPC service hookway.v1.Hooks: its target, or a map.",
			shape: schema{"anyOf": []schema{textShape(), objectSchema(rpcKeys(), "target")}},
			read:  func(r *reader, n *yaml.Node, h *hookSpec) { h.handler.rpc = readRPC(r, n) }},
		entryKey("wasm", "A WebAssembly module, from the folder of this file, which exports hookway_alloc and hookway_handle.", func(h *hookSpec) **strict.Entry { return &h.handler.wasm }),
		{name: "mode", doc: "monitor: the hook decides, the record says what it would have done, and nothing comes of it; enforce (default): what it decides counts. command: oneshot (default) starts a process for each event, worker keeps one. A list takes both: [worker, monitor].",
			shape: schema{"anyOf": []schema{choiceShape(hookModes...), {"type": "array", "minItems": 1, "items": choiceShape(hookModes...)}}}, read: readMode},
		{name: "needs", doc: "command: variables of the agent's environment that a worker is given; agents for which they differ get workers of their own; script: variables that it sees.",
			shape: textsShape(), read: readNeeds},
		textKey("cwd", "command: working directory, from the folder of this file. Default: the agent's.", func(h *hookSpec) *string { return &h.cwd }),
		{name: "env", doc: "command, script: variables added to the environment; wasm: its whole environment.",
			shape: schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean"}},
				"propertyNames": schema{"not": schema{"pattern": `^(PATH|LD_.*|DYLD_.*|NODE_OPTIONS)$`}}},
			read: readEnv},
	}
}

// hookModes are the words of mode.
var hookModes = []string{"oneshot", "worker", "monitor", "enforce"}

// readMode reads how a command is run, and whether what the hook decides counts.
func readMode(r *reader, n *yaml.Node, h *hookSpec) {
	for _, e := range r.Texts(n, "mode") {
		word, ok := r.Choice(e.Node, "mode", hookModes...)
		switch trial := word == "monitor"; {
		case !ok:
		case word == "oneshot" || word == "worker":
			if h.runs != "" && h.runs != word {
				r.Fail(e.Node, "take one of them out", "mode says both %s and %s", h.runs, word)
			}
			h.runs, h.worker = word, word == "worker"
		case h.trial != nil && *h.trial != trial:
			r.Fail(e.Node, "take one of them out", "mode says both monitor and enforce")
		default:
			h.trial = &trial
		}
	}
}

// readAllow reads the verdict, or what a script is granted.
func readAllow(r *reader, n *yaml.Node, h *hookSpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	if node.Kind != yaml.SequenceNode {
		h.handler.decision = hook.Decision{Action: hook.ActionAllow, Reason: r.reason(n, "allow")}
		return
	}
	h.grants = []script.Grant{}
	for _, e := range r.Texts(n, "allow") {
		g, err := script.ParseGrant(e.Text)
		if err != nil {
			r.Fail(e.Node, "", "allow: %v", err)
		} else if !slices.Contains(h.grants, g) {
			h.grants = append(h.grants, g)
		}
	}
}

// reason reads text or true.
func (r *reader) reason(n *yaml.Node, what string) string {
	node, ok := r.Enter(n)
	if !ok {
		return ""
	}
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!bool" {
		if v, ok := r.Boolean(n, what); ok && !v {
			r.Fail(n, "take the key out, or switch the hook off with enabled: false", "%s is true or a reason, not false", what)
		}
		return ""
	}
	if !strict.IsText(node) {
		r.Fail(n, "", "%s must be a reason or true, not %s", what, strict.Describe(node))
		return ""
	}
	s, _ := r.Text(n, what)
	return s
}

// readPatch reads a merge patch.
func (r *reader) readPatch(n *yaml.Node, into *handlerSpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		r.Fail(n, "write modify: {tool_input: {timeout: 1000}}", "modify must be a map of payload fields, not %s", describeEmpty(node))
		return
	}
	if patch, ok := r.JSON(n, "modify"); ok {
		into.patch, into.fields = patch, r.Pairs(node)
	}
}

func describeEmpty(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		return "an empty one"
	}
	return strict.Describe(n)
}

// result reads any value but nothing. Numbers are json.Number.
func (r *reader) result(n *yaml.Node) (any, bool) {
	node, ok := r.Enter(n)
	if !ok {
		return nil, false
	}
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" {
		r.Fail(n, "write the result that stands in for the operation's", "answer is empty")
		return nil, false
	}
	data, ok := r.JSON(n, "answer")
	if !ok {
		return nil, false
	}
	var value any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		r.Fail(n, "", "answer: %v", err)
		return nil, false
	}
	return value, true
}

func readCommand(r *reader, n *yaml.Node, h *hookSpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	if node.Kind == yaml.ScalarNode {
		if s, ok := r.Text(n, "command"); ok {
			h.handler.shell = &strict.Entry{Text: s, Node: n}
		}
		return
	}
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		r.Fail(n, `write command: ["./guard", "--strict"] or command: ./guard --strict`, "command must be a program with its arguments, not %s", strict.Describe(node))
		return
	}
	for i, item := range node.Content {
		s, ok := r.Scalar(item, "an argument of command")
		if ok && i == 0 && strings.TrimSpace(s) == "" {
			r.Fail(item, "", "the program of command is empty")
		}
		if ok && strings.ContainsRune(s, 0) {
			r.Fail(item, "", "an argument of command has a NUL byte")
		}
		h.handler.argv = append(h.handler.argv, strict.Entry{Text: s, Node: item})
	}
}

// readNeeds reads names of variables.
func readNeeds(r *reader, n *yaml.Node, h *hookSpec) {
	for _, e := range r.Texts(n, "needs") {
		if strings.ContainsAny(e.Text, "=\x00") {
			r.Fail(e.Node, "give names only", "%q is not a name for a variable", strict.Clip(e.Text))
			continue
		}
		h.needs = append(h.needs, e.Text)
	}
	slices.Sort(h.needs)
	h.needs = slices.Compact(h.needs)
}

// readEnv reads variables. Those that would change which code runs are refused.
func readEnv(r *reader, n *yaml.Node, h *hookSpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	if node.Kind != yaml.MappingNode {
		r.Fail(n, "write env: {NAME: value}", "env must be a map, not %s", strict.Describe(node))
		return
	}
	for _, p := range r.Pairs(node) {
		name := p.Key.Value
		value, ok := r.Scalar(p.Value, "env."+name)
		switch {
		case !ok:
		case name == "" || strings.ContainsAny(name, "=\x00"):
			r.Fail(p.Key, "", "%q is not a name for a variable", strict.Clip(name))
		case hook.RefusedVariable(name):
			r.Fail(p.Key, "put it into the command itself, where it can be seen", "a hook may not set %s: it changes which code runs", name)
		case strings.ContainsRune(value, 0):
			r.Fail(p.Value, "", "env.%s has a NUL byte", name)
		default:
			h.env = append(h.env, name+"="+value)
		}
	}
	slices.Sort(h.env)
}

// readHook reads an entry of hooks; nil if it is not a map. finish does the rest when all
// are read.
func (r *reader) readHook(n *yaml.Node) *hookSpec {
	h := &hookSpec{node: n}
	r.Hook = hookID(n)
	h.keys = object(r, n, "a hook", hookKeys(), h)
	if r.Hook = ""; h.keys == nil {
		return nil
	}
	return h
}

// hookID looks ahead for the id, so that every problem of a hook can name it.
func hookID(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if v := n.Content[i+1]; n.Content[i].Value == "id" && strict.IsText(v) && strict.BadName(v.Value) == "" {
				return v.Value
			}
		}
	}
	return ""
}
