package script

import (
	"encoding/base64"
	"encoding/json"
)

// A script calls the host with values of its own (text, number), or with a list in JSON
// (str, bytesAt). An argument of another type counts as missing.

// str is an argument that is a text, or "".
func str(args []json.RawMessage, i int) string {
	var s string
	if i < len(args) {
		_ = json.Unmarshal(args[i], &s) // anything else is not text
	}
	return s
}

// text is an argument that is a text, or "".
func text(args []any, i int) string {
	if i < len(args) {
		if s, ok := args[i].(string); ok {
			return s
		}
	}
	return ""
}

// number is an argument that is a number, or 0.
func number(args []any, i int) int {
	if i < len(args) {
		switch n := args[i].(type) {
		case int:
			return n
		case float64:
			return int(n)
		}
	}
	return 0
}

// texts is a list of arguments.
func texts(args json.RawMessage) (list []json.RawMessage) {
	_ = json.Unmarshal(args, &list) // it is our own list
	return list
}

// bytesAt is an argument that is base64.
func bytesAt(args []json.RawMessage, i int) ([]byte, error) {
	return base64.StdEncoding.DecodeString(str(args, i))
}

// maxChunk is what a program reads of its stdin at once.
const maxChunk = 64 << 10
