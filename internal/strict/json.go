package strict

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"
)

// JSON reads JSON, with comments and trailing commas, into the nodes of
// the YAML reader, which know their places. An empty file is a nil node.
func JSON(file string, data []byte) (*yaml.Node, Problems) {
	fail := func(line, column int, message string) (*yaml.Node, Problems) {
		return nil, Problems{{File: file, Line: line, Column: column, Message: Line(message)}}
	}
	if len(data) > MaxFile {
		return fail(0, 0, fmt.Sprintf("the file has %d bytes; at most %d are read", len(data), MaxFile))
	}
	if mark := []byte("\ufeff"); bytes.HasPrefix(data, mark) {
		data = append([]byte("   "), data[len(mark):]...)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	if f := NotText(data); f != nil {
		return fail(f.Line, f.Column, noText(f))
	}
	root, err := hujson.Parse(data)
	if err != nil {
		line, column, message := 1, 1, err.Error()
		if n, _ := fmt.Sscanf(message, "hujson: line %d, column %d:", &line, &column); n == 2 {
			_, message, _ = strings.Cut(message, "column ")
			_, message, _ = strings.Cut(message, ": ")
		}
		line, column = Inside(data, line, column)
		return fail(line, column, "this is not JSON: "+message)
	}
	r := &jsonReader{text: data, line: 1, column: 1}
	n, err := r.node(&root, 0)
	if err != nil {
		return fail(r.line, r.column, "this is not JSON: "+err.Error())
	}
	return n, nil
}

// jsonReader makes nodes of JSON.
type jsonReader struct {
	text         []byte
	at           int // how far line and column are
	line, column int
}

// node makes a node of a value, whose place is not before the last one's.
func (r *jsonReader) node(v *hujson.Value, depth int) (*yaml.Node, error) {
	for r.at < v.StartOffset {
		_, size := utf8.DecodeRune(r.text[r.at:])
		if r.column++; endsLine(r.text[r.at:]) {
			r.line, r.column = r.line+1, 1
		}
		r.at += size
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line, Column: r.column}
	if depth > MaxDepth {
		return nil, errors.New("it nests too deeply")
	}
	var items []*hujson.Value
	switch v := v.Value.(type) {
	case *hujson.Object:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		for i := range v.Members {
			items = append(items, &v.Members[i].Name, &v.Members[i].Value)
		}
	case *hujson.Array:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		for i := range v.Elements {
			items = append(items, &v.Elements[i])
		}
	case hujson.Literal:
		n.Tag, n.Value = jsonTags[v.Kind()], string(v)
		if v.Kind() == '"' {
			n.Value = v.String()
		} else if n.Tag == "!!int" && strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	}
	for _, item := range items {
		one, err := r.node(item, depth+1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, one)
	}
	return n, nil
}

// jsonTags are YAML's tags of what a literal is by its first byte.
var jsonTags = map[hujson.Kind]string{'"': "!!str", '0': "!!int", 't': "!!bool", 'f': "!!bool", 'n': "!!null"}
