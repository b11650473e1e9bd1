package audit

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// hidden stands in for what must not be written.
const hidden = facts.Redacted

// secretNames end the names of members whose values are never written.
var secretNames = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "accesskey", "privatekey",
	"authorization", "credential", "credentials", "cookie", "setcookie", "pwd",
}

// redactor takes secrets out of records. It is never edited.
type redactor struct {
	texts  *facts.Redactor // nil leaves texts as they are
	fields [][]string      // what the configuration names: parts of paths, normal
}

// newRedactor makes one that also hides the named fields: "ssn" at any depth
// and in texts, "tool_input.content" at that place.
func newRedactor(fields []string) *redactor {
	r := &redactor{}
	var names []string
	for _, field := range fields {
		parts := steps(field)
		if len(parts) == 0 {
			continue
		}
		r.fields = append(r.fields, parts)
		if len(parts) == 1 {
			names = append(names, field)
		}
	}
	r.texts = facts.NewRedactor(names)
	return r
}

// steps splits a path into the normal form of its names, without indexes.
func steps(path string) []string {
	var out []string
	for part := range strings.SplitSeq(path, ".") {
		if at := strings.IndexByte(part, '['); at >= 0 {
			part = part[:at]
		}
		if name := hook.Normal(strings.TrimSpace(part)); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// hides reports whether the value at a path must not be written.
func (r *redactor) hides(path string, value any) bool {
	parts := steps(path)
	if r.configured(parts) {
		return true
	}
	if len(parts) == 0 {
		return false
	}
	switch value.(type) { // an object is looked into; true and false say nothing
	case nil, bool, map[string]any, []any:
		return false
	}
	name := parts[len(parts)-1]
	return slices.ContainsFunc(secretNames, func(end string) bool { return strings.HasSuffix(name, end) })
}

// configured reports whether the configuration hides a place, or one around it.
func (r *redactor) configured(path []string) bool {
	for _, field := range r.fields {
		for end := len(field); end <= len(path); end++ {
			if slices.Equal(path[end-len(field):end], field) {
				return true
			}
		}
	}
	return false
}

// plainTexts takes out what every log hides.
var plainTexts = facts.NewRedactor(nil)

// replace is a text with other words in place of its secrets.
func (r *redactor) replace(s string, by func(kind, found string) string) string {
	if r.texts == nil {
		return s
	}
	return r.texts.Replace(s, by)
}

// text is a text without its secrets.
func (r *redactor) text(s string) string {
	if r.texts == nil {
		return s
	}
	return r.texts.Text(s)
}
