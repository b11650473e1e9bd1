package call

import (
	"strconv"
	"unicode/utf8"
)

// EventName finds the name of the event in an agent's JSON: the top-level text
// hook_event_name or hookName. It reads no more than it must: what stands inside
// of other values is skipped unread. "" means that there is no such name, or that
// the text is not a whole object. The last of two names counts, as agents read it.
func EventName(stdin []byte) string {
	name, second := "", ""
	whole := eachMember(stdin, func(key, value []byte) {
		switch text(key) {
		case "hook_event_name":
			name = text(value)
		case "hookName":
			second = text(value)
		}
	})
	switch {
	case !whole:
		return ""
	case name != "":
		return name
	}
	return second
}

// Complete reports whether the text has one object that has come to its end.
func Complete(stdin []byte) bool { return eachMember(stdin, func(_, _ []byte) {}) }

// eachMember shows the members of a JSON object, with the quotes that they have.
// It reports whether the text was one object and nothing else.
func eachMember(b []byte, see func(key, value []byte)) bool {
	i := space(b, 0)
	if i == len(b) || b[i] != '{' {
		return false
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return space(b, i+1) == len(b)
	}
	for {
		key := i
		if key == len(b) || b[key] != '"' {
			return false
		}
		end := afterString(b, key)
		if end < 0 {
			return false
		}
		i = space(b, end)
		if i == len(b) || b[i] != ':' {
			return false
		}
		i = space(b, i+1)
		value := i
		if i = afterValue(b, i); i < 0 {
			return false
		}
		see(b[key:end], b[value:i])
		i = space(b, i)
		if i == len(b) {
			return false
		}
		switch b[i] {
		case '}':
			return space(b, i+1) == len(b)
		case ',':
			i = space(b, i+1)
		default:
			return false
		}
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// afterString is the place behind the text that begins at i; -1 if it has no end.
func afterString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// afterValue is the place behind the value that begins at i; -1 if it has no end.
// What is inside of arrays and objects need only have its brackets in pairs.
func afterValue(b []byte, i int) int {
	if i == len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return afterString(b, i)
	case '{', '[':
		for depth := 0; i < len(b); {
			switch b[i] {
			case '"':
				if i = afterString(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	start := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// text reads a JSON text; "" if the value is none.
func text(b []byte) string {
	if len(b) < 2 || b[0] != '"' {
		return ""
	}
	b = b[1 : len(b)-1]
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c != '\\' || i+1 == len(b) {
			out = append(out, c)
			continue
		}
		i++
		switch c = b[i]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			if i+5 > len(b) {
				return ""
			}
			n, err := strconv.ParseUint(string(b[i+1:i+5]), 16, 16)
			if err != nil {
				return ""
			}
			out = utf8.AppendRune(out, rune(n)) // half a pair becomes U+FFFD: no name has one
			i += 4
		default:
			out = append(out, c)
		}
	}
	return string(out)
}
