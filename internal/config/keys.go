package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// schema is a piece of JSON Schema.
type schema map[string]any

// reader reads hookway.yaml.
type reader struct {
	strict.Reader
	tools, sources, agents []strict.Word // that matchers, and budgets, name
	tokens                 []strict.Word // where budgets count tokens, and of which agent; "" is each
}

// key is one key of a map in hookway.yaml: how it is read, and what the schema
// tells editors about it. The tables of keys are the one description of the
// format; the parser and the schema are both made of them.
type key[T any] struct {
	name    string
	aliases []string // the same key in other systems' spelling
	doc     string
	shape   schema
	read    func(r *reader, n *yaml.Node, into *T)
}

// table is a table of keys that is made when it is first needed.
type table[T any] struct {
	once sync.Once
	keys []key[T]
}

func (t *table[T]) get(make func() []key[T]) []key[T] {
	t.once.Do(func() { t.keys = make() })
	return t.keys
}

// object reads a map by its table of keys. It gives the key nodes that were
// found, by their canonical names.
func object[T any](r *reader, n *yaml.Node, what string, keys []key[T], into *T) map[string]*yaml.Node {
	node, ok := r.Enter(n)
	if !ok {
		return nil
	}
	if node.Kind != yaml.MappingNode {
		r.Fail(n, "", "%s must be a map, not %s", what, strict.Describe(node))
		return nil
	}
	defer r.Deeper()()
	found := map[string]*yaml.Node{}
	for _, p := range r.Pairs(node) {
		if r.Full() {
			break
		}
		k := lookup(keys, p.Key.Value)
		if k == nil {
			r.Fail(p.Key, suggestKey(keys, p.Key.Value), "unknown key %q in %s", strict.Clip(p.Key.Value), what)
			continue
		}
		if first := found[k.name]; first != nil {
			r.Fail(p.Key, "take one of them out", "%q and %q (line %d) are the same key", p.Key.Value, first.Value, first.Line)
			continue
		}
		found[k.name] = p.Key
		k.read(r, p.Value, into)
	}
	return found
}

func lookup[T any](keys []key[T], name string) *key[T] {
	for i := range keys {
		if keys[i].name == name || slices.Contains(keys[i].aliases, name) {
			return &keys[i]
		}
	}
	return nil
}

// suggestKey says what may have been meant.
func suggestKey[T any](keys []key[T], name string) string {
	var known, all []string
	for _, k := range keys {
		known = append(known, k.name)
		all = append(append(all, k.name), k.aliases...)
	}
	if near := hook.Nearest(name, all); near != "" && alike(name, near) {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "known keys: " + strict.OneOf(known)
}

// alike keeps short words that merely have a letter in common from being suggested.
func alike(a, b string) bool {
	return len(a) > 1 && len(b) > 1 && (a[0] == b[0] || a[1] == b[1])
}

// list reads a list, entry by entry. Nothing at all is an empty list.
func list(r *reader, n *yaml.Node, what string, each func(i int, item *yaml.Node)) {
	node, ok := r.Enter(n)
	switch {
	case !ok, node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null":
	case node.Kind != yaml.SequenceNode:
		r.Fail(n, "begin each entry with a dash", "%s must be a list, not %s", what, strict.Describe(node))
	default:
		defer r.Deeper()()
		for i, item := range node.Content {
			each(i, item)
		}
	}
}

// as gives a key other names.
func (k key[T]) as(aliases ...string) key[T] {
	k.aliases = aliases
	return k
}

// valueKey is a key whose value has one shape, and one place in what is read.
func valueKey[T, V any](name, doc string, shape schema, read func(r *reader, n *yaml.Node) (V, bool), at func(*T) *V) key[T] {
	return key[T]{name: name, doc: doc, shape: shape, read: func(r *reader, n *yaml.Node, into *T) {
		if v, ok := read(r, n); ok {
			*at(into) = v
		}
	}}
}

func textKey[T any](name, doc string, at func(*T) *string) key[T] {
	return valueKey(name, doc, textShape(), func(r *reader, n *yaml.Node) (string, bool) { return r.Text(n, name) }, at)
}

func nameKey[T any](name, doc string, at func(*T) *string) key[T] {
	return valueKey(name, doc, textShape(), func(r *reader, n *yaml.Node) (string, bool) { return r.Name(n, name) }, at)
}

func variableKey[T any](name, doc string, at func(*T) *string) key[T] {
	return valueKey(name, doc, textShape(), func(r *reader, n *yaml.Node) (string, bool) { return r.Variable(n, name) }, at)
}

func entryKey[T any](name, doc string, at func(*T) **strict.Entry) key[T] {
	return valueKey(name, doc, textShape(), func(r *reader, n *yaml.Node) (*strict.Entry, bool) {
		s, ok := r.Text(n, name)
		return &strict.Entry{Text: s, Node: n}, ok
	}, at)
}

func boolKey[T any](name, doc string, at func(*T) *bool) key[T] {
	return valueKey(name, doc, boolShape(), func(r *reader, n *yaml.Node) (bool, bool) { return r.Boolean(n, name) }, at)
}

func integerKey[T any](name, doc string, low, high int64, at func(*T) *int) key[T] {
	return valueKey(name, doc, integerShape(low, high), func(r *reader, n *yaml.Node) (int, bool) { return r.Integer(n, name, low, high) }, at)
}

// numberKey is an integer that may be unset.
func numberKey[T any](name, doc string, low, high int64, at func(*T) **int) key[T] {
	return valueKey(name, doc, integerShape(low, high), func(r *reader, n *yaml.Node) (*int, bool) {
		v, ok := r.Integer(n, name, low, high)
		return &v, ok
	}, at)
}

func durationKey[T any](name, doc string, at func(*T) **time.Duration) key[T] {
	return valueKey(name, doc, durationShape(), func(r *reader, n *yaml.Node) (*time.Duration, bool) {
		d, ok := r.Duration(n, name, hook.MaxTimeout)
		return &d, ok
	}, at)
}

// choiceKey is a key with one of some words.
func choiceKey[T any](name, doc string, words []string, take func(into *T, word string)) key[T] {
	return key[T]{name: name, doc: doc, shape: choiceShape(words...), read: func(r *reader, n *yaml.Node, into *T) {
		if word, ok := r.Choice(n, name, words...); ok {
			take(into, word)
		}
	}}
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

// objectSchema describes a map by its table of keys.
func objectSchema[T any](keys []key[T], required ...string) schema {
	properties := schema{}
	for _, k := range keys {
		for _, name := range append([]string{k.name}, k.aliases...) {
			entry := maps.Clone(k.shape)
			entry["description"] = k.doc
			if name != k.name {
				entry["description"] = "The same as " + k.name + "."
			}
			properties[name] = entry
		}
	}
	out := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func textShape() schema { return schema{"type": "string", "minLength": 1} }

func boolShape() schema { return schema{"type": "boolean"} }

func trueShape() schema { return schema{"const": true} }

func refShape(name string) schema { return schema{"$ref": "#/definitions/" + name} }

func textOrTrueShape() schema { return schema{"anyOf": []schema{textShape(), trueShape()}} }

// allowShape is a reason or true; beside script and wasm, what those may do.
func allowShape() schema {
	return schema{"anyOf": []schema{textShape(), trueShape(), {"type": "array", "items": choiceShape("exec", "read", "write", "net")}}}
}

func textsShape() schema {
	return schema{"anyOf": []schema{textShape(), {"type": "array", "minItems": 1, "items": textShape()}}}
}

func listShape(item schema) schema {
	return schema{"anyOf": []schema{{"type": "array", "items": item}, {"type": "null"}}}
}

func integerShape(low, high int64) schema {
	return schema{"type": "integer", "minimum": low, "maximum": high}
}

func choiceShape(words ...string) schema { return schema{"enum": words} }

// durationShape takes what time.ParseDuration takes, and 0.
func durationShape() schema {
	return schema{"anyOf": []schema{
		{"type": "string", "pattern": `^\+?((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$|^0$`},
		{"const": 0},
	}}
}

// scalarsShape is a text, number or boolean, or a list of them.
func scalarsShape() schema {
	one := schema{"type": []string{"string", "number", "boolean"}}
	return schema{"anyOf": []schema{one, {"type": "array", "minItems": 1, "items": one}}}
}

// commandShape is a line, or a program with arguments.
func commandShape() schema {
	return schema{"anyOf": []schema{textShape(), {"type": "array", "minItems": 1, "items": schema{"type": []string{"string", "number", "boolean"}}}}}
}

func profileNames() []string {
	var names []string
	for _, p := range hook.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// eventShape offers the known names and takes any other: aliases, other ways to
// write them, and events that the file defines.
func eventShape() schema {
	names := []string{"*"}
	for _, info := range hook.Events() {
		names = append(append(names, info.Name), info.Aliases...)
	}
	one := schema{"anyOf": []schema{{"enum": names}, textShape()}}
	return schema{"anyOf": []schema{one, {"type": "array", "minItems": 1, "items": one}}}
}

// measure reads a whole number with its unit.
func (r *reader) measure(n *yaml.Node, what, hint string, units []unit, low, high int64) int64 {
	node, ok := r.Enter(n)
	if !ok {
		return 0
	}
	text := node.Value
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseUint(strings.TrimSuffix(digits, " "), 10, 63)
		if err != nil {
			break
		}
		if int64(v) < (low+u.is-1)/u.is || int64(v) > high/u.is {
			r.Fail(n, "", "%s is %s; it must be between %d%s and %d%s", what, strict.Clip(text), (low+u.is-1)/u.is, u.name, high/u.is, u.name)
			return 0
		}
		return int64(v) * u.is
	}
	r.Fail(n, hint, "%s must be a number with its unit, not %s", what, strict.Describe(node))
	return 0
}

// unit is a unit that a number is written with.
type unit struct {
	name string
	is   int64
}
