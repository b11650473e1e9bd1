package audit

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// hidden stands in for what must not be written.
const hidden = "[redacted]"

// shape is one form that credentials have in texts. It is looked for where its
// hint stands, so that a text without hints costs next to nothing.
type shape struct {
	hint string // lower case if fold
	fold bool
	form *regexp.Regexp // from the hint on; its first group, if any, is kept
	jump bool           // where it fails, it fails up to the end of the word
}

// What follows a name in a text: `=secret`, `": "secret"`, `:= 'my secret'`.
const assigned = `(?:\\?["'])?\s{0,8}(?:=>|:=|[=:])\s{0,8})(?:\\?"[^"\\]+|'[^']+|[^\s"',;&\\)}]+)`

// authorized is a scheme and what follows it.
const authorized = `(?:\\?["'])?\s{0,8}[=:]\s{0,8}(?:\\?["'])?(?:(?:basic|bearer|token|digest|negotiate)\s+)?)[^\s"',;\\]{4,}`

// shapes are the known forms.
var shapes = sync.OnceValue(func() []shape {
	exact := func(hint, form string) shape { return shape{hint: hint, form: regexp.MustCompile(`^` + form)} }
	folded := func(hint, form string) shape {
		return shape{hint: hint, fold: true, form: regexp.MustCompile(`^(?is:` + form + `)`)}
	}
	return []shape{
		exact("sk-", `sk-[A-Za-z0-9_-]{16,}`),
		exact("k_live_", `k_live_[A-Za-z0-9]{10,}`),
		exact("k_test_", `k_test_[A-Za-z0-9]{10,}`),
		exact("gh", `gh[pousr]_[A-Za-z0-9]{20,}`),
		exact("github_pat_", `github_pat_[A-Za-z0-9_]{20,}`),
		exact("glpat-", `glpat-[A-Za-z0-9_-]{16,}`),
		exact("xox", `xox[abeposr]-[A-Za-z0-9-]{10,}`),
		exact("xapp-", `xapp-[A-Za-z0-9-]{10,}`),
		exact("npm_", `npm_[A-Za-z0-9]{30,}`),
		exact("pypi-", `pypi-[A-Za-z0-9_-]{32,}`),
		exact("hf_", `hf_[A-Za-z0-9]{30,}`),
		exact("SG.", `SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
		exact("GOCSPX-", `GOCSPX-[A-Za-z0-9_-]{20,}`),
		exact("dop_v1_", `dop_v1_[a-f0-9]{32,}`),
		exact("whsec_", `whsec_[A-Za-z0-9+/=]{20,}`),
		exact("hooks.slack.com/", `(hooks\.slack\.com/[a-z]+/)[A-Za-z0-9/_-]{20,}`),
		exact("AKIA", `AKIA[A-Z0-9]{16}`),
		exact("ASIA", `ASIA[A-Z0-9]{16}`),
		exact("AIza", `AIza[A-Za-z0-9_-]{30,}`),
		exact("ya29.", `ya29\.[A-Za-z0-9_-]{20,}`),
		exact("AGE-SECRET-KEY-", `AGE-SECRET-KEY-[A-Z0-9]{20,}`),
		{hint: "eyJ", form: regexp.MustCompile(`^eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), jump: true},
		exact("-----BEGIN ", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`),
		exact("://", `(://[^/\s:@"']*:)[^/\s@"']+@`),
		folded("authorization", `(authorization`+authorized),
		folded("cookie", `(cookie\s{0,8}:\s{0,8})[^\r\n"']{4,}`),
		folded("bearer ", `(bearer\s+)[A-Za-z0-9._~+/=-]{8,}`),
		folded("passw", `(passw(?:or)?d`+assigned),
		folded("passphrase", `(passphrase`+assigned),
		folded("_pass", `(_pass`+assigned),
		folded("accountkey", `(accountkey`+assigned),
		folded("pwd", `(pwd`+assigned),
		folded("secret", `(secret(?:[_-]?(?:access)?[_-]?key)?`+assigned),
		folded("token", `(token`+assigned),
		folded("api", `(api[_-]?(?:secret[_-]?)?key`+assigned),
		folded("access", `(access[_-]?key`+assigned),
		folded("private", `(private[_-]?key`+assigned),
		folded("credential", `(credentials?`+assigned),
		folded("--", `(--(?:[a-z0-9]{1,32}[-_]){0,4}(?:password|passwd|passphrase|secret|token|api[_-]?key|secret[_-]?key|access[_-]?key)\s{1,8})(?:"[^"]+|'[^']+|[^\s"',;&-][^\s"',;&]*)`),
	}
})

// secretNames end the names of members whose values are never written.
var secretNames = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "accesskey", "privatekey",
	"authorization", "credential", "credentials", "cookie", "setcookie", "pwd",
}

// redactor takes secrets out of records. It is never edited.
type redactor struct {
	shapes []shape
	fields [][]string // what the configuration names: parts of paths, normal
}

// newRedactor makes one that also hides the named fields: "ssn" at any depth
// and in texts, "tool_input.content" at that place.
func newRedactor(fields []string) *redactor {
	r := &redactor{shapes: shapes()}
	for _, field := range fields {
		parts := steps(field)
		if len(parts) == 0 {
			continue
		}
		r.fields = append(r.fields, parts)
		if len(parts) > 1 {
			continue
		}
		name := strings.ToLower(strings.TrimSpace(field))
		if form, err := regexp.Compile(`^(?is:(` + regexp.QuoteMeta(name) + assigned + `)`); err == nil {
			r.shapes = append(slices.Clip(r.shapes), shape{hint: name, fold: true, form: form})
		}
	}
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

// span is a part of a text.
type span struct{ from, to int }

// text is a text without its secrets.
func (r *redactor) text(s string) string {
	var spans []span
	lower := ""
	for _, shape := range r.shapes {
		if len(s) < len(shape.hint) {
			continue
		}
		in := s
		if shape.fold {
			if lower == "" {
				lower = lowerASCII(s)
			}
			in = lower
		}
		spans = shape.find(spans, in, s)
	}
	if len(spans) == 0 {
		return s
	}
	return without(s, spans)
}

// find adds where the shape stands in s. in is s, or its lower case.
func (p *shape) find(spans []span, in, s string) []span {
	for at := 0; ; {
		i := strings.Index(in[at:], p.hint)
		if i < 0 {
			return spans
		}
		at += i
		m := p.form.FindStringSubmatchIndex(s[at:])
		if m == nil {
			at += len(p.hint)
			for p.jump && at < len(s) && wordByte(s[at]) {
				at++
			}
			continue
		}
		from := 0
		if len(m) > 2 && m[3] > 0 {
			from = m[3]
		}
		spans = append(spans, span{at + from, at + m[1]})
		at += max(m[1], len(p.hint))
	}
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// without replaces spans, which may overlap.
func without(s string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	for i, sp := range spans {
		if i > 0 && sp.from < at { // goes on from the one before
			at = max(at, sp.to)
			continue
		}
		out.WriteString(s[at:sp.from])
		out.WriteString(hidden)
		at = sp.to
	}
	out.WriteString(s[at:])
	return out.String()
}

// lowerASCII keeps every byte at its place, which strings.ToLower does not.
func lowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			out := []byte(s)
			for j := i; j < len(out); j++ {
				if 'A' <= out[j] && out[j] <= 'Z' {
					out[j] += 'a' - 'A'
				}
			}
			return string(out)
		}
	}
	return s
}
