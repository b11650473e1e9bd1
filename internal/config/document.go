package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// maxFile bounds a hookway.yaml. A larger one is no configuration but a mistake.
const maxFile = 1 << 20

// document reads YAML into nodes, which know their places. An empty file is a
// nil node. What is wrong with the syntax is one problem: nothing after it can
// be read with confidence.
func document(file string, data []byte) (*yaml.Node, Problems) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	at := func(line, column int, message, hint string) Problems {
		line, column = inside(data, line, column)
		return Problems{{File: file, Line: line, Column: column, Message: message, Hint: hint}}
	}
	if len(data) > maxFile {
		return nil, Problems{{File: file, Message: fmt.Sprintf("the file has %d bytes; at most %d are read", len(data), maxFile),
			Hint: "split the hooks over the user's and the workspace's configuration, or put code into commands"}}
	}
	if line, column, what := unreadable(data); what != "" {
		return nil, at(line, column, what, "save the file as plain UTF-8 text")
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, at(1, 1, err.Error(), "")
	}
	var first, second yaml.Node
	if err := loader.Load(&first); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		line, column, message, hint := syntax(data, err)
		return nil, at(line, column, message, hint)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, at(second.Line, second.Column, "the file holds several YAML documents",
			"take the line --- out; all hooks of a file stand in one list")
	case !errors.Is(err, io.EOF):
		line, column, message, hint := syntax(data, err)
		return nil, at(line, column, message, hint)
	}
	if first.Kind == yaml.DocumentNode && len(first.Content) == 1 {
		return first.Content[0], nil
	}
	return nil, nil
}

// unreadable finds the first byte that is no text.
func unreadable(data []byte) (line, column int, what string) {
	line, column = 1, 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size <= 1:
			return line, column, fmt.Sprintf("byte 0x%02x is not UTF-8", rest[0])
		case r < ' ' && r != '\n' && r != '\r' && r != '\t', r == 0x7f:
			return line, column, fmt.Sprintf("control character U+%04X", r)
		case r == '\n':
			line, column = line+1, 0
		}
		column++
		rest = rest[size:]
	}
	return 0, 0, ""
}

// syntax says in our words what the YAML reader found.
func syntax(data []byte, err error) (line, column int, message, hint string) {
	var many *yaml.LoadErrors
	if errors.As(err, &many) && len(many.Errors) > 0 {
		err = many.Errors[0]
	}
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return 1, 1, "this is not YAML: " + err.Error(), ""
	}
	line, column = e.Mark.Line, e.Mark.Column
	message = e.Message
	if e.ContextMark.Line > 0 && e.ContextMark.Line != line {
		message = fmt.Sprintf("%s (%s that begins at line %d, column %d)", message, e.ContextMsg, e.ContextMark.Line, e.ContextMark.Column)
	}
	switch here := rest(data, line, column); {
	case strings.HasPrefix(here, "\t"):
		return line, column, "a tab stands where YAML wants spaces", "indent with spaces"
	case strings.Contains(e.Message, "unknown escape"):
		hint = `in double quotes a backslash is an escape; put patterns into single quotes: 'rm\s+-rf'`
	case strings.Contains(e.Message, "unknown anchor"), strings.Contains(e.Message, "alias"):
		hint = `text that begins with * must be quoted: '*.rs'`
	case strings.HasPrefix(here, "@"), strings.HasPrefix(here, "`"), strings.HasPrefix(here, "%"):
		hint = fmt.Sprintf("text that begins with %c must be quoted", here[0])
	case strings.Contains(e.Message, "mapping values are not allowed"):
		hint = "quote text that contains \": \", and check the indentation of this line and the one before"
	case strings.Contains(e.Message, "expected ':'"):
		hint = "a key is followed by a colon and a space"
	case strings.Contains(e.Message, "did not find expected"):
		hint = "check brackets, quotes and the indentation; text that begins with { or [ must be quoted"
	}
	return line, column, "YAML: " + message, hint
}

// rest is the text of a line from a column on.
func rest(data []byte, line, column int) string {
	lines := bytes.Split(data, []byte("\n"))
	if line < 1 || line > len(lines) {
		return ""
	}
	runes := []rune(string(lines[line-1]))
	if column < 1 || column > len(runes) {
		return ""
	}
	return string(runes[column-1:])
}

// inside moves a place to the nearest one that the file has: the reader reports
// what is missing at the end of a file on the line after the last.
func inside(data []byte, line, column int) (int, int) {
	lines := bytes.Split(bytes.TrimRight(data, "\r\n"), []byte("\n"))
	if line > len(lines) {
		line = len(lines)
		column = utf8.RuneCount(lines[line-1]) + 1
	}
	line = max(line, 1)
	column = min(max(column, 1), utf8.RuneCount(lines[line-1])+1)
	return line, column
}
