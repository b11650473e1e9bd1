package facts

import (
	"strconv"
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
			sh.unknown(hook.Span{}, "a command has too many words")
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
			sh.unknown(sh.span(w), "a word can be read in too many ways")
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
			sh.unknown(hook.Span{}, "a command has too many words")
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

// maxBraces bounds the words that braces make of one.
const maxBraces = 64

func (sh *shell) braces(w *syntax.Word, at hook.Span) []*syntax.Word {
	open := 0
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			open += strings.Count(lit.Value, "{")
		}
	}
	if open > maxBraces {
		sh.unknown(at, "braces make too many words")
	}
	if open == 0 || open > maxBraces {
		return []*syntax.Word{w}
	}
	parts := []syntax.WordPart(nil)
	copied := *w
	copied.Parts = append(parts, w.Parts...)
	if !syntax.SplitBraces(&copied) {
		return []*syntax.Word{w}
	}
	out := unbrace(&copied, maxBraces+1)
	if len(out) > maxBraces {
		sh.unknown(at, "braces make too many words")
		out = out[:maxBraces]
	}
	return out
}

// unbrace gives the words that the first braces of a word make, and theirs, up to n.
func unbrace(w *syntax.Word, n int) []*syntax.Word {
	for i, p := range w.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		var elems []*syntax.Word
		if b.Sequence {
			elems = sequence(b, n)
		} else {
			elems = b.Elems
		}
		var out []*syntax.Word
		for _, e := range elems {
			parts := append([]syntax.WordPart(nil), w.Parts[:i]...)
			parts = append(append(parts, e.Parts...), w.Parts[i+1:]...)
			out = append(out, unbrace(&syntax.Word{Parts: parts}, n-len(out))...)
			if len(out) >= n {
				break
			}
		}
		return out
	}
	return []*syntax.Word{w}
}

// sequence gives the elements of {1..9} or {a..f}.
func sequence(b *syntax.BraceExp, n int) []*syntax.Word {
	lit := func(s string) *syntax.Word {
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}}
	}
	var ends [2]string
	for i := range ends {
		if i < len(b.Elems) {
			ends[i] = b.Elems[i].Lit()
		}
	}
	from, err1 := strconv.Atoi(ends[0])
	to, err2 := strconv.Atoi(ends[1])
	show := strconv.Itoa
	if err1 != nil || err2 != nil {
		if len(ends[0]) != 1 || len(ends[1]) != 1 {
			return []*syntax.Word{lit(string(hole))}
		}
		from, to = int(ends[0][0]), int(ends[1][0])
		show = func(i int) string { return string(rune(i)) }
	}
	step := 1
	if len(b.Elems) > 2 {
		if s, err := strconv.Atoi(b.Elems[2].Lit()); err == nil && s != 0 {
			step = max(s, -s)
		}
	}
	if from > to {
		step = -step
	}
	var out []*syntax.Word
	for i := from; (step > 0 && i <= to || step < 0 && i >= to) && len(out) < n; i += step {
		out = append(out, lit(show(i)))
	}
	return out
}

// readings expands the parts of a word. What is within double quotes is quoted.
func (sh *shell) readings(parts []syntax.WordPart, quoted, first bool) []reading {
	out := []reading{nil}
	if len(parts) > maxParts {
		parts = parts[:maxParts]
		out = []reading{{{value: value{text: string(hole)}, quoted: quoted, split: !quoted}}}
		sh.unknown(hook.Span{}, "a word has too many parts")
	}
	add := func(alternatives []reading) {
		if len(out)*len(alternatives) > maxValues {
			alternatives = []reading{{{value: value{text: string(hole)}, quoted: quoted, split: !quoted}}}
		}
		if len(alternatives) == 1 {
			for i := range out {
				out[i] = append(out[i], alternatives[0]...)
			}
			return
		}
		next := make([]reading, 0, len(out)*len(alternatives))
		for _, head := range out {
			for _, tail := range alternatives {
				next = append(next, append(head[:len(head):len(head)], tail...))
			}
		}
		out = next
	}
	of := func(vs values) {
		alternatives := make([]reading, len(vs))
		for i, v := range vs {
			alternatives[i] = reading{{value: v, quoted: quoted, split: !quoted}}
		}
		add(alternatives)
	}
	for i, part := range parts {
		if !sh.step() {
			of(anything())
			return out
		}
		switch p := part.(type) {
		case *syntax.Lit:
			add([]reading{sh.literal(p.Value, quoted, first && i == 0 && !quoted)})
		case *syntax.SglQuoted:
			s := p.Value
			if p.Dollar {
				s = ansi(s)
			}
			add([]reading{{{value: value{text: clean(s)}, quoted: true}}})
		case *syntax.DblQuoted:
			if n, ok := sh.all(p); ok { // "$@" is as many words as there are
				add([]reading{n})
				continue
			}
			inner := sh.readings(p.Parts, true, false)
			for j := range inner {
				inner[j] = append(inner[j], piece{quoted: true}) // "" is a word
			}
			add(inner)
		case *syntax.ParamExp:
			of(sh.param(p))
		case *syntax.CmdSubst:
			of(sh.output(p.Stmts).each(func(s string) string { return strings.TrimRight(s, "\n") }))
		case *syntax.ArithmExp:
			of(sh.arithmetic(p.X))
		case *syntax.ProcSubst:
			of(sh.process(p))
		case *syntax.ExtGlob:
			add([]reading{{{value: value{text: clean(p.Op.String() + p.Pattern.Value + ")")}}}})
		case *syntax.BraceExp:
			of(anything())
		default:
			of(anything())
		}
	}
	return out
}

// all is "$@": its words, each quoted, with a break between them.
func (sh *shell) all(q *syntax.DblQuoted) (reading, bool) {
	if len(q.Parts) != 1 {
		return nil, false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Param.Value != "@" || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Length {
		return nil, false
	}
	var r reading
	for i, v := range sh.st.params {
		if i > 0 {
			r = append(r, piece{value: value{text: " "}, split: true})
		}
		r = append(r, piece{value: v, quoted: true})
	}
	if sh.st.paramsOpen {
		if len(r) > 0 {
			r = append(r, piece{value: value{text: " "}, split: true})
		}
		r = append(r, piece{value: value{text: string(hole)}, split: true})
	}
	return r, true
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

// fields splits a reading of a word as the shell does.
func (sh *shell) fields(r reading, at hook.Span) []field {
	var out []field
	var cur field
	var text, pattern strings.Builder
	begun, bare := false, true
	end := func() {
		if !begun {
			return
		}
		cur.text, cur.at, cur.bare = text.String(), at, bare
		if cur.glob {
			cur.pattern = pattern.String()
		}
		out = append(out, cur)
		cur, begun, bare = field{}, false, true
		text.Reset()
		pattern.Reset()
	}
	put := func(s string, quoted bool) {
		begun = true
		text.WriteString(s)
		if quoted {
			pattern.WriteString(escapeGlob(s))
			return
		}
		pattern.WriteString(s)
		if strings.ContainsAny(s, "*?[") || strings.Contains(s, "@(") || strings.Contains(s, "+(") || strings.Contains(s, "!(") {
			cur.glob = true
		}
	}
	separators := sh.separators()
	for _, p := range r {
		switch {
		case !p.split:
			bare = bare && !p.quoted
			put(p.text, p.quoted)
			cur.from = union(cur.from, p.from)
			begun = true
		default:
			rest := p.text
			for {
				i := strings.IndexAny(rest, separators)
				if separators == "" || i < 0 {
					break
				}
				if i > 0 {
					put(rest[:i], false)
					cur.from = union(cur.from, p.from)
				}
				end()
				rest = rest[i+1:]
			}
			if rest != "" {
				put(rest, false)
				cur.from = union(cur.from, p.from)
				cur.many = cur.many || strings.ContainsRune(rest, hole)
			}
		}
	}
	end()
	return out
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

// ansi decodes what stands in $'…'.
func ansi(s string) string {
	var b strings.Builder
	number := func(i, base, most int) int {
		end := i
		for end < len(s) && end < i+most && digit(s[end]) < base {
			end++
		}
		n, _ := strconv.ParseUint(s[i:end], base, 32)
		if most > 3 {
			b.WriteRune(rune(n))
		} else {
			b.WriteByte(byte(n))
		}
		return end
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if j := strings.IndexByte("abefnrtvE", s[i]); j >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v\x1b"[j])
			continue
		}
		switch c := s[i]; {
		case c == 'x':
			i = number(i+1, 16, 2) - 1
		case c == 'u':
			i = number(i+1, 16, 4) - 1
		case c == 'U':
			i = number(i+1, 16, 8) - 1
		case c >= '0' && c <= '7':
			i = number(i, 8, 3) - 1
		case c == 'c' && i+1 < len(s):
			i++
			b.WriteByte(s[i] & 0x1f)
		case strings.IndexByte(`\'"?`, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// digit is the value of a hexadecimal digit, or 16.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 16
}
