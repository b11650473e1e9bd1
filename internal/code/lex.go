package code

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	name kind = iota
	text
	number
	sign
	line // the end of one
	run  // a text that a shell runs
	end
)

// token is one piece of a program.
type token struct {
	kind   kind
	text   string // of a text, what it says, if it has no parts
	parts  []part // of a text in which something expands
	at, to int
	blank  bool // there is space before it
}

// part is a piece of a text: plain, or an expression.
type part struct {
	text string
	code string
}

// language is how programs are written in one.
type language struct {
	comments   []string    // begin a comment that ends with the line
	blocks     [][2]string // begin and end of comments
	strings    []quoting
	sigils     string // stand before names and are no part of them
	joins      string // the sign that puts texts together
	single     bool   // a comma stands between assignments, not between names
	dollar     bool   // $ is a letter
	bare       bool   // functions are called without parentheses, too
	regexps    bool   // /…/ is a text where a value may stand
	members    []string
	words      string // that end an expression
	constants  map[string]func(r *reader) value
	calls      map[string]call
	statements func(r *reader, i int) // what is no call
	lines      func(r *reader)        // reads a language of another kind
	from       string                 // code begins after it
	functions  string                 // words that begin a function
	odd        map[string]string      // names that are signs
}

// quoting is one way to write a text.
type quoting struct {
	open, close string
	raw         bool   // a backslash is one
	expands     string // "#{", "${", "{" or "$"
	many        bool   // it may have several lines
	runs        bool   // a shell runs it
	prefixes    string // of Python: letters that may stand before it
}

// lex cuts a program into tokens. Ends of lines inside of brackets count for nothing.
func lex(l *language, src string) (out []token) {
	x := &lexer{lang: l, src: src}
	if l.from != "" {
		if i := strings.Index(src, l.from); i >= 0 {
			x.i = i + len(l.from)
		}
	}
	for x.i < len(src) && len(x.out) <= maxTokens {
		x.next()
	}
	return x.out
}

type lexer struct {
	lang  *language
	src   string
	i     int
	out   []token
	open  []byte
	blank bool
}

func (x *lexer) add(t token) {
	t.blank = x.blank
	x.blank = false
	x.out = append(x.out, t)
}

func (x *lexer) next() {
	rest := x.src[x.i:]
	c := rest[0]
	switch {
	case c == '\n':
		x.blank = true
		if len(x.open) == 0 || x.open[len(x.open)-1] == '{' {
			x.add(token{kind: line, at: x.i, to: x.i + 1})
		}
		x.i++
	case c == ' ' || c == '\t' || c == '\r':
		x.blank = true
		x.i++
	case c == '\\' && len(rest) > 1 && rest[1] == '\n':
		x.i += 2
	case x.comment(rest), x.string(rest), x.regexp(rest), x.word(rest):
	default:
		x.sign(rest)
	}
}

func (x *lexer) comment(rest string) bool {
	for _, b := range x.lang.blocks {
		if strings.HasPrefix(rest, b[0]) && (b[0][0] != '=' || x.begins()) {
			at := strings.Index(rest[len(b[0]):], b[1])
			if at < 0 {
				x.i = len(x.src)
			} else {
				x.i += len(b[0]) + at + len(b[1])
			}
			return true
		}
	}
	for _, c := range x.lang.comments {
		if strings.HasPrefix(rest, c) && !(c == "#" && strings.ContainsAny(x.lang.sigils, "$") && x.i > 0 && x.src[x.i-1] == '$') {
			if at := strings.IndexByte(rest, '\n'); at >= 0 {
				x.i += at
			} else {
				x.i = len(x.src)
			}
			return true
		}
	}
	return false
}

// begins reports whether a line begins here.
func (x *lexer) begins() bool { return x.i == 0 || x.src[x.i-1] == '\n' }

func (x *lexer) string(rest string) bool {
	for _, q := range x.lang.strings {
		skip := 0
		for q.prefixes != "" && skip < 2 && skip < len(rest) && strings.IndexByte(q.prefixes, rest[skip]|0x20) >= 0 {
			skip++
		}
		if !strings.HasPrefix(rest[skip:], q.open) {
			if skip == 0 || !strings.HasPrefix(rest, q.open) {
				continue
			}
			skip = 0
		}
		if word := isWord(q.open[0]); word && x.i > 0 && (isWord(x.src[x.i-1]) || strings.IndexByte("$@%&", x.src[x.i-1]) >= 0) {
			continue
		}
		q, ok := q.closed(rest[skip:])
		if !ok {
			continue
		}
		given := strings.ToLower(rest[:skip])
		if q.prefixes != "" {
			q.raw = strings.Contains(given, "r")
			if !strings.Contains(given, "f") {
				q.expands = ""
			}
		}
		x.quoted(q, skip)
		return true
	}
	return false
}

// closed finds out how a text ends that begins with a sign of the writer's choice, as
// %x{…} and qx(…).
func (q quoting) closed(rest string) (quoting, bool) {
	if q.close != "" {
		return q, true
	}
	at := len(q.open)
	for at < len(rest) && rest[at] == ' ' && isWord(q.open[0]) {
		at++
	}
	if at >= len(rest) || isWord(rest[at]) || strings.IndexByte(" \t\n,;=)", rest[at]) >= 0 {
		return q, false
	}
	q.open = rest[:at+1]
	q.close = string(rest[at])
	if i := strings.IndexByte("([{<", rest[at]); i >= 0 {
		q.close = ")]}>"[i : i+1]
	}
	return q, true
}

// quoted reads a text to its end.
func (x *lexer) quoted(q quoting, skip int) {
	from := x.i
	i := x.i + skip + len(q.open)
	var plain strings.Builder
	t := token{kind: text, at: from}
	if q.runs {
		t.kind = run
	}
	flush := func() {
		if plain.Len() > 0 {
			t.parts = append(t.parts, part{text: plain.String()})
			plain.Reset()
		}
	}
	expanded := false
	for i < len(x.src) {
		rest := x.src[i:]
		if strings.HasPrefix(rest, q.close) {
			i += len(q.close)
			break
		}
		if rest[0] == '\n' && !q.many {
			break
		}
		if rest[0] == '\\' && len(rest) > 1 {
			if q.raw && rest[1] != q.close[0] {
				plain.WriteByte('\\')
			}
			size := escape(&plain, rest, q.raw)
			i += size
			continue
		}
		if code, size := q.expansion(rest); size > 0 {
			flush()
			t.parts = append(t.parts, part{code: code})
			i, expanded = i+size, true
			continue
		}
		plain.WriteByte(rest[0])
		i++
	}
	if expanded {
		flush()
	} else {
		t.text, t.parts = plain.String(), nil
	}
	t.to = min(i, len(x.src))
	x.i = t.to
	x.add(t)
}

// escape writes what a backslash and the sign after it stand for.
func escape(b *strings.Builder, rest string, raw bool) int {
	if !raw {
		if at := strings.IndexByte("ntr0", rest[1]); at >= 0 {
			b.WriteByte("\n\t\r\x00"[at])
			return 2
		}
		if size := map[byte]int{'x': 2, 'u': 4}[rest[1]]; size > 0 && len(rest) >= 2+size {
			if r, ok := hex(rest[2 : 2+size]); ok {
				b.WriteRune(r)
				return 2 + size
			}
		}
		if rest[1] == '\n' {
			return 2
		}
	}
	_, size := utf8.DecodeRuneInString(rest[1:])
	b.WriteString(rest[1 : 1+size])
	return 1 + size
}

func hex(digits string) (rune, bool) {
	n := rune(0)
	for _, c := range digits {
		d := strings.IndexRune("0123456789abcdef", unicode.ToLower(c))
		if d < 0 {
			return 0, false
		}
		n = n*16 + rune(d)
	}
	return n, true
}

// expansion is an expression in a text: its code, and how long it is there.
func (q quoting) expansion(rest string) (code string, size int) {
	for _, e := range strings.Fields(q.expands) {
		switch {
		case e == "$" && rest[0] == '$' && len(rest) > 1 && (isWord(rest[1]) || rest[1] == '{'):
			if rest[1] == '{' {
				if at := strings.IndexByte(rest, '}'); at > 0 {
					return "$" + rest[2:at], at + 1
				}
				return "", 0
			}
			at := 1
			for at < len(rest) && (isWord(rest[at]) || strings.HasPrefix(rest[at:], "::") || rest[at] == ':' && rest[at-1] == ':') {
				at++
			}
			return rest[:at], at
		case e == "{" && strings.HasPrefix(rest, "{{"):
			return `"{"`, 2
		case e != "$" && strings.HasPrefix(rest, e):
			depth, start := 0, strings.IndexByte(e, '{')
			for at := start; at < len(rest); at++ {
				switch rest[at] {
				case '{':
					depth++
				case '}':
					if depth--; depth == 0 {
						return rest[start+1 : at], at + 1
					}
				}
			}
		}
	}
	return "", 0
}

// regexp reads /…/ where a value may stand.
func (x *lexer) regexp(rest string) bool {
	if !x.lang.regexps || rest[0] != '/' || len(rest) < 2 {
		return false
	}
	if n := len(x.out); n > 0 {
		last := x.out[n-1]
		switch last.kind {
		case number, text, run:
			return false
		case name:
			if !oneOf(" return typeof case in of and or not if unless when split grep ", last.text) {
				return false
			}
		case sign:
			if strings.ContainsAny(last.text, ")]}") {
				return false
			}
		}
	}
	class := false
	for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch c := rest[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			at := i + 1
			for at < len(rest) && isWord(rest[at]) {
				at++
			}
			x.add(token{kind: number, at: x.i, to: x.i + at}) // a value that is no text
			x.i += at
			return true
		}
	}
	return false
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

func (x *lexer) word(rest string) bool {
	for odd, means := range x.lang.odd {
		if strings.HasPrefix(rest, odd) && !strings.HasPrefix(rest, "$::") {
			x.add(token{kind: name, text: means, at: x.i, to: x.i + len(odd)})
			x.i += len(odd)
			return true
		}
	}
	at := 0
	if strings.IndexByte(x.lang.sigils, rest[0]) >= 0 && len(rest) > 1 && (isWord(rest[1]) || rest[1] == '_') {
		at = 1
	}
	from := at
	for at < len(rest) && (isWord(rest[at]) || rest[at] == '$' && x.lang.dollar) {
		at++
	}
	if at == from {
		return false
	}
	kind := name
	if rest[from] >= '0' && rest[from] <= '9' && from == 0 {
		kind = number
		for at < len(rest) && (rest[at] == '.' || isWord(rest[at])) {
			at++
		}
	}
	if kind == name && at < len(rest) && (rest[at] == '?' || rest[at] == '!') && x.lang.bare && at+1 < len(rest) && rest[at+1] != '=' && from == 0 {
		at++
	}
	word := rest[from:at]
	x.add(token{kind: kind, text: word, at: x.i, to: x.i + at})
	x.i += at
	return true
}

// signs of more than one character, the longest first.
var signs = []string{"===", "!==", "**=", "...", "<=>", "&&=", "||=", "??=", "==", "!=", "=~", "!~", "=>", "->", "::", "+=", "-=", "*=", "/=", ".=", "|=", "&&", "||", "??", "?.", "**", "//", "<<", ">>", "<=", ">=", ":=", "..", "|&"}

func (x *lexer) sign(rest string) {
	size := 1
	for _, s := range signs {
		if strings.HasPrefix(rest, s) {
			size = len(s)
			break
		}
	}
	switch c := rest[0]; {
	case strings.IndexByte("([{", c) >= 0:
		x.open = append(x.open, c)
	case strings.IndexByte(")]}", c) >= 0 && len(x.open) > 0:
		x.open = x.open[:len(x.open)-1]
	}
	x.add(token{kind: sign, text: rest[:size], at: x.i, to: x.i + size})
	x.i += size
}
