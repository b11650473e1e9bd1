package cases

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// maxFile bounds a test file, in bytes. Larger payloads belong into payload files.
const maxFile = 4 << 20

// document parses the one YAML document of a file. Nil without an error is an
// empty file.
func document(file string, data []byte) (*yaml.Node, *Problem) {
	if len(data) > maxFile {
		return nil, &Problem{File: file, Message: fmt.Sprintf("the file has %d bytes; at most %d are read", len(data), maxFile),
			Hint: "put large payloads into files of their own, with payload_file:"}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if at := notText(data); at >= 0 {
		line, column := placeOf(data, at)
		return nil, &Problem{File: file, Line: line, Column: column, Message: fmt.Sprintf("byte 0x%02x is no text", data[at]),
			Hint: "save the file as UTF-8 text"}
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, &Problem{File: file, Line: 1, Column: 1, Message: err.Error()}
	}
	var root, extra yaml.Node
	switch err = loader.Load(&root); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntaxError(file, data, err)
	}
	switch err = loader.Load(&extra); {
	case err == nil:
		return nil, &Problem{File: file, Line: max(extra.Line, 1), Column: max(extra.Column, 1),
			Message: "a second YAML document begins here", Hint: "take the line --- out: all cases stand in one list"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(file, data, err)
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) == 0 {
		return nil, nil
	}
	return root.Content[0], nil
}

// notText is the index of the first byte that cannot stand in text, or -1.
func notText(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 || r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0x7f {
			return i
		}
		i += size
	}
	return -1
}

// placeOf is the line and column of a byte.
func placeOf(data []byte, at int) (line, column int) {
	before := data[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// syntaxError puts what the YAML parser complains about into our words.
func syntaxError(file string, data []byte, err error) *Problem {
	if all := (*yaml.LoadErrors)(nil); errors.As(err, &all) && len(all.Errors) > 0 {
		err = all.Errors[0]
	}
	e := (*yaml.LoadError)(nil)
	if !errors.As(err, &e) {
		return &Problem{File: file, Line: 1, Column: 1, Message: visible("not YAML: " + err.Error())}
	}
	line, column, here := clamp(data, e.Mark.Line, e.Mark.Column)
	p := &Problem{File: file, Line: line, Column: column, Message: "not YAML: " + e.Message}
	if open := e.ContextMark.Line; open > 0 && open != line && e.ContextMsg != "" {
		p.Message += fmt.Sprintf(", %s from line %d", e.ContextMsg, open)
	}
	p.Message = visible(p.Message)
	switch {
	case strings.HasPrefix(here, "\t"):
		p.Message, p.Hint = "a tab indents this line", "YAML wants spaces"
	case strings.HasPrefix(here, "@"), strings.HasPrefix(here, "`"), strings.HasPrefix(here, "%"):
		p.Hint = "text that begins with " + here[:1] + " must be quoted"
	case strings.Contains(e.Message, "unknown escape"):
		p.Hint = "put it into single quotes: there a backslash is a backslash"
	case strings.Contains(e.Message, "anchor"):
		p.Hint = "text that begins with * or & must be quoted"
	case strings.Contains(e.Message, "mapping values"):
		p.Hint = `quote text with ": " in it, and look at the indentation`
	default:
		p.Hint = "look at the brackets, quotes and indentation of this line and the one before"
	}
	return p
}

// clamp moves a place into the file, and gives the rest of its line: what is
// missing at the end is reported behind it.
func clamp(data []byte, line, column int) (int, int, string) {
	lines := strings.Split(strings.TrimRight(string(data), "\r\n"), "\n")
	if line > len(lines) {
		line, column = len(lines), maxFile
	}
	line = max(line, 1)
	runes := []rune(lines[line-1])
	column = min(max(column, 1), len(runes)+1)
	return line, column, string(runes[column-1:])
}
