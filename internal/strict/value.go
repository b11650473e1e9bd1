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

// JSON writes a YAML value as JSON. Whole numbers keep every digit. It reports
// false when something has no JSON form; that is a problem already recorded.
func (r *Reader) JSON(n *yaml.Node, what string) (json.RawMessage, bool) {
	var b bytes.Buffer
	if !r.writeJSON(&b, n, what) {
		return nil, false
	}
	return b.Bytes(), true
}

func (r *Reader) writeJSON(b *bytes.Buffer, at *yaml.Node, what string) bool {
	defer r.Deeper()()
	n, ok := r.Enter(at)
	if !ok {
		return false
	}
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i, p := range r.Pairs(n) {
			comma(b, i)
			quoted(b, p.Key.Value)
			b.WriteByte(':')
			if !r.writeJSON(b, p.Value, what) {
				return false
			}
		}
		b.WriteByte('}')
		return true
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			comma(b, i)
			if !r.writeJSON(b, item, what) {
				return false
			}
		}
		b.WriteByte(']')
		return true
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
		v, ok := new(big.Int).SetString(strings.ReplaceAll(n.Value, "_", ""), 0)
		if !ok {
			return "", fmt.Errorf("%q is no whole number", Clip(n.Value))
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
