package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Value reads a YAML value as JSON has it: maps, lists, strings, booleans, nil, and
// every number as a json.Number with all its digits. It reports false when something
// has no JSON form; that is a problem already recorded.
func (r *Reader) Value(n *yaml.Node, what string) (v any, ok bool) {
	text, ok := r.JSON(n, what)
	if !ok {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		r.Fail(n, "", "%s has no JSON form: %v", what, err)
		return nil, false
	}
	return v, true
}

// JSON is Value as text, with keys in the order in which they are written.
func (r *Reader) JSON(n *yaml.Node, what string) (json.RawMessage, bool) {
	var b bytes.Buffer
	if !r.writeJSON(&b, n, what) {
		return nil, false
	}
	return b.Bytes(), true
}

func (r *Reader) writeJSON(b *bytes.Buffer, at *yaml.Node, what string) bool {
	n, ok := r.Enter(at)
	if !ok {
		return false
	}
	defer r.Deeper()()
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i, p := range r.Pairs(n) {
			comma(b, i)
			quoted(b, p.Key.Value)
			b.WriteByte(':')
			ok = r.writeJSON(b, p.Value, what) && ok
		}
		b.WriteByte('}')
		return ok
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			comma(b, i)
			ok = r.writeJSON(b, item, what) && ok
		}
		b.WriteByte(']')
		return ok
	}
	text, err := scalarJSON(n)
	if err != nil {
		r.Fail(at, "", "%s: %s has no JSON form: %v", what, Describe(n), err)
		return false
	}
	b.WriteString(text)
	return true
}

func comma(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

func quoted(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string cannot fail
	b.Truncate(b.Len() - 1)
}

// scalarJSON writes one YAML scalar.
func scalarJSON(n *yaml.Node) (string, error) {
	switch n.ShortTag() {
	case "!!null":
		return "null", nil
	case "!!bool":
		var v bool
		err := n.Decode(&v)
		return strconv.FormatBool(v), err
	case "!!int":
		if json.Valid([]byte(n.Value)) {
			return n.Value, nil // -0 stays what it is
		}
		v, ok := new(big.Int).SetString(strings.ReplaceAll(n.Value, "_", ""), 0)
		if !ok {
			return "", fmt.Errorf("%q is not a whole number", Clip(n.Value))
		}
		return v.String(), nil
	case "!!float":
		if json.Valid([]byte(n.Value)) {
			return n.Value, nil
		}
		var v float64
		if err := n.Decode(&v); err != nil {
			return "", err
		}
		data, err := json.Marshal(v) // refuses .inf and .nan
		return string(data), err
	case "!!str", "!!timestamp":
		var b bytes.Buffer
		quoted(&b, n.Value)
		return b.String(), nil
	}
	return "", fmt.Errorf("the tag %s means nothing here", n.ShortTag())
}
