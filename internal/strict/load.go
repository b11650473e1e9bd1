package strict

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Fault is why a file holds no document: the first of these that is set.
type Fault struct {
	Line, Column int // from 1; the column in characters

	Err    error           // it cannot be read
	Syntax *yaml.LoadError // it is not YAML
	Rest   string          // the line of Syntax from the column on
	Second bool            // another document begins here

	Byte    byte // else: the first byte that is not text
	Control bool // it is a control character, not bad UTF-8
}

// Load reads the one document of a file, without a byte order mark. Nil without
// a fault is an empty file.
func Load(data []byte) (*yaml.Node, *Fault) {
	if f := NotText(data); f != nil {
		return nil, f
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, &Fault{Line: 1, Column: 1, Err: err}
	}
	var first, second yaml.Node
	if err := loader.Load(&first); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntax(data, err)
	}
	if err := loader.Load(&second); err == nil {
		f := &Fault{Second: true}
		f.Line, f.Column = Inside(data, second.Line, second.Column)
		return nil, f
	} else if !errors.Is(err, io.EOF) {
		return nil, syntax(data, err)
	}
	if first.Kind == yaml.DocumentNode && len(first.Content) == 1 {
		return first.Content[0], nil
	}
	return nil, nil
}

// NotText finds the first byte that cannot stand in text.
func NotText(data []byte) *Fault {
	line, column := 1, 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size <= 1:
			return &Fault{Line: line, Column: column, Byte: rest[0]}
		case r < ' ' && r != '\n' && r != '\r' && r != '\t', r == 0x7f:
			return &Fault{Line: line, Column: column, Byte: rest[0], Control: true}
		case endsLine(rest):
			line, column = line+1, 0
		}
		column++
		rest = rest[size:]
	}
	return nil
}

// endsLine says whether the first byte of rest ends a line, as YAML counts lines: a
// lone return does.
func endsLine(rest []byte) bool {
	return rest[0] == '\n' || rest[0] == '\r' && !bytes.HasPrefix(rest, []byte("\r\n"))
}

// syntax finds the place of what the YAML reader complains about.
func syntax(data []byte, err error) *Fault {
	var many *yaml.LoadErrors
	if errors.As(err, &many) && len(many.Errors) > 0 {
		err = many.Errors[0]
	}
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return &Fault{Line: 1, Column: 1, Err: err}
	}
	f := &Fault{Syntax: e, Rest: rest(data, e.Mark.Line, e.Mark.Column)}
	f.Line, f.Column = Inside(data, e.Mark.Line, e.Mark.Column)
	return f
}

// rest is the text of a line from a column on.
func rest(data []byte, line, column int) string {
	lines := split(data)
	if line < 1 || line > len(lines) {
		return ""
	}
	runes := []rune(string(lines[line-1]))
	if column < 1 || column > len(runes) {
		return ""
	}
	return string(runes[column-1:])
}

// split gives the lines of a file as YAML counts them: a lone return ends one.
func split(data []byte) [][]byte {
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	return bytes.Split(data, []byte("\n"))
}

// Inside moves a place to the nearest one that the file has: what is missing at
// the end of a file is found missing on the line after the last.
func Inside(data []byte, line, column int) (int, int) {
	lines := split(bytes.TrimRight(data, "\r\n"))
	if line > len(lines) {
		line = len(lines)
		column = utf8.RuneCount(lines[line-1]) + 1
	}
	line = max(line, 1)
	column = min(max(column, 1), utf8.RuneCount(lines[line-1])+1)
	return line, column
}
