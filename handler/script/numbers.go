package script

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// exact puts back the digits that JavaScript's numbers cannot hold: a number of
// the answer that is the same to JavaScript as the event's at that place is the
// event's. An answer without such numbers is given back as it is.
func exact(event, answer string) []byte {
	if !inexact(event) || !strings.Contains(answer, `"modified"`) {
		return []byte(answer)
	}
	was, ok1 := decoded(event).(map[string]any)
	said, ok2 := decoded(answer).(map[string]any)
	if !ok1 || !ok2 {
		return []byte(answer)
	}
	patch, ok := said["modified"].(map[string]any)
	if !ok {
		return []byte(answer)
	}
	said["modified"] = restored(was, patch)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(said) != nil { // it came from JSON
		return []byte(answer)
	}
	return out.Bytes()
}

func decoded(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// restored is a value of the answer with the event's numbers where they are the same.
func restored(was, now any) any {
	switch n := now.(type) {
	case map[string]any:
		w, _ := was.(map[string]any)
		for key, value := range n {
			n[key] = restored(w[key], value)
		}
	case []any:
		w, _ := was.([]any)
		for i := range min(len(w), len(n)) {
			n[i] = restored(w[i], n[i])
		}
	case nil: // JavaScript has no number so large, and writes null
		if w, ok := was.(json.Number); ok {
			return w
		}
	case json.Number:
		if w, ok := was.(json.Number); ok && same(w, n) {
			return w
		}
	}
	return now
}

// same reports whether two numbers are one to JavaScript.
func same(a, b json.Number) bool {
	x, err1 := strconv.ParseFloat(string(a), 64)
	y, err2 := strconv.ParseFloat(string(b), 64)
	return err1 == nil && err2 == nil && x == y
}

// inexact reports whether a JSON text has a number that JavaScript may write in
// another way: one with many digits, a fraction or an exponent.
func inexact(text string) bool {
	quoted := false
	digits := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted:
			if c == '\\' {
				i++
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted, digits = true, 0
		case c >= '0' && c <= '9':
			if digits++; digits > 15 {
				return true
			}
		case digits > 0 && (c == '.' || c == 'e' || c == 'E'):
			return true
		default:
			digits = 0
		}
	}
	return false
}
