package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
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

// words are those of a command that is a list, without its secrets: a program's name, and
// what it is called with. ok is false of another list.
func (r *redactor) words(list []any) (out []any, ok bool) {
	found := r.inWords(list)
	if len(found) == 0 {
		return list, false
	}
	out = slices.Clone(list)
	for i, one := range out {
		text := one.(string)
		for _, secret := range found {
			if len(secret) >= leastListed {
				text = strings.ReplaceAll(text, secret, hidden)
			} else if begin, ok := strings.CutSuffix(text, secret); ok {
				text = begin + hidden
			}
		}
		out[i] = text
	}
	return out, true
}

// inWords are the secrets in a command that is a list, the longest first.
func (r *redactor) inWords(list []any) (found []string) {
	if r.texts == nil || len(list) < 2 || len(list) > mostWordsOfList {
		return nil
	}
	line, plain := []byte{'['}, []string{}
	for i, one := range list {
		text, ok := one.(string)
		if !ok || len(text) > mostWord {
			return nil
		}
		if i > 0 {
			line = append(line, ',')
		}
		line, plain = keep.AppendText(line, text), append(plain, text)
	}
	for _, text := range []string{string(append(line, ']')), strings.Join(plain, " ")} {
		r.texts.Replace(text, func(_, secret string) string {
			found = append(found, string(appendUnquoted(nil, []byte(secret))))
			return hidden
		})
	}
	found = slices.DeleteFunc(found, func(secret string) bool { return secret == "" || secret == hidden })
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(found)
}

// Bounds of a list that may be a command.
const (
	mostWordsOfList = 64
	mostWord        = 1 << 10
)

// commandOf is the list of words that an object says a command with: the program as
// command, and what it is called with as args.
func commandOf(m map[string]any) (words []any, ok bool) {
	command, ok := m["command"].(string)
	args, is := m["args"].([]any)
	if !ok || !is {
		return nil, false
	}
	return append([]any{command}, args...), true
}
