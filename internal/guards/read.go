package guards

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// ways are the ways in which a text gives orders to an agent, as they are told.
const (
	wayAside    = "to set its instructions aside"
	waySecret   = "to act behind the user's back"
	wayAgent    = "addressed to an agent"
	wayRole     = "in the guise of the system"
	wayExfil    = "to send what is private"
	wayHidden   = "where no person sees them"
	wayEncoded  = "encoded"
	wayAsLetter = "in characters that nobody sees"
)

// How far a reading looks back in a line, and around an order for what the text is about.
const (
	maxLine    = 400
	aboutReach = 600
)

// reading is a text in which orders are looked for.
type reading struct {
	text     string
	words    []signal
	clauses  []int    // where they end
	hidden   [][2]int // parts that a person does not see, in order
	turned   bool     // something looks like rot13, or like words backwards
	turnedAt int      // where
	turns    int      // 1: no person speaks in turn with another, 2: one does
	abouts   []int    // where it says that it is about such orders
	data     bool     // it is JSON: what stands in quotes is no quotation
	fences   []int    // where code in Markdown begins and ends
}

func read(text string) *reading {
	r := &reading{text: text}
	all, clauses := stems().find(text)
	r.words, r.clauses = all[:0], clauses
	for _, s := range all {
		switch s.kind {
		case 'H', '<', '/':
			if n := len(r.hidden); n == 0 || r.hidden[n-1][1] <= s.from {
				r.hidden = append(r.hidden, hiddenPart(text, s))
			}
			continue
		case 'X':
			if !r.turned {
				r.turned, r.turnedAt = true, s.from
			}
			continue
		case 'G':
			r.abouts = append(r.abouts, s.from)
		}
		r.words = append(r.words, s)
	}
	start := strings.TrimLeft(text, " \t\r\n")
	r.data = strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[{") || strings.HasPrefix(start, "[\"")
	for at := 0; ; {
		i := strings.Index(text[at:], "```")
		if i < 0 {
			break
		}
		r.fences = append(r.fences, at+i)
		at += i + 3
	}
	return r
}

// line is where the line of a place begins, as far as that is looked for.
func (r *reading) line(at int) int {
	from := max(0, at-maxLine)
	return from + strings.LastIndexByte(r.text[from:at], '\n') + 1
}

// label reports whether the mark of a role is a key or a part of a message, and not the
// beginning of what is said to somebody.
func (r *reading) label(s signal) bool {
	after := r.text[s.to:min(len(r.text), s.to+80)]
	name := r.text[s.from:s.to]
	switch {
	case strings.HasSuffix(name, "]") && strings.HasPrefix(after, "("): // a link
		return true
	case name[0] == '#': // a heading
		rest, _, _ := strings.Cut(after, "\n")
		return strings.Trim(rest, " \t:#*") != "" && !strings.HasPrefix(rest, ":")
	case !strings.HasSuffix(name, ":") || r.isHidden(s):
		return false
	case strings.HasPrefix(after, "\n"):
		return true
	}
	before := r.text[max(r.line(s.from), s.from-24):s.from]
	return strings.ContainsFunc(before, isLetter) && !(r.data && strings.HasSuffix(before, `"`)) &&
		!strings.HasSuffix(before, ". ") && !strings.HasSuffix(before, ", ") && !strings.HasSuffix(before, "! ")
}

func isLetter(r rune) bool { return r >= utf8.RuneSelf || r|0x20 >= 'a' && r|0x20 <= 'z' }

// maxCaption is the length of what stands on a button or in a menu.
const maxCaption = 40

// caption reports whether a word stands in a short text of JSON, as the words of an
// application do.
func (r *reading) caption(s signal) bool {
	if !r.data {
		return false
	}
	start := max(0, s.from-maxCaption)
	from := strings.LastIndexByte(r.text[start:s.from], '"')
	to := strings.IndexAny(r.text[s.to:min(len(r.text), s.to+maxCaption)], "\"\n")
	return from >= 0 && to >= 0 && s.to+to-from-start <= maxCaption && r.text[s.to+to] == '"'
}

func (r *reading) isHidden(s signal) bool {
	i, _ := slices.BinarySearchFunc(r.hidden, s.to, func(h [2]int, to int) int { return h[1] - to })
	return i < len(r.hidden) && s.from >= r.hidden[i][0] && s.to <= r.hidden[i][1]
}

// isAbout reports whether what stands at a place is quoted by a text that is about orders.
func (r *reading) isAbout(at int) bool {
	if len(r.abouts) == 0 || !r.quoted(at) {
		return false
	}
	i, _ := slices.BinarySearch(r.abouts, at-aboutReach)
	return len(r.abouts) >= 3 || i < len(r.abouts) && r.abouts[i] <= at+aboutReach
}

// quoted reports whether a place is in quotes, in code, in a list, a table or a quotation.
func (r *reading) quoted(at int) bool {
	line := r.text[r.line(at):at]
	if n, _ := slices.BinarySearch(r.fences, at); n%2 == 1 {
		return true
	}
	first := strings.TrimLeft(line, " \t")
	if first != "" && strings.IndexByte(">|-*+#$", first[0]) >= 0 || len(first) > 1 && first[0] >= '0' && first[0] <= '9' && strings.ContainsAny(first[:min(3, len(first))], ".)") {
		return true
	}
	if r.data {
		line = strings.ReplaceAll(line, `"`, "")
	}
	for _, q := range []string{`"`, "`", "“", "«", "„", "「", "『", "‘", `\"`} {
		if strings.Count(line, q)%2 == 1 {
			return true
		}
	}
	i := strings.LastIndexByte(line, '\'')
	return i >= 0 && (i == 0 || !letter(line[i-1]))
}

// dialogue reports whether a name with a colon is one of two that speak in turn.
func (r *reading) dialogue(s signal) bool {
	from := max(0, s.from-maxIndent)
	if from += strings.LastIndexByte(r.text[from:s.from], '\n') + 1; from > 0 && r.text[from-1] != '\n' {
		return false // it stands in a line
	}
	if item := strings.TrimLeft(r.text[from:s.from], " \t"); item == "- " || item == "* " {
		return scopes(r.text[max(0, from-200):from], r.text[s.to:min(len(r.text), s.to+200)])
	} else if strings.TrimLeft(item, ">*-[\" ") != "" {
		return false
	}
	if r.turns == 0 {
		r.turns = 1
		if inTurns(r.text) {
			r.turns = 2
		}
	}
	return r.turns == 2
}

// maxIndent is how far a line that begins with a name is indented.
const maxIndent = 32

// people speak in turn with an assistant.
var people = []string{"user", "human", "customer", "kunde", "you", "me", "client", "utilisateur", "usuario", "question", "q"}

// inTurns reports whether a person speaks in a text, as in a record of what was said.
func inTurns(text string) bool {
	for at := 0; at < len(text); {
		line := text[at:]
		colon := strings.IndexByte(line[:min(len(line), 12)], ':')
		if colon > 0 && slices.Contains(people, strings.ToLower(line[:colon])) {
			return true
		}
		next := strings.IndexByte(line, '\n')
		if next < 0 {
			return false
		}
		at += next + 1
	}
	return false
}

// scopes reports whether the item before or behind one in a list begins with a word and a
// colon, too.
func scopes(before, after string) bool {
	lines := strings.Split(strings.TrimRight(before, "\n"), "\n")
	last := lines[len(lines)-1]
	_, next, _ := strings.Cut(after, "\n")
	for _, line := range []string{last, next} {
		item := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(item, "- ") && !strings.HasPrefix(item, "* ") {
			continue
		}
		word, _, ok := strings.Cut(strings.ToLower(item[2:]), ":")
		if ok && len(word) < 20 && !strings.Contains(word, " ") {
			return true
		}
	}
	return false
}

func starts(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}
