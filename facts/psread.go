package facts

import "strings"

// psWord is a word of PowerShell.
type psWord struct {
	text   string
	quoted bool
	block  bool // { … }
	sub    bool // ( … ) or $( … )
	table  bool // the block is a table, @{ … }
	sets   bool // it ends with the sign of an assignment
	sign   int  // where the first such sign that is not in quotes or brackets ends, 0 is none
	at     int
}

// psCommand is one command of a pipeline.
type psCommand struct {
	words  []psWord
	to     []psWord // what is written by > and >>
	piped  bool     // the command before it feeds this one
	called bool     // by the call operator
	from   int
	end    int
}

// psCommands takes a text apart: commands by ; | & && || and lines, words by blanks.
func psCommands(src string) []psCommand {
	r := psReader{src: src}
	return r.read()
}

// read takes the whole text apart.
func (r *psReader) read() []psCommand {
	for r.at < len(r.src) {
		if !r.comment() && !r.sign() {
			w, n := psRead(r.src[r.at:])
			w.at = r.at
			if w.sign > 0 && r.target(w) { // what it sets it to is read as any other command
				w, n = psTarget(r.src[r.at:r.at+w.sign]), w.sign
				w.at = r.at
			}
			r.add(w)
			r.at += max(n, 1)
		}
	}
	r.end(false)
	return r.out
}

// psReader goes through a text of PowerShell.
type psReader struct {
	src    string
	at     int
	out    []psCommand
	cur    psCommand
	toNext bool // the next word is where output goes
	table  bool // the text is that of a table, which sets names
}

// end closes the command that ends here; piped says that it feeds the next one.
func (r *psReader) end(piped bool) {
	r.cur.end = r.at
	if len(r.cur.words) > 0 || len(r.cur.to) > 0 {
		r.out = append(r.out, r.cur)
	}
	r.cur = psCommand{piped: piped, from: r.at + 1}
}

func (r *psReader) add(w psWord) {
	if r.toNext {
		r.cur.to = append(r.cur.to, w)
		r.toNext = false
		return
	}
	if len(r.cur.words) == 0 {
		r.cur.from = w.at
	}
	r.cur.words = append(r.cur.words, w)
}

// comment goes past blanks and comments.
func (r *psReader) comment() bool {
	rest := r.src[r.at:]
	switch {
	case strings.HasPrefix(rest, "<#"):
		j := strings.Index(rest, "#>")
		if j < 0 {
			j = len(rest) - 2
		}
		r.at += j + 2
	case rest[0] == '#':
		j := strings.IndexByte(rest, '\n')
		if j < 0 {
			j = len(rest)
		}
		r.at += j
	case strings.HasPrefix(rest, "`\n"):
		r.at += 2
	case rest[0] <= ' ' && rest[0] != '\n':
		r.at++
	default:
		return false
	}
	return true
}

// sign reads what stands between commands and words.
func (r *psReader) sign() bool {
	rest := r.src[r.at:]
	switch c := rest[0]; {
	case c == '\n' || c == ';':
		r.end(false)
		r.at++
	case strings.HasPrefix(rest, "||"), strings.HasPrefix(rest, "&&"):
		r.end(false)
		r.at += 2
	case c == '|':
		r.end(true)
		r.at++
	case c == '&': // the call operator: what follows is a command, also in quotes
		r.cur.called = true
		r.at++
	case c == '>' || strings.IndexByte("12*", c) >= 0 && strings.HasPrefix(rest[1:], ">"):
		r.at += len(rest) - len(strings.TrimLeft(rest, ">0123456789*"))
		if r.at < len(r.src) && r.src[r.at] == '&' { // 2>&1
			r.at = min(r.at+2, len(r.src))
			return true
		}
		r.toNext = true
	default:
		return false
	}
	return true
}

// psRead reads one word.
func psRead(s string) (psWord, int) {
	switch {
	case strings.HasPrefix(s, "@'") || strings.HasPrefix(s, `@"`):
		if j := strings.Index(s, "\n"+s[1:2]+"@"); j > 0 {
			return psWord{text: strings.TrimPrefix(s[2:j], "\n"), quoted: true}, j + 3
		}
	case s[0] == '{' || s[0] == '(' || strings.HasPrefix(s, "$(") || strings.HasPrefix(s, "@(") || strings.HasPrefix(s, "@{"):
		skip := 0
		if s[0] == '$' || s[0] == '@' {
			skip = 1
		}
		n := psBracket(s[skip:])
		return psWord{text: s[skip+1 : max(skip+1, skip+n-1)], block: s[skip] == '{', table: strings.HasPrefix(s, "@{"), sub: s[skip] == '('}, skip + n
	}
	var b strings.Builder
	quoted, sign := false, 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\'':
			quoted = true
			i += psSingle(&b, s[i:])
		case c == '"':
			quoted = true
			i += psDouble(&b, s[i:])
		case c == '`' && i+1 < len(s):
			b.WriteByte(s[i+1])
			i += 2
		case c == '(' || c == '{' && i > 0: // .Method(…), or a block that follows at once
			n := psBracket(s[i:])
			b.WriteString(s[i : i+n])
			i += n
		case c <= ' ' || strings.IndexByte(";|}>)", c) >= 0 || c == '&' && i > 0:
			return psWord{text: b.String(), quoted: quoted, sign: sign}, max(i, 1)
		default:
			if c == '=' && sign == 0 {
				sign = i + 1
			}
			b.WriteByte(c)
			i++
		}
	}
	return psWord{text: b.String(), quoted: quoted, sign: sign}, len(s)
}

// psSingle reads a text in single quotes, in which two of them are one, and gives its length.
func psSingle(b *strings.Builder, s string) int {
	i := 1
	for i < len(s) {
		if s[i] == '\'' {
			if i+1 == len(s) || s[i+1] != '\'' {
				break
			}
			i++
		}
		b.WriteByte(s[i])
		i++
	}
	return i + 1
}

// psDouble reads a text in double quotes; what $( … ) gives is not known.
func psDouble(b *strings.Builder, s string) int {
	i := 1
	for i < len(s) && s[i] != '"' {
		if s[i] == '`' && i+1 < len(s) {
			i++
		}
		if strings.HasPrefix(s[i:], "$(") {
			n := psBracket(s[i+1:])
			if name, ok := strings.CutPrefix(strings.Trim(s[i+1:i+1+n], "() "), "$"); ok && name != "" && span(name, func(c byte) bool { return letter(c) || c == ':' }) == len(name) {
				b.WriteString("${" + name + "}") // nothing but a variable
			} else {
				b.WriteRune(hole)
			}
			i += 1 + n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return i + 1
}

// psBracket gives the length of a bracket with all that it holds.
func psBracket(s string) int {
	depth, quote := 0, byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
