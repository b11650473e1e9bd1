package facts

import "strings"

// sqlToken is one word of SQL: a name or keyword in capitals, a string, a sign.
type sqlToken struct {
	kind byte // 'w' word, 'q' quoted name, 's' string, 'n' number, or the sign itself
	text string
}

// maxTokens bounds the words of one text.
const maxTokens = 20000

// sqlTokens takes SQL apart: strings, comments, quoted names and dollar quotes in
// the dialects of PostgreSQL, MySQL, SQLite and T-SQL. What MySQL runs in /*! … */
// counts as code.
func sqlTokens(src, dialect string) []sqlToken {
	var out []sqlToken
	for len(src) > 0 && len(out) < maxTokens {
		if n := sqlBlank(src, dialect); n > 0 {
			src = src[n:]
			continue
		}
		t, n := sqlWord(src, dialect)
		if n == 0 {
			return out // it has no end
		}
		if t.kind != 0 {
			out = append(out, t)
		}
		src = src[n:]
	}
	return out
}

// sqlBlank is how many bytes of white space and comments begin a text.
func sqlBlank(s, dialect string) int {
	switch {
	case s[0] <= ' ':
		return 1
	case strings.HasPrefix(s, "--") || s[0] == '#' && dialect == "mysql":
		if j := strings.IndexByte(s, '\n'); j >= 0 {
			return j
		}
		return len(s)
	case strings.HasPrefix(s, "/*!"):
		return 3 + span(s[3:], func(c byte) bool { return c >= '0' && c <= '9' })
	case strings.HasPrefix(s, "*/"):
		return 2
	case strings.HasPrefix(s, "/*"):
		return comment(s, dialect)
	}
	return 0
}

// span is how many bytes of a kind begin a text.
func span(s string, is func(byte) bool) int {
	n := 0
	for n < len(s) && is(s[n]) {
		n++
	}
	return n
}

// nameByte reports whether a byte may stand in a name.
func nameByte(c byte) bool { return letter(c) || c == '$' || c >= utfStart }

// sqlWord reads the token that begins a text, and gives its length.
func sqlWord(s, dialect string) (sqlToken, int) {
	switch c := s[0]; {
	case c == '\'':
		n := sqlString(s, dialect)
		return sqlToken{'s', s[1:max(1, n-1)]}, n
	case c == '"' && dialect == "mysql":
		return sqlQuoted(s, '"', 's')
	case c == '"' || c == '`':
		return sqlQuoted(s, c, 'q')
	case c == '[' && dialect == "tsql":
		return sqlQuoted(s, ']', 'q')
	case c == '$' && dialect != "mysql":
		return sqlDollar(s)
	case c >= '0' && c <= '9':
		n := span(s, func(c byte) bool { return c >= '0' && c <= '9' || c == '.' })
		return sqlToken{'n', s[:n]}, n
	case c != '$' && nameByte(c):
		n := span(s, nameByte)
		return sqlToken{'w', strings.ToUpper(s[:n])}, n
	default:
		return sqlToken{c, string(rune(c))}, 1
	}
}

// sqlQuoted reads a name or text up to a sign.
func sqlQuoted(s string, end, kind byte) (sqlToken, int) {
	j := strings.IndexByte(s[1:], end)
	if j < 0 {
		return sqlToken{}, 0
	}
	return sqlToken{kind, s[1 : 1+j]}, j + 2
}

// sqlDollar reads a text between $tag$ and $tag$; another $ says nothing.
func sqlDollar(s string) (sqlToken, int) {
	j := strings.IndexByte(s[1:], '$')
	if j < 0 || span(s[1:1+j], letter) != j {
		return sqlToken{}, 1
	}
	tag := s[:j+2]
	k := strings.Index(s[len(tag):], tag)
	if k < 0 {
		return sqlToken{}, 0
	}
	return sqlToken{'s', s[len(tag) : len(tag)+k]}, k + 2*len(tag)
}

// comment is the length of a block comment; PostgreSQL's and T-SQL's nest.
func comment(s, dialect string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			if depth == 0 || dialect != "mysql" && dialect != "sqlite" {
				depth++
			}
			i++
		case "*/":
			if depth--; depth == 0 {
				return i + 2
			}
			i++
		}
	}
	return len(s)
}

// sqlString is the length of a string in single quotes.
func sqlString(s, dialect string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && dialect == "mysql":
			i++
		case s[i] == '\'':
			if i+1 < len(s) && s[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(s)
}
