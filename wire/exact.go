package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

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
