package directive

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxNamespace = 64
	maxTarget    = 256
)

// head is the @namespace:target of a line and where the rest begins.
type head struct {
	namespace, target string
	rest              int // offset after the target
}

// parseHead reads "@namespace:target" at the start of s.
func parseHead(s string) (head, bool) {
	if s == "" || s[0] != '@' {
		return head{}, false
	}
	i := 1
	for i < len(s) && namespaceByte(s[i], i == 1) {
		i++
	}
	if i == 1 || i > maxNamespace+1 || i == len(s) || s[i] != ':' {
		return head{}, false
	}
	h := head{namespace: s[1:i]}
	i++
	h.rest = i + targetLen(s[i:])
	h.target = s[i:h.rest]
	if len(h.target) > maxTarget || h.rest < len(s) && blank(s[h.rest:]) == 0 && closing(s[h.rest:]) == 0 {
		return head{}, false
	}
	return h, true
}

// closing returns the length of a box border that directly follows a target.
func closing(s string) int {
	if in(s, "│┃║") && trimBlanks(s[3:]) == "" {
		return 3
	}
	return 0
}

func namespaceByte(c byte, first bool) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		return true
	case '0' <= c && c <= '9', c == '_', c == '-':
		return !first
	}
	return false
}

// targetLen returns the length of the target that s starts with, 0 if none.
func targetLen(s string) int {
	if strings.HasPrefix(s, "*") {
		return 1
	}
	hash := 0
	if strings.HasPrefix(s, "#") {
		hash = 1
	}
	n := hash
	for n < len(s) {
		r, w := utf8.DecodeRuneInString(s[n:])
		if !wordRune(r) && (n == hash || !strings.ContainsRune("-./@:", r)) {
			break
		}
		n += w
	}
	if n == hash || strings.IndexByte("./@:", s[n-1]) >= 0 {
		return 0
	}
	return n
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return namespaceByte(byte(r), false) && r != '-'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// headAt finds a directive head after the prefix of a line and counts the
// backslashes before it.
func headAt(line string, p prefix) (h head, slashes int, ok bool) {
	s := line[p.end:]
	for slashes < len(s) && s[slashes] == '\\' {
		slashes++
	}
	h, ok = parseHead(s[slashes:])
	return h, slashes, ok
}

// Escape returns a line that stands for the given one and is not a directive: a
// backslash is put before the @ of a line that is a directive, escaped or
// not. Other lines come back unchanged.
func Escape(line string) string {
	p := scanPrefix(line)
	if _, _, ok := headAt(line, p); !ok {
		return line
	}
	return line[:p.end] + `\` + line[p.end:]
}

// EscapeWithin does the same for a line that is shown by a program which breaks it
// where it likes: what would be a directive at the start of a line is none anywhere
// in it. An @ after a letter or digit of ASCII stays: programs do not break a
// word there, so that user@host:path is what it was.
func EscapeWithin(line string) string {
	line = Escape(line)
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] == '@' && i > 0 && line[i-1] != '\\' && (line[i-1] == '-' || !namespaceByte(line[i-1], false)) && headBegins(line[i:]) {
			out.WriteByte('\\')
		}
		out.WriteByte(line[i])
	}
	return out.String()
}

// headBegins reports whether s starts with "@namespace:", whatever follows: it may
// be on the next line.
func headBegins(s string) bool {
	i := 1
	for i < len(s) && namespaceByte(s[i], i == 1) {
		i++
	}
	return i > 1 && i <= maxNamespace+1 && i < len(s) && s[i] == ':'
}

// Unescape returns the text that a line stands for: one backslash is removed
// from before an escaped directive. Other lines come back unchanged, so
// Unescape(Escape(line)) is line.
func Unescape(line string) string {
	p := scanPrefix(line)
	if p.end == len(line) || line[p.end] != '\\' {
		return line
	}
	if _, _, ok := headAt(line, p); !ok {
		return line
	}
	return line[:p.end] + line[p.end+1:]
}
