package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// DecodeEvent reads an event from the JSON that Encode gives, or from what an
// agent gives its hooks if its fields have our names. The name is looked up, so
// an alias will do; a nil lookup is hook.Lookup. Fields that the payload does
// not know are kept in Metadata["native"]. The error names the field.
func DecodeEvent(data []byte, lookup func(string) (*hook.EventInfo, error)) (hook.AnyEvent, error) {
	list, err := eventObject(data)
	if err != nil {
		return nil, err
	}
	name, ok, err := eventName(list)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("the event has no hook_event_name")
	}
	if lookup == nil {
		lookup = hook.Lookup
	}
	info, err := lookup(name)
	if err != nil {
		return nil, fmt.Errorf("hook_event_name: %w", err)
	}
	return decode(info, list)
}

// NewEvent is DecodeEvent for an event whose kind is known. The JSON need not
// have a hook_event_name; if it has one, it must be a name of this event.
func NewEvent(info *hook.EventInfo, data []byte) (hook.AnyEvent, error) {
	list, err := eventObject(data)
	if err != nil {
		return nil, err
	}
	return newEvent(info, list)
}

// EventOf is NewEvent for fields that are at hand as values of package
// encoding/json: their text need not be checked.
func EventOf(info *hook.EventInfo, fields map[string]any) (hook.AnyEvent, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		return nil, fmt.Errorf("the event cannot be written: %w", err)
	}
	if err := bounded(text.Bytes(), mostRead); err != nil {
		return nil, fmt.Errorf("the event cannot be read: %w", err)
	}
	return newEvent(info, unfolded(members(text.Bytes())))
}

func newEvent(info *hook.EventInfo, list []member) (hook.AnyEvent, error) {
	name, ok, err := eventName(list)
	if err != nil {
		return nil, err
	}
	if ok && !info.IsCalled(name) {
		return nil, fmt.Errorf("hook_event_name: it is %s, but the event is %s", excerpt([]byte(name)), info.Name)
	}
	return decode(info, list)
}

func eventObject(data []byte) ([]member, error) {
	list, err := object(data)
	if err != nil {
		return nil, fmt.Errorf("the event cannot be read: %w", err)
	}
	return unfolded(list), nil
}

// unfolded is an event as A3S Box has it, {event_type, session_id, payload}, with
// the fields of its payload beside the others.
func unfolded(list []member) []member {
	kind := slices.IndexFunc(list, func(m member) bool { return m.name == "event_type" && m.value[0] == '"' })
	inner := slices.IndexFunc(list, func(m member) bool { return m.name == "payload" && m.value[0] == '{' })
	if kind < 0 || inner < 0 || slices.ContainsFunc(list, func(m member) bool { return m.name == "hook_event_name" }) {
		return list
	}
	var out []member
	within := members(list[inner].value)
	for i, m := range list {
		switch {
		case i == kind:
			out = append(out, member{name: "hook_event_name", value: m.value})
		case i != inner && !slices.ContainsFunc(within, func(w member) bool { return w.name == m.name }):
			out = append(out, m)
		}
	}
	return append(out, within...)
}

func eventName(list []member) (name string, ok bool, err error) {
	if err := once(list, func(n string) bool { return n == "hook_event_name" }); err != nil {
		return "", false, err
	}
	for _, m := range list {
		if m.name == "hook_event_name" {
			if m.value[0] != '"' {
				return "", false, mustBe(m.name, "a string", m.value)
			}
			return unquote(m.value), true, nil
		}
	}
	return "", false, nil
}

// decoder reads one event.
type decoder struct {
	info    *hook.EventInfo
	env     hook.Envelope
	payload reflect.Value // the struct, or the map
	isMap   bool
	unknown map[string]any // what goes into native
	foreign bool           // not written by Encode: it has no event_id
	shadow  map[string]json.RawMessage
}

func decode(info *hook.EventInfo, list []member) (hook.AnyEvent, error) {
	d := &decoder{info: info, unknown: map[string]any{}, shadow: map[string]json.RawMessage{}}
	ptr := reflect.ValueOf(info.NewPayload())
	d.payload = ptr.Elem()
	for d.payload.Kind() == reflect.Pointer {
		d.payload.Set(reflect.New(d.payload.Type().Elem()))
		d.payload = d.payload.Elem()
	}
	if d.isMap = isTextMap(d.payload); d.isMap {
		d.payload.Set(reflect.MakeMap(d.payload.Type()))
	}
	d.foreign = !slices.ContainsFunc(list, func(m member) bool { return m.name == "event_id" })
	if err := once(list, d.known); err != nil {
		return nil, err
	}
	if err := d.readShadow(list); err != nil {
		return nil, err
	}
	later, err := d.readAll(list)
	if err != nil {
		return nil, err
	}
	if err := d.readTheirs(later); err != nil {
		return nil, err
	}
	d.keepNative()
	return info.New(d.env, ptr.Interface())
}

// known reports the names that must not be there twice.
func (d *decoder) known(name string) bool {
	if _, ok := d.field(name); ok {
		return true
	}
	return name == "tool_name" || name == "tool_input" || name == shadowKey || slices.Contains(envelopeNames, name)
}

// field finds a payload field of a struct.
func (d *decoder) field(name string) (payloadField, bool) {
	if d.payload.Kind() != reflect.Struct {
		return payloadField{}, false
	}
	return shapeOf(d.payload.Type()).find(name)
}

// readShadow reads the envelope fields whose names belong to the payload.
func (d *decoder) readShadow(list []member) error {
	for _, m := range list {
		if m.name != shadowKey {
			continue
		}
		if m.value[0] != '{' {
			return mustBe(shadowKey, "an object", m.value)
		}
		for _, inner := range members(m.value) {
			if !slices.Contains(envelopeNames, inner.name) {
				return fmt.Errorf("%s: the envelope has no field %q", shadowKey, excerpt([]byte(inner.name)))
			}
			d.shadow[inner.name] = inner.value
			d.foreign = d.foreign && inner.name != "event_id"
			if err := d.readEnvelope(inner.name, inner.value); err != nil {
				return fmt.Errorf("%s.%w", shadowKey, err)
			}
		}
	}
	return nil
}

// readAll puts each member where it belongs, and gives those that may be Claude
// Code's names for fields of ours.
func (d *decoder) readAll(list []member) (later []member, err error) {
	theirs := map[string]bool{}
	for _, a := range readNames(d.info) {
		if _, ok := d.field(a.ours); ok || a.ours == "cwd" || strings.Contains(a.ours, ".") {
			theirs[a.theirs] = true
		}
	}
	for _, m := range list {
		f, isField := d.field(m.name)
		switch {
		case reserved(m.name), m.name == factsKey && !d.foreign && !d.isMap:
		case isField:
			err = d.readField(f, m)
		case d.isEnvelope(m.name):
			err = d.readEnvelope(m.name, m.value)
		case d.isMap:
			err = d.readEntry(m)
		case theirs[m.name]:
			later = append(later, m)
		case m.name == "payload" && d.payload.Kind() != reflect.Struct:
			err = read(d.payload, m.value, m.name)
		default:
			d.unknown[m.name] = exact(m.value)
		}
		if err != nil {
			return nil, err
		}
	}
	return later, nil
}

// isEnvelope reports whether a top-level name is the envelope's. An agent's own
// event may have a source, or a time, in another sense: in an event that Encode
// did not write, and whose payload is a map, they are the payload's.
func (d *decoder) isEnvelope(name string) bool {
	at := slices.Index(envelopeNames, name)
	if _, hidden := d.shadow[name]; at < 0 || hidden {
		return false
	}
	return at < 3 || !d.isMap || !d.foreign
}

func (d *decoder) readField(f payloadField, m member) error {
	return read(f.make(d.payload), m.value, m.name)
}

// readEntry reads an entry of a payload that is a map.
func (d *decoder) readEntry(m member) error {
	value := reflect.New(d.payload.Type().Elem()).Elem()
	if err := read(value, m.value, m.name); err != nil {
		return err
	}
	d.payload.SetMapIndex(reflect.ValueOf(m.name).Convert(d.payload.Type().Key()), value)
	return nil
}

func (d *decoder) readEnvelope(name string, text json.RawMessage) error {
	into := map[string]any{
		"session_id": &d.env.Session, "transcript_path": &d.env.Transcript, "cwd": &d.env.CWD,
		"agent": &d.env.Agent, "source": &d.env.Source, "metadata": &d.env.Metadata,
	}
	if field := into[name]; field != nil {
		return read(reflect.ValueOf(field).Elem(), text, name)
	}
	var written string
	if err := read(reflect.ValueOf(&written).Elem(), text, name); err != nil || written == "" {
		return err
	}
	if d.env.Mark == nil {
		d.env.Mark = &hook.Mark{}
	}
	if name == "event_id" {
		d.env.Mark.ID = hook.ParseID(written)
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, written)
	if err != nil {
		return fmt.Errorf("time: it must be like 2006-01-02T15:04:05.999Z, not %s", excerpt([]byte(written)))
	}
	d.env.Mark.Time = at
	return nil
}

// readTheirs fills fields that came under another system's name only.
func (d *decoder) readTheirs(list []member) error {
	for _, m := range list {
		for _, a := range readNames(d.info) {
			if a.theirs != m.name {
				continue
			}
			if a.ours == "cwd" {
				if d.env.CWD == "" {
					if err := read(reflect.ValueOf(&d.env.CWD).Elem(), m.value, m.name); err != nil {
						return err
					}
				}
				continue
			}
			v := d.payload
			for part := range strings.SplitSeq(a.ours, ".") {
				f, _ := shapeOf(v.Type()).find(part)
				v = f.make(v)
			}
			if !v.IsZero() {
				if !slices.Contains(claudeNames(d.info), a) {
					d.unknown[m.name] = exact(m.value)
				}
				continue // it came under our name as well
			}
			if err := read(v, m.value, m.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepNative puts unknown fields into the metadata.
func (d *decoder) keepNative() {
	if len(d.unknown) == 0 {
		return
	}
	own, ok := d.env.Metadata[nativeKey].(map[string]any)
	if !ok {
		own = map[string]any{}
	}
	for name, value := range d.unknown {
		own[name] = value
	}
	if d.env.Metadata == nil {
		d.env.Metadata = map[string]any{}
	}
	d.env.Metadata[nativeKey] = own
}
