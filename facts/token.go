package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word of a program's text.
type token struct {
	kind byte // 'i' name, 's' string, 'n' number, 'b' backquotes that run, or the character itself
	text string
	expr []string // what stands in ${…} or {…} of a string
}

// tokens takes a text of one of the script languages apart. It knows strings,
// comments and names of all of them, and of each language what it has of its own.
func tokens(language, src string) []token {
	var out []token
	for i := 0; i < len(src) && len(out) < 20000; {
		c := src[i]
		switch {
		case c == '\n' || c == ';':
			out = append(out, token{kind: ';'})
			i++
		case c <= ' ':
			i++
		case c == '#' && language != "javascript" && language != "lua",
			c == '/' && i+1 < len(src) && src[i+1] == '/' && (language == "javascript" || language == "php"),
			c == '-' && i+1 < len(src) && src[i+1] == '-' && language == "lua":
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(src) && src[i+1] == '*' && (language == "javascript" || language == "php"):
			j := strings.Index(src[i+2:], "*/")
			if j < 0 {
				return out
			}
			i += j + 4
		case c == '\'' || c == '"' || c == '`':
			t, n := quoted(language, src[i:])
			out = append(out, t)
			i += n
		case c == '%' && (language == "ruby" || language == "perl") && i+2 < len(src) && strings.IndexByte("xqQwW", src[i+1]) >= 0 && strings.IndexByte("({[|/!<", src[i+2]) >= 0,
			c == 'q' && language == "perl" && i+2 < len(src) && (src[i+1] == 'q' || src[i+1] == 'x' || strings.IndexByte("({[|/!<", src[i+1]) >= 0):
			t, n := percent(src[i:])
			if n == 0 {
				i++
				continue
			}
			out = append(out, t)
			i += n
		case c == '_' || c == '$' || c == '@' || c >= utfStart || c|0x20 >= 'a' && c|0x20 <= 'z':
			j := i + 1
			for j < len(src) && (src[j] == '_' || src[j] == '$' || src[j] >= utfStart || src[j]|0x20 >= 'a' && src[j]|0x20 <= 'z' || src[j] >= '0' && src[j] <= '9') {
				j++
			}
			name := src[i:j]
			if j < len(src) && (src[j] == '\'' || src[j] == '"') && language == "python" && len(name) <= 2 && strings.Trim(strings.ToLower(name), "rbuf") == "" {
				t, n := quoted(language, src[j:])
				if strings.ContainsAny(name, "rR") {
					t.text = raw(src[j : j+n])
				}
				if !strings.ContainsAny(name, "fF") {
					t.expr = nil
				} else {
					t.text, t.expr = interpolate(t.text, "{", "}")
				}
				out = append(out, t)
				i = j + n
				continue
			}
			out = append(out, token{kind: 'i', text: name})
			i = j
		case c >= '0' && c <= '9':
			j := i
			for j < len(src) && (src[j] >= '0' && src[j] <= '9' || src[j] == '.' || src[j] == 'x' || src[j]|0x20 >= 'a' && src[j]|0x20 <= 'f') {
				j++
			}
			out = append(out, token{kind: 'n', text: src[i:j]})
			i = j
		default:
			_, n := utf8.DecodeRuneInString(src[i:])
			if c == ':' && i+1 < len(src) && src[i+1] == ':' || c == '-' && i+1 < len(src) && src[i+1] == '>' || c == '?' && i+1 < len(src) && src[i+1] == '.' {
				out = append(out, token{kind: '.', text: "."})
				i += 2
				continue
			}
			out = append(out, token{kind: c, text: src[i : i+n]})
			i += n
		}
	}
	return out
}

func raw(s string) string {
	for _, q := range []string{`"""`, "'''", `"`, "'"} {
		if strings.HasPrefix(s, q) && strings.HasSuffix(s, q) && len(s) >= 2*len(q) {
			return s[len(q) : len(s)-len(q)]
		}
	}
	return s
}

// quoted reads a string that begins a text.
func quoted(language, s string) (token, int) {
	q := s[:1]
	if language == "python" && len(s) >= 3 && s[1] == s[0] && s[2] == s[0] {
		q = s[:3]
	}
	var b strings.Builder
	i := len(q)
	for i < len(s) && !strings.HasPrefix(s[i:], q) {
		if s[i] == '\\' && i+1 < len(s) {
			if q == "'" && (language == "perl" || language == "ruby" || language == "php") && s[i+1] != '\'' && s[i+1] != '\\' {
				b.WriteByte(s[i])
			} else {
				n := 2
				for s[i+1] >= '0' && s[i+1] <= '7' && n < 4 && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '7' {
					n++
				}
				if s[i+1] == 'x' && i+3 < len(s) {
					n = 4
				} else if s[i+1] == 'u' && i+5 < len(s) {
					n = 6
				}
				b.WriteString(ansi(s[i : i+n]))
				i += n
				continue
			}
		}
		if s[i] == '$' && q == `"` && (language == "perl" || language == "php") && i+1 < len(s) && (unicode.IsLetter(rune(s[i+1])) || s[i+1] == '{' || s[i+1] == '_') {
			b.WriteString(sigil) // it is taken out again below; an escaped one stays
			i++
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	t := token{kind: 's', text: clean(b.String())}
	switch {
	case q == "`" && language == "javascript":
		t.text, t.expr = interpolate(t.text, "${", "}")
	case q == "`":
		t.kind = 'b'
	case q == `"` && language == "ruby":
		t.text, t.expr = interpolate(t.text, "#{", "}")
	case q == `"` && (language == "perl" || language == "php"):
		t.text = sigils(strings.ReplaceAll(b.String(), "\uE000", "\uFFFD"))
	}
	return t, min(len(s), i+len(q))
}

// interpolate takes expressions out of a string; a hole stands for each.
func interpolate(s, open, end string) (string, []string) {
	var out strings.Builder
	var exprs []string
	for {
		i := strings.Index(s, open)
		if i < 0 {
			break
		}
		j := strings.Index(s[i:], end)
		if j < 0 {
			break
		}
		out.WriteString(s[:i])
		out.WriteRune(hole)
		exprs = append(exprs, s[i+len(open):i+j])
		s = s[i+j+len(end):]
	}
	out.WriteString(s)
	return out.String(), exprs
}

// sigil marks the $ of a variable in a string, until it is taken out.
const sigil = "\uE001"

// sigils puts holes where a string names variables.
func sigils(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		if !strings.HasPrefix(s[i:], sigil) {
			out.WriteByte(s[i])
			i++
			continue
		}
		if rest := s[i+len(sigil):]; strings.HasPrefix(rest, "ENV{HOME}") {
			out.WriteString("~")
			i += len(sigil) + len("ENV{HOME}")
			continue
		}
		out.WriteRune(hole)
		for i += len(sigil); i < len(s) && (unicode.IsLetter(rune(s[i])) || unicode.IsDigit(rune(s[i])) || strings.IndexByte("_{}", s[i]) >= 0); i++ {
		}
	}
	return out.String()
}

// percent reads %x(…), qx{…} and their kin.
func percent(s string) (token, int) {
	i := 1
	kind := byte('s')
	if s[0] == '%' || s[1] == 'q' || s[1] == 'x' {
		if s[1] == 'x' {
			kind = 'b'
		}
		i = 2
	}
	if i >= len(s) {
		return token{}, 0
	}
	end := s[i]
	if k := strings.IndexByte("({[<", end); k >= 0 {
		end = ")}]>"[k]
	}
	j := strings.IndexByte(s[i+1:], end)
	if j < 0 {
		return token{}, 0
	}
	return token{kind: kind, text: clean(s[i+1 : i+1+j])}, i + j + 2
}
