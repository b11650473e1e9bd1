package shell

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// value is one thing that a word may expand to.
type value struct {
	text  string
	glob  bool   // text is a pattern, with backslashes before what is none
	tree  bool   // any file below text
	match string // of a tree: a pattern for base names
}

// meta are the characters of a pattern.
const meta = `*?[`

// hasMeta reports whether a text is a pattern. A [ alone is a program.
func hasMeta(text string) bool {
	open := strings.IndexByte(text, '[')
	return strings.ContainsAny(text, "*?") || open >= 0 && strings.IndexByte(text[open:], ']') > 1
}

// join puts the possible texts of two parts one behind the other.
func join(left, right []value) ([]value, bool) {
	if len(left)*len(right) > maxValues {
		return left, false
	}
	var out []value
	for _, l := range left {
		for _, r := range right {
			v := value{glob: l.glob || r.glob}
			switch {
			case l.glob == r.glob:
				v.text = l.text + r.text
			case l.glob:
				v.text = l.text + pattern.QuoteMeta(r.text, 0)
			default:
				v.text = pattern.QuoteMeta(l.text, 0) + r.text
			}
			out = append(out, v)
		}
	}
	return out, true
}

// word gives what a word may expand to. It is not known if it may be something else,
// too; then rest is what follows the first part that is not.
func (a *analysis) word(w *syntax.Word) (out []value, known bool) {
	if w == nil {
		return []value{{}}, true
	}
	return a.parts(w.Parts, false)
}

func (a *analysis) parts(parts []syntax.WordPart, quoted bool) (out []value, known bool) {
	out, known = []value{{}}, true
	for i, p := range parts {
		if !a.step() {
			return nil, false
		}
		vals, sure := a.part(p, quoted, i == 0)
		known = known && sure
		if len(vals) == 0 {
			vals = []value{{}}
		}
		var fits bool
		if out, fits = join(out, vals); !fits {
			return out, false
		}
	}
	return out, known
}

// substituted is the pipe that a process substitution makes.
const substituted = "/dev/fd/63"

// part gives what one part of a word may be.
func (a *analysis) part(p syntax.WordPart, quoted, first bool) ([]value, bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if user, rest, _ := strings.Cut(p.Value, "/"); first && !quoted && strings.HasPrefix(user, "~") {
			return a.tilde(user, p.Value[len(p.Value)-len(rest):])
		}
		return literal(p.Value, quoted), true
	case *syntax.SglQuoted:
		if p.Dollar {
			return []value{{text: unescape(p.Value)}}, true
		}
		return []value{{text: p.Value}}, true
	case *syntax.DblQuoted:
		return a.parts(p.Parts, true)
	case *syntax.ParamExp:
		vals, known := a.param(p)
		return unquoted(vals, quoted), known
	case *syntax.CmdSubst:
		vals, known := a.output(p.Stmts)
		return unquoted(vals, quoted), known
	case *syntax.ExtGlob: // one more pattern than the others can write
		return []value{{text: "*", glob: true}}, true
	case *syntax.ProcSubst: // a pipe, whose programs are looked at
		return []value{{text: substituted}}, true
	}
	return nil, false
}

// unquoted are the patterns that expansions outside of quotes make.
func unquoted(vals []value, quoted bool) []value {
	if quoted {
		return vals
	}
	out := slices.Clone(vals)
	for i, v := range out {
		out[i].glob = v.glob || hasMeta(v.text)
	}
	return out
}

// tilde is a word that begins with a user's home, or with a folder the shell is or was in.
func (a *analysis) tilde(user, rest string) ([]value, bool) {
	name, ok := map[string]string{"~": "HOME", "~+": "PWD", "~-": "OLDPWD"}[user]
	if !ok {
		return nil, false
	}
	homes, known := a.variable(name)
	tail := literal(rest, false)[0]
	var out []value
	for _, h := range homes {
		if rest != "" {
			h.text += "/" + tail.text
		}
		h.glob = tail.glob
		out = append(out, h)
	}
	return out, known
}

// literal is a text without quotes, or one between double quotes.
func literal(text string, quoted bool) []value {
	if quoted {
		return []value{{text: backslashes(text, "$`\"\\\n")}}
	}
	if hasMeta(text) {
		plain := strings.NewReplacer(`\*`, "", `\?`, "", `\[`, "").Replace(text)
		if hasMeta(plain) {
			return []value{{text: text, glob: true}}
		}
	}
	return []value{{text: backslashes(text, "")}}
}

// backslashes takes away those that quote one of some characters, or any.
func backslashes(text, of string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (of == "" || strings.IndexByte(of, text[i+1]) >= 0) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// param is a parameter with what is done to it.
func (a *analysis) param(p *syntax.ParamExp) ([]value, bool) {
	if p.Param == nil {
		return nil, false
	}
	plain := *p
	plain.Exp, plain.Short, plain.Index = nil, true, nil
	if plain.Excl || plain.Length || plain.Slice != nil || plain.Repl != nil || plain.Names != 0 || plain.Flags != nil || plain.NestedParam != nil {
		return nil, false
	}
	vals, known := a.variable(p.Param.Value)
	if p.Exp == nil {
		return vals, known
	}
	switch op := p.Exp.Op; op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		other, sure := a.word(p.Exp.Word)
		if op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull {
			a.assign(p.Param.Value, other, sure)
		}
		if op == syntax.DefaultUnsetOrNull || op == syntax.AssignUnsetOrNull {
			vals = nonEmpty(vals)
		}
		return append(slices.Clone(vals), other...), known && sure
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		other, sure := a.word(p.Exp.Word)
		if known && len(nonEmpty(vals)) == len(vals) {
			return other, sure
		}
		return append([]value{{}}, other...), sure
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return vals, known
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return a.cut(vals, known, p.Exp)
	}
	return nil, false
}

func nonEmpty(vals []value) []value {
	return slices.DeleteFunc(slices.Clone(vals), func(v value) bool { return v.text == "" })
}

// cut is a parameter without what a pattern matches at one end of it.
func (a *analysis) cut(vals []value, known bool, exp *syntax.Expansion) ([]value, bool) {
	pats, sure := a.word(exp.Word)
	if !sure || len(pats) != 1 {
		return nil, false
	}
	var out []value
	for _, v := range vals {
		rest, ok := trim(v.text, pats[0], exp.Op)
		if !ok {
			return nil, false
		}
		out = append(out, value{text: rest, glob: v.glob})
	}
	return out, known
}

// trim knows the patterns that programs cut paths with: a text, and a star before or
// after one.
func trim(text string, pat value, op syntax.ParExpOperator) (string, bool) {
	suffix := op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix
	if !pat.glob {
		if suffix {
			return strings.TrimSuffix(text, pat.text), true
		}
		return strings.TrimPrefix(text, pat.text), true
	}
	fixed := strings.Trim(pat.text, "*")
	if fixed == "" || strings.ContainsAny(fixed, meta+`\`) {
		return "", false
	}
	at := -1
	switch {
	case suffix && pat.text == fixed+"*" && op == syntax.RemSmallSuffix:
		at = strings.LastIndex(text, fixed)
	case suffix && pat.text == fixed+"*":
		at = strings.Index(text, fixed)
	case !suffix && pat.text == "*"+fixed && op == syntax.RemSmallPrefix:
		at = strings.Index(text, fixed)
	case !suffix && pat.text == "*"+fixed:
		at = strings.LastIndex(text, fixed)
	default:
		return "", false
	}
	switch {
	case at < 0:
		return text, true
	case suffix:
		return text[:at], true
	}
	return text[at+len(fixed):], true
}

// output is what a command substitution prints, of commands that print names.
func (a *analysis) output(stmts []*syntax.Stmt) ([]value, bool) {
	if len(stmts) != 1 || stmts[0].Negated || stmts[0].Background {
		return nil, false
	}
	switch cmd := stmts[0].Cmd.(type) {
	case *syntax.BinaryCmd: // cd X && pwd
		left, ok := cmd.X.Cmd.(*syntax.CallExpr)
		if !ok || cmd.Op != syntax.AndStmt || !a.is(cmd.Y, "pwd") || len(left.Args) == 0 || left.Args[0].Lit() != "cd" {
			return nil, false
		}
		var out []value
		known := true
		for _, w := range left.Args[1:] {
			if strings.HasPrefix(w.Lit(), "-") {
				continue
			}
			vals, sure := a.word(w)
			known = known && sure
			for _, v := range vals {
				for _, dir := range a.from(v.text) {
					out = append(out, value{text: Under(dir, v.text), glob: v.glob})
				}
			}
		}
		return bounded(out, known)
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 || len(cmd.Assigns) > 0 {
			return nil, false
		}
		return a.printed(cmd.Args)
	}
	return nil, false
}

func bounded(vals []value, known bool) ([]value, bool) {
	if len(vals) > maxValues {
		return vals[:maxValues], false
	}
	return vals, known
}

func (a *analysis) is(s *syntax.Stmt, program string) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && call.Args[0].Lit() == program
}

// printed is what a simple command prints.
func (a *analysis) printed(words []*syntax.Word) ([]value, bool) {
	name := words[0].Lit()
	var args [][]value
	for _, w := range words[1:] {
		if lit := w.Lit(); strings.HasPrefix(lit, "-") && name != "printf" {
			continue
		}
		vals, known := a.word(w)
		if !known {
			return nil, false
		}
		args = append(args, vals)
	}
	each := func(vals []value, do func(string) string) []value {
		var out []value
		for _, v := range vals {
			out = append(out, value{text: do(v.text), glob: v.glob})
		}
		return out
	}
	switch {
	case name == "pwd":
		return a.here(), true
	case name == "echo" || name == "printf":
		return format(name, args)
	case name == "dirname" && len(args) == 1:
		return each(args[0], func(s string) string { return path.Dir(filepath.ToSlash(s)) }), true
	case name == "basename" && len(args) > 0:
		return each(args[0], func(s string) string {
			s = path.Base(filepath.ToSlash(s))
			if len(args) == 2 && len(args[1]) == 1 {
				s = strings.TrimSuffix(s, args[1][0].text)
			}
			return s
		}), true
	case (name == "realpath" || name == "readlink") && len(args) == 1:
		var out []value
		for _, dir := range a.from("") {
			out = append(out, each(args[0], func(s string) string { return Under(dir, s) })...)
		}
		return bounded(out, true)
	case name == "command" || name == "which":
		if len(args) == 1 {
			return args[0], true
		}
	}
	return nil, false
}

// format is what echo and printf print. printf is known with text and %s.
func format(name string, args [][]value) ([]value, bool) {
	out, fits := []value{{}}, true
	put := func(vals []value) {
		if fits {
			out, fits = join(out, vals)
		}
	}
	if name == "echo" {
		for i, vals := range args {
			if i > 0 {
				put([]value{{text: " "}})
			}
			put(vals)
		}
		return out, fits
	}
	if len(args) == 0 || len(args[0]) != 1 {
		return nil, false
	}
	pieces := strings.Split(unescape(args[0][0].text), "%")
	rest := args[1:]
	put([]value{{text: pieces[0]}})
	for _, piece := range pieces[1:] {
		if !strings.HasPrefix(piece, "s") {
			return nil, false
		}
		if len(rest) > 0 {
			put(rest[0])
			rest = rest[1:]
		}
		put([]value{{text: piece[1:]}})
	}
	if len(rest) > 0 { // the format is used again
		return nil, false
	}
	for i := range out {
		out[i].text = strings.TrimRight(out[i].text, "\n")
	}
	return out, fits
}

// unescape writes the characters that backslashes stand for, the common ones.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	out := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\'`, "'", `\"`, `"`, `\a`, "\a", `\e`, "\x1b", `\b`, "\b", `\f`, "\f", `\v`, "\v").Replace(text)
	return octal(out)
}

// octal writes \x2e, \056, \u002e as the character.
func octal(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		base, from, most := 8, i+1, 3
		switch text[i+1] {
		case 'x':
			base, from, most = 16, i+2, 2
		case 'u':
			base, from, most = 16, i+2, 4
		case 'U':
			base, from, most = 16, i+2, 8
		}
		n, end := rune(0), from
		for end < len(text) && end < from+most {
			d := strings.IndexByte("0123456789abcdef", text[end]|0x20)
			if text[end] < 'A' {
				d = strings.IndexByte("0123456789", text[end])
			}
			if d < 0 || d >= base {
				break
			}
			n = n*rune(base) + rune(d)
			end++
		}
		switch {
		case end == from:
			b.WriteByte('\\')
			i++
			continue
		case most <= 3:
			b.WriteByte(byte(n))
		default:
			b.WriteRune(n)
		}
		i = end
	}
	return b.String()
}
