package guards

import (
	"encoding/base32"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// leastCodes is how many numbers in a row are taken for the letters of a text.
const leastCodes = 16

// ofCodes are the bytes of such a row.
var ofCodes = setOf(hexDigits + "xX ,;\n\t\r")

// numbered is the text that numbers in a row stand for, as 73 103 110, 0x49,0x67 or
// 01001001; "" if there is none.
func numbered(text string) (string, int) {
	for at := 0; at < len(text); {
		start, end := row(text, at, 3*leastCodes-1, &ofCodes)
		if s, from := numbers(text, start, end); s != "" {
			return s, from
		}
		at = end
	}
	return "", 0
}

func numbers(text string, i, end int) (string, int) {
	for i < end {
		if text[i] < '0' || text[i] > '9' || i > 0 && letter(text[i-1]) { // letters begin with 4 to 7
			i++
			continue
		}
		from, base := i, baseOf(text[i:])
		var b []byte
		for base > 0 && len(b) < maxDecoded {
			v, n := codeIn(text[i:], base)
			if n == 0 {
				break
			}
			b = append(b, v)
			i += n
			for i < len(text) && strings.IndexByte(" ,;\n\t\r", text[i]) >= 0 {
				i++
			}
		}
		if len(b) >= leastCodes && utf8.Valid(b) && prose7(string(b)) {
			return string(b), from
		}
		for i = max(i, from+1); i < end && letter(text[i]); i++ {
		}
	}
	return "", 0
}

func hexDigit(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// baseOf is the base in which the first of some numbers is written: those of a letter.
func baseOf(text string) int {
	n := 0
	for n < len(text) && n < 9 && letter(text[n]) {
		n++
	}
	word := text[:n]
	switch {
	case n == 8 && strings.Trim(word, "01") == "":
		return 2
	case n == 4 && strings.HasPrefix(strings.ToLower(word), "0x"), n == 2 && strings.Trim(word, "234567") != word && hexDigit(word[1]) && follows(text[n:]):
		return 16
	case n >= 2 && n <= 3 && strings.Trim(word, "0123456789") == "":
		return 10
	}
	return 0
}

// follows reports whether numbers of two digits go on: 41 is one of base 16 as well as of
// base 10, and in a text one of them soon has a letter or is below 32.
func follows(rest string) bool {
	for i := 0; i < min(len(rest), 240); {
		for i < len(rest) && strings.IndexByte(" ,;\n\t\r", rest[i]) >= 0 {
			i++
		}
		n := 0
		for i+n < len(rest) && n < 3 && hexDigit(rest[i+n]) {
			n++
		}
		if n != 2 {
			return false
		}
		if rest[i] > '9' || rest[i+1] > '9' {
			return true
		}
		i += n
	}
	return false
}

func codeIn(text string, base int) (v byte, n int) {
	for n < len(text) && n < 9 && letter(text[n]) {
		n++
	}
	word := text[:n]
	if base == 16 {
		if strings.HasPrefix(strings.ToLower(word), "0x") {
			word = word[2:]
		}
		if len(word) != 2 {
			return 0, 0
		}
	}
	x, err := strconv.ParseUint(word, base, 8)
	if err != nil {
		return 0, 0
	}
	return byte(x), n
}

// unbase32 decodes a word of base 32 that is a text.
func unbase32(word string) string {
	word = strings.TrimRight(word, "=")
	if len(word) < 32 || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return ""
	}
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(word[:min(len(word), maxDecoded)/8*8])
	if err != nil {
		return ""
	}
	return string(b)
}

// figures are digits by the letter that they look like.
var figures = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s")

// leastFigured is how many words with figures in them are a way of writing.
const leastFigured = 4

// unfigured is a text whose words have figures for letters ("1gn0r3") without them; "" if
// it has none.
func unfigured(text string) string {
	text = text[:min(len(text), maxDecoded)]
	mixed, words, all := 0, 0, 0
	for _, f := range []string{"0", "1", "3", "4", "5", "7"} {
		all += strings.Count(text, f)
	}
	if all < leastFigured || all*3 < strings.Count(text, " ") {
		return ""
	}
	for w := range strings.FieldsSeq(text) {
		figs, letters := 0, 0
		for i := range len(w) {
			switch c := w[i]; {
			case strings.IndexByte("013457", c) >= 0:
				figs++
			case c|0x20 >= 'a' && c|0x20 <= 'z':
				letters++
			}
		}
		if words++; figs > 0 && letters > 0 && len(w) <= 16 && strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyz013457.,:;!?'\"") == "" {
			mixed++
		}
	}
	if mixed < leastFigured || mixed*3 < words {
		return ""
	}
	return figures.Replace(text)
}

// joints are between two pieces of a text that a program puts together.
var joints = []string{`" + "`, `' + '`, `"+"`, `'+'`, `" . "`, `' . '`, `" .. "`, `" & "`, "\" +\n\"", "\"\n\""}

// joined is a text whose pieces are put together: "ign" + "ore"; "" if it has few.
func joined(text string) string {
	text = text[:min(len(text), maxDecoded)]
	for _, j := range joints {
		if strings.Count(text, j) >= 3 {
			return strings.ReplaceAll(text, j, "")
		}
	}
	return ""
}

// leastRun is the length of a word that may be many: ignoreAllPreviousInstructions.
const leastRun = 32

// solid are the bytes that words have.
var solid = func() (set [256]bool) {
	for c := ' ' + 1; c < 256; c++ {
		set[c] = true
	}
	return set
}()

// unrun writes words that are many ("ignore_all_previous", "ignoreAllPrevious") apart; ""
// if there are none.
func unrun(text string) string {
	text = text[:min(len(text), maxDecoded)]
	var b strings.Builder
	for at := 0; at < len(text); {
		start, end := row(text, at, leastRun, &solid)
		w := text[start:end]
		if at = end; strings.ContainsAny(w, "/=:(){}<>") {
			continue
		}
		from := b.Len()
		before, parts := ' ', 1
		for _, r := range w {
			switch {
			case !unicode.IsLetter(r):
				if before != ' ' {
					parts++
				}
				r = ' '
			case unicode.IsUpper(r) && unicode.IsLower(before):
				parts++
				b.WriteByte(' ')
			}
			b.WriteRune(r)
			before = r
		}
		if parts < 5 {
			s := b.String()[:from]
			b.Reset()
			b.WriteString(s)
			continue
		}
		b.WriteString(". ")
	}
	return b.String()
}
