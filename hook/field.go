package hook

import (
	"reflect"
	"strings"
	"sync"
)

// field finds a payload's field by its wire name: the name in its json tag. Dots lead
// into maps and structs, as in "tool_input.url". It reports false for a field that is
// missing or null. Maps are asked for the key as it is written, structs for the name that
// their field has in JSON.
func field(payload any, name string) (any, bool) {
	v := reflect.ValueOf(payload)
	for part := range strings.SplitSeq(name, ".") {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.Map:
			if v.Type().Key().Kind() != reflect.String {
				return nil, false
			}
			v = v.MapIndex(reflect.ValueOf(part).Convert(v.Type().Key()))
		case reflect.Struct:
			index, ok := wireFields(v.Type())[part]
			if !ok {
				return nil, false
			}
			v = v.FieldByIndex(index)
		default:
			return nil, false
		}
		if !v.IsValid() {
			return nil, false
		}
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, false
		}
		v = v.Elem()
	}
	return v.Interface(), true
}

// wireCache remembers the fields of a payload type: reflect.Type → map[string][]int.
var wireCache sync.Map

// wireFields maps the wire names of a struct's fields to their places.
func wireFields(t reflect.Type) map[string][]int {
	if known, ok := wireCache.Load(t); ok {
		return known.(map[string][]int)
	}
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "-" && name != "" {
			fields[name] = f.Index
		}
	}
	wireCache.Store(t, fields)
	return fields
}
