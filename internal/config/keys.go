package config

import (
	"fmt"
	"slices"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// reader reads hookway.yaml.
type reader struct {
	strict.Reader
	tools, sources []strict.Word // that matchers name
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

var (
	rootTable  table[fileSpec]
	auditTable table[auditSpec]
	eventTable table[eventSpec]
	hookTable  table[hookSpec]
	matchTable table[hook.Match]
)

func rootKeys() []key[fileSpec]    { return rootTable.get(makeRootKeys) }
func auditKeys() []key[auditSpec]  { return auditTable.get(makeAuditKeys) }
func eventKeys() []key[eventSpec]  { return eventTable.get(makeEventKeys) }
func hookKeys() []key[hookSpec]    { return hookTable.get(makeHookKeys) }
func matchKeys() []key[hook.Match] { return matchTable.get(makeMatchKeys) }

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
