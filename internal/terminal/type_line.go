package terminal

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	lineMost   = 64 << 10 // bytes that are remembered of an unfinished line
	escapeMost = 4 << 10  // bytes of an escape sequence among the keys

	esc = 0x1b
)

// UserLine is what the keys of the user tell about the line they are typing.
// The screen may know better: a program may take keys as commands.
type UserLine struct {
	Text string // what stands unfinished
	// Unsure says that keys were pressed whose effect only the program knows,
	// such as those for its history or for completion.
	Unsure bool
	// After is what of Text stands right of the cursor.
	After string
	// Pending says that a key may still have a say in what the next ones mean:
	// Escape, one that quotes, one that begins a search. It is unsure, too.
	Pending bool
}

// Begun reports whether the user may be in the middle of a line.
func (l UserLine) Begun() bool { return l.Text != "" || l.Unsure }

// keyLine follows the line that keys edit, as a terminal that collects lines
// does, and as line editors do. What terminals send that is not a key, such as
// the mouse or the answer to a question of the program, leaves it alone.
type keyLine struct {
	text    []byte
	at      int    // where the cursor is in text
	unsure  bool   // see UserLine
	mode    byte   // the key that changed what others mean, until the line ends
	quoted  bool   // the next character is text, whichever it is
	changed bool   // there was such a key in this line
	rest    []byte // a key that is not there as a whole
	pasting bool
}

// typedKey is the effect of one key.
type typedKey int

const (
	keyNone   typedKey = iota // it is not a key
	keyEdit                   // the line may have changed
	keyFinish                 // the line has been sent off
	keyGiveUp                 // the line is gone
)

// feed takes what the user typed. It returns the lines that Enter has finished
// and are known, how many lines have ended, and whether there was a key at all.
func (l *keyLine) feed(p []byte, canonical bool) (finished []string, ended int, any bool) {
	p = append(l.rest, p...)
	l.rest = nil
	for len(p) > 0 {
		n, key := l.next(p, canonical)
		if n == 0 { // the rest of it is to come
			if len(p) <= escapeMost {
				l.rest = bytes.Clone(p)
			}
			return finished, ended, true
		}
		p = p[n:]
		any = any || key != keyNone
		if key == keyFinish && !l.unsure {
			finished = append(finished, string(l.text))
		}
		if key == keyFinish || key == keyGiveUp {
			ended++
			// Enter may just take what a search has found into the line, and Ctrl-C
			// leave a key that waits for another: only the screen knows.
			l.unsure = key == keyFinish && l.searching() || key == keyGiveUp && l.changed
			l.text, l.at, l.quoted, l.mode, l.changed = l.text[:0], 0, false, 0, false
		}
	}
	return finished, ended, any
}

// line is what there is of the line. A lone escape is a key too.
func (l *keyLine) line() UserLine {
	return UserLine{
		Text: string(l.text), After: string(l.text[l.at:]), Unsure: l.unsure || len(l.rest) > 0,
		Pending: l.mode != 0 || l.quoted || len(l.rest) > 0 && l.rest[0] == esc,
	}
}

// searching reports whether keys go to a search in the history.
func (l *keyLine) searching() bool { return l.mode == 0x12 || l.mode == 0x13 }

// changes says that a key changes what the next ones mean.
func (l *keyLine) changes(mode byte) { l.unsure, l.changed, l.mode = true, true, mode }

// next takes one key and returns its length, 0 if it is not there as a whole.
func (l *keyLine) next(p []byte, canonical bool) (n int, key typedKey) {
	switch c := p[0]; {
	case l.quoted && !l.pasting:
		n, key = l.rune(p)
		l.quoted = n == 0
		return n, key
	case c == esc:
		return l.escape(p)
	case l.pasting:
		return l.rune(p)
	case c < 0x20 || c == 0x7f:
		return 1, l.control(c, canonical)
	}
	return l.rune(p)
}

// rune inserts a character. Bytes that are none count as one each.
func (l *keyLine) rune(p []byte) (n int, key typedKey) {
	if !utf8.FullRune(p) {
		return 0, keyNone
	}
	r, n := utf8.DecodeRune(p)
	if r == '\r' {
		r = '\n'
	}
	l.insert(r)
	return n, keyEdit
}

func (l *keyLine) insert(r rune) {
	if len(l.text) >= lineMost {
		l.unsure = true
		return
	}
	if l.at == len(l.text) {
		l.text = utf8.AppendRune(l.text, r)
		l.at = len(l.text)
		return
	}
	l.text = slices.Insert(l.text, l.at, []byte(string(r))...)
	l.at += utf8.RuneLen(r)
}

// control is a control character outside a paste.
func (l *keyLine) control(c byte, canonical bool) typedKey {
	switch c {
	case '\r', '\n':
		return keyFinish
	case 0x03: // ^C
		return keyGiveUp
	case 0x1a, 0x1c: // ^Z ^\ make a terminal forget what it has collected; a shell keeps it
		if canonical {
			return keyGiveUp
		}
		l.unsure = true
	case 0x04: // ^D hands over what a terminal has collected; line editors go on
		if canonical {
			return keyGiveUp
		}
	case '\b', 0x7f:
		l.cut(l.before(), l.at)
	case 0x15: // ^U
		l.cut(0, l.at)
	case 0x17: // ^W
		word := bytes.TrimRight(l.text[:l.at], " ")
		l.cut(bytes.LastIndexByte(word, ' ')+1, l.at)
	case 0x0b: // ^K
		l.cut(l.at, len(l.text))
	case 0x01: // ^A
		l.at = 0
	case 0x05: // ^E
		l.at = len(l.text)
	case 0x02: // ^B
		l.at = l.before()
	case 0x06: // ^F
		l.at = l.after()
	case 0x0c: // ^L
	case 0x16, 0x11: // ^V ^Q
		l.unsure, l.changed, l.quoted = true, true, c == 0x16 || !canonical
	case 0x12, 0x13, 0x18, 0x1d: // ^R ^S search, ^X and ^] want another key
		l.changes(c)
	case 0x07: // ^G ends such a thing, but no mode of commands
		if l.unsure = true; l.mode != esc {
			l.mode = 0
		}
	default:
		l.unsure = true
	}
	return keyEdit
}

func (l *keyLine) cut(from, to int) {
	l.text = slices.Delete(l.text, from, to)
	l.at = from
}

func (l *keyLine) before() int {
	_, n := utf8.DecodeLastRune(l.text[:l.at])
	return l.at - n
}

func (l *keyLine) after() int {
	_, n := utf8.DecodeRune(l.text[l.at:])
	return l.at + n
}

// escape takes an escape sequence: keys that are not characters, the mouse, the
// focus, and answers to what the program has asked the terminal.
func (l *keyLine) escape(p []byte) (n int, key typedKey) {
	if len(p) == 1 {
		return 0, keyNone
	}
	switch p[1] {
	case '[':
		return l.sequence(p)
	case 'O':
		if len(p) == 2 {
			return 0, keyNone
		}
		return 3, l.special(p[2], "")
	case ']', 'P', '_', '^', 'X':
		return stringLen(p), keyNone
	case '\r', '\n':
		l.insert('\n')
		l.changes(esc) // a shell may have another mode for it
		return 2, keyEdit
	}
	l.changes(esc) // Escape, or a key together with Alt
	if p[1] == 0x1b {
		return 1, keyEdit
	}
	return 2, keyEdit
}

// stringLen is the length of a string sequence with its end, 0 if that is
// missing.
func stringLen(p []byte) int {
	for i := 2; i < len(p); i++ {
		switch {
		case p[i] == 0x07:
			return i + 1
		case p[i] == 0x1b && i+1 < len(p):
			return i + 2
		}
	}
	if len(p) > escapeMost {
		return len(p)
	}
	return 0
}

// sequence takes ESC [ parameters final.
func (l *keyLine) sequence(p []byte) (n int, key typedKey) {
	for i := 2; i < len(p); i++ {
		switch c := p[i]; {
		case c >= 0x40 && c <= 0x7e:
			if c == 'M' && i == 2 { // the mouse in its oldest form
				if len(p) < 6 {
					return 0, keyNone
				}
				return 6, keyNone
			}
			return i + 1, l.special(c, string(p[2:i]))
		case c < 0x20 || c > 0x7e || i > 64:
			return i, keyNone // it is broken off
		}
	}
	return 0, keyNone
}

// special is a key that is sent as a sequence, or no key.
func (l *keyLine) special(final byte, params string) typedKey {
	if strings.ContainsAny(params, "<=>?$") || strings.HasSuffix(params, ":3") {
		return keyNone // an answer, the mouse, or a key that was released
	}
	switch final {
	case 'I', 'O', 'R', 'c', 'n', 't', 'y', 'x': // focus and answers
		return keyNone
	case 'C', 'D', 'H', 'F':
		l.move(final, params)
	case 'M': // Enter of the number pad
		return keyFinish
	case '~':
		return l.tilde(params)
	case 'u':
		code, modifiers, _ := strings.Cut(params, ";")
		return l.coded(code, modifiers)
	default:
		l.unsure = true
	}
	return keyEdit
}

func (l *keyLine) move(final byte, params string) {
	switch {
	case params != "" && params != "1":
		l.unsure = true // by words, or further
	case final == 'C':
		l.at = l.after()
	case final == 'D':
		l.at = l.before()
	case final == 'H':
		l.at = 0
	default:
		l.at = len(l.text)
	}
}

func (l *keyLine) tilde(params string) typedKey {
	switch params {
	case "200", "201":
		l.pasting = params == "200"
	case "1", "7":
		l.at = 0
	case "4", "8":
		l.at = len(l.text)
	case "3":
		l.cut(l.at, l.after())
	case "5", "6": // pages
	default:
		if rest, ok := strings.CutPrefix(params, "27;"); ok {
			modifiers, code, _ := strings.Cut(rest, ";")
			return l.coded(code, modifiers)
		}
		l.unsure = true
	}
	return keyEdit
}

// coded is a key that is sent by its code point and modifiers, as terminals
// with a protocol for that do.
func (l *keyLine) coded(code, modifiers string) typedKey {
	code, _, _ = strings.Cut(code, ":")
	modifiers, _, _ = strings.Cut(modifiers, ";")
	modifiers, _, _ = strings.Cut(modifiers, ":")
	r, err := strconv.Atoi(code)
	if err != nil {
		return keyNone
	}
	plain := modifiers == "" || modifiers == "1"
	switch {
	case r == '\r' && plain:
		return keyFinish
	case r == '\r':
		l.insert('\n')
	case r == 0x7f && plain:
		l.cut(l.before(), l.at)
	case modifiers == "5" && r >= 'a' && r <= 'z':
		return l.control(byte(r)&0x1f, false)
	case (plain || modifiers == "2") && r >= 0x20 && r < 0xe000:
		l.insert(rune(r))
	default:
		l.unsure = true
	}
	return keyEdit
}
