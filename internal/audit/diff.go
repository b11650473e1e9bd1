package audit

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// differ compares two payloads and keeps copies of what differs.
type differ struct {
	changes []Change
	cut     func(path string)
}

// diff gives the places in which two payloads differ.
func diff(before, after any, cut func(string)) []Change {
	d := &differ{cut: cut}
	d.compare("", before, after, 0)
	return d.changes
}

// maxDiffDepth is how deep is looked for the place of a change.
const maxDiffDepth = 32

func (d *differ) compare(path string, a, b any, depth int) {
	if len(d.changes) > maxChanges { // one more than is kept, so that it is seen
		return
	}
	a, b = members(a), members(b)
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok && depth < maxDiffDepth {
			d.objects(path, x, y, depth)
			return
		}
	case []any:
		if y, ok := b.([]any); ok && depth < maxDiffDepth {
			d.lists(path, x, y, depth)
			return
		}
	case string:
		if y, ok := b.(string); ok {
			if x != y {
				d.texts(path, x, y)
			}
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		d.add(path, a, b)
	}
}

func (d *differ) objects(path string, a, b map[string]any, depth int) {
	names := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		d.compare(join(path, name), a[name], b[name], depth+1)
	}
}

func (d *differ) lists(path string, a, b []any, depth int) {
	for i := range max(len(a), len(b)) {
		d.compare(path+"["+strconv.Itoa(i)+"]", at(a, i), at(b, i), depth+1)
	}
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// texts adds two texts that differ. A difference beyond what is copied is named
// by its place: nothing before it may be left out, as it may begin a secret.
func (d *differ) texts(path, a, b string) {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	if same < draftBounds.text-maxWord {
		d.add(path, a, b)
		return
	}
	d.cut(path)
	d.changes = append(d.changes, Change{
		Path: path,
		From: "(" + strconv.Itoa(len(a)) + " bytes)",
		To:   "(" + strconv.Itoa(len(b)) + " bytes; the first " + strconv.Itoa(same) + " are the same)",
	})
}

func (d *differ) add(path string, a, b any) {
	copied := func(v any) any {
		if v == nil {
			return nil
		}
		return newCopier(draftBounds, nil, d.cut).copy(v, path, 0)
	}
	d.changes = append(d.changes, Change{Path: path, From: copied(a), To: copied(b)})
}

// members gives a value of a Go program as JSON has it: structs as objects by
// their wire names, lists of any kind as lists.
func members(v any) any {
	switch v := v.(type) {
	case nil, string, map[string]any, []any, bool:
		return v
	case hook.ToolResponse:
		return response(v)
	}
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer && !rv.IsNil() {
		rv = rv.Elem()
	}
	switch rv.Kind() {
	case reflect.Struct:
		if _, own := rv.Interface().(hook.ToolResponse); own {
			return members(rv.Interface())
		}
		if plain, marshals := marshalled(v); marshals {
			return plain
		}
		out := map[string]any{}
		fields(rv, out)
		return out
	case reflect.Map:
		if rv.Type().Key().Kind() != reflect.String {
			return v
		}
		out := make(map[string]any, rv.Len())
		for it := rv.MapRange(); it.Next(); {
			out[it.Key().String()] = it.Value().Interface()
		}
		return out
	case reflect.Slice, reflect.Array:
		out := make([]any, rv.Len())
		for i := range out {
			out[i] = rv.Index(i).Interface()
		}
		return out
	case reflect.Pointer:
		return nil
	case reflect.Invalid:
		return nil
	}
	return rv.Interface()
}

// marshalled is a value that writes itself, such as a time.
func marshalled(v any) (any, bool) {
	switch v.(type) {
	case interface{ MarshalJSON() ([]byte, error) }, interface{ MarshalText() ([]byte, error) }:
		plain, err := generic(v)
		return plain, err == nil
	}
	return nil, false
}

// response is a tool's response with the agent's own fields beside ours.
func response(r hook.ToolResponse) map[string]any {
	out := maps.Clone(r.Extra)
	if out == nil {
		out = map[string]any{}
	}
	out["success"], out["output"] = r.Success, r.Output
	if r.ExitCode != nil {
		out["exit_code"] = *r.ExitCode
	}
	if r.DurationMS != 0 {
		out["duration_ms"] = r.DurationMS
	}
	return out
}

// fields adds a struct's fields to an object, under their wire names.
func fields(rv reflect.Value, out map[string]any) {
	for i := range rv.NumField() {
		f := rv.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && rv.Field(i).Kind() == reflect.Struct:
			fields(rv.Field(i), out)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		if strings.Contains(options, "omitempty") && rv.Field(i).IsZero() {
			continue
		}
		out[name] = rv.Field(i).Interface()
	}
}

// shortenChange bounds the two sides of a change. Of long texts that begin the
// same, the begin is left out, so that the difference is seen. It is called
// after redaction.
func shortenChange(from, to any, cut func(string)) (any, any) {
	a, aText := from.(string)
	b, bText := to.(string)
	if aText && bText {
		a, b = excerpts(a, b)
		if len(a) > changeBounds.text || len(b) > changeBounds.text {
			cut("")
		}
		return visible.ClipBytes(a, changeBounds.text), visible.ClipBytes(b, changeBounds.text)
	}
	open := &redactor{} // everything is hidden already
	return newCopier(changeBounds, open, cut).copy(from, "", 0), newCopier(changeBounds, open, cut).copy(to, "", 0)
}

// excerpts leaves out most of a long common begin.
func excerpts(a, b string) (string, string) {
	const keep = 200
	if max(len(a), len(b)) <= changeBounds.text {
		return a, b
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	if same <= keep {
		return a, b
	}
	from := same - keep
	for from > 0 && (a[from]&0xC0) == 0x80 {
		from--
	}
	return ellipsis + a[from:], ellipsis + b[from:]
}
