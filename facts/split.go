package facts

import (
	"strings"

	"github.com/hookway/hookway/hook"
)

// splitter makes fields of a reading of a word.
type splitter struct {
	out           []field
	cur           field
	text, pattern strings.Builder
	begun         bool
	quoted        bool // something in the field was quoted
	at            hook.Span
}

// fields splits a reading of a word as the shell does.
func (sh *shell) fields(r reading, at hook.Span) []field {
	s := splitter{at: at}
	separators := sh.separators()
	for _, p := range r {
		if !p.split {
			s.quoted = s.quoted || p.quoted
			s.put(p.text, p.quoted)
			s.cur.from = union(s.cur.from, p.from)
			continue
		}
		rest := p.text
		for i := strings.IndexAny(rest, separators); i >= 0; i = strings.IndexAny(rest, separators) {
			if i > 0 {
				s.put(rest[:i], false)
				s.cur.from = union(s.cur.from, p.from)
			}
			s.end()
			rest = rest[i+1:]
		}
		if rest != "" {
			s.put(rest, false)
			s.cur.from = union(s.cur.from, p.from)
			s.cur.many = s.cur.many || strings.ContainsRune(rest, hole)
		}
	}
	s.end()
	return s.out
}

// end closes a field, if one has begun.
func (s *splitter) end() {
	if !s.begun {
		return
	}
	s.cur.text, s.cur.at, s.cur.bare = s.text.String(), s.at, !s.quoted
	if s.cur.glob {
		s.cur.pattern = s.pattern.String()
	}
	s.out = append(s.out, s.cur)
	s.cur, s.begun, s.quoted = field{}, false, false
	s.text.Reset()
	s.pattern.Reset()
}

// put adds a text to the field.
func (s *splitter) put(text string, quoted bool) {
	s.begun = true
	s.text.WriteString(text)
	if quoted {
		s.pattern.WriteString(escapeGlob(text))
		return
	}
	s.pattern.WriteString(text)
	if strings.ContainsAny(text, "*?[") || strings.Contains(text, "@(") || strings.Contains(text, "+(") || strings.Contains(text, "!(") {
		s.cur.glob = true
	}
}

func (sh *shell) separators() string {
	if v, ok := sh.st.vars["IFS"]; ok && len(v) == 1 && v[0].known() {
		return v[0].text
	}
	return " \t\n"
}

var globEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "(", `\(`)

func escapeGlob(s string) string {
	if !strings.ContainsAny(s, `\*?[(`) {
		return s
	}
	return globEscaper.Replace(s)
}
