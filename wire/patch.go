package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Patch applies a JSON merge patch (RFC 7386) to an event's payload and gives the
// new payload, of the event's payload type. The event stays as it is. Fields
// that the patch does not name keep their Go values. A name that is not a payload
// field is an error that suggests the nearest.
func Patch(ev hook.AnyEvent, patch []byte) (payload any, err error) {
	text, err := check(patch)
	if err != nil {
		return nil, fmt.Errorf("the patch cannot be read: %w", err)
	}
	e := newEditor(ev)
	if err := e.patch("patch", text); err != nil {
		return nil, err
	}
	return e.payload(), nil
}

// editor makes a changed payload. The first change copies the payload; values
// are replaced and never edited.
type editor struct {
	ev      hook.AnyEvent
	kind    reflect.Type  // of the payload, without the pointers around it
	copy    reflect.Value // the copy, without the pointers around it
	result  reflect.Value // the copy as it was made
	changed bool
}

func newEditor(ev hook.AnyEvent) *editor {
	t := reflect.TypeOf(ev.Info().NewPayload())
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return &editor{ev: ev, kind: t}
}

// start makes the copy.
func (e *editor) start() {
	if e.copy.IsValid() {
		return
	}
	e.result = reflect.ValueOf(e.ev.Info().NewPayload()).Elem()
	if body := reflect.ValueOf(e.ev.Body()); body.IsValid() {
		e.result.Set(body)
	}
	e.copy = e.result
	for e.copy.Kind() == reflect.Pointer {
		inner := reflect.New(e.copy.Type().Elem())
		if !e.copy.IsNil() {
			inner.Elem().Set(e.copy.Elem())
		}
		e.copy.Set(inner)
		e.copy = inner.Elem()
	}
	if isTextMap(e.copy) {
		fresh := reflect.MakeMapWithSize(e.copy.Type(), e.copy.Len()+1)
		for it := e.copy.MapRange(); it.Next(); {
			fresh.SetMapIndex(it.Key(), it.Value())
		}
		e.copy.Set(fresh)
	}
}

// payload gives the new payload.
func (e *editor) payload() any {
	e.start()
	return e.result.Interface()
}

// has reports whether the payload has a field of that name. A map has all.
func (e *editor) has(name string) bool { return e.declares(name) || isTextMapType(e.kind) }

// declares is has for payloads that say which fields they have.
func (e *editor) declares(name string) bool {
	if e.kind.Kind() != reflect.Struct {
		return false
	}
	_, ok := shapeOf(e.kind).find(name)
	return ok
}

// patch applies a whole merge patch. The path stands in front of names in errors.
func (e *editor) patch(path string, text json.RawMessage) error {
	if text[0] != '{' {
		return mustBe(path, "an object with payload fields", text)
	}
	list := e.given(members(text))
	for _, m := range list {
		if !e.has(m.name) {
			return e.noField(path, m.name)
		}
	}
	if err := once(list, e.declares); err != nil {
		return fmt.Errorf("%s.%w", path, err)
	}
	for _, m := range list {
		if err := e.merge(path+"."+m.name, m.name, m.value); err != nil {
			return err
		}
	}
	return nil
}

// given takes out of a patch what the event has as it is, beside its payload: a hook that
// gives the whole event back, with one field changed, changes one field.
func (e *editor) given(list []member) []member {
	if !slices.ContainsFunc(list, func(m member) bool { return !e.declares(m.name) }) {
		return list
	}
	encoded, err := Encode(e.ev)
	if err != nil {
		return list
	}
	was := map[string]json.RawMessage{}
	for _, m := range members(encoded.Bytes()) {
		was[m.name] = m.value
	}
	return slices.DeleteFunc(list, func(m member) bool {
		switch old, ok := was[m.name]; {
		case !ok || e.declares(m.name):
			return false
		case m.name == "hook_event_name" && m.value[0] == '"':
			return e.ev.Info().IsCalled(unquote(m.value))
		default:
			return reflect.DeepEqual(exact(old), exact(m.value))
		}
	})
}

func (e *editor) noField(path, name string) error {
	shown := excerpt([]byte(name))
	event := e.ev.Info().Name
	if e.kind.Kind() != reflect.Struct {
		return fmt.Errorf("%s: the payload of %s has no fields", path, event)
	}
	names := shapeOf(e.kind).names()
	if near := hook.Nearest(name, names); near != "" {
		return fmt.Errorf("%s: %s has no field %q; did you mean %s?", path, event, shown, near)
	}
	return fmt.Errorf("%s: %s has no field %q; its fields are %s", path, event, shown, strings.Join(names, ", "))
}

// merge applies the part of a merge patch that is about one field.
func (e *editor) merge(path, name string, text json.RawMessage) error {
	if text[0] != '{' {
		return e.replace(path, name, text)
	}
	patch := exact(text)
	current, err := e.current(name)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	merged := mergeValues(current, patch)
	e.changed = true
	if set := e.place(name); set.to.Type() == reflect.TypeFor[map[string]any]() || set.to.Kind() == reflect.Interface {
		set.put(reflect.ValueOf(merged))
		return nil
	}
	return e.readInto(path, name, merged)
}

// replace puts a value in a field's place. A null empties it, or takes it out of a map.
func (e *editor) replace(path, name string, text json.RawMessage) error {
	e.start()
	e.changed = true
	set := e.place(name)
	if isNull(text) && isTextMap(e.copy) {
		e.copy.SetMapIndex(set.key, reflect.Value{})
		return nil
	}
	value := reflect.New(set.to.Type()).Elem()
	if !isNull(text) {
		if err := read(value, text, path); err != nil {
			return err
		}
	}
	set.put(value)
	return nil
}

// readInto reads a merged value into a field that has a type of its own.
func (e *editor) readInto(path, name string, merged any) error {
	w := newWriter()
	if err := w.plain(merged); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return e.replace(path, name, w.buf.Bytes())
}

// place is where a field's value goes.
type place struct {
	to  reflect.Value // the field, or a value of the map's element type
	in  reflect.Value // the map
	key reflect.Value
}

func (p place) put(v reflect.Value) {
	if p.in.IsValid() {
		p.in.SetMapIndex(p.key, v)
		return
	}
	p.to.Set(v)
}

func (e *editor) place(name string) place {
	e.start()
	if e.copy.Kind() == reflect.Struct {
		f, _ := shapeOf(e.copy.Type()).find(name)
		return place{to: f.own(e.copy)}
	}
	t := e.copy.Type()
	return place{to: reflect.New(t.Elem()).Elem(), in: e.copy, key: reflect.ValueOf(name).Convert(t.Key())}
}

// current gives a field's value as a patch sees it: an object as a map.
func (e *editor) current(name string) (any, error) {
	e.start()
	var v reflect.Value
	if e.copy.Kind() == reflect.Struct {
		f, _ := shapeOf(e.copy.Type()).find(name)
		v, _ = f.of(e.copy)
	} else {
		v = e.copy.MapIndex(reflect.ValueOf(name).Convert(e.copy.Type().Key()))
	}
	if !v.IsValid() {
		return nil, nil
	}
	return generic(v.Interface())
}

// generic gives a value as JSON would have it. A map[string]any stays as it is.
func generic(value any) (any, error) {
	switch value.(type) {
	case nil, map[string]any, string, bool, json.Number:
		return value, nil
	}
	w := newWriter()
	if err := w.value(reflect.ValueOf(value), 0); err != nil {
		return nil, err
	}
	return exact(w.buf.Bytes()), nil
}

// mergeValues is RFC 7386: objects are merged, null removes, all else replaces.
// It copies what it changes.
func mergeValues(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	if target, _ = generic(target); target == nil {
		target = map[string]any{}
	}
	old, _ := target.(map[string]any)
	out := maps.Clone(old)
	if out == nil {
		out = map[string]any{}
	}
	for name, change := range changes {
		if change == nil {
			delete(out, name)
			continue
		}
		out[name] = mergeValues(out[name], change)
	}
	return out
}

// overlay puts entries into a field that is a map, one by one.
func (e *editor) overlay(name string, entries map[string]any) error {
	current, err := e.current(name)
	if err != nil {
		return err
	}
	old, _ := current.(map[string]any)
	out := make(map[string]any, len(old)+len(entries))
	maps.Copy(out, old)
	maps.Copy(out, entries)
	e.changed = true
	e.place(name).put(reflect.ValueOf(out))
	return nil
}
