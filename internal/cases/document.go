package cases

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/visible"
	"go.yaml.in/yaml/v4"
)

// maxFile bounds a test file, in bytes. Larger payloads belong into payload files.
const maxFile = 4 << 20

// document parses the one YAML document of a file. Nil without an error is an
// empty file.
func document(file string, data []byte) (*yaml.Node, *strict.Problem) {
	if len(data) > maxFile {
		return nil, &strict.Problem{File: file, Message: fmt.Sprintf("the file has %d bytes; at most %d are read", len(data), maxFile),
			Hint: "put large payloads into files of their own, with payload_file:"}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	root, fault := strict.Load(data)
	if fault == nil {
		return root, nil
	}
	p := &strict.Problem{File: file, Line: fault.Line, Column: fault.Column}
	switch {
	case fault.Err != nil:
		p.Message = visible.Line("not YAML: " + fault.Err.Error())
	case fault.Syntax != nil:
		p.Message, p.Hint = syntax(fault)
	case fault.Second:
		p.Message, p.Hint = "a second YAML document begins here", "take the line --- out: all cases stand in one list"
	default:
		p.Message, p.Hint = fmt.Sprintf("byte 0x%02x is not text", fault.Byte), "save the file as UTF-8 text"
	}
	return nil, p
}

// syntax puts what the YAML parser complains about into our words.
func syntax(f *strict.Fault) (message, hint string) {
	e, here := f.Syntax, f.Rest
	message = "not YAML: " + e.Message
	if open := e.ContextMark.Line; open > 0 && open != f.Line && e.ContextMsg != "" {
		message += fmt.Sprintf(", %s from line %d", e.ContextMsg, open)
	}
	message = visible.Line(message)
	switch {
	case strings.HasPrefix(here, "\t"):
		message, hint = "a tab indents this line", "YAML wants spaces"
	case strings.HasPrefix(here, "@"), strings.HasPrefix(here, "`"), strings.HasPrefix(here, "%"):
		hint = "text that begins with " + here[:1] + " must be quoted"
	case strings.Contains(e.Message, "unknown escape"):
		hint = "put it into single quotes: there a backslash is a backslash"
	case strings.Contains(e.Message, "anchor"):
		hint = "text that begins with * or & must be quoted"
	case strings.Contains(e.Message, "mapping values"):
		hint = `quote text with ": " in it, and look at the indentation`
	default:
		hint = "look at the brackets, quotes and indentation of this line and the one before"
	}
	return message, hint
}
