package cases

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// object is value for what must be a map.
func (r *reader) object(at *yaml.Node, what string) (map[string]any, bool) {
	n, ok := r.Enter(at)
	if !ok {
		return nil, false
	}
	if n.Kind != yaml.MappingNode {
		r.Fail(at, "", "%s must be a map, not %s", what, strict.Describe(n))
		return nil, false
	}
	v, ok := r.Value(at, what)
	m, _ := v.(map[string]any)
	return m, ok
}

// parseJSON reads a JSON text with every number's digits.
func parseJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// compact writes a value as one line of JSON.
func compact(v any) string { return write(v, "") }

// pretty writes a value as lines of JSON, keys in order.
func pretty(v any) []string { return strings.Split(write(v, "  "), "\n") }

func write(v any, indent string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil { // all values here came from JSON
		return strconv.Quote(err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// equal compares two JSON values; numbers by what they are worth.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok || len(a) != len(other) {
			return false
		}
		for key, v := range a {
			if w, has := other[key]; !has || !equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		other, ok := b.([]any)
		return ok && slices.EqualFunc(a, other, equal)
	case json.Number:
		other, ok := b.(json.Number)
		return ok && equalNumbers(string(a), string(other))
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// equalNumbers compares exactly. Numbers with huge exponents, whose digits would
// fill the memory, are equal only if they are written alike.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	if huge(a) || huge(b) {
		return false
	}
	x, fine := new(big.Rat).SetString(a)
	y, fine2 := new(big.Rat).SetString(b)
	return fine && fine2 && x.Cmp(y) == 0
}

func huge(number string) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	return len(strings.TrimLeft(exponent, "+-0")) > 4
}

// laid gives base with the values of over in it, as a merge patch has it: maps
// are merged, null takes out, all else replaces. Neither is changed.
func laid(base, over any) any {
	changes, ok := over.(map[string]any)
	if !ok {
		return over
	}
	out := map[string]any{}
	if m, ok := base.(map[string]any); ok {
		out = maps.Clone(m)
	}
	for key, v := range changes {
		if v == nil {
			if out[key] != nil { // absent and null are both gone
				delete(out, key)
			}
			continue
		}
		out[key] = laid(out[key], v)
	}
	return out
}

// aligned gives want with equal values as got writes them, so that 1.50 and 1.5
// do not look like a difference.
func aligned(want, got any) any {
	if equal(want, got) {
		return got
	}
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		out := make(map[string]any, len(w))
		for key, v := range w {
			out[key] = aligned(v, g[key])
		}
		return out
	case []any:
		g, _ := got.([]any)
		out := slices.Clone(w)
		for i := range min(len(w), len(g)) {
			out[i] = aligned(w[i], g[i])
		}
		return out
	}
	return want
}

// sorted lists the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
