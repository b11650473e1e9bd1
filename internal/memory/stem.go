package memory

import "strings"

// stem takes the endings of grammar from an English word, so that "tests",
// "tested" and "testing" are one word. It follows the rules of the Porter2 stemmer
// (Snowball English). Words of other alphabets stay as they are.
func stem(word string) string {
	if len(word) <= 2 || !isASCII(word) {
		return word
	}
	if to, ok := stemExceptions[word]; ok {
		return to
	}
	s := stemmer{w: markY(word)}
	s.regions()
	s.plural()
	if stemFinal[string(s.w)] {
		return string(s.w)
	}
	s.past()
	s.finalY()
	s.derived()
	s.more()
	s.last()
	s.tail()
	return strings.ToLower(string(s.w))
}

// stemExceptions are words whose endings are none, or that change otherwise.
var stemExceptions = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
	"idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl",
	"sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}

// stemFinal are words that are done once they are no plural any more.
var stemFinal = map[string]bool{
	"inning": true, "outing": true, "canning": true, "herring": true, "earring": true,
	"proceed": true, "exceed": true, "succeed": true,
}

func isASCII(word string) bool {
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// markY writes each y that is a consonant as Y.
func markY(word string) []byte {
	w := []byte(word)
	for i, c := range w {
		if c == 'y' && (i == 0 || isVowel(w[i-1])) {
			w[i] = 'Y'
		}
	}
	return w
}

func isVowel(c byte) bool { return strings.IndexByte("aeiouy", c) >= 0 }

// stemmer is one word on the way, and where its regions R1 and R2 begin.
type stemmer struct {
	w      []byte
	r1, r2 int
}

func (s *stemmer) regions() {
	s.r1 = afterSyllable(s.w, 0)
	for _, prefix := range []string{"gener", "commun", "arsen"} {
		if strings.HasPrefix(string(s.w), prefix) {
			s.r1 = len(prefix)
		}
	}
	s.r2 = afterSyllable(s.w, s.r1)
}

// afterSyllable is behind the first consonant that follows a vowel.
func afterSyllable(w []byte, from int) int {
	for i := from + 1; i < len(w); i++ {
		if isVowel(w[i-1]) && !isVowel(w[i]) {
			return i + 1
		}
	}
	return len(w)
}

func (s *stemmer) ends(suffix string) bool { return strings.HasSuffix(string(s.w), suffix) }

// in reports whether an ending of n letters begins in a region.
func (s *stemmer) in(region, n int) bool { return len(s.w)-n >= region }

func (s *stemmer) cut(n int, put string) { s.w = append(s.w[:len(s.w)-n], put...) }

// vowelBefore reports whether there is a vowel before the last n letters.
func (s *stemmer) vowelBefore(n int) bool {
	for _, c := range s.w[:max(0, len(s.w)-n)] {
		if isVowel(c) {
			return true
		}
	}
	return false
}

// shortEnd reports whether the word ends in a short syllable.
func (s *stemmer) shortEnd() bool {
	n := len(s.w)
	if n == 2 {
		return isVowel(s.w[0]) && !isVowel(s.w[1])
	}
	return n > 2 && !isVowel(s.w[n-1]) && strings.IndexByte("wxY", s.w[n-1]) < 0 && isVowel(s.w[n-2]) && !isVowel(s.w[n-3])
}

// plural is step 1a.
func (s *stemmer) plural() {
	switch {
	case s.ends("sses"):
		s.cut(2, "")
	case s.ends("ied"), s.ends("ies"):
		if len(s.w) > 4 {
			s.cut(2, "")
		} else {
			s.cut(1, "")
		}
	case s.ends("us"), s.ends("ss"):
	case s.ends("s"):
		if s.vowelBefore(2) {
			s.cut(1, "")
		}
	}
}

// past is step 1b.
func (s *stemmer) past() {
	for _, suffix := range []string{"eedly", "eed"} {
		if s.ends(suffix) {
			if s.in(s.r1, len(suffix)) {
				s.cut(len(suffix), "ee")
			}
			return
		}
	}
	for _, suffix := range []string{"ingly", "edly", "ing", "ed"} {
		if !s.ends(suffix) {
			continue
		}
		if !s.vowelBefore(len(suffix)) {
			return
		}
		s.cut(len(suffix), "")
		n := len(s.w)
		switch {
		case s.ends("at"), s.ends("bl"), s.ends("iz"):
			s.w = append(s.w, 'e')
		case n > 1 && s.w[n-1] == s.w[n-2] && strings.IndexByte("bdfgmnprt", s.w[n-1]) >= 0:
			s.cut(1, "")
		case s.shortEnd() && s.r1 >= n:
			s.w = append(s.w, 'e')
		}
		return
	}
}

// finalY is step 1c.
func (s *stemmer) finalY() {
	if n := len(s.w); n > 2 && (s.w[n-1] == 'y' || s.w[n-1] == 'Y') && !isVowel(s.w[n-2]) {
		s.w[n-1] = 'i'
	}
}

// An ending and what takes its place.
type ending struct{ from, to string }

var derivedEndings = []ending{
	{"ization", "ize"}, {"ational", "ate"}, {"fulness", "ful"}, {"ousness", "ous"}, {"iveness", "ive"},
	{"tional", "tion"}, {"biliti", "ble"}, {"lessli", "less"}, {"entli", "ent"}, {"ation", "ate"},
	{"alism", "al"}, {"aliti", "al"}, {"ousli", "ous"}, {"iviti", "ive"}, {"fulli", "ful"},
	{"enci", "ence"}, {"anci", "ance"}, {"abli", "able"}, {"izer", "ize"}, {"ator", "ate"}, {"alli", "al"},
	{"bli", "ble"}, {"ogi", "og"}, {"li", ""},
}

// derived is step 2.
func (s *stemmer) derived() {
	for _, e := range derivedEndings {
		if !s.ends(e.from) {
			continue
		}
		n := len(s.w) - len(e.from)
		if !s.in(s.r1, len(e.from)) || e.from == "ogi" && (n == 0 || s.w[n-1] != 'l') ||
			e.from == "li" && (n == 0 || strings.IndexByte("cdeghkmnrt", s.w[n-1]) < 0) {
			return
		}
		s.cut(len(e.from), e.to)
		return
	}
}

var moreEndings = []ending{
	{"ational", "ate"}, {"tional", "tion"}, {"alize", "al"}, {"icate", "ic"}, {"iciti", "ic"},
	{"ative", ""}, {"ical", "ic"}, {"ness", ""}, {"ful", ""},
}

// more is step 3.
func (s *stemmer) more() {
	for _, e := range moreEndings {
		if !s.ends(e.from) {
			continue
		}
		if s.in(s.r1, len(e.from)) && (e.from != "ative" || s.in(s.r2, len(e.from))) {
			s.cut(len(e.from), e.to)
		}
		return
	}
}

var lastEndings = []string{
	"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "al", "er", "ic",
}

// last is step 4.
func (s *stemmer) last() {
	for _, e := range lastEndings {
		if !s.ends(e) {
			continue
		}
		n := len(s.w) - len(e)
		if s.in(s.r2, len(e)) && (e != "ion" || n > 0 && (s.w[n-1] == 's' || s.w[n-1] == 't')) {
			s.cut(len(e), "")
		}
		return
	}
}

// tail is step 5.
func (s *stemmer) tail() {
	switch {
	case s.ends("e"):
		if s.in(s.r2, 1) {
			s.cut(1, "")
		} else if s.in(s.r1, 1) {
			if t := (stemmer{w: s.w[:len(s.w)-1]}); !t.shortEnd() {
				s.cut(1, "")
			}
		}
	case s.ends("ll") && s.in(s.r2, 1):
		s.cut(1, "")
	}
}
