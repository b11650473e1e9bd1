package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/wire"
	"go.yaml.in/yaml/v4"
)

// parse reads one hookway.yaml. known holds the events that the file may name
// besides hookway's; those that it defines itself are added. The problems are
// all that is wrong with the file, in the order of their places.
func parse(file string, data []byte, known *hook.Engine) (*fileSpec, Problems) {
	root, problems := strict.Document(file, data)
	spec := &fileSpec{}
	if root == nil || len(problems) > 0 {
		spec.unread = len(problems) > 0
		return spec, problems
	}
	r := &reader{Reader: strict.Reader{File: file}}
	switch {
	case root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null": // only "---"
	case root.Kind == yaml.SequenceNode:
		r.Fail(root, "put the list under hooks:", "the file must be a map, not a list")
	default:
		object(r, root, "the file", rootKeys(), spec)
	}
	for _, e := range spec.events {
		r.define(e, known)
	}
	if spec.gateway != nil {
		spec.gateway.finish(r, known)
	}
	ids := map[string]*hookSpec{}
	for _, h := range spec.hooks {
		r.Hook = h.id
		if first := ids[h.id]; first != nil && h.id != "" {
			r.Fail(h.keys["id"], "give it an id of its own", "the id is taken by the hook in line %d", first.node.Line)
		} else {
			ids[h.id] = h
		}
		r.finish(h, known)
	}
	spec.tools, spec.sources, spec.agents, spec.tokens = r.tools, r.sources, r.agents, r.tokens
	return spec, r.Problems.Sorted()
}

// define makes an event of the file known. The same event in two files is one.
func (r *reader) define(e *eventSpec, known *hook.Engine) {
	info := e.info()
	if old, err := known.Lookup(e.name); err == nil && sameEvent(old, info) {
		return
	}
	if err := known.Define(info); err != nil {
		r.Fail(e.node, "choose another name; names are compared without case, '_', '-' and a leading \"on\"", "%v", err)
	}
}

// finish checks what needs the whole hook, and the events of the whole file.
func (r *reader) finish(h *hookSpec, known *hook.Engine) {
	if h.keys["id"] == nil {
		r.Fail(h.node, "give it an id: that is unique in this file", "the hook has no id")
	}
	if h.keys["on"] == nil && h.keys["script"] == nil {
		r.Fail(h.node, "name its events, as in on: [PreToolUse]", "the hook has no on")
	}
	r.findEvents(h, known)
	r.tellsOfHooks(h)
	r.tellsOfCalls(h)
	r.oneHandler(h)
	r.onNode(h)
	r.conflicts(h)
	if h.handler.kind != "" {
		r.decides(h)
	}
}

// findEvents looks up the names of on.
func (r *reader) findEvents(h *hookSpec, known *hook.Engine) {
	for _, e := range h.on {
		if e.Text == "*" {
			h.every = true
			continue
		}
		info, err := known.Lookup(e.Text)
		if err != nil {
			message, hint, _ := strings.Cut(err.Error(), "; ")
			r.Fail(e.Node, hint, "%s", message)
			continue
		}
		if !slices.Contains(h.events, info) {
			h.events = append(h.events, info)
		}
		if name := claudeName(e.Text); name != "" && name != info.Name {
			if h.told == nil {
				h.told = map[string]string{}
			}
			h.told[info.Name] = name
		}
	}
}

// tellsOfHooks looks at a hook that is told of others: it is for such events alone, and
// watches.
func (r *reader) tellsOfHooks(h *hookSpec) {
	told := 0
	for _, info := range h.events {
		if info.Changes() {
			told++
		}
	}
	switch {
	case told == 0:
	case told < len(h.events) || h.every:
		r.Fail(h.keys["on"], "make two hooks of it", "a hook that is told of hooks is for such events alone")
	default:
		h.lane = hook.Observe
	}
}

// tellsOfCalls finds a matcher that asks about a call where the events have none.
func (r *reader) tellsOfCalls(h *hookSpec) {
	if h.every || len(h.events) < len(h.on) { // those that are unknown are mistakes already
		return
	}
	bad := new(hook.PatternError)
	if !errors.As(h.match.CheckFor(h.events...), &bad) {
		return
	}
	name, _, _ := strings.Cut(bad.Place, "[")
	at, match := pairOf(h.node, "match")
	if match != nil {
		if key, _ := pairOf(match, name); key != nil {
			at = key
		}
	}
	if at == nil { // it stands behind an alias
		at = h.keys["match"]
	}
	r.Fail(at, "name an event with a call, as on: PreToolUse; or take it out", "%s: %s", name, strict.Line(bad.Err.Error()))
}

// pairOf is a key of a map as it is written, with its value; nil if it is not there.
func pairOf(n *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// claudeNames are Claude Code's names of events that are called otherwise here.
// A hook that is registered under one is told that name, because a script
// written for Claude Code may look at it.
var claudeNames = []string{"UserPromptSubmit", "Stop"}

func claudeName(name string) string {
	plain := strings.NewReplacer("_", "", "-", "").Replace(name)
	for _, n := range claudeNames {
		if strings.EqualFold(plain, n) {
			return n
		}
	}
	return ""
}

// oneHandler finds the one handler of a hook.
func (r *reader) oneHandler(h *hookSpec) {
	var found []string
	for _, kind := range handlerKinds {
		if h.keys[kind] != nil && (kind != "allow" || h.grants == nil) {
			found = append(found, kind)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		x, y := h.keys[a], h.keys[b]
		return (x.Line-y.Line)*1_000_000 + x.Column - y.Column
	})
	switch len(found) {
	case 0:
		r.Fail(h.node, "", "the hook has no handler; it needs exactly one of %s", strings.Join(handlerKinds, " | "))
	case 1:
		h.handler.kind = found[0]
	default:
		for _, extra := range found[1:] {
			r.Fail(h.keys[extra], fmt.Sprintf("make two hooks of it, or take %s or %s out", found[0], extra),
				"%s is a second handler beside %s; a hook has exactly one of %s", extra, found[0], strings.Join(handlerKinds, " | "))
		}
	}
}

// conflicts finds keys that do not go together.
func (r *reader) conflicts(h *hookSpec) {
	if h.async {
		if lane := h.keys["lane"]; lane != nil && h.lane != hook.Observe {
			r.Fail(h.keys["async"], "take one of them out", "async: true is the observe lane; lane says %s", h.lane)
		}
		h.lane = hook.Observe
	}
	if a, b := h.keys["timeout"], h.keys["timeout_ms"]; a != nil && b != nil {
		r.Fail(b, "take one of them out", "timeout and timeout_ms are the same")
	}
	if n := h.keys["queue"]; n != nil && h.lane != hook.Observe {
		r.Fail(n, "take it out, or set lane: observe", "only hooks of the observe lane have a queue")
	}
	if h.override {
		r.overrides(h)
	}
	r.granted(h)
	if h.keys["script"] != nil && h.keys["on"] == nil && !h.byNode {
		r.registersItself(h)
	}
	if n := h.keys["config"]; n != nil && h.keys["script"] == nil {
		r.Fail(n, "take it out", "config belongs to script, which the hook does not have")
	}
	if h.keys["command"] == nil {
		for _, name := range []string{"mode", "cwd", "env", "needs"} {
			ofOthers := name == "mode" && h.runs == "" || name == "env" && (h.keys["wasm"] != nil || h.keys["script"] != nil) || name == "needs" && h.keys["script"] != nil || name == "cwd" && h.byNode
			if n := h.keys[name]; n != nil && !ofOthers {
				if name == "mode" {
					name += ": " + h.runs
				}
				r.Fail(n, "take it out", "%s belongs to command, which the hook does not have", name)
			}
		}
	}
}

// registersItself finds what cannot be said of a script whose hooks say themselves
// what they want.
func (r *reader) registersItself(h *hookSpec) {
	for name, n := range h.keys {
		if !slices.Contains([]string{"id", "script", "allow", "config", "env", "needs", "description", "enabled"}, name) && (name != "mode" || h.runs != "") {
			r.Fail(n, "say it in the script, or name the events with on:", "%s belongs to a hook, and this script registers its hooks itself", name)
		}
	}
}

// overrides finds why a hook cannot stand in for built-in ones.
func (r *reader) overrides(h *hookSpec) {
	at := h.keys["override"]
	if h.every || slices.ContainsFunc(h.events, func(info *hook.EventInfo) bool { return info != hook.Directive.Info() }) {
		r.Fail(at, "make a hook of its own for on: Directive", "override is for hooks of Directive only")
	}
	if !h.match.ExactNamespaces() {
		r.Fail(at, "name it, as in match: {namespace: relay}", "override needs a match that names its namespaces exactly")
	}
	if h.lane != hook.Transform {
		r.Fail(at, "take lane or async out", "override needs the transform lane: a hook of the %s lane does not stand in for another", h.lane)
	}
}

// decides checks that the events, and the lane, listen to what a fixed decision says.
func (r *reader) decides(h *hookSpec) {
	at, kind := h.keys[h.handler.kind], h.handler.kind
	if kind == "command" || kind == "script" || kind == "http" || kind == "grpc" || kind == "wasm" {
		return
	}
	switch {
	case h.lane == hook.Observe:
		r.Fail(at, "put the hook into another lane, or make it a command", "%s does nothing in the observe lane, which ignores decisions", kind)
		return
	case h.lane == hook.Guard && (kind == "modify" || kind == "answer" || kind == "skip"):
		r.Fail(at, "put the hook into the transform lane", "a guard only judges; %s is for the transform lane", kind)
	}
	for _, info := range h.events {
		if !listens(info, kind) {
			r.Fail(at, fmt.Sprintf("hooks of %s may: %s", info.Name, info.May), "a hook of %s may not %s", info.Name, verb(kind))
		} else if kind == "modify" {
			r.patches(h, info)
		}
	}
}

// listens reports whether an event takes a kind of fixed decision.
func listens(info *hook.EventInfo, kind string) bool {
	may := info.May
	switch kind {
	case "block":
		return may.Block
	case "allow":
		return may.Allow
	case "ask":
		return may.Ask
	case "retry":
		return may.Retry
	case "answer":
		return may.Answer
	case "inject":
		return may.Inject
	case "modify":
		return len(may.Change) > 0
	}
	return true
}

func verb(kind string) string {
	if kind == "modify" {
		return "change its payload"
	}
	return kind
}

// patches checks a merge patch against an event's payload.
func (r *reader) patches(h *hookSpec, info *hook.EventInfo) {
	allowed := info.May.Change
	for _, p := range h.handler.fields {
		if !slices.Contains(allowed, "*") && !slices.Contains(allowed, p.Key.Value) {
			hint := "hooks of " + info.Name + " may change " + strict.OneOf(allowed)
			r.Fail(p.Key, hint, "a hook of %s may not change %s", info.Name, strict.Clip(p.Key.Value))
			return
		}
	}
	if h.handler.patch == nil {
		return
	}
	if err := tryPatch(info, h.handler.patch); err != nil {
		r.Fail(h.keys["modify"], "", "modify does not fit the payload of %s: %v", info.Name, err)
	}
}

// granted checks what a list under allow gives, and to whom.
func (r *reader) granted(h *hookSpec) {
	switch {
	case h.grants == nil || h.keys["script"] != nil:
	case h.keys["wasm"] == nil:
		r.Fail(h.keys["allow"], "write allow: true, or allow: with the reason", "allow is a list only beside script and wasm, as what those may do")
	case slices.Contains(h.grants, script.Exec):
		r.Fail(h.keys["allow"], "take exec out, or make it a command", "a WebAssembly module cannot run programs")
	}
}

// onNode makes a command of a script that Node runs.
func (r *reader) onNode(h *hookSpec) {
	if n := h.keys["runtime"]; n != nil && h.keys["script"] == nil {
		r.Fail(n, "take it out", "runtime belongs to script, which the hook does not have")
		return
	}
	if !h.byNode {
		return
	}
	if h.keys["on"] == nil {
		r.Fail(h.keys["runtime"], "name its events, as in on: [PreToolUse]", "a script that Node runs is asked as one hook, for the events that on names")
	}
	if n := h.keys["allow"]; n != nil && h.grants != nil {
		r.Fail(n, "take it out: under Node the script may do all that you may", "grants are not enforced by Node")
	}
	if n := h.keys["config"]; n != nil {
		r.Fail(n, "take runtime: node out", "config is for plugins of OpenClaw, which only the built-in runtime has")
	}
	if h.handler.kind == "script" && h.handler.script != nil {
		h.handler.kind, h.worker = "command", true
		h.handler.argv = []strict.Entry{{Text: "node", Node: h.handler.script.Node}, *h.handler.script}
	}
}

// tryPatch applies a patch to an empty payload of an event.
func tryPatch(info *hook.EventInfo, p json.RawMessage) error {
	ev, err := info.New(hook.Envelope{}, info.NewPayload())
	if err != nil {
		return err
	}
	_, err = wire.Patch(ev, p)
	return err
}
