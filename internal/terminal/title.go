package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// titleBytes bounds how long a title of a program is to be kept.
const titleBytes = 512

// titles knows the title that a program has set last, with OSC 0 or 2.
type titles struct {
	own     string // as it stood in the sequence: "0;title"; "" is none, or one too long
	set     int    // how often
	reading bool   // in an OSC
	text    [titleBytes]byte
	length  int // of the OSC so far
}

// begin is the beginning of a string sequence.
func (t *titles) begin(osc bool) { t.reading, t.length = osc, 0 }

// add takes a part of it.
func (t *titles) add(p []byte) {
	if t.reading && t.length < titleBytes {
		copy(t.text[t.length:], p)
	}
	t.length += len(p)
}

// end is its end; whole tells whether it was not broken off.
func (t *titles) end(whole bool) {
	n := t.length
	if t.reading && whole && n >= 2 && (t.text[0] == '0' || t.text[0] == '2') && t.text[1] == ';' {
		t.own = ""
		if n <= titleBytes {
			t.own = strings.Map(func(r rune) rune {
				if unicode.IsControl(r) {
					return -1
				}
				return r
			}, string(t.text[:n]))
		}
		t.set++
	}
	t.reading = false
}

// standing tells what the program's own title is, how often it was set, and whether the
// program is between two sequences.
func (s *screenModes) standing() (own string, set int, between bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now.title.own, s.now.title.set, s.now.state == modeText
}

// halved reports whether the last bytes of an output are the beginning of a character.
func halved(tail []byte) bool {
	for i := 1; i <= min(len(tail), utf8.UTFMax-1); i++ {
		if b := tail[len(tail)-i:]; utf8.RuneStart(b[0]) {
			return !utf8.FullRune(b)
		}
	}
	return false
}
