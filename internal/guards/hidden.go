package guards

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is looked for behind a text.
const (
	maxHiddenPart = 4 << 10
	maxDecoded    = 32 << 10 // bytes of all that is decoded
	maxLayers     = 2        // what is encoded in what was encoded
)

// hiddenPart is the part of a text behind a sign that a person who reads the page does not
// see: a comment, or an element that is not shown. It ends where it begins if there is none.
func hiddenPart(text string, s signal) [2]int {
	part, end := text[s.to:min(len(text), s.to+maxHiddenPart)], "</"
	from := s.to
	switch s.kind {
	case '<':
		end = "-->"
	case '/':
		end = "\n"
	default:
		if last := text[s.to-1]; last != '>' && last != '}' {
			skip := strings.IndexAny(part[:min(len(part), 200)], ">}")
			if skip < 0 || part[skip] == '}' && !strings.Contains(text[s.from:s.to], "color{") {
				return [2]int{from, from}
			}
			from, part = from+skip, part[skip:]
		}
	}
	to := strings.Index(part, end)
	if to < 0 {
		to = len(part)
	}
	return [2]int{from, from + to}
}

// unseen reports whether a character has no shape: words can be written between, or in,
// such characters.
func unseen(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x180E, r >= 0x200B && r <= 0x200F, r >= 0x2060 && r <= 0x2064, r == 0xFEFF, r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE01EF:
		return true
	}
	return false
}

// shapeless reads what characters without a shape say.
type shapeless struct {
	said strings.Builder
	run  int  // how many there are in a row
	flag bool // they name the region of a flag
}

// add takes one of them.
func (h *shapeless) add(r rune) {
	switch {
	case h.flag && r >= 0xE0020 && r <= 0xE007F:
		h.flag = r != 0xE007F
	case r >= 0xE0020 && r <= 0xE007E:
		h.said.WriteRune(r - 0xE0000)
	case r >= 0xE0100 && r <= 0xE01EF:
		h.said.WriteByte(byte(r - 0xE0100 + 16))
	case r != 0x200D && (r < 0xFE00 || r > 0xFE0F) && r != 0x200C && r != 0xAD: // what emoji and scripts join with
		h.run++
	}
}

// end ends a row of them before a character that has one.
func (h *shapeless) end(next rune) {
	if h.run >= 16 && h.said.Len() == 0 {
		h.said.WriteString("signs without a shape")
	}
	h.run, h.flag = 0, next == 0x1F3F4
}

// seenText is a text without characters that have no shape, with the letters that others
// only look like, and with small ones of those of two bytes. Hidden is what characters
// without a shape say by themselves.
func seenText(text string) (plain, hidden string) {
	var b strings.Builder
	var h shapeless
	others, before, done := false, rune(0), 0
	put := func(from, to int, r rune) { // r is in the place of what stands there; -1: nothing
		if b.Len() == 0 {
			b.Grow(len(text) + 16)
		}
		b.WriteString(text[done:from])
		if done = to; r >= 0 {
			b.WriteRune(r)
		}
	}
	for i := 0; i < len(text); {
		from := i
		for i < len(text) && text[i] < utf8.RuneSelf {
			i++
		}
		if i > from {
			h.end(0)
			others = others || before >= 0x250 && before < 0x590 && unicode.IsLetter(rune(text[from]))
			before = rune(text[i-1])
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case r >= 0x3000 && r < 0xA000: // the scripts of China and Japan have no other dress
			before = r
		case r >= 0x334 && r <= 0x338: // a stroke through the letter before
			put(i-n, i, -1)
		case unseen(r):
			put(i-n, i, -1)
			h.add(r)
		default:
			h.end(r)
			others = others || r >= 0x250 && r < 0x590 && before < utf8.RuneSelf && unicode.IsLetter(before)
			before = r
			if l := latinOf(r); l != r || r == utf8.RuneError {
				put(i-n, i, l)
			}
		}
	}
	h.end(0)
	if plain = text; done > 0 {
		b.WriteString(text[done:])
		plain = b.String()
	}
	if others {
		plain = unlike(plain)
	}
	return plain, h.said.String()
}

// looks are letters of other scripts by the Latin one that they look like.
var looks = func() map[rune]rune {
	m := map[rune]rune{}
	other, latin := []rune("аеорсухіјѕԁһԛԝьАВЕКМНОРСТУХІЅЈαοεικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡⅼӏɑʟвкмнт"), "aeopcyxijsdhqwbABEKMHOPCTYXISJaoeikvptuxABEZHIKMNOPTYXglla"+"lbkmht"
	for i, r := range other {
		m[r] = rune(latin[i])
	}
	return m
}()

// smallCaps are small capitals by their letter.
var smallCaps = func() map[rune]byte {
	m, i := map[rune]byte{}, 0
	for _, r := range "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ" {
		m[r] = byte('a' + i)
		i++
	}
	return m
}()

// latinOf is the Latin letter that a character is in another dress, the small one of a
// letter of two bytes, or itself.
func latinOf(r rune) rune {
	switch {
	case r < 0x100:
	case r < 0x250, r >= 0x370 && r < 0x530:
		if r >= 0x430 && r < 0x450 || r >= 0x3B1 && r < 0x3CA { // small already
			return r
		}
		if low := unicode.ToLower(r); utf8.RuneLen(low) == utf8.RuneLen(r) {
			return low
		}
	case r < 0x2B0, r >= 0x1D00 && r < 0x1D80, r >= 0xA730 && r < 0xA7B0:
		if small := smallCaps[r]; small != 0 {
			return rune(small)
		}
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFF01 + '!'
	case r >= 0x1D400 && r <= 0x1D6A3:
		return 'a' + (r-0x1D400)%26
	case r >= 0x24B6 && r <= 0x24E9:
		return 'a' + (r-0x24B6)%26
	case r >= 0x1F130 && r <= 0x1F149, r >= 0x1F150 && r <= 0x1F169, r >= 0x1F170 && r <= 0x1F189:
		return 'a' + (r-0x1F130)%0x20
	}
	return r
}

// unlike writes the words of a text that mix Latin letters with others that only look
// like them in Latin letters.
func unlike(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	from, latin, like := 0, false, false
	flush := func(to int) {
		if !latin || !like {
			b.WriteString(text[from:to])
			return
		}
		for _, r := range text[from:to] {
			if l, ok := looks[r]; ok {
				r = l
			}
			b.WriteRune(r)
		}
	}
	for i, r := range text {
		switch {
		case r < utf8.RuneSelf && !letter(byte(r)):
			flush(i)
			from, latin, like = i, false, false
		case r < utf8.RuneSelf:
			latin = latin || r > '9'
		case r >= 0x250 && r < 0x2190:
			if _, ok := looks[r]; ok {
				like = true
			}
		}
	}
	flush(len(text))
	return b.String()
}

// layer is a text behind a text.
type layer struct {
	text string
	at   int
	part bool // no person reads it; others are the whole text in another form
}

// decoded gives the texts that are encoded in a text. Turned says that there is something
// that looks like a text in rot13, or backwards.
func decoded(text string, turned bool, at int) (out []layer) {
	left := maxDecoded
	take := func(s string, from int, part bool) {
		if len(s) >= 12 && left > 0 && (prose7(s) || strings.Trim(s, base64Letters+"=") == "") {
			out = append(out, layer{s[:min(len(s), left)], from, part})
			left -= len(s)
		}
	}
	for i := 0; i < len(text) && left > 0; {
		from, to := longWord(text, i)
		i = to
		word := text[from:to]
		take(unhex(word), from, true)
		take(unbase64(word), from, true)
		take(unbase32(word), from, true)
	}
	if head := text[:min(len(text), maxDecoded)]; strings.Count(head, `\`) >= 4 || strings.Count(head, "%") >= 6 || strings.Count(head, "&#") >= 4 || strings.Count(head, "=") >= 6 {
		if s := unescaped(text); s != text {
			take(s, 0, false)
		}
	}
	for _, s := range []string{unspaced(text), unfigured(text), joined(text), unrun(text)} {
		if s != "" {
			take(s, 0, false)
		}
	}
	if s, from := numbered(text); s != "" {
		take(s, from, true)
	}
	if turned {
		text = text[:min(len(text), maxDecoded)]
		take(strings.Map(rot13, text), at, false)
		r := []rune(text)
		slices.Reverse(r)
		take(string(r), at, false)
	}
	return out
}

// row is the next row of bytes of a set that is long enough, or the end. Such a row has one
// of every so many places in a text: only what stands around those is looked at.
func row(text string, from, least int, in *[256]bool) (start, end int) {
	for at := from + least - 1; at < len(text); at += least {
		if !in[text[at]] {
			continue
		}
		start, end = at, at+1
		for start > from && in[text[start-1]] {
			start--
		}
		for end < len(text) && in[text[end]] {
			end++
		}
		if end-start >= least {
			return start, end
		}
		at = max(at, end-1)
	}
	return len(text), len(text)
}

// leastCoded is the length of a word that may hold another text.
const leastCoded = 24

// longWord is the next word that is long enough for that.
func longWord(text string, from int) (start, end int) {
	start, end = row(text, from, leastCoded, &base64Table)
	for end < len(text) && text[end] == '=' {
		end++
	}
	return start, end
}

// setOf is a set of bytes.
func setOf(all string) (set [256]bool) {
	for i := range len(all) {
		set[all[i]] = true
	}
	return set
}

const hexDigits = "0123456789abcdefABCDEF"

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"

var base64Table = setOf(base64Letters)

// prose7 reports whether bytes are a text of words: most are letters or blanks.
func prose7(s string) bool {
	s = s[:min(len(s), 4096)]
	for cut := 0; cut < utf8.UTFMax && len(s) > 0 && !utf8.ValidString(s); cut++ { // in the middle of a character
		s = s[:len(s)-1]
	}
	if !utf8.ValidString(s) || !strings.ContainsAny(s, " \u3000") && !strings.ContainsFunc(s, func(r rune) bool { return r > 0x3000 }) {
		return false
	}
	odd := 0
	for _, r := range s {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == utf8.RuneError {
			odd++
		}
	}
	return odd*20 <= len(s)
}

func unhex(s string) string {
	if len(s)%2 != 0 || len(s) < 32 || strings.Trim(s[:leastCoded], hexDigits) != "" {
		return ""
	}
	b, err := hex.DecodeString(s[:min(len(s), 2*maxDecoded)])
	if err != nil {
		return ""
	}
	return string(b)
}

func unbase64(s string) string {
	if s = strings.TrimRight(s, "="); len(s) < 24 {
		return ""
	}
	coding := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		coding = base64.RawURLEncoding
	}
	if head, err := coding.DecodeString(s[:24]); err != nil || !prose7(string(head)+" ") {
		return "" // a hash, a key, a picture
	}
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	b, err := coding.DecodeString(s[:min(len(s), maxDecoded/4*4)])
	if err != nil {
		return ""
	}
	return string(b)
}

// unescaped is a text in which runs of escapes are the characters that they stand for.
func unescaped(text string) string {
	text = text[:min(len(text), maxDecoded)]
	var b strings.Builder
	for i := 0; i < len(text); {
		if plain := strings.IndexAny(text[i:], `\%&=`); plain != 0 {
			if plain < 0 {
				plain = len(text) - i
			}
			b.WriteString(text[i : i+plain])
			i += plain
			continue
		}
		to, units := i, 0
		var run []byte
		for {
			r, n := escape(text[to:])
			if n == 0 && units > 0 && (text[i] == '%' || text[i] == '=') { // a few letters between
				for n < 24 && to+n < len(text) && (letter(text[to+n]) || text[to+n] == '.' || text[to+n] == '-' || text[to+n] == '_' || text[to+n] == '~') {
					n++
				}
				if _, next := escape(text[to+n:]); n == 0 || next == 0 {
					break
				}
				run = append(run, text[to:to+n]...)
			} else if n == 0 {
				break
			} else if run = appendEscape(run, r, text[to]); n > 0 {
				units++
			}
			to += n
		}
		if units < 4 {
			to = max(to, i+1)
			b.WriteString(text[i:to])
		} else {
			b.Write(run)
		}
		i = to
	}
	return b.String()
}

func appendEscape(run []byte, r rune, sign byte) []byte {
	if sign == '%' || sign == '=' {
		return append(run, byte(r))
	}
	return utf8.AppendRune(run, r)
}

// escape reads one escape at the beginning of a text: \x69, \u0069, %69, &#105; or &#x69;.
func escape(s string) (r rune, n int) {
	if len(s) < 3 || s[0] != '\\' && s[0] != '%' && s[0] != '&' && s[0] != '=' {
		return 0, 0
	}
	base, from, to := 16, 1, 3
	switch {
	case s[0] == '%' || s[0] == '=':
		if !hexDigit(s[1]) || !hexDigit(s[2]) {
			return 0, 0
		}
	case s[0] == '\\' && s[1] == 'x':
		from, to = 2, 4
	case s[0] == '\\' && s[1] == 'u':
		from, to = 2, 6
	case s[0] == '&' && s[1] == '#':
		end := strings.IndexByte(s[:min(len(s), 9)], ';')
		if end < 3 {
			return 0, 0
		}
		base, from, to = 10, 2, end
		if s[2]|0x20 == 'x' {
			base, from = 16, 3
		}
	default:
		return 0, 0
	}
	if to > len(s) {
		return 0, 0
	}
	v, err := strconv.ParseUint(s[from:to], base, 21)
	if err != nil {
		return 0, 0
	}
	if s[0] == '&' {
		to++
	}
	return rune(v), to
}

// draws are the signs between letters that stand apart.
var draws = [256]bool{' ': true, '.': true, '-': true, '_': true}

// leastSpaced is how many single letters in a row are words that somebody drew apart.
const leastSpaced = 24

// unspaced is a text whose letters stand apart ("i g n o r e   a l l") without the blanks
// in between; "" if there is no such part.
func unspaced(text string) string {
	const step = 8
	for at, done := 0, 0; at+2*leastSpaced < len(text); at += step {
		if s := text[at : at+6]; !draws[s[0]] && !draws[s[1]] || (s[0] != s[2] || s[2] != s[4]) && (s[1] != s[3] || s[3] != s[5]) {
			continue
		}
		drawn, end := apart(text, max(done, at-step), at+step)
		if drawn != "" {
			return drawn
		}
		done, at = end, max(at, end-step)
	}
	return ""
}

// apart is the same of what begins between two places; end is how far it looked.
func apart(text string, from, last int) (drawn string, end int) {
	for i := from; i < last && i+2*leastSpaced < len(text); i++ {
		sep := text[i+1]
		if !draws[sep] || !letter(text[i]) || i > 0 && letter(text[i-1]) || text[i+3] != sep {
			continue
		}
		n, to := 0, i
		var b []byte
		for to < len(text) && len(b) < maxDecoded && text[to] > ' ' && (to+1 >= len(text) || text[to+1] == sep || text[to+1] <= ' ') {
			if letter(text[to]) {
				n++
			}
			b = append(b, text[to])
			if to++; to < len(text) && text[to] == sep {
				to++
			}
			blank := to
			for to < len(text) && (text[to] == sep || text[to] == ' ') {
				to++
			}
			if to > blank {
				b = append(b, ' ')
			}
		}
		if n >= leastSpaced {
			return string(b), to
		}
		i, end = max(i, to-1), to
	}
	return "", end
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}
