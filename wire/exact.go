package wire

import (
	"bytes"
	"encoding/json"
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

// unquote reads a valid string.
func unquote(text []byte) string {
	if inner := text[1 : len(text)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return "" // cannot be: the text was checked
	}
	return s
}
