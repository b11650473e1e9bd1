package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of every JSON text that is read.
const (
	MaxSize  = 64 << 20 // bytes
	MaxDepth = 1000     // objects and arrays inside each other

	// MaxValues is how many values an event has at most, as its source tells it: see
	// [Bounded]. A text may have four times as many, since an event that is handed on has
	// what its source said beside what it means.
	MaxValues = 50_000
	mostRead  = 4 * MaxValues
)

// Bounded finds out, without reading a JSON text, whether it is too much for an
// event: in bytes, values or depth. A text that is not JSON may pass.
func Bounded(data []byte) error { return bounded(data, MaxValues) }

func bounded(data []byte, most int) error {
	if len(data) > MaxSize {
		return fmt.Errorf("it has %d bytes; the limit is %d", len(data), MaxSize)
	}
	switch deepest, values := weigh(data, most); {
	case deepest > MaxDepth:
		return fmt.Errorf("it is nested deeper than %d", MaxDepth)
	case values > most:
		return fmt.Errorf("it has more than %d values; put what is so large into a file, and name that", most)
	}
	return nil
}

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
	if err := bounded(data, mostRead); err != nil {
		return nil, err
	}
	text := trim(data)
	if len(text) == 0 {
		return nil, errors.New("it is empty")
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

// Object reads a JSON object with every number as json.Number. Find out first, with
// [Bounded], whether it is too much. False: the text is none, or more than one.
func Object(data []byte) (map[string]any, bool) {
	if !json.Valid(data) {
		return nil, false
	}
	all, ok := exact(data).(map[string]any)
	return all, ok
}

// weigh is how deep a text nests, and how many values it has: objects, lists, and
// what follows a comma. It may not be JSON. What is too much is not counted to its end.
func weigh(text []byte, most int) (deepest, values int) {
	now := 0
	for i := 0; i < len(text) && deepest <= MaxDepth && values <= most; i++ {
		switch text[i] {
		case '"':
			i = afterString(text, i) - 1
		case '{', '[':
			now++
			deepest = max(deepest, now)
			values++
		case ',':
			values++
		case '}', ']':
			now--
		}
	}
	return deepest, values
}

// afterString is the index behind the string that begins at i: behind the next
// quote that has no backslash, or an even number of them, before it.
func afterString(text []byte, i int) int {
	begin := i + 1
	for i = begin; i < len(text); i++ {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			break
		}
		i += n
		escape := i
		for escape > begin && text[escape-1] == '\\' {
			escape--
		}
		if (i-escape)%2 == 0 {
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

// exact reads a valid value with every number as json.Number, digit for digit.
// Of two members of one name the last counts, as it does for agents.
func exact(text []byte) any {
	p := parser{text: text}
	return p.value()
}

// parser walks once over a text that was checked. It needs no errors: where the
// text ends too early it stops.
type parser struct {
	text []byte
	at   int
}

// peek skips white space and separators, and gives the next byte, or 0.
func (p *parser) peek() byte {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
		default:
			return c
		}
	}
	return 0
}

func (p *parser) value() any {
	switch p.peek() {
	case 0:
		return nil
	case '{':
		p.at++
		object := map[string]any{}
		for c := p.peek(); c != '}' && c != 0; c = p.peek() {
			name := p.string()
			object[name] = p.value()
		}
		p.at++
		return object
	case '[':
		p.at++
		array := []any{}
		for c := p.peek(); c != ']' && c != 0; c = p.peek() {
			array = append(array, p.value())
		}
		p.at++
		return array
	case '"':
		return p.string()
	}
	return p.scalar()
}

func (p *parser) string() string {
	begin := p.at
	p.at = afterString(p.text, begin)
	return unquote(p.text[begin:p.at])
}

func (p *parser) scalar() any {
	begin := p.at
	p.at = max(afterValue(p.text, begin), begin+1)
	switch word := string(p.text[begin:p.at]); word {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	default:
		return json.Number(word)
	}
}

// unquote reads a valid string, as package encoding/json does: what is not text is
// U+FFFD.
func unquote(text []byte) string {
	inner := text[1 : len(text)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	out := make([]byte, 0, len(inner))
	for len(inner) > 0 {
		plain := bytes.IndexByte(inner, '\\')
		if plain < 0 {
			plain = len(inner)
		}
		out = appendText(out, inner[:plain])
		if inner = inner[plain:]; len(inner) == 0 {
			break
		}
		var c rune
		c, inner = unescape(inner)
		out = utf8.AppendRune(out, c)
	}
	return string(out)
}

// appendText appends what has no escapes.
func appendText(out, text []byte) []byte {
	if utf8.Valid(text) {
		return append(out, text...)
	}
	for _, c := range string(text) { // gives what is not text one by one
		out = utf8.AppendRune(out, c)
	}
	return out
}

// unescape reads the escape that a part of a valid string begins with.
func unescape(text []byte) (c rune, rest []byte) {
	if len(text) < 2 {
		return utf8.RuneError, nil // cannot be: the text was checked
	}
	switch rest = text[2:]; text[1] {
	case 'b':
		return '\b', rest
	case 'f':
		return '\f', rest
	case 'n':
		return '\n', rest
	case 'r':
		return '\r', rest
	case 't':
		return '\t', rest
	case 'u':
		c, rest = hexRune(text)
		if !utf16.IsSurrogate(c) {
			return c, rest
		}
		if len(rest) > 1 && rest[0] == '\\' && rest[1] == 'u' {
			low, after := hexRune(rest)
			if both := utf16.DecodeRune(c, low); both != utf8.RuneError {
				return both, after
			}
		}
		return utf8.RuneError, rest // half of a pair
	}
	return rune(text[1]), rest
}

// hexRune reads \uXXXX.
func hexRune(text []byte) (rune, []byte) {
	if len(text) < 6 {
		return utf8.RuneError, nil // cannot be: the text was checked
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError, text[6:]
	}
	return rune(n), text[6:]
}
