package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// value reads a YAML value as JSON has it: maps, lists, strings, booleans, nil,
// and every number as a json.Number with all its digits.
func (r *reader) value(at *yaml.Node, what string) (any, bool) {
	n, ok := r.open(at)
	if !ok {
		return nil, false
	}
	r.walk.Depth++
	defer func() { r.walk.Depth-- }()
	switch n.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for _, e := range r.entries(n) {
			v, fine := r.value(e.Value, what)
			ok = ok && fine
			out[e.Key.Value] = v
		}
		return out, ok
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, item := range n.Content {
			v, fine := r.value(item, what)
			ok = ok && fine
			out[i] = v
		}
		return out, ok
	}
	v, err := scalar(n)
	if err != nil {
		r.fail(at, "", "%s: %s has no form in JSON: %v", what, describe(n), err)
		return nil, false
	}
	return v, true
}

// object is value for what must be a map.
func (r *reader) object(at *yaml.Node, what string) (map[string]any, bool) {
	n, ok := r.open(at)
	if !ok {
		return nil, false
	}
	if n.Kind != yaml.MappingNode {
		r.fail(at, "", "%s must be a map, not %s", what, describe(n))
		return nil, false
	}
	v, ok := r.value(at, what)
	m, _ := v.(map[string]any)
	return m, ok
}

func scalar(n *yaml.Node) (any, error) {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		var v bool
		err := n.Decode(&v)
		return v, err
	case "!!int":
		if number := json.Number(n.Value); json.Valid([]byte(number)) {
			return number, nil // -0 stays what it is
		}
		v, ok := new(big.Int).SetString(strings.ReplaceAll(n.Value, "_", ""), 0)
		if !ok {
			return nil, fmt.Errorf("it is not a whole number")
		}
		return json.Number(v.String()), nil
	case "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value), nil
		}
		var v float64
		if err := n.Decode(&v); err != nil {
			return nil, err
		}
		text, err := json.Marshal(v) // not of .inf and .nan
		return json.Number(text), err
	case "!!str", "!!timestamp":
		return n.Value, nil
	default:
		return nil, fmt.Errorf("the tag %s is unknown", tag)
	}
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
