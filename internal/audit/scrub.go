package audit

import (
	"encoding/json"
	"strings"

	"github.com/hookway/hookway/internal/keep"
)

// scrubber puts placeholders in the place of the secrets of an event.
type scrubber struct {
	redact *redactor
	holds  *keep.Placeholders
	found  map[string]string // what stands for each secret
	count  int
}

// leastAlone is how long a secret is that is looked for also where nothing else tells
// that it is one.
const leastAlone = 8

// hold gives what stands for a secret; a name of something that is elsewhere is none.
func (s *scrubber) hold(kind, secret string) string {
	if secret == "" || kind == "" && elsewhere(secret) {
		return secret
	}
	text, ok := s.found[secret]
	if !ok {
		if s.found == nil {
			s.found = map[string]string{}
		}
		text = s.holds.For(kind, secret)
		s.found[secret] = text
	}
	s.count++
	return text
}

// elsewhere reports whether a value only says where the secret is: $TOKEN, ${token},
// $(pass show x), <token>, {{ token }}.
func elsewhere(value string) bool {
	for _, begin := range []string{"${", "$(", "{{", "`"} {
		if strings.HasPrefix(value, begin) {
			return true
		}
	}
	if strings.HasPrefix(value, "<") && strings.HasSuffix(value, ">") {
		return true
	}
	switch strings.ToLower(value) {
	case "true", "false", "null", "none", "nil":
		return true
	}
	name, ok := strings.CutPrefix(value, "$")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" && (name[0] < '0' || name[0] > '9')
}

// loose takes out all that may be a secret, also by the name before it.
func (s *scrubber) loose(text string, named bool) string {
	if named {
		return s.hold("", text)
	}
	if len(text) < 5 {
		return text
	}
	return s.redact.replace(text, s.hold)
}

// tight takes out what has the shape of a secret, and leaves what only stands behind a
// name: it is for what was found of an event, in which "secret:" says something else.
func (s *scrubber) tight(text string, named bool) string {
	if named {
		return s.hold("", text)
	}
	if len(text) < leastAlone {
		return text
	}
	return s.redact.replace(text, func(kind, secret string) string {
		if kind == "" {
			return secret
		}
		return s.hold(kind, secret)
	})
}

// again takes out the secrets that were found, wherever else they stand.
func (s *scrubber) again(text string, _ bool) string {
	if to, ok := s.found[text]; ok {
		return to
	}
	for secret, to := range s.found {
		if len(secret) >= leastAlone && strings.Contains(text, secret) {
			text = strings.ReplaceAll(text, secret, to)
		}
	}
	return text
}

// walker goes through the texts of a JSON text that was written by this program.
type walker struct {
	in    []byte
	out   []byte
	done  int    // of in, how much is in out
	open  []byte // the objects and lists around the place
	named bool   // the next value has the name of a secret
	key   bool   // a name is next
	by    func(text string, named bool) string
}

// Kinds of what is open.
const (
	inObject = iota
	inList
	inSecrets // a list whose name is that of secrets
)

// rewrite is a JSON text with other texts, and with other digits for secret numbers.
func rewrite(in []byte, by func(text string, named bool) string) []byte {
	w := walker{in: in, by: by}
	for at := 0; at < len(in); {
		at = w.step(at)
	}
	if w.done == 0 {
		return in
	}
	return append(w.out, in[w.done:]...)
}

func (w *walker) step(at int) int {
	switch c := w.in[at]; c {
	case '{':
		w.open, w.key, w.named = append(w.open, inObject), true, false
	case '[':
		kind := byte(inList)
		if w.named {
			kind = inSecrets
		}
		w.open, w.key = append(w.open, kind), false
	case '}', ']':
		if len(w.open) > 0 {
			w.open = w.open[:len(w.open)-1]
		}
		w.named = false
	case ',':
		top := w.top()
		w.key, w.named = top == inObject, top == inSecrets
	case '"':
		return w.text(at)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return w.number(at)
	}
	return at + 1
}

func (w *walker) top() byte {
	if len(w.open) == 0 {
		return inList
	}
	return w.open[len(w.open)-1]
}

func (w *walker) text(at int) int {
	end, plain := at+1, true
	for end < len(w.in) && w.in[end] != '"' {
		if w.in[end] == '\\' {
			plain = false
			end++
		}
		end++
	}
	end = min(end+1, len(w.in))
	raw := w.in[at:end]
	text := ""
	if plain && len(raw) >= 2 {
		text = string(raw[1 : len(raw)-1])
	} else if json.Unmarshal(raw, &text) != nil {
		return end
	}
	named := w.named && !w.key
	if w.key {
		w.key, w.named = false, secretName(text)
	} else if w.top() != inSecrets {
		w.named = false
	}
	if now := w.by(text, named); now != text {
		w.put(at, end)
		w.out = keep.AppendText(w.out, now)
	}
	return end
}

// number is a number; a secret one becomes another of as many digits.
func (w *walker) number(at int) int {
	end := at + 1
	for end < len(w.in) && strings.IndexByte("0123456789.eE+-", w.in[end]) >= 0 {
		end++
	}
	if text := string(w.in[at:end]); w.named && len(text) > 3 && strings.Trim(text, "0123456789") == "" {
		if now := w.by(text, true); now[0] != '0' {
			w.put(at, end)
			w.out = append(w.out, now...)
		} else {
			w.put(at, end)
			w.out = append(append(w.out, '1'), now[1:]...)
		}
	}
	return end
}

// put copies what is before a place, and goes on behind its end.
func (w *walker) put(at, end int) {
	w.out = append(w.out, w.in[w.done:at]...)
	w.done = end
}

// secretName reports whether a member's value is never written, by its name.
func secretName(name string) bool {
	if name == "" || strings.IndexByte("deyntlsDEYNTLS_-", name[len(name)-1]) < 0 {
		return false
	}
	for _, end := range secretNames {
		if endsIn(name, end) {
			return true
		}
	}
	return false
}

// endsIn reports whether a name, without its signs and in small letters, ends so.
func endsIn(name, end string) bool {
	i, k := len(name)-1, len(end)-1
	for ; i >= 0 && k >= 0; i-- {
		c := name[i]
		if c == '_' || c == '-' {
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != end[k] {
			return false
		}
		k--
	}
	return k < 0
}
