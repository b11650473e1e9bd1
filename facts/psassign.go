package facts

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// target reports whether the sign of an assignment in a word sets something. It does where
// the command begins as an expression; to a program it is an argument.
func (r *psReader) target(w psWord) bool {
	if r.table {
		return true
	}
	if r.cur.called || r.toNext {
		return false
	}
	first := w
	if len(r.cur.words) > 0 {
		first = r.cur.words[0]
	}
	return first.sub || first.text != "" && strings.IndexByte("$[", first.text[0]) >= 0
}

// psTarget is a word up to the sign of an assignment and with it.
func psTarget(s string) psWord {
	w, _ := psRead(s)
	w.sign, w.sets = 0, true
	return w
}

// psAssign sets what a statement names to a text, or to what a command gives.
func (sh *shell) psAssign(target, words []psWord, at hook.Span) {
	var vs values
	if len(words) == 1 && !words[0].sub && !words[0].block && !words[0].sets {
		vs = values{sh.psValue(words[0])}
	}
	if vs == nil || psActs(words[0]) {
		vs = sh.takes(func() values { return sh.psRun(psCommand{words: words}, nil, at) })
	}
	names, whole := psNamed(target)
	if !whole { // parts of them, or one part of the value each
		vs = anything(vs.sources()...)
	}
	for _, name := range names {
		if len(words) == 1 && words[0].table {
			sh.st.set(psTables+strings.ToLower(name), text(words[0].text))
		}
		sh.st.set("ps:"+strings.ToLower(name), vs.or(nil))
		if scope, own, ok := strings.Cut(name, ":"); ok && strings.EqualFold(scope, "env") { // programs get it
			sh.st.set(own, vs.or(nil))
		}
	}
	sh.psOperands(target, at)
}

// psActs reports whether a word alone is a command or a call.
func psActs(w psWord) bool {
	return !w.quoted && w.text != "" && (w.text[0]|0x20 >= 'a' && w.text[0]|0x20 <= 'z' || strings.ContainsAny(w.text, "([{"))
}

// psNamed gives the variables that an assignment sets; whole says that it is one, which
// gets all of the value.
func psNamed(target []psWord) (names []string, whole bool) {
	whole = true
	for _, w := range target {
		s := strings.TrimRight(w.text, "=+-*/%?")
		for i := 0; i < len(s); {
			rest := s[i+1:]
			n := 0
			switch c := s[i]; {
			case c == '[' && i > 0 || c == '.' || c == ',':
				whole = false
			case c == '[':
				n = max(strings.IndexByte(rest, ']'), 0)
			case c == '$' && strings.HasPrefix(rest, "{"):
				n = max(strings.IndexByte(rest, '}'), 1)
				names = append(names, rest[1:n])
			case c == '$':
				n = span(rest, func(c byte) bool { return letter(c) || c == ':' })
				names = append(names, rest[:n])
			}
			i += 1 + n
		}
	}
	return names, whole && len(names) == 1
}

// psTable runs what the entries of a table are set to.
func (sh *shell) psTable(src string, at hook.Span) {
	if sh.steps += len(src) / 16; !sh.step() {
		return
	}
	r := psReader{src: src, table: true}
	for _, c := range r.read() {
		sh.psRun(c, nil, at)
	}
}

// psTables begins the names under which tables are kept that a command may be given: @x.
const psTables = "pstable:"

// splatted puts the parameters in place of @x that the table x has. Of what a table gives that is
// not known, only that there are words is.
func (p *psCall) splatted(words []psWord) []psWord {
	if !slices.ContainsFunc(words, isSplat) {
		return words
	}
	var out []psWord
	for _, w := range words {
		if !isSplat(w) {
			out = append(out, w)
			continue
		}
		vs := p.st.vars[psTables+strings.ToLower(w.text[1:])]
		if len(vs) != 1 || !vs.known() {
			out = append(out, psWord{text: string(hole)})
			continue
		}
		r := psReader{src: vs[0].text, table: true}
		for _, c := range r.read() {
			name := "-" + strings.Trim(strings.TrimRight(c.words[0].text, "= "), `"'`)
			sign := slices.IndexFunc(c.words, func(w psWord) bool { return w.sets })
			switch value := c.words[sign+1:]; {
			case sign < 0 || len(value) == 0 || strings.EqualFold(value[0].text, "$false"):
			case strings.EqualFold(value[0].text, "$true"):
				out = append(out, psWord{text: name})
			default:
				out = append(append(out, psWord{text: name}), value...)
			}
		}
	}
	return out
}

// isSplat reports whether a word is @x, which stands for what x holds.
func isSplat(w psWord) bool {
	return !w.quoted && !w.sub && !w.block && len(w.text) > 1 && w.text[0] == '@' && span(w.text[1:], letter) == len(w.text)-1
}
