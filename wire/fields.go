package wire

import (
	"reflect"
	"strings"
	"sync"
)

// payloadField is a field of a struct as JSON has it.
type payloadField struct {
	name      string
	index     []int
	omitEmpty bool
	omitZero  bool
}

// shape is what JSON sees of a struct type.
type shape struct {
	list   []payloadField
	byName map[string]int
}

// shapes remembers each type's shape: reflect.Type → *shape.
var shapes sync.Map

// shapeOf works out the fields of a struct type by the rules of encoding/json:
// embedded structs without a name of their own are flat, the shallower wins.
func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := &shape{byName: map[string]int{}}
	s.collect(t, nil, map[reflect.Type]bool{})
	known, _ := shapes.LoadOrStore(t, s)
	return known.(*shape)
}

func (s *shape) collect(t reflect.Type, prefix []int, above map[reflect.Type]bool) {
	if above[t] {
		return // a type that embeds itself
	}
	above[t] = true
	defer delete(above, t)
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("json") == "-" {
			continue
		}
		index := append(append([]int(nil), prefix...), i)
		if inner := f.Type; f.Anonymous && name == "" {
			if inner.Kind() == reflect.Pointer && f.IsExported() {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				s.collect(inner, index, above)
				continue
			}
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		s.add(payloadField{name: name, index: index, omitEmpty: hasOption(options, "omitempty"), omitZero: hasOption(options, "omitzero")})
	}
}

func (s *shape) add(f payloadField) {
	if at, ok := s.byName[f.name]; ok {
		if len(f.index) < len(s.list[at].index) {
			s.list[at] = f
		}
		return
	}
	s.byName[f.name] = len(s.list)
	s.list = append(s.list, f)
}

func hasOption(options, name string) bool {
	for o := range strings.SplitSeq(options, ",") {
		if o == name {
			return true
		}
	}
	return false
}

// names lists the fields, for errors.
func (s *shape) names() []string {
	out := make([]string, len(s.list))
	for i, f := range s.list {
		out[i] = f.name
	}
	return out
}

// find gives a field by its exact name.
func (s *shape) find(name string) (payloadField, bool) {
	at, ok := s.byName[name]
	if !ok {
		return payloadField{}, false
	}
	return s.list[at], true
}

// of gives the field of a struct; false if an embedded pointer on the way is nil.
func (f payloadField) of(v reflect.Value) (reflect.Value, bool) {
	got, err := v.FieldByIndexErr(f.index)
	return got, err == nil
}

// make gives the field of a struct to write to, and makes what is on the way.
func (f payloadField) make(v reflect.Value) reflect.Value {
	for i, at := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(at)
	}
	return v
}

// own is make for a copy of a struct: embedded structs that are reached through a
// pointer are copied too, because the original shares them.
func (f payloadField) own(v reflect.Value) reflect.Value {
	for i, at := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			inner := reflect.New(v.Type().Elem())
			if !v.IsNil() {
				inner.Elem().Set(v.Elem())
			}
			v.Set(inner)
			v = inner.Elem()
		}
		v = v.Field(at)
	}
	return v
}

// left reports whether the value is left out.
func (f payloadField) left(v reflect.Value) bool {
	if f.omitZero && v.IsZero() {
		return true
	}
	if !f.omitEmpty {
		return false
	}
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
