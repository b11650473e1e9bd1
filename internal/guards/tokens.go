package guards

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxStem is how many letters of a word count.
const maxStem = 6

// placeOf says where the weight of a word is, or of two in a row, that have a hash.
type placeOf func(hash uint32, first, second string) (uint32, bool)

// tokens are the words of a clause. Of scripts that leave no blanks two letters in a row
// are a word.
type tokens struct {
	text  string
	place placeOf
	named bool     // place wants the words, too
	at    int      // where the next word is
	words []uint32 // by their place

	before     uint32 // the hash of the word before, 0 if none belongs to the next one
	beforeName string
}

// The hash of Fowler, Noll and Vo.
const (
	hashStart = 2166136261
	hashPrime = 16777619
)

func hashOf(s string) uint32 {
	h := uint32(hashStart)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * hashPrime
	}
	return h
}

// both is the hash of two words, one behind the other.
func both(a, b uint32) uint32 { return (a*31 ^ b) * hashPrime }

// read reads the words up to a place.
func (t *tokens) read(to int) {
	for t.at < to {
		c := t.text[t.at]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			t.word()
			continue
		case c == ':' && strings.HasPrefix(t.text[t.at:], "://"):
			for t.at < len(t.text) && t.text[t.at] > ' ' && strings.IndexByte("\"'`<>|)", t.text[t.at]) < 0 {
				t.at++
			}
			t.add(hashOf("://"), "://")
			continue
		case c < utf8.RuneSelf:
			t.at++
			switch c {
			case ' ', '\n', '\'', '*', '_', ',':
			default:
				t.before = 0
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(t.text[t.at:])
		if ofWord(r) {
			t.word()
			continue
		}
		t.at, t.before = t.at+n, 0
	}
}

// word reads a word.
func (t *tokens) word() {
	h, at := uint32(hashStart), t.at
	for at < len(t.text) {
		c := t.text[at] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		if at-t.at < maxStem {
			h = (h ^ uint32(c)) * hashPrime
		}
		at++
	}
	if at < len(t.text) && (t.text[at] >= utf8.RuneSelf || t.text[at] == '\'') {
		t.anyWord()
		return
	}
	from := t.at
	if t.at = at; at-from > maxWord {
		return
	}
	name := ""
	if t.named {
		name = strings.ToLower(t.text[from:min(at, from+maxStem)])
	}
	t.add(h, name)
}

// maxWord is the longest word, in letters: others are no words.
const maxWord = 24

// anyWord reads a word that may have letters of any script.
func (t *tokens) anyWord() {
	var stem [4 * maxStem]byte
	size, letters, dense, last := 0, 0, false, rune(0)
	for t.at < len(t.text) {
		r, n := rune(t.text[t.at]), 1
		switch {
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			r |= 0x20
		case r == '\'' && letters > 0 && t.at+1 < len(t.text) && letter(t.text[t.at+1]):
		case r < utf8.RuneSelf:
			n = 0
		default:
			r, n = utf8.DecodeRuneInString(t.text[t.at:])
			if r == '’' {
				r = '\''
			} else if !ofWord(r) {
				n = 0
			}
			if r >= 'À' && r <= 'Þ' { // of others seenText has small letters
				r += 'à' - 'À'
			}
		}
		if d := denseScript(r); n == 0 || letters > 0 && d != dense {
			break
		} else if dense = d; dense && letters > 0 {
			t.before = 0
			t.addBytes(utf8.AppendRune(utf8.AppendRune(stem[:0], last), r))
		}
		t.at, last = t.at+n, r
		if letters++; !dense && letters <= maxStem {
			size += utf8.EncodeRune(stem[size:], r)
		}
	}
	switch {
	case dense:
		t.before = 0
	case letters <= maxWord:
		t.addBytes(stem[:size])
	}
}

// ofWord reports whether words have a character: letters, and what is written above them.
func ofWord(r rune) bool {
	switch {
	case r >= 0x4E00 && r < 0xA000, r >= 0xAC00 && r < 0xD7A4, r >= 0x3041 && r < 0x30FB, r >= 0x400 && r < 0x482, r >= 0xC0 && r < 0x250 && r != '×' && r != '÷':
		return true
	case r >= 0x2000 && r < 0x2070, r >= 0x3000 && r < 0x3005: // spaces, quotes and stops
		return false
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

func (t *tokens) addBytes(word []byte) {
	h := uint32(hashStart)
	for _, c := range word {
		h = (h ^ uint32(c)) * hashPrime
	}
	name := ""
	if t.named {
		name = string(word)
	}
	t.add(h, name)
}

// add adds a word by its hash, and beside it the one before together with it.
func (t *tokens) add(h uint32, name string) {
	if at, ok := t.place(h, name, ""); ok {
		t.words = append(t.words, at)
	}
	if t.before != 0 {
		if at, ok := t.place(both(t.before, h), t.beforeName, name); ok {
			t.words = append(t.words, at)
		}
	}
	t.before, t.beforeName = h, name
}

// denseScript reports whether a letter is of a script that leaves no blanks between words.
func denseScript(r rune) bool {
	return r >= 0xE00 && r < 0xE80 || r >= 0x3040 && r < 0xA000 || r >= 0xAC00 && r < 0xD7B0
}
