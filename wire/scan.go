package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Limits of every JSON text that is read.
const (
	MaxSize  = 64 << 20 // bytes
	MaxDepth = 1000     // objects and arrays inside each other
)

// member is one name and value of an object, in the order of the text.
type member struct {
	name  string
	value json.RawMessage // a part of the text, not a copy
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// trim takes away what surrounds a JSON text: a byte order mark, white space.
func trim(data []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark))
}

// check finds out whether data is one JSON text within the limits, and gives it
// without what surrounds it.
func check(data []byte) ([]byte, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", len(data), MaxSize)
	}
	text := trim(data)
	if len(text) == 0 {
		return nil, errors.New("it is empty")
	}
	if depth(text) > MaxDepth {
		return nil, fmt.Errorf("it is nested deeper than %d", MaxDepth)
	}
	if !json.Valid(text) {
		return nil, syntaxError(text)
	}
	return text, nil
}

// syntaxError says where a text stops being JSON.
func syntaxError(text []byte) error {
	err := json.Unmarshal(text, new(any))
	if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("it is not JSON at byte %d: %w", bad.Offset, err)
	}
	return fmt.Errorf("it is not JSON: %w", err)
}

// object is check for a text that must be an object.
func object(data []byte) ([]member, error) {
	text, err := check(data)
	if err != nil {
		return nil, err
	}
	if text[0] != '{' {
		return nil, fmt.Errorf("it must be an object, not %s", kind(text))
	}
	return members(text), nil
}

// depth is how deep a text nests, also one that is no JSON.
func depth(text []byte) int {
	deepest, now := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = afterString(text, i) - 1
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// afterString is the index behind the string that begins at i.
func afterString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// afterValue is the index behind the value that begins at i of a valid text.
func afterValue(text []byte, i int) int {
	open := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			i = afterString(text, i)
		case '{', '[':
			open++
			i++
		case '}', ']':
			if open == 0 {
				return i
			}
			open--
			i++
		case ',', ' ', '\t', '\r', '\n', ':':
			if open == 0 {
				return i
			}
			i++
			continue
		default:
			i++
			continue
		}
		if open == 0 {
			return i
		}
	}
	return i
}

// next skips white space and the given separators.
func next(text []byte, i int, separator byte) int {
	for i < len(text) && (text[i] == separator || text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// members splits a valid object. It does not look into the values.
func members(text []byte) []member {
	var list []member
	for i := next(text, 1, ','); i < len(text) && text[i] != '}'; i = next(text, i, ',') {
		end := afterString(text, i)
		name := unquote(text[i:end])
		i = next(text, end, ':')
		end = afterValue(text, i)
		list = append(list, member{name, text[i:end:end]})
		i = end
	}
	return list
}

// elements splits a valid array.
func elements(text []byte) []json.RawMessage {
	list := []json.RawMessage{}
	for i := next(text, 1, ','); i < len(text) && text[i] != ']'; i = next(text, i, ',') {
		end := afterValue(text, i)
		list = append(list, text[i:end:end])
		i = end
	}
	return list
}

// kind names the kind of a valid value, for errors.
func kind(text []byte) string {
	switch text[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func isNull(text []byte) bool { return len(text) > 0 && text[0] == 'n' }

// once finds a name of interest that an object has twice. Readers disagree on
// which of two counts, and a guard must see what the agent will do.
func once(list []member, interest func(string) bool) error {
	seen := make(map[string]bool, len(list))
	for _, m := range list {
		if seen[m.name] && interest(m.name) {
			return fmt.Errorf("%s: it is there twice", m.name)
		}
		seen[m.name] = true
	}
	return nil
}
