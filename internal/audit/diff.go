package audit

import (
	"maps"
	"reflect"
	"slices"
	"strconv"

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
	d.compare("", asJSON(before), asJSON(after), 0)
	return d.changes
}

// maxDiffDepth is how deep is looked for the place of a change.
const maxDiffDepth = 32

func (d *differ) compare(path string, a, b any, depth int) {
	if len(d.changes) > maxChanges { // one more than is kept, so that it is seen
		return
	}
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

// asJSON gives a value of a Go program as JSON has it. What has no JSON form stays what it
// is.
func asJSON(v any) any {
	switch v.(type) {
	case nil, string, bool:
		return v
	}
	if out, err := generic(v); err == nil {
		return out
	}
	return v
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
