package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	plain, err := hujson.Standardize(bytes.Clone(data)) // blanks for comments: every place stays
	if err != nil {
		line, column, message := 1, 1, err.Error()
		var said string
		if n, _ := fmt.Sscanf(message, "hujson: line %d, column %d: %s", &line, &column, &said); n == 3 {
			_, message, _ = cutAfter(message, "column ")
		}
		line, column = Inside(data, line, column)
		return fail(line, column, "this is not JSON: "+message)
	}
	r := &jsonReader{text: plain, dec: json.NewDecoder(bytes.NewReader(plain)), line: 1, column: 1}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err == nil {
		if _, more := r.dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is text after the end of the object")
		}
	}
	if err != nil {
		return fail(r.line, r.column, "this is not JSON: "+err.Error())
	}
	return root, nil
}

// cutAfter gives what follows the first ": " after a text.
func cutAfter(message, text string) (before, after string, ok bool) {
	_, rest, ok := bytes.Cut([]byte(message), []byte(text))
	if !ok {
		return "", message, false
	}
	head, tail, ok := bytes.Cut(rest, []byte(": "))
	return string(head), string(tail), ok
}

// jsonReader makes nodes of tokens.
type jsonReader struct {
	text         []byte
	dec          *json.Decoder
	at           int // how far line and column are
	line, column int
}

// token reads a token, and where it begins.
func (r *jsonReader) token() (json.Token, *yaml.Node, error) {
	start := int(r.dec.InputOffset())
	for start < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[start]) >= 0 {
		start++
	}
	for r.at < start {
		_, size := utf8.DecodeRune(r.text[r.at:])
		if r.column++; r.text[r.at] == '\n' {
			r.line, r.column = r.line+1, 1
		}
		r.at += size
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line, Column: r.column}
	token, err := r.dec.Token()
	return token, n, err
}

func (r *jsonReader) value(depth int) (*yaml.Node, error) {
	token, n, err := r.token()
	if err != nil {
		return nil, err
	}
	return n, r.fill(n, token, depth)
}

// fill makes a node of the value that a token begins.
func (r *jsonReader) fill(n *yaml.Node, token json.Token, depth int) error {
	if depth > MaxDepth {
		return errors.New("it nests too deeply")
	}
	switch v := token.(type) {
	case json.Delim:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		if v == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		}
		for r.dec.More() {
			item, err := r.value(depth + 1)
			if err != nil {
				return err
			}
			n.Content = append(n.Content, item)
		}
		_, _, err := r.token() // the end
		return err
	case string:
		n.Tag, n.Value = "!!str", v
	case json.Number:
		if n.Tag, n.Value = "!!int", v.String(); bytes.ContainsAny([]byte(n.Value), ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(v)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return nil
}
