package facts

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookway/hookway/hook"
)

// field is one word of a command after all expansions.
type field struct {
	value
	pattern string // where glob holds: the text with its literal metacharacters escaped
	glob    bool   // the shell would match it with files
	many    bool   // what is not known in it may be several words
	bare    bool   // nothing in it was quoted
	at      hook.Span
}

// piece is a part of a word. Only what was expanded and not quoted is split.
type piece struct {
	value
	quoted bool
	split  bool
}

// reading is one way to read a word: its pieces.
type reading []piece

// words expands words to the readings of a list of fields.
func (sh *shell) words(ws []*syntax.Word) [][]field {
	all := [][]field{nil}
	for i, w := range ws {
		if i >= maxFields {
			sh.unread(hook.Span{}, "a command has too many words")
			break
		}
		alternatives := sh.word(w)
		if len(alternatives) == 1 {
			for i := range all {
				all[i] = append(all[i], alternatives[0]...)
			}
			continue
		}
		if len(all)*len(alternatives) > maxValues {
			alternatives = alternatives[:max(1, maxValues/len(all))]
			sh.unread(sh.span(w), "a word can be read in too many ways")
		}
		next := make([][]field, 0, len(all)*len(alternatives))
		for _, head := range all {
			for _, tail := range alternatives {
				next = append(next, append(head[:len(head):len(head)], tail...))
			}
		}
		all = next
	}
	for i := range all {
		if len(all[i]) > maxFields {
			all[i] = all[i][:maxFields]
			sh.unread(hook.Span{}, "a command has too many words")
		}
	}
	return all
}

// word expands one word to the readings of its fields.
func (sh *shell) word(w *syntax.Word) [][]field {
	if w == nil {
		return [][]field{nil}
	}
	at := sh.span(w)
	if lit := plain(w); lit != "" {
		return [][]field{{{value: value{text: clean(lit)}, bare: true, at: at}}}
	}
	out := [][]field{nil}
	for _, one := range sh.braces(w, at) {
		var next [][]field
		for _, r := range sh.readings(one.Parts, false, true) {
			fields := sh.fields(r, at)
			for _, head := range out {
				if len(next) < maxValues {
					next = append(next, append(head[:len(head):len(head)], fields...))
				}
			}
		}
		out = next
	}
	return out
}

// plain is the text of a word without anything to expand, or "".
func plain(w *syntax.Word) string {
	if len(w.Parts) != 1 {
		return ""
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(lit.Value, "\\~*?[{") {
		return ""
	}
	return lit.Value
}

// maxParts bounds the parts of one word: texts, variables, substitutions.
const maxParts = 128

// manyReadings are the ways to read a word, as its parts are put together.
type manyReadings struct {
	out    []reading
	quoted bool
}

// piece is a part of which the text is a value, quoted as the word is.
func (m *manyReadings) piece(v value) reading {
	return reading{{value: v, quoted: m.quoted, split: !m.quoted}}
}

// add puts each way to read a part behind each way to read what is before it.
func (m *manyReadings) add(alternatives ...reading) {
	if len(m.out)*len(alternatives) > maxValues {
		alternatives = []reading{m.piece(value{text: string(hole)})}
	}
	if len(alternatives) == 1 {
		for i := range m.out {
			m.out[i] = append(m.out[i], alternatives[0]...)
		}
		return
	}
	next := make([]reading, 0, len(m.out)*len(alternatives))
	for _, head := range m.out {
		for _, tail := range alternatives {
			next = append(next, append(head[:len(head):len(head)], tail...))
		}
	}
	m.out = next
}

// values adds what an expansion gives.
func (m *manyReadings) values(vs values) {
	alternatives := make([]reading, len(vs))
	for i, v := range vs {
		alternatives[i] = m.piece(v)
	}
	m.add(alternatives...)
}

// readings expands the parts of a word. What is within double quotes is quoted.
func (sh *shell) readings(parts []syntax.WordPart, quoted, first bool) []reading {
	m := manyReadings{out: []reading{nil}, quoted: quoted}
	if len(parts) > maxParts {
		parts = parts[:maxParts]
		m.out = []reading{m.piece(value{text: string(hole)})}
		sh.unread(hook.Span{}, "a word has too many parts")
	}
	for i, part := range parts {
		if !sh.step() {
			m.values(anything())
			break
		}
		sh.part(&m, part, first && i == 0 && !quoted)
	}
	return m.out
}

// part adds what one part of a word may be.
func (sh *shell) part(m *manyReadings, part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		m.add(sh.literal(p.Value, m.quoted, first))
	case *syntax.SglQuoted:
		s := p.Value
		if p.Dollar {
			s = ansi(s)
		}
		m.add(reading{{value: value{text: clean(s)}, quoted: true}})
	case *syntax.DblQuoted:
		if n, ok := sh.all(p); ok { // "$@" is as many words as there are
			m.add(n)
			return
		}
		inner := sh.readings(p.Parts, true, false)
		for j := range inner {
			inner[j] = append(inner[j], piece{quoted: true}) // "" is a word
		}
		m.add(inner...)
	case *syntax.ParamExp:
		m.values(sh.param(p))
	case *syntax.CmdSubst:
		m.values(sh.output(p.Stmts).each(func(s string) string { return strings.TrimRight(s, "\n") }))
	case *syntax.ArithmExp:
		m.values(sh.arithmetic(p.X))
	case *syntax.ProcSubst:
		m.values(sh.process(p))
	case *syntax.ExtGlob:
		m.add(reading{{value: value{text: clean(p.Op.String() + p.Pattern.Value + ")")}}})
	default:
		m.values(anything())
	}
}

// literal reads unquoted or double-quoted source text.
func (sh *shell) literal(s string, quoted, first bool) reading {
	var r reading
	if first && strings.HasPrefix(s, "~") {
		user, rest, cut := strings.Cut(s[1:], "/")
		if home, ok := sh.tilde(user); ok {
			r = append(r, piece{value: value{text: home}, quoted: true})
			if s = ""; cut {
				s = "/" + rest
			}
		}
	}
	var lit strings.Builder
	flush := func(quoted bool) {
		if lit.Len() > 0 {
			r = append(r, piece{value: value{text: clean(lit.String())}, quoted: quoted})
			lit.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			lit.WriteByte(s[i])
			continue
		}
		switch c := s[i+1]; {
		case c == '\n':
			i++
		case quoted && !strings.ContainsRune("$`\"\\", rune(c)):
			lit.WriteByte('\\')
		case quoted:
			lit.WriteByte(c)
			i++
		default:
			flush(false)
			_, size := utf8.DecodeRuneInString(s[i+1:])
			lit.WriteString(s[i+1 : i+1+size])
			flush(true)
			i += size
		}
	}
	flush(quoted)
	return r
}

// tilde is the folder of ~ or ~user.
func (sh *shell) tilde(user string) (string, bool) {
	switch user {
	case "":
		if v, ok := sh.st.vars["HOME"]; ok && len(v) == 1 {
			return v[0].text, true
		}
		if sh.world.Home == "" {
			return "/home/" + string(word), true
		}
		return sh.world.Home, true
	case "+":
		return sh.st.dirs[0], true
	case "-":
		return string(hole), true
	case "root":
		return "/root", true
	}
	if strings.ContainsAny(user, "*?[\\") {
		return "", false
	}
	if sh.world.Home != "" {
		if i := strings.LastIndexByte(sh.world.Home, '/'); i >= 0 {
			return sh.world.Home[:i+1] + user, true
		}
	}
	return "/home/" + user, true
}

// one expands a word that is not split, as in an assignment or after <<<.
func (sh *shell) one(w *syntax.Word) values {
	if w == nil {
		return text("")
	}
	var out values
	for _, r := range sh.readings(w.Parts, false, true) {
		v := value{}
		for _, p := range r {
			v.text += p.text
			v.from = union(v.from, p.from)
		}
		out = out.or(values{v})
	}
	return out
}
