package faketui

import (
	"strings"
	"unicode/utf8"
)

// key is one thing that was typed.
type key struct {
	name string // enter, break, backspace, kill, interrupt, end, escape, or empty: text
	text string // what is to be inserted
	// pasted: the text came in brackets. burst: text came right before, in the
	// same read.
	pasted, burst bool
}

// keys makes keys out of what is typed. Sequences that it does not know are
// swallowed: they are keys that do nothing here, or answers of the terminal.
type keys struct {
	rest    []byte // the start of a sequence or of a character
	pasting bool
	pasted  strings.Builder
}

const (
	pasteOn  = "\x1b[200~"
	pasteOff = "\x1b[201~"
)

var controls = map[byte]string{
	'\r': "enter", '\n': "break", 0x7f: "backspace", '\b': "backspace", 0x15: "kill", 0x03: "interrupt", 0x04: "end",
}

// read takes the bytes of one read.
func (k *keys) read(p []byte) []key {
	p = append(k.rest, p...)
	k.rest = nil
	var all []key
	text := strings.Builder{} // plain text, in one key
	flush := func() {
		if text.Len() > 0 {
			all = append(all, key{text: text.String()})
			text.Reset()
		}
	}
	for len(p) > 0 {
		if k.pasting {
			if p = k.paste(p, &all); p == nil {
				return all
			}
			continue
		}
		switch c := p[0]; {
		case c == 0x1b:
			n, whole := sequence(p)
			if !whole {
				flush()
				if len(p) == 1 { // a real one has more bytes in the same read
					return append(all, key{name: "escape"})
				}
				k.rest = p
				return all
			}
			flush()
			k.pasting = string(p[:n]) == pasteOn
			p = p[n:]
		case controls[c] != "":
			burst := text.Len() > 0
			flush()
			all = append(all, key{name: controls[c], burst: burst})
			p = p[1:]
		case c < 0x20:
			p = p[1:]
		case !utf8.FullRune(p):
			k.rest = p
			p = nil
		default:
			_, n := utf8.DecodeRune(p)
			text.Write(p[:n])
			p = p[n:]
		}
	}
	flush()
	return all
}

// paste takes what is in brackets; nil: the brackets do not end here.
func (k *keys) paste(p []byte, all *[]key) []byte {
	in, after, ends := strings.Cut(string(p), pasteOff)
	if !ends {
		keep := 0 // the start of the closing bracket may be there already
		for n := 1; n < len(pasteOff); n++ {
			if strings.HasSuffix(in, pasteOff[:n]) {
				keep = n
			}
		}
		k.pasted.WriteString(in[:len(in)-keep])
		k.rest = []byte(in[len(in)-keep:])
		return nil
	}
	k.pasted.WriteString(in)
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(k.pasted.String())
	*all = append(*all, key{text: text, pasted: true})
	k.pasted.Reset()
	k.pasting = false
	return []byte(after)
}

// sequence is the length of the escape sequence that p starts with.
func sequence(p []byte) (n int, whole bool) {
	if len(p) < 2 {
		return 0, false
	}
	switch p[1] {
	case '[':
		for i := 2; i < len(p); i++ {
			if p[i] >= 0x40 && p[i] <= 0x7e {
				return i + 1, true
			}
		}
		return 0, false
	case ']', 'P', '_', '^': // answers of the terminal
		for i := 2; i < len(p); i++ {
			if p[i] == 0x07 || p[i] == '\\' && p[i-1] == 0x1b {
				return i + 1, true
			}
		}
		return 0, false
	case 'O':
		return min(3, len(p)), len(p) >= 3
	}
	return 2, true
}
