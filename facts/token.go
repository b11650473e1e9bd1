package facts

import (
	"slices"
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
	for len(src) > 0 && len(out) < maxTokens {
		n, whole := blank(language, src)
		if !whole {
			return out
		}
		if n == 0 {
			var t token
			t, n = readToken(language, src)
			if t.kind != 0 {
				out = append(out, t)
			}
		}
		src = src[n:]
	}
	return out
}

// slashComments are languages that have // and /* */ for comments.
var slashComments = []string{"javascript", "php", "go", "rust", "c", "java", "csharp", "scala", "groovy", "swift"}

// blank is how many bytes of white space and comments begin a text; whole is false
// for a comment without an end.
func blank(language, s string) (n int, whole bool) {
	c, slashes := s[0], slices.Contains(slashComments, language)
	switch {
	case c <= ' ' && c != '\n':
		return 1, true
	case c == '#' && language != "javascript" && language != "lua",
		strings.HasPrefix(s, "//") && slashes,
		strings.HasPrefix(s, "--") && (language == "lua" || language == "haskell"):
		return span(s, func(c byte) bool { return c != '\n' }), true
	case strings.HasPrefix(s, "/*") && slashes:
		j := strings.Index(s[2:], "*/")
		return j + 4, j >= 0
	}
	return 0, true
}

// readToken reads the token that begins a text, and gives its length.
func readToken(language, s string) (token, int) {
	switch c := s[0]; {
	case c == '\n' || c == ';':
		return token{kind: ';'}, 1
	case c == '\'' && language == "rust" && !(len(s) > 2 && (s[1] == '\\' || s[2] == '\'')): // a lifetime
		return token{kind: ','}, 1
	case c == '\'' || c == '"' || c == '`':
		return quoted(language, s)
	case isPercent(language, s):
		t, n := percent(s)
		return t, max(n, 1)
	case c == '@' || nameByte(c) && (c < '0' || c > '9'):
		n := 1 + span(s[1:], nameByte)
		if n <= 2 && language == "python" && n < len(s) && (s[n] == '\'' || s[n] == '"') && strings.Trim(strings.ToLower(s[:n]), "rbuf") == "" {
			return prefixed(language, s, n)
		}
		if marked := n+1 < len(s) && (s[n] == '!' || s[n] == '?') && s[n+1] == '('; marked && (language == "ruby" || language == "elixir") {
			return token{kind: 'i', text: s[:n]}, n + 1
		}
		return token{kind: 'i', text: s[:n]}, n
	case c >= '0' && c <= '9':
		n := span(s, func(c byte) bool {
			return c >= '0' && c <= '9' || c == '.' || c|0x20 == 'x' || c|0x20 == 'o' || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'f'
		})
		return token{kind: 'n', text: s[:n]}, n
	case strings.HasPrefix(s, "::"), strings.HasPrefix(s, "->"), strings.HasPrefix(s, "?."):
		return token{kind: '.', text: "."}, 2
	default:
		_, n := utf8.DecodeRuneInString(s)
		return token{kind: c, text: s[:n]}, n
	}
}

// isPercent reports whether a text begins as %x(…) or qx{…} do.
func isPercent(language, s string) bool {
	if len(s) < 3 || language != "ruby" && language != "perl" {
		return false
	}
	opens := func(c byte) bool { return strings.IndexByte("({[|/!<", c) >= 0 }
	return s[0] == '%' && strings.IndexByte("xqQwW", s[1]) >= 0 && opens(s[2]) ||
		s[0] == 'q' && language == "perl" && (s[1] == 'q' || s[1] == 'x' || s[1] == 'w' && opens(s[2]) || opens(s[1]))
}

// prefixed reads a string of Python with letters before it: r"…", f"…".
func prefixed(language, s string, letters int) (token, int) {
	name := strings.ToLower(s[:letters])
	t, n := quoted(language, s[letters:])
	if strings.Contains(name, "r") {
		t.text = raw(s[letters : letters+n])
	}
	t.expr = nil
	if strings.Contains(name, "f") {
		t.text, t.expr = interpolate(t.text, "{", "}")
	}
	return t, letters + n
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
	if c := s[0]; (language == "python" || c == '"' && slices.Contains(compiled, language)) && len(s) >= 3 && s[1] == c && s[2] == c {
		q = s[:3]
	}
	var b strings.Builder
	i := len(q)
	for i < len(s) && !strings.HasPrefix(s[i:], q) {
		if s[i] == '\\' && i+1 < len(s) && !(q == "`" && language == "go") {
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
	case q == "`" && language == "go":
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
	if s[0] == '%' || strings.IndexByte("qxw", s[1]) >= 0 {
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
