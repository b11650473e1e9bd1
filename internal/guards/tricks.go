package guards

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
)

// trick is a part of a text that makes a terminal do more than show colours and progress.
type trick struct {
	what string
	at   hook.Span
}

// turns is the sign after which text runs from right to left, whatever its letters are.
const turns = "\u202e"

// maxTricks bounds those that are told of one text.
const maxTricks = 256

// tricks finds sequences for a terminal that change its title, its clipboard or its
// screen, that hide text or have the terminal answer, and signs that turn text around.
func tricks(text string) (out []trick) {
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) && strings.Count(strings.ToValidUTF8(text[:min(len(text), 4096)], "\uFFFD"), "\uFFFD") > 40 {
		return nil // no text
	}
	add := func(what string, from, to int) {
		if len(out) < maxTricks {
			out = append(out, trick{what, hook.Span{From: from, To: to}})
		}
	}
	for at := 0; len(out) < maxTricks; {
		i := strings.Index(text[at:], turns)
		if i < 0 {
			break
		}
		add("signs that turn the text around", at+i, at+i+len(turns))
		at += i + len(turns)
	}
	turned(text, add)
	for at := 0; len(out) < maxTricks; { // the same control sequences, begun by one character
		i := strings.Index(text[at:], "\u009b")
		if i < 0 {
			break
		}
		from := at + i
		at = from + len("\u009b")
		if what, to := control(text, at); what != "" {
			add(what, from, to)
		}
	}
	if strings.IndexByte(text, 0x1b) < 0 && strings.IndexByte(text, '\r') < 0 && strings.IndexByte(text, '\b') < 0 && strings.IndexByte(text, bell) < 0 {
		return sorted(out)
	}
	overwritten(text, add)
	bells(text, add)
	var v invisible
	for i := strings.IndexByte(text, 0x1b); i >= 0 && i < len(text); {
		what, to := sequence(text, i)
		if text[to-1] == 'm' && i+1 < len(text) && text[i+1] == '[' && v.set(text[i+2:to-1]) && words(text, to) {
			what = wayConcealed
		}
		if strings.HasPrefix(text[i:], "\x1b]8;") && leads(text, i, to) {
			what = "a link that leads elsewhere than it says"
		}
		if what != "" {
			add(what, i, to)
		}
		next := strings.IndexByte(text[to:], 0x1b)
		if next < 0 {
			break
		}
		i = to + next
	}
	return sorted(out)
}

func sorted(out []trick) []trick {
	slices.SortStableFunc(out, func(a, b trick) int { return a.at.From - b.at.From })
	return out
}

const (
	wayConcealed = "text that is not shown"
	bell         = 0x07
	maxBells     = 8 // one behind another
)

// bells finds many of them in a row.
func bells(text string, add func(what string, from, to int)) {
	if strings.Count(text, "\a")-strings.Count(text, "\x1b]") >= 4*maxBells {
		for at, last := 0, 0; at < len(text); at++ {
			if text[at] != bell {
				continue
			}
			if !strings.Contains(text[last:at], "\x1b]") { // it ends no title and no link
				add("bells without end", at, at+1)
			}
			last = at
		}
		return
	}
	row := strings.Repeat("\a", maxBells)
	for at := 0; ; {
		i := strings.Index(text[at:], row)
		if i < 0 {
			return
		}
		from := at + i
		for at = from; at < len(text) && text[at] == bell; at++ {
		}
		add("bells without end", from, at)
	}
}

// turned finds signs of direction in lines that have no letter which runs to the left.
func turned(text string, add func(what string, from, to int)) {
	for at := 0; ; {
		i := strings.Index(text[at:], "\u2066"[:2]) // E2 81
		if i < 0 {
			return
		}
		from := at + i
		at = from + 2
		if r, n := utf8.DecodeRuneInString(text[from:]); r >= 0x2066 && r <= 0x2068 {
			line := text[max(0, from-200):min(len(text), from+200)]
			if !strings.ContainsFunc(line, func(r rune) bool { return r >= 0x590 && r < 0x900 || r >= 0xFB1D && r <= 0xFEFC }) {
				add("signs that turn the text around", from, from+n)
			}
		}
	}
}

// leads reports whether the text of a link, behind its sequence, names another host.
func leads(text string, i, to int) bool {
	_, address, _ := strings.Cut(strings.TrimPrefix(text[i:to], "\x1b]8;"), ";")
	address = strings.TrimRight(address, "\x07\x1b\\")
	label := text[to:min(len(text), to+maxErased)]
	if end := strings.Index(label, "\x1b]"); end >= 0 {
		label = label[:end]
	}
	return address != "" && misleads(address, label)
}

// maxSequence is the longest sequence that a terminal would take.
const maxSequence = 4 << 10

// sequence says what an escape sequence does, "" if that is harmless, and where it ends.
func sequence(text string, i int) (what string, to int) {
	if i+1 >= len(text) {
		return "", len(text)
	}
	switch text[i+1] {
	case '[':
		return control(text, i+2)
	case ']':
		to := stringEnd(text, i+2)
		return command(text[i+2 : to]), to
	case 'P', '_', '^', 'X':
		return "a command to the terminal", stringEnd(text, i+2)
	case 'c':
		return "a reset of the terminal", i + 2
	}
	return "", i + 2
}

// stringEnd is where a string for the terminal ends: with BEL or ST.
func stringEnd(text string, from int) int {
	part := text[from:min(len(text), from+maxSequence)]
	if i := strings.IndexAny(part, "\x07\x1b"); i >= 0 {
		if part[i] == 0x1b && i+1 < len(part) {
			return from + i + 2
		}
		return from + i + 1
	}
	return from + len(part)
}

// command says what an operating system command does.
func command(s string) string {
	number, rest, _ := strings.Cut(s, ";")
	switch number {
	case "8": // a link
		_, address, _ := strings.Cut(rest, ";")
		if low := strings.ToLower(address); strings.HasPrefix(low, "javascript:") || strings.HasPrefix(low, "file:") && strings.Contains(low, "..") {
			return "a link that runs something"
		}
		return ""
	case "0", "1", "2", "7", "9", "133", "633", "697", "1337": // titles, folders and marks of shells
		if number == "1337" && !strings.HasPrefix(rest, "CurrentDir") && !strings.HasPrefix(rest, "RemoteHost") && !strings.HasPrefix(rest, "ShellIntegration") && !strings.HasPrefix(rest, "SetMark") {
			return "a command to the terminal"
		}
		if len(rest) > 256 {
			return "a long title of the window"
		}
		if low := strings.ToLower(rest); number != "7" && containsAny(low, []string{"password", "passphrase", "passwort", "mot de passe", "contraseña", "enter your", "type your", "your pin"}) && containsAny(low, []string{"enter", "type", "your", "confirm", "bitte", "sudo", "expired", "required"}) {
			return "a title that asks for a password"
		}
		return ""
	case "52":
		return "a change of the clipboard"
	}
	return "a command to the terminal"
}

// control says what a control sequence does.
func control(text string, from int) (what string, to int) {
	i := from
	for i < len(text) && i-from < 64 && text[i] >= 0x20 && text[i] <= 0x3f {
		i++
	}
	if i >= len(text) {
		return "", len(text)
	}
	arguments := text[from:i]
	to = i + 1
	switch text[i] {
	case 'm':
		if conceals(arguments) {
			return wayConcealed, to
		}
	case 'n', 'c', 'x':
		return "a question that the terminal answers as if it were typed", to
	case 't':
		return "a change of the window", to
	case 'h', 'l':
		switch arguments {
		case "?25", "?7", "?1", "?12", "?2004", "?1049", "?47", "?2026", "20", "4", "?1034", "?1004":
		default:
			return "another mode of the terminal", to
		}
	case 'i', 'p', 'y':
		return "a command to the terminal", to
	}
	return "", to
}

// conceals reports whether the text after these attributes is not shown.
func conceals(arguments string) bool {
	list := strings.Split(arguments, ";")
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case "38", "48", "58": // a colour, and its numbers
			if i+1 < len(list) && list[i+1] == "5" {
				i += 2
			} else if i+1 < len(list) && list[i+1] == "2" {
				i += 4
			}
		case "8":
			return true
		}
	}
	return false
}
