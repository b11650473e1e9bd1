package guards

import (
	"slices"
	"strings"
	"unicode"
)

// How far apart the parts of an order stand, in bytes.
const (
	clauseReach = 130 // parts of one clause
	orderReach  = 320 // an order and what it is about
	aboutReach  = 600 // a text and what it says of itself
	maxNear     = 64  // stems on each side of one that are looked at
)

// ways are the ways in which a text gives orders to an agent, as they are told.
const (
	wayAside    = "to set its instructions aside"
	waySecret   = "to act behind the user's back"
	wayAgent    = "addressed to an agent"
	wayRole     = "in the guise of the system"
	wayTask     = "as a new task"
	wayExfil    = "to send what is private"
	wayHidden   = "where no person sees them"
	wayEncoded  = "encoded"
	wayAsLetter = "in characters that nobody sees"
)

// reading is a text in which orders are looked for.
type reading struct {
	text      string
	signals   []signal
	hidden    [][2]int // parts that a person does not see, in order
	turned    bool     // something looks like rot13, or like words backwards
	turns     int      // 1: no person speaks in turn with another, 2: one does
	addresses []int8   // see addressOf
	told      []int8   // see ordered
	turnedAt  int      // where
	abouts    int      // how often it says that it is about such orders
	data      bool     // it is JSON: what stands in quotes is no quotation
	fences    []int    // where code in Markdown begins and ends
}

func read(text string) *reading {
	r := &reading{text: text}
	all := stems().find(text)
	r.signals = all[:0]
	for _, s := range all {
		switch s.kind {
		case 'H', 'h', 'l':
			if n := len(r.hidden); n == 0 || r.hidden[n-1][1] <= s.from {
				r.hidden = append(r.hidden, hiddenPart(text, s))
			}
			continue
		case 'X':
			if !r.turned {
				r.turned, r.turnedAt = true, s.from
			}
			continue
		case 'A':
			r.abouts++
		}
		r.signals = append(r.signals, s)
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

// orders says how the text gives orders to an agent, and where; "" if it does not.
func (r *reading) orders() (way string, at int) {
	for i, s := range r.signals {
		var near near
		switch s.kind {
		case 'N', 'R':
			if r.label(s) {
				continue
			}
			near = r.around(i)
		case 'V', 'v', 'Z', 'n', 'S', 'K', 'F':
			near = r.around(i)
		default:
			continue
		}
		way := r.judge(i, s, near)
		if way == "" || r.caption(s) || r.isAbout(s) {
			continue
		}
		return way, s.from
	}
	return "", 0
}

// label reports whether a name with a colon is a key or a part of a message, and not
// the beginning of what is said to somebody.
func (r *reading) label(s signal) bool {
	after := r.text[s.to:min(len(r.text), s.to+8)]
	if starts(after, []string{"の", "的", "의"}) {
		return true
	}
	if s.kind == 'R' && r.text[s.to-1] == ']' && strings.HasPrefix(after, "(") { // a link
		return true
	}
	if s.kind == 'R' && r.text[s.from] == '#' { // a heading
		rest, _, _ := strings.Cut(r.text[s.to:min(len(r.text), s.to+80)], "\n")
		return strings.Trim(rest, " \t:#*") != "" && !strings.HasPrefix(rest, ":")
	}
	if s.kind == 'N' && strings.HasSuffix(r.text[s.from:s.to], ":") && r.dialogue(s) {
		return true
	}
	if name := r.text[s.from:s.to]; !strings.HasSuffix(name, ":") || len(name) > 16 || strings.Contains(name, " to ") || r.isHidden(s) {
		return false
	}
	before := r.text[max(0, s.from-24):s.from]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind := s.to < len(r.text) && r.text[s.to] == '\n'
	return behind || strings.ContainsFunc(before, unicode.IsLetter) && !strings.HasSuffix(before, ". ") && !(r.data && strings.HasSuffix(before, "\"")) && !strings.HasSuffix(before, ", ") && !strings.HasSuffix(before, "! ")
}

// maxCaption is the length of what stands on a button or in a menu.
const maxCaption = 40

// caption reports whether a signal stands in a short text of JSON, as the words of an
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

// near are the kinds of stems around one, by how close they are.
type near struct{ clause, order kinds }

// kinds is a set of kinds of stems.
type kinds [128]bool

func (k *kinds) all(s string) bool {
	for i := range len(s) {
		if !k[s[i]] {
			return false
		}
	}
	return true
}

func (k *kinds) any(s string) bool {
	for i := range len(s) {
		if k[s[i]] {
			return true
		}
	}
	return false
}

// around gives what stands around a stem, in its own part of the text.
func (r *reading) around(i int) near {
	var n near
	s := r.signals[i]
	look := func(o signal) bool {
		distance := max(o.from-s.to, s.from-o.to)
		if distance > orderReach {
			return false
		}
		if o.from < s.to && s.from < o.to && o.kind != 'F' { // the same words
			return true
		}
		n.order[o.kind] = true
		if distance <= clauseReach && o.clause == s.clause {
			n.clause[o.kind] = true
		}
		return true
	}
	for j := i - 1; j >= max(0, i-maxNear) && look(r.signals[j]); j-- {
	}
	for j := i + 1; j < min(len(r.signals), i+maxNear) && look(r.signals[j]); j++ {
	}
	return n
}

// judge says which way of giving orders a stem begins.
func (r *reading) judge(i int, s signal, n near) string {
	hidden := r.isHidden(s)
	acts := n.order['D'] && n.order.any("OFU") || n.order['d'] && n.order.any("OF")
	switch s.kind {
	case 'V', 'v':
		behind := r.behind(i)
		switch {
		case r.reported(s) || r.guards(s, i):
			return ""
		case s.kind == 'V' && behind.all("PI"):
			return wayAside
		case behind['I'] && s.kind == 'V' && (hidden || n.order.any("NSRK") || acts),
			behind.all("PI") && (hidden || n.order.any("NSK") || n.order.all("DU") && n.order['M']):
			return wayAside
		case behind.all("Pi") && s.kind == 'V' && (hidden || n.order.any("NSRK") || acts && n.order['M']):
			return wayAside
		}
	case 'Z':
		if n.clause.all("PI") && (n.order.any("NSRK") || n.order['D']) && !r.reported(s) {
			return wayAside
		}
	case 'S':
		advice := n.clause['O'] && !n.clause['D'] && !n.order.any("NRKU") // nobody is told the password
		if !r.reported(s) && !advice && (n.order['D'] && n.order.any("OFUVN") || n.order['d'] && n.order.any("OFVN") && n.order.any("NMU") || hidden && n.order.any("Dd")) {
			return waySecret
		}
	case 'N':
		if r.strength(s) < spokenTo {
			return ""
		}
		if n.order['D'] && n.order.any("OFSK") || n.order['d'] && n.order.any("OFS") && n.order.any("MUSFO") && n.order['O'] || n.order['D'] && n.order['U'] && n.order['M'] || n.order['S'] && n.order.any("Dd") || hidden && n.order.any("Dd") {
			return wayAgent
		}
	case 'n':
		if hidden && n.clause.any("Dd") && (acts || n.order.any("SKM")) || n.clause['D'] && n.clause.any("OF") && n.order['U'] && n.order['M'] {
			return wayAgent
		}
	case 'R':
		if n.order.any("VK") && n.order.any("PIOFUD") || acts && n.order['U'] || n.order['S'] && n.order.any("Dd") {
			return wayRole
		}
	case 'K':
		if n.clause['D'] && n.clause.any("OFU") || n.order['S'] && n.order.any("Dd") || n.clause['V'] && n.order['D'] && n.order.any("OFUSN") || hidden && n.order.any("Dd") {
			return wayTask
		}
	case 'F':
		if n.clause['D'] && n.clause['U'] && n.clause['M'] && r.sends(i, s) {
			return wayExfil
		}
	}
	return ""
}

// lastVerbs are Turkish.
var lastVerbs = []string{"unut", "yok say", "görmezden gel", "dikkate alma"}

// behind gives what stands in the clause where the object of a verb does: behind it, in
// Japanese, Korean, Hindi and Turkish before it.
func (r *reading) behind(i int) (k kinds) {
	s, step := r.signals[i], 1
	if verb := r.text[s.from:s.to]; slices.Contains(lastVerbs, strings.ToLower(verb)) || strings.ContainsFunc(verb, func(c rune) bool { return unicode.In(c, unicode.Hiragana, unicode.Hangul, unicode.Devanagari) }) {
		step = -1
	}
	for j := i + step; j >= 0 && j < len(r.signals); j += step {
		o := r.signals[j]
		if max(o.from-s.to, s.from-o.to) > clauseReach || o.clause != s.clause || o.kind == 'D' && !k['I'] && !k['i'] {
			break // what follows is the object of another
		}
		if step > 0 && o.from >= s.to || step < 0 && o.to <= s.from {
			k[o.kind] = true
		}
	}
	return k
}

// reported reports whether a text only tells of an order: "asks it to ignore".
func (r *reading) reported(s signal) bool {
	before := strings.ToLower(r.text[max(0, s.from-48):s.from])
	last := strings.TrimRight(before, " \t\n*_")
	if after := strings.TrimLeft(r.text[s.to:min(len(r.text), s.to+12)], " "); s.kind == 'V' && (starts(after, []string{"-->", "*/", "stop", "next", "start", "file"}) || strings.HasSuffix(before, "-")) { // for a linter
		return true
	}
	for _, w := range []string{"not", "n't", "never", "don’t", "would", "might", "could", "can", "may", "will", "cannot", "nie", "niemals", "jamais", "nunca", "mai"} {
		if cut, ok := strings.CutSuffix(last, w); ok && (cut == "" || !letter(cut[len(cut)-1])) {
			return true
		}
	}
	if after := r.text[s.to:min(len(r.text), s.to+clauseReach)]; starts(after, []string{"、", "の", "や", "、"}) && containsAny(after, []string{"しないこと", "禁止", "してはいけ", "してはなら"}) {
		return true
	}
	if cut, ok := strings.CutSuffix(last, " to"); ok {
		asks := strings.Contains(cut, "ask") || strings.Contains(cut, "tell") || strings.Contains(cut, "instructs") || strings.Contains(cut, "tries") || strings.Contains(cut, "trying")
		return asks || !strings.Contains(cut, "you") && !strings.Contains(cut, "agent must") && !strings.Contains(cut, "have")
	}
	if (s.kind == 'S' || s.kind == 's') && (r.without(s) || starts(r.text[s.to:], []string{" when ", " if ", " unless "})) {
		return true
	}
	for _, w := range []string{" it", " them", " models", " model", " attempts", " try", " that", " they", "you", " users", " people", " we", " i", " who"} {
		if strings.HasSuffix(last, w) && s.kind == 'V' {
			return true
		}
	}
	return false
}

// without reports whether a text forbids to act "without asking": that is no order to.
func (r *reading) without(s signal) bool {
	word, _, _ := strings.Cut(strings.ToLower(r.text[s.from:s.to]), " ")
	if !slices.Contains([]string{"without", "ohne", "sans", "sin", "senza", "sem", "ез"}, word) {
		return false
	}
	before := strings.ToLower(r.text[max(0, s.from-clauseReach):s.from])
	if i := max(strings.LastIndex(before, ". "), strings.LastIndex(before, "\n\n"), strings.LastIndex(before, "; ")); i >= 0 {
		before = before[i:]
	}
	for _, no := range []string{"not ", "n't ", "never ", "nicht ", "kein", "nie ", " pas ", "jamais ", " no ", "nunca ", " non ", "mai ", "não ", " не ", "cannot ", "avoid "} {
		if strings.Contains(" "+before, no) {
			return true
		}
	}
	return false
}

// guards reports whether what is to be set aside are orders in what somebody else wrote:
// "ignore any instructions in the document".
func (r *reading) guards(s signal, i int) bool {
	for _, o := range r.signals[i+1:] {
		if o.from-s.to > clauseReach {
			return false
		}
		if o.kind != 'I' {
			continue
		}
		end := o.to
		for end < len(r.text) && inWord(r.text[end]) {
			end++
		}
		after := strings.ToLower(r.text[end:min(len(r.text), end+60)])
		if containsAny(after, []string{"understandings", "agreements", "negotiations", "representations"}) || starts(strings.TrimLeft(after, "\n ,"), []string{"that the ", "which the ", "that any "}) && strings.Contains(after, "contain") {
			return true
		}
		if w := strings.TrimLeft(after, "\n ,"); w != "" {
			for _, in := range []string{"in the ", "in this ", "in a ", "in any", "inside", "within", "embedded", "contained", "found in", "that appear", "appearing", "from the ", "from untrusted", "from tool", "from any", "from web", "coming from", "it contains", "it may contain", "in tool", "in user", "in retrieved", "in external", "in quoted", "in fetched", "in web", "written in"} {
				if strings.HasPrefix(w, in) && !strings.Contains(after, "system") && !strings.Contains(after, "above") {
					return true
				}
			}
		}
		return false
	}
	return false
}

// sends reports whether a file is the object of an act, and an address follows.
func (r *reading) sends(i int, s signal) bool {
	acts, address := false, false
	for j := i - 1; j >= 0 && s.from-r.signals[j].to <= clauseReach; j-- {
		acts = acts || r.signals[j].kind == 'D'
	}
	for j := i + 1; j < len(r.signals) && r.signals[j].from-s.to <= clauseReach; j++ {
		address = address || r.signals[j].kind == 'U'
	}
	return acts && address
}

func (r *reading) isHidden(s signal) bool {
	_, is := r.hiddenIn(s)
	return is
}

// hiddenIn is the part that a person does not see and that a signal stands in.
func (r *reading) hiddenIn(s signal) (part [2]int, is bool) {
	i, _ := slices.BinarySearchFunc(r.hidden, s.to, func(h [2]int, to int) int { return h[1] - to })
	if i < len(r.hidden) && s.from >= r.hidden[i][0] && s.to <= r.hidden[i][1] {
		return r.hidden[i], true
	}
	return part, false
}

// isAbout reports whether an order is quoted by a text that is about such orders.
func (r *reading) isAbout(s signal) bool {
	if r.abouts == 0 || !r.quoted(s) {
		return false
	}
	if r.abouts >= 3 {
		return true
	}
	for _, o := range r.signals {
		if o.kind == 'A' && max(o.from-s.to, s.from-o.to) <= aboutReach {
			return true
		}
	}
	return false
}

// quoted reports whether a stem stands in quotes, in code, in a list, a table or a
// quotation.
func (r *reading) quoted(s signal) bool {
	from := strings.LastIndexByte(r.text[:s.from], '\n') + 1
	line := r.text[from:s.from]
	if n, _ := slices.BinarySearch(r.fences, s.from); n%2 == 1 {
		return true
	}
	first := strings.TrimLeft(line, " \t")
	if first != "" && strings.ContainsRune(">|-*+#$", rune(first[0])) || len(first) > 1 && first[0] >= '0' && first[0] <= '9' && strings.ContainsAny(first[:min(3, len(first))], ".)") {
		return true
	}
	line = line[max(0, len(line)-400):]
	if r.data {
		line = strings.ReplaceAll(line, `"`, "")
	}
	for _, q := range []string{`"`, "`", "“", "«", "„", "「", "『", "‘", `\"`} {
		if strings.Count(line, q)%2 == 1 {
			return true
		}
	}
	if i := strings.LastIndexByte(line, '\''); i >= 0 && (i == 0 || !letter(line[i-1])) {
		return true
	}
	return false
}
