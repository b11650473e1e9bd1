package index

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// walk goes through a line as the log writes it: JSON without blanks, whose names need no
// escapes. Of another line it is lost, and says so: somebody else reads that.
type walk struct {
	in      []byte
	at      int
	lost    bool
	scratch []byte
}

func (w *walk) begin(line []byte) {
	w.in, w.at, w.lost = line, 0, false
	w.lost = !utf8.Valid(line)
}

// peek is the next byte; 0 at the end, or when the way is lost.
func (w *walk) peek() byte {
	if w.lost || w.at >= len(w.in) {
		w.lost = true
		return 0
	}
	return w.in[w.at]
}

// take goes over a byte that must be there.
func (w *walk) take(c byte) {
	if w.peek() != c {
		w.lost = true
		return
	}
	w.at++
}

// members gives the names of an object; each must go over its value.
func (w *walk) members(each func(name []byte)) {
	w.take('{')
	if w.peek() == '}' {
		w.at++
		return
	}
	for !w.lost {
		if w.peek() != '"' {
			break
		}
		name := w.text()
		w.take(':')
		if w.lost {
			return
		}
		each(name)
		if w.peek() == '}' {
			w.at++
			return
		}
		w.take(',')
	}
	w.lost = true
}

// items goes through a list; each must go over one.
func (w *walk) items(each func()) {
	w.take('[')
	if w.peek() == ']' {
		w.at++
		return
	}
	for !w.lost {
		each()
		if w.peek() == ']' {
			w.at++
			return
		}
		w.take(',')
	}
}

// text goes over a text, and gives what it says, until the next one with an escape.
func (w *walk) text() []byte {
	w.take('"')
	if w.lost {
		return nil
	}
	begin := w.at
	for w.at < len(w.in) {
		switch c := w.in[w.at]; {
		case c == '"':
			w.at++
			return w.in[begin : w.at-1]
		case c == '\\':
			return w.escaped(begin)
		case c < ' ':
			w.lost = true
			return nil
		}
		w.at++
	}
	w.lost = true
	return nil
}

// escaped is a text with escapes, up to the first of which it was read.
func (w *walk) escaped(begin int) []byte {
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	out := append(w.scratch[:0], w.in[begin:w.at]...)
	defer func() { w.scratch = out[:0] }()
	for w.at+1 < len(w.in) {
		c := w.in[w.at]
		w.at++
		switch {
		case c == '"':
			return out
		case c < ' ':
			w.lost = true
			return nil
		case c != '\\':
			out = append(out, c)
		case w.in[w.at] == 'u':
			return w.coded(begin)
		default:
			k := bytes.IndexByte([]byte(from), w.in[w.at])
			if k < 0 {
				w.lost = true
				return nil
			}
			out = append(out, to[k])
			w.at++
		}
	}
	w.lost = true
	return nil
}

// coded is a text with a code such as \u2028, which is rare.
func (w *walk) coded(begin int) []byte {
	end := w.at
	for end < len(w.in) && w.in[end] != '"' {
		if w.in[end] == '\\' {
			end++
		}
		end++
	}
	var text string
	if end >= len(w.in) || json.Unmarshal(w.in[begin-1:end+1], &text) != nil {
		w.lost = true
		return nil
	}
	w.at = end + 1
	return []byte(text)
}

// integer goes over a whole number.
func (w *walk) integer() (n int64) {
	negative := w.peek() == '-'
	if negative {
		w.at++
	}
	begin := w.at
	for w.at < len(w.in) && w.in[w.at] >= '0' && w.in[w.at] <= '9' {
		n = n*10 + int64(w.in[w.at]-'0')
		w.at++
	}
	if digits := w.at - begin; digits == 0 || digits > 18 {
		w.lost = true
	}
	if c := w.peek(); c == '.' || c == 'e' || c == 'E' {
		w.lost = true
	}
	if negative {
		n = -n
	}
	return n
}

// number goes over any number.
func (w *walk) number() (n float64) {
	begin := w.at
	for w.at < len(w.in) && bytes.IndexByte([]byte("+-.0123456789Ee"), w.in[w.at]) >= 0 {
		w.at++
	}
	if text := w.in[begin:w.at]; !simple(text, &n) && json.Unmarshal(text, &n) != nil {
		w.lost = true
	}
	return n
}

// simple reads a number with a few digits.
func simple(text []byte, n *float64) bool {
	if len(text) == 0 || len(text) > 15 {
		return false
	}
	whole, tenth, point := int64(0), 1.0, false
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			whole = whole*10 + int64(c-'0')
			if point {
				tenth *= 10
			}
		case c == '.' && !point && i > 0 && i+1 < len(text):
			point = true
		default:
			return false
		}
	}
	if text[0] == '0' && len(text) > 1 && text[1] != '.' {
		return false
	}
	*n = float64(whole) / tenth
	return true
}

// truth goes over true or false.
func (w *walk) truth() bool {
	for _, word := range []string{"true", "false"} {
		if bytes.HasPrefix(w.in[min(w.at, len(w.in)):], []byte(word)) {
			w.at += len(word)
			return word == "true"
		}
	}
	w.lost = true
	return false
}

// mostNested bounds how deep a value may be.
const mostNested = 64

// value goes over any value, and tells of each text in it that is not a name.
func (w *walk) value(said func([]byte), depth int) {
	if depth > mostNested {
		w.lost = true
		return
	}
	switch c := w.peek(); {
	case c == '"':
		if text := w.text(); !w.lost {
			said(text)
		}
	case c == '{':
		w.members(func([]byte) { w.value(said, depth+1) })
	case c == '[':
		w.items(func() { w.value(said, depth+1) })
	case c == '-' || c >= '0' && c <= '9':
		w.number()
	case c == 't' || c == 'f':
		w.truth()
	case c == 'n' && bytes.HasPrefix(w.in[w.at:], []byte("null")):
		w.at += len("null")
	default:
		w.lost = true
	}
}
