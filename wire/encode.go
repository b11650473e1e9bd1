package wire

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// Encoded is an event as JSON. It never changes, and may be shared.
type Encoded struct {
	name string
	rest []byte // `,"session_id":…}`
}

// Encode gives an event as one line of JSON; see the package comment. It is made
// once for each event, however many handlers ask. The error names the field
// that JSON cannot hold, such as a channel or a NaN.
func Encode(ev hook.AnyEvent) (*Encoded, error) {
	made, err := ev.Memo(func(ev hook.AnyEvent) (any, error) { return encode(ev) })
	if err != nil {
		return nil, err
	}
	return made.(*Encoded), nil
}

// Named gives the event under another hook_event_name, as parts to be written
// one after the other. The big part is shared: it must not be edited.
func (e *Encoded) Named(name string) [][]byte {
	return [][]byte{head(name), e.rest}
}

// EncodeAs is Encode for a handler that may know events by other names: names has those,
// by canonical name. The parts are those of Named.
func EncodeAs(ev hook.AnyEvent, names map[string]string) ([][]byte, error) {
	e, err := Encode(ev)
	if err != nil {
		return nil, fmt.Errorf("the event cannot be written as JSON: %w", err)
	}
	return e.Named(cmp.Or(names[e.name], e.name)), nil
}

// Bytes gives the event under its canonical name as one slice, without a newline.
func (e *Encoded) Bytes() []byte { return append(head(e.name), e.rest...) }

// head is the part with the name. Names without anything to escape, which is all
// but odd ones, are written as they are.
func head(name string) []byte {
	const before = `{"hook_event_name":`
	for i := range len(name) {
		if c := name[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			w := newWriter()
			w.open()
			_ = w.member("hook_event_name", name) // a string always can be written
			return w.buf.Bytes()
		}
	}
	out := make([]byte, 0, len(before)+len(name)+2)
	out = append(append(out, before...), '"')
	return append(append(out, name...), '"')
}

// encoder writes one event.
type encoder struct {
	*writer
	ev      hook.AnyEvent
	payload reflect.Value
	taken   map[string]bool // names that were written
	shadow  map[string]any  // what the envelope has under names that the payload has
}

func encode(ev hook.AnyEvent) (*Encoded, error) {
	e := &encoder{writer: newWriter(), ev: ev, payload: payloadOf(ev), taken: map[string]bool{}, shadow: map[string]any{}}
	e.some = true // the name comes first
	if err := e.all(); err != nil {
		return nil, fmt.Errorf("%s cannot be written as JSON: %w", ev.Info().Name, err)
	}
	return &Encoded{name: ev.Info().Name, rest: slices.Clip(e.buf.Bytes())}, nil
}

// payloadOf is the payload without the pointers around it.
func payloadOf(ev hook.AnyEvent) reflect.Value {
	v := reflect.ValueOf(ev.Body())
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v
}

func (e *encoder) all() error {
	names := e.payloadNames()
	env := e.envelope()
	for _, step := range []func() error{
		func() error { return e.head(env, names, envelopeNames[:3]) },
		e.body,
		e.claude,
		func() error { return e.native(env, names) },
		func() error { return e.head(env, names, envelopeNames[3:]) },
		func() error { return e.facts(env) },
		e.shadowed,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	e.buf.WriteByte('}')
	return nil
}

// put writes a member and remembers its name.
func (e *encoder) put(name string, value any) error {
	e.taken[name] = true
	return e.member(name, value)
}

// payloadNames are the names that belong to the payload, written or not: an empty
// source of a SessionStart is not the envelope's.
func (e *encoder) payloadNames() map[string]bool {
	names := map[string]bool{}
	switch {
	case isTextMap(e.payload):
		for _, key := range e.payload.MapKeys() {
			names[key.String()] = true
		}
	case e.payload.Kind() == reflect.Struct:
		for _, name := range shapeOf(e.payload.Type()).names() {
			names[name] = true
		}
	}
	return names
}

func isTextMap(v reflect.Value) bool { return v.IsValid() && isTextMapType(v.Type()) }

func isTextMapType(t reflect.Type) bool {
	return t.Kind() == reflect.Map && t.Key().Kind() == reflect.String
}

// envelope gives the envelope's fields that are to be written.
func (e *encoder) envelope() map[string]any {
	head := e.ev.Head()
	env := map[string]any{
		"session_id": head.Session, "transcript_path": head.Transcript, "cwd": head.CWD,
		"event_id": e.ev.ID().String(), "time": e.ev.Time().Format(time.RFC3339Nano),
	}
	if head.Agent != "" {
		env["agent"] = head.Agent
	}
	if head.Source != "" {
		env["source"] = head.Source
	}
	if meta := withoutNative(head.Metadata); len(meta) > 0 {
		env["metadata"] = meta
	}
	if facts := e.ev.Facts(); len(facts) > 0 {
		env[factsKey] = facts
	}
	return env
}

// facts writes what the event's tool call would do.
func (e *encoder) facts(env map[string]any) error {
	if facts, ok := env[factsKey]; ok && !e.taken[factsKey] {
		return e.put(factsKey, facts)
	}
	return nil
}

// withoutNative leaves out the agent's own event, which is written at top level.
func withoutNative(metadata map[string]any) map[string]any {
	if _, ok := metadata[nativeKey].(map[string]any); !ok {
		return metadata
	}
	rest := maps.Clone(metadata)
	delete(rest, nativeKey)
	return rest
}

// head writes envelope fields, except those whose names the payload has.
func (e *encoder) head(env map[string]any, payload map[string]bool, names []string) error {
	for _, name := range names {
		value, ok := env[name]
		if payload[name] && (ok || e.payload.Kind() == reflect.Map) {
			e.shadow[name] = value // a map may have any name: a null says that it is the map's
		}
		if payload[name] || !ok {
			continue
		}
		if err := e.put(name, value); err != nil {
			return err
		}
	}
	return nil
}

// body writes the payload's fields. A payload that is neither a struct nor a map
// is written under "payload".
func (e *encoder) body() error {
	switch {
	case isTextMap(e.payload):
		byName := make(map[string]reflect.Value, e.payload.Len())
		for it := e.payload.MapRange(); it.Next(); {
			byName[it.Key().String()] = it.Value()
		}
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			if reserved(name) {
				continue
			}
			if err := e.put(name, byName[name].Interface()); err != nil {
				return err
			}
		}
		return nil
	case e.payload.Kind() != reflect.Struct:
		return e.put("payload", e.ev.Body())
	}
	for _, f := range shapeOf(e.payload.Type()).list {
		v, ok := f.of(e.payload)
		if !ok || reserved(f.name) {
			continue
		}
		if value, ok := e.field(f, v); ok {
			if err := e.put(f.name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// field is a payload field's value as it is written: tool_input is always an
// object, and a message's metadata is laid over the envelope's.
func (e *encoder) field(f payloadField, v reflect.Value) (value any, written bool) {
	m, ok := v.Interface().(map[string]any)
	switch {
	case ok && m == nil && f.name == "tool_input":
		return map[string]any{}, true
	case ok && f.name == "metadata":
		all := maps.Clone(withoutNative(e.ev.Head().Metadata))
		if all == nil {
			return m, !f.left(v)
		}
		maps.Copy(all, m)
		return all, len(all) > 0 || !f.left(v)
	}
	return v.Interface(), !f.left(v)
}

// claude writes Claude Code's names beside ours.
func (e *encoder) claude() error {
	for _, a := range claudeNames(e.ev.Info()) {
		v := e.payload
		for part := range strings.SplitSeq(a.ours, ".") {
			f, _ := shapeOf(v.Type()).find(part)
			v, _ = f.of(v)
		}
		if v.IsZero() || e.taken[a.theirs] {
			continue
		}
		if err := e.put(a.theirs, v.Interface()); err != nil {
			return err
		}
	}
	return nil
}

// native writes the fields of the agent's own event that have no place here. A
// field that the payload has, empty or not, is the payload's: a hook may have
// changed it.
func (e *encoder) native(env map[string]any, payload map[string]bool) error {
	own, _ := e.ev.Head().Metadata[nativeKey].(map[string]any)
	for _, a := range claudeNames(e.ev.Info()) {
		e.taken[a.theirs] = true
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if _, ours := env[name]; ours || payload[name] || e.taken[name] || reserved(name) {
			continue
		}
		if err := e.put(name, own[name]); err != nil {
			return err
		}
	}
	return nil
}

// shadowed writes what the envelope has under the payload's names.
func (e *encoder) shadowed() error {
	if len(e.shadow) == 0 {
		return nil
	}
	return e.member(shadowKey, e.shadow)
}
