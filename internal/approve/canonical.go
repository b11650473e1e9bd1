package approve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// canonical is a tool's input as JSON in one form: keys sorted, no blanks, numbers as
// they were written. Inputs that differ in anything else have different forms.
func canonical(input map[string]any) []byte { return appendValue(nil, input) }

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return appendString(b, v)
	case json.Number:
		return append(b, v...)
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case []any:
		b = append(b, '[')
		for i, one := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, one)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, key), ':')
			b = appendValue(b, v[key])
		}
		return append(b, '}')
	}
	return appendOther(b, v)
}

// appendOther is for values of Go types, as a hook in Go may set them.
func appendOther(b []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Appendf(b, "%T(%#v)", v, v)
	}
	var plain any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&plain); err != nil {
		return append(b, text...)
	}
	return appendValue(b, plain)
}

// appendString writes a string so that no two are the same, also those that are not
// UTF-8: encoding/json makes one character of all that is not.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			b = fmt.Appendf(b, `\x%02x`, s[0])
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, s[:size]...)
		}
		s = s[size:]
	}
	return append(b, '"')
}
