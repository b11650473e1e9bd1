package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/visible"
)

// bounds say how much of a value is kept.
type bounds struct {
	text  int // bytes of one text
	total int // bytes of the whole value
	items int // members of one object, entries of one list
	depth int
}

// Drafts are copied on the caller's goroutine, larger than what is written: a
// secret must be found whole before a text is shortened.
var (
	draftBounds  = bounds{text: 16 << 10, total: 64 << 10, items: 200, depth: 16}
	inputBounds  = bounds{text: 4 << 10, total: 8 << 10, items: 100, depth: 12}
	resultBounds = bounds{text: 2 << 10, total: 4 << 10, items: 50, depth: 8}
	changeBounds = bounds{text: 1 << 10, total: 2 << 10, items: 20, depth: 6}
)

// copier copies a value into plain JSON values that nobody else edits.
type copier struct {
	bounds
	left  int
	cut   func(path string)
	cover *redactor // nil for drafts
}

func newCopier(b bounds, cover *redactor, cut func(string)) *copier {
	return &copier{bounds: b, left: b.total, cut: cut, cover: cover}
}

// copy copies what stands at a path.
func (c *copier) copy(v any, path string, depth int) any {
	if c.left <= 0 || depth > c.depth {
		c.cut(path)
		return ellipsis
	}
	if c.cover != nil && c.cover.hides(path, v) {
		c.left -= len(hidden)
		return hidden
	}
	switch v := v.(type) {
	case nil, bool:
		c.left -= 5
		return v
	case string:
		return c.string(v, path)
	case json.Number:
		c.left -= len(v)
		return json.Number(c.string(string(v), path))
	case float64, float32, int, int64, int32, uint64, uint32:
		c.left -= 8
		return number(v)
	case map[string]any:
		return c.object(v, path, depth)
	case []any:
		return c.list(v, path, depth)
	}
	return c.other(v, path, depth)
}

func (c *copier) string(s, path string) string {
	if c.cover == nil {
		short, cut := draft(s, min(c.text, c.left))
		if c.left -= len(short); cut {
			c.cut(path)
		}
		return short
	}
	short := visible.ClipBytes(c.cover.text(s), min(c.text, c.left))
	if c.left -= len(short); strings.HasSuffix(short, ellipsis) && short != s {
		c.cut(path)
	}
	return short
}

func (c *copier) object(m map[string]any, path string, depth int) any {
	if words, ok := commandOf(m); ok && c.cover != nil {
		if words, ok = c.cover.words(words); ok {
			m = maps.Clone(m)
			m["args"] = words[1:]
		}
	}
	out := make(map[string]any, min(len(m), c.items))
	for n, name := range slices.Sorted(maps.Keys(m)) {
		if n == c.items || c.left <= 0 {
			c.cut(path)
			break
		}
		key := c.string(name, path)
		out[key] = c.copy(m[name], join(path, name), depth+1)
	}
	return out
}

func (c *copier) list(l []any, path string, depth int) any {
	if c.cover != nil {
		l, _ = c.cover.words(l)
	}
	out := make([]any, 0, min(len(l), c.items))
	for n, v := range l {
		if n == c.items || c.left <= 0 {
			c.cut(path)
			break
		}
		out = append(out, c.copy(v, path+"["+strconv.Itoa(n)+"]", depth+1))
	}
	return out
}

// other copies the values of Go programs: anything that has a JSON form.
func (c *copier) other(v any, path string, depth int) any {
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Slice, reflect.Array:
		if rv.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		list := make([]any, 0, min(rv.Len(), c.items+1))
		for i := range min(rv.Len(), c.items+1) {
			list = append(list, rv.Index(i).Interface())
		}
		return c.list(list, path, depth)
	case reflect.Map:
		if rv.Type().Key().Kind() != reflect.String {
			break
		}
		object := make(map[string]any, rv.Len())
		for it := rv.MapRange(); it.Next(); {
			object[it.Key().String()] = it.Value().Interface()
		}
		return c.object(object, path, depth)
	}
	plain, err := generic(v)
	if err != nil {
		return c.string(fmt.Sprintf("a %T, which has no JSON form", v), path)
	}
	return c.copy(plain, path, depth)
}

// generic is a value as plain JSON values.
func generic(v any) (plain any, err error) {
	defer func() { // the value's own marshaller
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	return plain, d.Decode(&plain)
}

// number keeps numbers that JSON can hold.
func number(v any) any {
	if _, err := json.Marshal(v); err != nil {
		return fmt.Sprint(v) // NaN, infinity
	}
	return v
}

const ellipsis = "…"

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// maxWord is how far draft goes back to the begin of a word.
const maxWord = 4 << 10

// draft cuts a text that was not redacted yet. It cuts before the last word, so
// that no half of a secret, which has no known shape, is left.
func draft(s string, most int) (string, bool) {
	if len(s) <= most {
		return strings.Clone(s), false
	}
	short := s[:max(most, 0)]
	if at := strings.LastIndexAny(short, " \t\n"); at >= len(short)-maxWord {
		short = short[:at+1]
	} else {
		short = short[:max(len(short)-maxWord, 0)]
	}
	for n := 0; n < utf8.UTFMax && short != "" && !utf8.RuneStart(s[len(short)]); n++ {
		short = short[:len(short)-1]
	}
	return strings.Clone(short) + ellipsis, true
}
