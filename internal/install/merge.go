package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/tailscale/hujson"
)

// tree is a parsed file with the object of its events.
type tree struct {
	text   []byte
	root   *hujson.Value
	style  style
	events *hujson.Value // nil: not there
	holder *hujson.Value // the innermost object on the way to events
	left   []string      // the keys from holder to events that are not there
}

// treeOf parses a file and goes down keys.
func treeOf(text []byte, keys []string) (*tree, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	t := &tree{text: text, root: root, style: styleOf(text, root), holder: root, left: keys}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("%s: it is not a JSON object; mend it, or move it away", at(text, root.StartOffset))
	}
	for len(t.left) > 0 {
		next, err := child(text, t.holder, t.left[0])
		if err != nil || next == nil {
			return t, err
		}
		if _, ok := next.Value.(*hujson.Object); !ok {
			return nil, fmt.Errorf("%s: %q is not an object, so the agent reads no hooks from it; mend it first", at(text, next.StartOffset), t.left[0])
		}
		t.holder, t.left = next, t.left[1:]
	}
	t.events = t.holder
	return t, nil
}

// child finds a member of an object; nil if there is none.
func child(text []byte, v *hujson.Value, name string) (*hujson.Value, error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, nil
	}
	var found *hujson.Value
	for i := range o.Members {
		m := &o.Members[i]
		if literal, ok := m.Name.Value.(hujson.Literal); !ok || literal.String() != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s: %q stands twice; remove one of them first", at(text, m.Name.StartOffset), name)
		}
		found = &m.Value
	}
	return found, nil
}

// list finds the array of an event; nil if there is none.
func (t *tree) list(event string) (*hujson.Value, error) {
	if t.events == nil {
		return nil, nil
	}
	v, err := child(t.text, t.events, event)
	if err != nil || v == nil {
		return nil, err
	}
	if _, ok := v.Value.(*hujson.Array); !ok {
		return nil, fmt.Errorf("%s: %q is not a list of hooks; mend it first", at(t.text, v.StartOffset), event)
	}
	return v, nil
}

// entry is one of our handlers in the list of an event.
type entry struct {
	invocation
	group   int // index in the list
	index   int // in the group's hooks; 0 where there are no groups
	alone   bool
	element *hujson.Value // of the list
	inner   *hujson.Value // the array of the group, or nil
}

// entries finds our handlers in a list.
func entries(list *hujson.Value, codecs []string) []entry {
	var found []entry
	for i := range list.Value.(*hujson.Array).Elements {
		element := &list.Value.(*hujson.Array).Elements[i]
		if c, ok := readHandler(element, codecs); ok {
			found = append(found, entry{invocation: c, group: i, alone: true, element: element})
			continue
		}
		inner, err := child(nil, element, "hooks")
		if err != nil || inner == nil {
			continue
		}
		handlers, ok := inner.Value.(*hujson.Array)
		if !ok {
			continue
		}
		for j := range handlers.Elements {
			if c, ok := readHandler(&handlers.Elements[j], codecs); ok {
				found = append(found, entry{invocation: c, group: i, index: j, alone: len(handlers.Elements) == 1, element: element, inner: inner})
			}
		}
	}
	return found
}

// readHandler takes a handler apart if it calls hookway.
func readHandler(v *hujson.Value, codecs []string) (invocation, bool) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return invocation{}, false
	}
	for _, key := range []string{"command", "bash", "exec"} {
		for i := range o.Members {
			name, ok := o.Members[i].Name.Value.(hujson.Literal)
			if !ok || name.String() != key {
				continue
			}
			line, ok := o.Members[i].Value.Value.(hujson.Literal)
			if !ok || line.Kind() != '"' {
				continue
			}
			more := args(o)
			if c, ok := readCall(append(shellWords(line.String()), more...), codecs); ok {
				if more == nil {
					c.line = line.String()
				}
				return c, true
			}
		}
	}
	return invocation{}, false
}

// args are the arguments of a handler in exec form.
func args(o *hujson.Object) []string {
	var words []string
	for i := range o.Members {
		if name, ok := o.Members[i].Name.Value.(hujson.Literal); !ok || name.String() != "args" {
			continue
		}
		if list, ok := o.Members[i].Value.Value.(*hujson.Array); ok {
			for _, e := range list.Elements {
				if word, ok := e.Value.(hujson.Literal); ok && word.Kind() == '"' {
					words = append(words, word.String())
				}
			}
		}
	}
	return words
}

// merge makes sure that the list of an event has the wanted element, and nothing
// else of ours. What is right already is not touched.
func merge(text []byte, keys []string, codecs []string, name string, want object) ([]byte, error) {
	for placed := false; ; {
		t, err := treeOf(text, keys)
		if err != nil {
			return nil, err
		}
		list, err := t.list(name)
		if err != nil {
			return nil, err
		}
		if list == nil {
			return t.add(name, want), nil
		}
		ours := entries(list, codecs)
		keep, wrong := choose(t.text, ours, want)
		switch {
		case keep < 0 && wrong >= 0 && ours[wrong].alone && !placed: // in its place
			e := ours[wrong].element
			text = replaced(text, span{e.StartOffset, e.EndOffset}, t.style.at(text, e.StartOffset).render(want, lineIndent(text, e.StartOffset)))
			placed = true
		case wrong >= 0:
			text = cut(text, list, ours[wrong])
		case keep < 0:
			return appended(text, containerOf(list), t.style, func(s style, indent string) string { return s.render(want, indent) }), nil
		default:
			return text, nil
		}
	}
}

// choose says which of our entries is the wanted one, and which is to go; -1 for
// none.
func choose(text []byte, ours []entry, want object) (keep, wrong int) {
	keep, wrong = -1, -1
	for i, e := range ours {
		switch {
		case keep < 0 && same(text, e.element, want):
			keep = i
		case wrong < 0:
			wrong = i
		}
	}
	return keep, wrong
}

// same compares a value in a file with one of ours, whatever its layout.
func same(text []byte, v *hujson.Value, want object) bool {
	piece, err := hujson.Standardize(append([]byte(nil), text[v.StartOffset:v.EndOffset]...))
	if err != nil {
		return false
	}
	var a, b any
	return errors.Join(json.Unmarshal(piece, &a), json.Unmarshal([]byte(style{flat: true}.render(want, "")), &b)) == nil && reflect.DeepEqual(a, b)
}

// at is the style for something that is written in place of what stands at an
// offset: on one line, if its neighbours are.
func (s style) at(text []byte, offset int) style {
	if len(text[:offset]) > 0 && lineIndent(text, offset) != string(text[lineStart(text, offset):offset]) {
		s.flat = true
	}
	return s
}

// cut takes an entry out, and its group if nothing else is in it.
func cut(text []byte, list *hujson.Value, e entry) []byte {
	if e.alone {
		return without(text, containerOf(list), e.group)
	}
	return without(text, containerOf(e.inner), e.index)
}

// add writes the list of an event that has none, and the objects around it.
func (t *tree) add(name string, want object) []byte {
	key, value := name, any([]any{want})
	for i := len(t.left) - 1; i >= 0; i-- {
		key, value = t.left[i], object{{key, value}}
	}
	return appended(t.text, containerOf(t.holder), t.style, func(s style, indent string) string {
		colon := ": "
		if s.flat && s.space == "" {
			colon = ":"
		}
		return quoteJSON(key) + colon + s.render(value, indent)
	})
}

// unmerge takes everything of ours out of the events that are meant. before is the
// file as it was before, nil if unknown: lists and objects that it had stay, also
// when they are empty.
func unmerge(text []byte, keys []string, codecs []string, before []byte, meant func(event string) bool) ([]byte, error) {
	var old *tree
	if before != nil {
		old, _ = treeOf(before, keys) // if it cannot be read, nothing of it must stay
	}
	for {
		t, err := treeOf(text, keys)
		if err != nil || t.events == nil {
			return text, err
		}
		next, err := t.unmergeOne(codecs, old, keys, meant)
		if err != nil {
			return nil, err
		}
		if next == nil {
			return text, nil
		}
		text = next
	}
}

// unmergeOne takes one entry out, with what becomes empty by it; nil means that
// there is none.
func (t *tree) unmergeOne(codecs []string, old *tree, keys []string, meant func(string) bool) ([]byte, error) {
	events := t.events.Value.(*hujson.Object)
	for i := range events.Members {
		m := &events.Members[i]
		if _, ok := m.Value.Value.(*hujson.Array); !ok {
			continue
		}
		name := m.Name.Value.(hujson.Literal).String()
		ours := entries(&m.Value, codecs)
		if len(ours) == 0 || !meant(name) {
			continue
		}
		list := m.Value.Value.(*hujson.Array)
		if len(list.Elements) > 1 || !ours[0].alone || old.has(name) {
			return cut(t.text, &m.Value, ours[0]), nil
		}
		text := without(t.text, containerOf(t.events), i)
		if len(events.Members) > 1 {
			return text, nil
		}
		return dropEmpty(text, keys, old)
	}
	return nil, nil
}

// has reports whether the file of before had a list for an event.
func (t *tree) has(event string) bool {
	if t == nil {
		return false
	}
	list, err := t.list(event)
	return err == nil && list != nil
}

// dropEmpty takes out the objects along keys that are empty and were not there
// before, innermost first.
func dropEmpty(text []byte, keys []string, old *tree) ([]byte, error) {
	for n := len(keys); n > 0; n-- {
		if old != nil && len(old.left) <= len(keys)-n {
			return text, nil // it was there
		}
		parent, err := treeOf(text, keys[:n-1])
		if err != nil {
			return nil, err
		}
		if parent.events == nil {
			return text, nil
		}
		members := parent.events.Value.(*hujson.Object).Members
		for i := range members {
			o, ok := members[i].Value.Value.(*hujson.Object)
			if ok && members[i].Name.Value.(hujson.Literal).String() == keys[n-1] && len(o.Members) == 0 {
				text = without(text, containerOf(parent.events), i)
				break
			}
		}
	}
	return text, nil
}
