package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

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

// handlerKeys are the handlers and what belongs to them.
func handlerKeys() []key[hookSpec] {
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
		{name: "command", doc: "A program: a list of arguments, or a line for the shell. It reads the event from stdin and answers on stdout.", shape: commandShape(),
			read: readCommand},
		{name: "script", doc: "A file of TypeScript or JavaScript, from the folder of this file: it exports a default function, or, without on, hooks of its own.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if s, ok := r.Text(n, "script"); ok {
					h.handler.script = &strict.Entry{Text: s, Node: n}
				}
			}},
		runtimeKey(),
		{name: "config", doc: "script: the settings of a plugin, its api.pluginConfig. What its openclaw.plugin.json says of them is checked.", shape: schema{"type": "object"},
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				if node, ok := r.Enter(n); ok && node.Kind != yaml.MappingNode {
					r.Fail(n, "write config: {apiKey: …}", "config must be a map of settings, not %s", strict.Describe(node))
				} else if ok {
					h.settings, _ = r.JSON(n, "config")
				}
			}},
		webKey(),
		rpcKey(),
		wasmKey(),
		{name: "mode", doc: "command: oneshot (default) starts a process for each event, worker keeps one.", shape: choiceShape("oneshot", "worker"),
			read: func(r *reader, n *yaml.Node, h *hookSpec) {
				word, _ := r.Choice(n, "mode", "oneshot", "worker")
				h.worker = word == "worker"
			}},
		{name: "needs", doc: "command: variables of the agent's environment that a worker is given; agents for which they differ get workers of their own; script: variables that it sees.",
			shape: textsShape(), read: readNeeds},
		{name: "cwd", doc: "command: working directory, from the folder of this file. Default: the agent's.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, h *hookSpec) { h.cwd, _ = r.Text(n, "cwd") }},
		{name: "env", doc: "command, script: variables added to the environment; wasm: its whole environment.",
			shape: schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean"}},
				"propertyNames": schema{"not": schema{"pattern": `^(PATH|LD_.*|DYLD_.*|NODE_OPTIONS)$`}}},
			read: readEnv},
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
			r.Fail(e.Node, "give names only", "%q is no name for a variable", strict.Clip(e.Text))
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
			r.Fail(p.Key, "", "%q is no name for a variable", strict.Clip(name))
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
