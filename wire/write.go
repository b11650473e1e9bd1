package wire

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hookway/hookway/hook"
)

var (
	marshalerType  = reflect.TypeFor[json.Marshaler]()
	textWriterType = reflect.TypeFor[encoding.TextMarshaler]()
)

// writer builds one line of JSON, without escapes made for HTML.
type writer struct {
	buf  bytes.Buffer
	json *json.Encoder
	some bool // the open object has a member already
}

func newWriter() *writer {
	w := &writer{}
	w.json = json.NewEncoder(&w.buf)
	w.json.SetEscapeHTML(false)
	return w
}

// member writes one name and value into the open object.
func (w *writer) member(name string, value any) error {
	if err := w.name(name); err != nil {
		return err
	}
	if err := w.value(reflect.ValueOf(value), 0); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (w *writer) name(name string) error {
	if w.some {
		w.buf.WriteByte(',')
	}
	w.some = true
	if err := w.plain(name); err != nil {
		return err
	}
	w.buf.WriteByte(':')
	return nil
}

func (w *writer) open() (outer bool) {
	w.buf.WriteByte('{')
	outer, w.some = w.some, false
	return outer
}

func (w *writer) close(outer bool) {
	w.buf.WriteByte('}')
	w.some = outer
}

// plain leaves a value to encoding/json.
func (w *writer) plain(value any) error {
	if err := w.json.Encode(value); err != nil {
		return err
	}
	w.buf.Truncate(w.buf.Len() - 1) // the encoder ends with a newline
	return nil
}

// value writes a Go value. Structs, and lists of them, are written here, because
// their tool responses must be; all else is left to encoding/json.
func (w *writer) value(v reflect.Value, deep int) error {
	if deep > MaxDepth {
		return errors.New("it is nested too deep, or inside itself")
	}
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return w.plain(nil)
	}
	t := v.Type()
	switch r := v.Interface().(type) {
	case hook.ToolResponse:
		return w.toolResponse(r)
	case *hook.ToolResponse:
		if r != nil {
			return w.toolResponse(*r)
		}
	}
	if t.Implements(marshalerType) || t.Implements(textWriterType) {
		return w.plain(v.Interface())
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return w.plain(nil)
		}
		return w.value(v.Elem(), deep+1)
	case reflect.Struct:
		return w.structure(v, deep)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Struct && (t.Kind() == reflect.Array || !v.IsNil()) {
			return w.list(v, deep)
		}
	}
	return w.plain(v.Interface())
}

func (w *writer) structure(v reflect.Value, deep int) error {
	outer := w.open()
	if err := w.fields(v, deep); err != nil {
		return err
	}
	w.close(outer)
	return nil
}

// fields writes the fields of a struct into the open object.
func (w *writer) fields(v reflect.Value, deep int) error {
	for _, f := range shapeOf(v.Type()).list {
		field, ok := f.of(v)
		if !ok || f.left(field) {
			continue
		}
		if err := w.name(f.name); err != nil {
			return err
		}
		if field.Kind() == reflect.Map && field.IsNil() { // a call without arguments has none, not unknown ones
			field = reflect.MakeMap(field.Type())
		}
		if err := w.value(field, deep+1); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func (w *writer) list(v reflect.Value, deep int) error {
	w.buf.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		if err := w.value(v.Index(i), deep+1); err != nil {
			return err
		}
	}
	w.buf.WriteByte(']')
	return nil
}

// toolResponse writes the four fields and then the agent's own, sorted. An
// agent's own field of one of our names is in Extra because it has another type;
// it is written as long as no hook has set ours.
func (w *writer) toolResponse(r hook.ToolResponse) error {
	outer := w.open()
	unset := map[string]bool{"success": r.Success, "output": r.Output == "", "exit_code": r.ExitCode == nil, "duration_ms": r.DurationMS == 0}
	for _, f := range []struct {
		name  string
		value any
		keep  bool // also when it is unset
	}{{"success", r.Success, true}, {"output", r.Output, true}, {"exit_code", r.ExitCode, false}, {"duration_ms", r.DurationMS, false}} {
		value := f.value
		if unset[f.name] {
			own, ok := r.Extra[f.name]
			if !ok && !f.keep {
				continue
			}
			if ok {
				value = own
			}
		}
		if err := w.member(f.name, value); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Extra)) {
		if _, ours := unset[name]; ours {
			continue
		}
		if err := w.member(name, r.Extra[name]); err != nil {
			return err
		}
	}
	w.close(outer)
	return nil
}
