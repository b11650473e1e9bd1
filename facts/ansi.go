package facts

import (
	"strconv"
	"strings"
)

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
