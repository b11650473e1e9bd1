package hook

import "reflect"

// overlay applies what differs between before and after to current, for hooks with
// Profile.SeesOriginal: they saw the event as it was fired, and what earlier hooks
// changed elsewhere must stay. It is a three-way merge in which after wins. Structs
// and maps are merged field by field; everything else, lists too, is replaced as a
// whole.
func overlay(before, after, current AnyEvent) (AnyEvent, error) {
	b, a, c := reflect.ValueOf(before.pointer()).Elem(), reflect.ValueOf(after.pointer()).Elem(), reflect.ValueOf(current.pointer()).Elem()
	return current.with(merged(b, a, c).Interface())
}

// merged is one value: where a hook has changed nothing the current one, where it replaced a
// value its own, and field by field between.
func merged(before, after, current reflect.Value) reflect.Value {
	if reflect.DeepEqual(before.Interface(), after.Interface()) {
		return current
	}
	switch after.Kind() {
	case reflect.Struct:
		return mergedStruct(before, after, current)
	case reflect.Map:
		if !before.IsNil() && !after.IsNil() && !current.IsNil() {
			return mergedMap(before, after, current)
		}
	case reflect.Interface:
		b, a, c := before.Elem(), after.Elem(), current.Elem()
		if b.IsValid() && a.IsValid() && c.IsValid() && b.Type() == a.Type() && a.Type() == c.Type() {
			return merged(b, a, c)
		}
	}
	return after
}

// mergedStruct merges the fields that a hook can reach. Others keep their current value.
func mergedStruct(before, after, current reflect.Value) reflect.Value {
	out := reflect.New(current.Type()).Elem()
	out.Set(current)
	for i := range out.NumField() {
		if out.Type().Field(i).IsExported() {
			out.Field(i).Set(merged(before.Field(i), after.Field(i), current.Field(i)))
		}
	}
	return out
}

// mergedMap takes over what a hook added, changed and took out. What somebody else has taken
// out meanwhile stays out, unless the hook changed it.
func mergedMap(before, after, current reflect.Value) reflect.Value {
	out := reflect.MakeMapWithSize(current.Type(), current.Len())
	for it := current.MapRange(); it.Next(); {
		out.SetMapIndex(it.Key(), it.Value())
	}
	for it := before.MapRange(); it.Next(); {
		if !after.MapIndex(it.Key()).IsValid() {
			out.SetMapIndex(it.Key(), reflect.Value{}) // taken out
		}
	}
	for it := after.MapRange(); it.Next(); {
		old, now := before.MapIndex(it.Key()), current.MapIndex(it.Key())
		switch {
		case !old.IsValid():
			out.SetMapIndex(it.Key(), it.Value())
		case now.IsValid():
			out.SetMapIndex(it.Key(), merged(old, it.Value(), now))
		case !reflect.DeepEqual(old.Interface(), it.Value().Interface()):
			out.SetMapIndex(it.Key(), it.Value())
		}
	}
	return out
}
