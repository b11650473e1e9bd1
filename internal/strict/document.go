package strict

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// MaxFile bounds a hookway.yaml. A larger one is not a configuration but a mistake.
const MaxFile = 1 << 20

// Document reads YAML into nodes, which know their places. An empty file is a
// nil node. What is wrong with the syntax is one problem: nothing after it can
// be read with confidence.
func Document(file string, data []byte) (*yaml.Node, Problems) {
	return DocumentUpTo(MaxFile, file, data)
}

// DocumentUpTo is Document for files that may have another length.
func DocumentUpTo(most int, file string, data []byte) (*yaml.Node, Problems) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(data) > most {
		return nil, Problems{{File: file, Message: fmt.Sprintf("the file has %d bytes; at most %d are read", len(data), most),
			Hint: "split it, or put what is long into files of its own"}}
	}
	root, fault := Load(data)
	if fault == nil {
		return root, nil
	}
	p := Problem{File: file, Line: fault.Line, Column: fault.Column}
	switch {
	case fault.Err != nil:
		p.Message = "this is not YAML: " + fault.Err.Error()
	case fault.Syntax != nil:
		p.Message, p.Hint = explain(fault.Syntax, fault.Rest)
	case fault.Second:
		p.Message, p.Hint = "the file holds several YAML documents", "take the line --- out; all that a file says stands in one document"
	default:
		p.Message, p.Hint = noText(fault), "save the file as plain UTF-8 text"
	}
	return nil, Problems{p}
}

// noText says what is not text.
func noText(f *Fault) string {
	if f.Control {
		return fmt.Sprintf("control character U+%04X", f.Byte)
	}
	return fmt.Sprintf("byte 0x%02x is not UTF-8", f.Byte)
}

// explain says in our words what the YAML reader found. here is the line from the
// place on.
func explain(e *yaml.LoadError, here string) (message, hint string) {
	message = e.Message
	if e.ContextMark.Line > 0 && e.ContextMark.Line != e.Mark.Line {
		message = fmt.Sprintf("%s (%s that begins at line %d, column %d)", message, e.ContextMsg, e.ContextMark.Line, e.ContextMark.Column)
	}
	switch {
	case strings.HasPrefix(here, "\t"):
		return "a tab stands where YAML wants spaces", "indent with spaces"
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
	return "YAML: " + message, hint
}
