package hook

import "reflect"

// Clone copies a payload deeply: maps, slices, pointers and structs of them.
// Unexported fields, channels and functions are shared. A handler that wants to edit
// a payload clones it first:
//
//	request := hook.Clone(ev.Payload)
//	request.Messages[0]["content"] = "…"
//	return hook.Change(request), nil
//
// It must not contain itself. Values of JSON cost about as much to clone as to encode.
func Clone[T any](v T) T {
	var out T
	deepCopy(reflect.ValueOf(&out).Elem(), reflect.ValueOf(&v).Elem())
	return out
}

// deepCopy copies all that a value refers to: pointers, maps, slices and what interfaces
// hold. Hooks that run beside each other must not share what one of them may change.
func deepCopy(dst, src reflect.Value) {
	switch src.Kind() {
	case reflect.Pointer:
		if src.IsNil() {
			return
		}
		dst.Set(reflect.New(src.Type().Elem()))
		deepCopy(dst.Elem(), src.Elem())
	case reflect.Interface:
		if src.IsNil() {
			return
		}
		inner := reflect.New(src.Elem().Type()).Elem()
		deepCopy(inner, src.Elem())
		dst.Set(inner)
	case reflect.Map:
		if src.IsNil() {
			return
		}
		dst.Set(reflect.MakeMapWithSize(src.Type(), src.Len()))
		for it := src.MapRange(); it.Next(); {
			value := reflect.New(src.Type().Elem()).Elem()
			deepCopy(value, it.Value())
			dst.SetMapIndex(it.Key(), value)
		}
	case reflect.Slice:
		if src.IsNil() {
			return
		}
		dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
		for i := range src.Len() {
			deepCopy(dst.Index(i), src.Index(i))
		}
	case reflect.Array:
		for i := range src.Len() {
			deepCopy(dst.Index(i), src.Index(i))
		}
	case reflect.Struct:
		dst.Set(src)
		for i := range src.NumField() {
			if src.Type().Field(i).IsExported() {
				deepCopy(dst.Field(i), src.Field(i))
			}
		}
	default:
		dst.Set(src)
	}
}
