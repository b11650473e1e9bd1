package memory

import (
	"strings"
	"sync"
	"unicode"
)

// words cuts a text into its words, in lower case and without accents. A word of
// several parts (authMiddleware, snake_case) is given whole and in parts, and
// scripts that write no blanks in pairs of characters.
func words(text string) []string {
	if sevenBits(text) {
		return plainWords(text)
	}
	return anyWords(text)
}

func sevenBits(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// plainWords is anyWords for the letters that most texts have. Words that need no
// more are parts of one string.
func plainWords(text string) []string {
	out := make([]string, 0, len(text)/5+1)
	lower := strings.ToLower(text)
	isWord := func(i int) bool {
		c := lower[i]
		return c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
	}
	for i := 0; i < len(lower); {
		if !isWord(i) {
			i++
			continue
		}
		from, simple := i, true
		for ; i < len(lower); i++ {
			switch c := lower[i]; {
			case isWord(i):
				// a capital after a small letter begins a part
				if c != text[i] && i > from && lower[i-1] >= 'a' && lower[i-1] == text[i-1] {
					simple = false
				}
				continue
			case (c == '\'' || c == '_') && i+1 < len(lower) && isWord(i-1) && isWord(i+1):
				simple = false
				continue
			}
			break
		}
		for to := i; i < len(lower) && to-from <= 2 && (lower[i] == '+' || lower[i] == '#'); { // c++, f#
			i++
		}
		if simple {
			out = append(out, lower[from:i])
		} else {
			out = append(out, parts([]rune(text[from:i]))...)
		}
	}
	return out
}

func anyWords(text string) []string {
	var out []string
	runes := []rune(text)
	for i := 0; i < len(runes); {
		switch r := runes[i]; {
		case unspaced(r):
			from := i
			for i < len(runes) && unspaced(runes[i]) {
				i++
			}
			out = append(out, pairs(runes[from:i])...)
		case isWord(r):
			from := i
			for i < len(runes) && !unspaced(runes[i]) && (isWord(runes[i]) || inner(runes, i)) {
				i++
			}
			to := i
			for i < len(runes) && to-from <= 2 && (runes[i] == '+' || runes[i] == '#') { // c++, f#
				i++
			}
			out = append(out, parts(runes[from:i])...)
		default:
			i++
		}
	}
	return out
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// inner reports whether a sign at i belongs to the word around it: an
// apostrophe, or the low line of an identifier.
func inner(runes []rune, i int) bool {
	r := runes[i]
	return (r == '\'' || r == '’' || r == '_') && i > 0 && i+1 < len(runes) && isWord(runes[i-1]) && isWord(runes[i+1])
}

func unspaced(r rune) bool {
	return r == 'ー' || r > 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func pairs(runes []rune) []string {
	if len(runes) == 1 {
		return []string{string(runes)}
	}
	var out []string
	for i := range len(runes) - 1 {
		out = append(out, string(runes[i:i+2]))
	}
	return out
}

// parts gives a word, and the parts of an identifier.
func parts(runes []rune) []string {
	whole := strings.TrimSuffix(fold(runes), "'s")
	if strings.ContainsAny(whole, "'_") {
		whole = strings.ReplaceAll(strings.ReplaceAll(whole, "'", ""), "_", "")
	}
	if whole == "" { // an accent by itself
		return nil
	}
	out := []string{whole}
	from := 0
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && runes[i] != '_' && !(unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i-1])) {
			continue
		}
		if part := strings.Trim(fold(runes[from:i]), "_'"); from > 0 || i < len(runes) {
			if len(part) > 1 {
				out = append(out, part)
			}
		}
		from = i
	}
	return out
}

// fold writes a word in lower case and without accents.
func fold(runes []rune) string {
	var b strings.Builder
	for _, r := range runes {
		switch {
		case r == '’':
			b.WriteByte('\'')
		case r < 0x80:
			b.WriteRune(unicode.ToLower(r))
		case unicode.Is(unicode.Mn, r) && r < 0x370: // an accent by itself
		default:
			r = unicode.ToLower(r)
			if plain, ok := unaccented()[r]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// unaccented is made when it is first needed, like common: a program that
// remembers nothing starts no later for it.
var unaccented = sync.OnceValue(func() map[rune]string {
	table := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe"}
	for plain, letters := range map[string]string{
		"a": "àáâãäåāăą", "c": "çćĉċč", "d": "ďđð", "e": "èéêëēĕėęě", "g": "ĝğġģ", "h": "ĥħ", "i": "ìíîïĩīĭįı",
		"j": "ĵ", "k": "ķ", "l": "ĺļľŀł", "n": "ñńņňŉ", "o": "òóôõöøōŏő", "r": "ŕŗř", "s": "śŝşšș", "t": "ţťŧț",
		"u": "ùúûüũūŭůűų", "w": "ŵ", "y": "ýÿŷ", "z": "źżž",
	} {
		for _, r := range letters {
			table[r] = plain
		}
	}
	return table
})

// common are words that say nothing about what a text is about.
var common = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`
a about after again all also although always am an and any anyone anything are aren arent as at be because been before
being both but by came can cannot cant could couldn couldnt did didn didnt do does doesn doesnt doing don done dont down
during each either else ever every for from further get gets getting give given go goes going gone got had hadn hadnt has
hasn hasnt have haven havent having he hed hell her here hers herself hes hey hi him himself his how however i id if ill im
in into is isn isnt it itll its itself ive just know let lets lot lots made make makes many may maybe me might more
most much must my myself no nor not now of off oh ok okay on once one only onto or other our ours out over own please quite
rather really right said same say says see shall she shes should shouldn shouldnt since so some someone something soon such
sure take tell than thank thanks that thats the their theirs them themselves then there theres these they theyd theyll
theyre theyve thing things think this those though through to too under until up upon us use very was wasn wasnt way we wed
well went were weren werent weve what whats when where whether which while who whom whose why will with within without won
wont would wouldn wouldnt wow yeah yes yet you youd youll your youre yours yourself youve`) {
		set[w] = true
	}
	return set
})

// terms are the stems of the words that say something.
func terms(text string) []string {
	var out []string
	for _, w := range words(text) {
		if t := termOf(w); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// termOf is the stem of a word; "" if it says nothing.
func termOf(word string) string {
	if common()[word] || len(word) >= 64 || len(word) == 1 && (word[0] < '0' || word[0] > '9') {
		return ""
	}
	return stem(word)
}
