package guards

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// maxErased is how much of a line is looked at that another text takes the place of.
const maxErased = 512

// overwritten finds lines that a terminal shows for a moment only, and that are no
// progress: a command, a piece of code or a warning, with other words over it.
func overwritten(text string, add func(what string, from, to int)) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\r':
			if next := strings.IndexFunc(text[i:], func(r rune) bool { return r != '\r' }); next < 0 || text[i+next] == '\n' {
				i += max(next, 1) - 1
				continue
			}
			if old := lineBefore(text, i); covers(old, text[i+1:], false) {
				add(wayOverwritten, i, i+1)
			}
		case '\b':
			n := 1
			for i+n < len(text) && text[i+n] == '\b' {
				n++
			}
			if old := lineBefore(text, i); n >= 8 && covers(old[max(0, len(old)-n):], text[i+n:], false) {
				add(wayOverwritten, i, i+n)
			}
			i += n - 1
		case 0x1b:
			up, erases, to := moves(text, i)
			if clears(text, i) && commands(text, i) {
				add(wayOverwritten, i, to)
			}
			if !up && !erases {
				continue
			}
			old := lineBefore(text, i)
			if up { // the line above, and what stands before this on its own
				start := strings.LastIndexByte(text[:i], '\n')
				if old == "" && start > 0 {
					old = lineBefore(text, start)
				}
			}
			if covers(old, text[to:], up) {
				add(wayOverwritten, i, to)
			}
			i = to - 1
		}
	}
}

// clears reports whether a control sequence goes to the first line, or clears the screen.
func clears(text string, i int) bool {
	for _, s := range []string{"\x1b[H", "\x1b[1;1H", "\x1b[J", "\x1b[0J", "\x1b[2J", "\x1b[3J"} {
		if strings.HasPrefix(text[i:], s) {
			return true
		}
	}
	return false
}

// commands reports whether one that does harm stands in the last line before a place.
func commands(text string, i int) bool {
	line := lineBefore(text, len(strings.TrimRight(text[max(0, i-maxErased):i], " \r\n"))+max(0, i-maxErased))
	return commanded(line)
}

// commanded reports whether a command that does harm stands in a text.
func commanded(text string) bool {
	found, _ := stems().find(text)
	return slices.ContainsFunc(found, func(s signal) bool { return s.kind == 'C' })
}

const wayOverwritten = "text that is written over"

// lineBefore is what stands on the line before a place.
func lineBefore(text string, at int) string {
	part := text[max(0, at-maxErased):at]
	if i := strings.LastIndexAny(part, "\n\r"); i >= 0 {
		part = part[i+1:]
	}
	return part
}

// moves reports whether a control sequence goes up, or erases a line or the screen.
func moves(text string, i int) (up, erases bool, to int) {
	if i+2 >= len(text) || text[i+1] != '[' {
		return false, false, i + 1
	}
	to = i + 2
	for to < len(text) && to-i < 16 && (text[to] >= '0' && text[to] <= '9' || text[to] == ';') {
		to++
	}
	if to >= len(text) {
		return false, false, to
	}
	arguments := text[i+2 : to]
	switch text[to] {
	case 'A', 'F':
		up = true
	case 'K':
		erases = arguments == "1" || arguments == "2"
	case 'J':
		erases = arguments == "2" || arguments == "1"
	case 'G', 'D':
		erases = text[to] == 'G' || len(arguments) > 0
	}
	return up, erases, to + 1
}

// covers reports whether a text is one that somebody would hide under another.
func covers(old, next string, up bool) bool {
	old = strings.TrimSpace(uncoloured(old))
	if len(old) < 6 || progress(old) {
		return false
	}
	next = next[:min(len(next), maxErased)]
	if end := strings.IndexByte(next, '\n'); end >= 0 && !up {
		next = next[:end]
	}
	next = strings.TrimSpace(uncoloured(next))
	if next == "" || strings.HasPrefix(next, old[:min(len(old), 12)]) {
		return false
	}
	low := strings.ToLower(old)
	if commanded(low) {
		return true
	}
	return starts(strings.TrimLeft(low, "+-$#> \t"), coded) || containsAny(low, within)
}

var (
	coded  = []string{"curl ", "wget ", "rm -", "sudo ", "ssh ", "eval ", "exec ", "import os", "import sub", "os.system", "if (", "if user", "return ", "chmod ", "chown ", "nc ", "git push", "git remote", "bash ", "sh ", "powershell ", "iex "}
	within = []string{"| sh", "|sh", "| bash", "|bash", " == ", " != ", " && ", "os.system(", "exec(", "eval(", "return true", "backdoor", "malicious", "malware", "infected", "unsigned", "invalid signature", "bad signature", "suspicious", "untrusted", "; rm ", "/etc/passwd", "~/.ssh", ".env ", "secret", "password"}
)

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// progress reports whether a line counts: per cent, bytes, one of many, a clock, a bar.
func progress(s string) bool {
	if containsAny(s, []string{"%", " MB", " KB", " kB", " GB", "MiB", "KiB", "/s", "ETA", "█", "...", "…", "===>", "###", "[=", "░", "▏"}) {
		return true
	}
	for i := 1; i+1 < len(s); i++ {
		if s[i] == '/' && s[i-1] >= '0' && s[i-1] <= '9' && s[i+1] >= '0' && s[i+1] <= '9' {
			return true
		}
	}
	first := []rune(s)[0]
	return first >= 0x2800 && first <= 0x28FF
}

// uncoloured is a text without control sequences.
func uncoloured(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			i++
			continue
		}
		_, i = sequence(s, i)
	}
	return b.String()
}

// invisible finds text in the colour of what is behind it.
type invisible struct{ fore, back string }

// set takes the attributes of one sequence, and reports whether text is not seen from here.
func (v *invisible) set(arguments string) bool {
	list := strings.FieldsFunc(arguments, func(r rune) bool { return r == ';' || r == ':' })
	if len(list) == 0 {
		v.fore, v.back = "", ""
	}
	for i := 0; i < len(list); i++ {
		n, err := strconv.Atoi(list[i])
		if err != nil {
			return false
		}
		switch {
		case n == 0:
			v.fore, v.back = "", ""
		case n >= 30 && n <= 37:
			v.fore = palette(n - 30)
		case n >= 90 && n <= 97:
			v.fore = palette(n - 90 + 8)
		case n >= 40 && n <= 47:
			v.back = palette(n - 40)
		case n >= 100 && n <= 107:
			v.back = palette(n - 100 + 8)
		case n == 39:
			v.fore = ""
		case n == 49:
			v.back = ""
		case n == 38 || n == 48 || n == 58:
			colour := ""
			if i+2 < len(list) && list[i+1] == "5" {
				if c, err := strconv.Atoi(list[i+2]); err == nil {
					colour = palette(c)
				}
				i += 2
			} else if i+4 < len(list) && list[i+1] == "2" {
				colour = strings.Join(list[i+2:i+5], ",")
				i += 4
			}
			if n == 38 {
				v.fore = colour
			} else if n == 48 {
				v.back = colour
			}
		}
	}
	return v.fore != "" && v.fore == v.back
}

// palette is a colour of the 256 as red, green and blue, as far as equal ones have to be
// told: black and white stand there more than once.
func palette(n int) string {
	switch {
	case n == 0 || n == 16:
		return "0,0,0"
	case n == 15 || n == 231:
		return "255,255,255"
	case n >= 17 && n <= 230:
		level := func(l int) string { return strconv.Itoa([]int{0, 95, 135, 175, 215, 255}[l]) }
		n -= 16
		return level(n/36) + "," + level(n/6%6) + "," + level(n%6)
	case n >= 232 && n <= 255:
		l := strconv.Itoa(8 + 10*(n-232))
		return l + "," + l + "," + l
	}
	return "#" + strconv.Itoa(n)
}

// words reports whether letters follow before the next sequence.
func words(text string, from int) bool {
	part := text[from:min(len(text), from+256)]
	if i := strings.IndexByte(part, 0x1b); i >= 0 {
		part = part[:i]
	}
	letters := 0
	for _, r := range part {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 3
}

// misleads reports whether the text of a link is an address on another host than it leads to.
func misleads(address, label string) bool {
	target, err := url.Parse(address)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		return false
	}
	label = strings.TrimSpace(uncoloured(label))
	rest, isURL := strings.CutPrefix(label, "https://")
	if !isURL {
		rest, isURL = strings.CutPrefix(label, "http://")
	}
	host := rest
	if i := strings.IndexAny(host, "/?#: "); i >= 0 {
		host = host[:i]
	}
	host = strings.ToLower(strings.TrimRight(host, ".,)"))
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if !strings.Contains(host, ".") || strings.ContainsAny(host, "…*") || !isURL && !(known(host) && !strings.ContainsAny(rest, " ")) {
		return false
	}
	aim := strings.ToLower(target.Hostname())
	return host != aim && !strings.HasSuffix(aim, "."+strings.TrimPrefix(host, "www.")) && !strings.HasSuffix(host, "."+strings.TrimPrefix(aim, "www.")) && strings.TrimPrefix(host, "www.") != strings.TrimPrefix(aim, "www.")
}

// known reports whether a name without a scheme ends as hosts do, and not as files do.
func known(host string) bool {
	end := host[strings.LastIndexByte(host, '.')+1:]
	switch end {
	case "com", "org", "net", "io", "dev", "edu", "gov", "app", "ai", "de", "uk", "eu", "fr", "example":
		return strings.Count(host, ".") >= 1 && !strings.ContainsAny(host, "_")
	}
	return false
}
