package facts

import (
	"encoding/base64"
	"hash/crc32"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// recogniser finds one kind of credential. Its literals are looked for first, and
// only around them the pattern is tried. Patterns are RE2: their time is linear.
type recogniser struct {
	kind     string
	literals []string // one of them must be there; small letters
	pattern  string
	back     int                                // how many bytes before a literal a credential may begin
	entropy  float64                            // bits for each character of the first group, at least
	likely   func(low string, at, end int) bool // a cheap look at what stands around a literal
	check    func(string) bool                  // what the shape does not say
	proof    func(string) bool                  // a checksum: what it does not fit was made up
	byName   bool                               // a name before it tells the kind, and nothing in it
	guess    bool                               // only a name and the look of a value speak for it
	open     bool                               // it sees all of the text, and what its first group holds is kept
	spare    int                                // bytes at its end that are kept, of a pattern whose first group is
	inside   bool                               // it may begin in the middle of a word: db_password
	jump     bool                               // where it fails, it fails up to the end of the word (of a JSON Web Token)

	all func(s string, at int) (found []suspect, to int) // finds them in place of the pattern; to is how far it looked

	once  sync.Once
	re    *regexp.Regexp
	sized sync.Once
	shape *patternShape
}

// key is a kind with literals of its own: with bars between them if one has a blank.
func key(kind, literals, pattern string) *recogniser {
	sep := " "
	if strings.Contains(literals, "|") {
		sep = "|"
	}
	return &recogniser{kind: kind, literals: strings.Split(strings.TrimRight(literals, "|"), sep), pattern: pattern, entropy: 3}
}

// named is a value of a certain form, given to a name that begins with a literal.
func named(kind, literal, value string) *recogniser {
	return &recogniser{kind: kind, byName: true, literals: []string{literal}, pattern: `(?i)` + literal + `[a-z0-9_.-]{0,24}['"]?\s{0,4}(?:=|:|=>|:=)\s{0,4}['"]?(` + value + `)\b`, entropy: 3, likely: assigned(shapeOf(value).least, "")}
}

func (r *recogniser) low() *recogniser { r.entropy = 0; return r }

func (r *recogniser) behind(n int) *recogniser { r.back = n; return r }

func (r *recogniser) inWord() *recogniser { r.inside = true; return r }

func (r *recogniser) when(likely func(string, int, int) bool) *recogniser {
	r.likely = likely
	return r
}

func (r *recogniser) checked(check func(string) bool) *recogniser { r.check = check; return r }

func (r *recogniser) proven(proof func(string) bool) *recogniser { r.proof = proof; return r }

// find looks for the pattern in a text. It is compiled when it is first needed: of
// most kinds of credentials a process never sees a literal. A pattern that begins with
// its literal is tried only there.
func (r *recogniser) find(text string) []int {
	r.once.Do(func() {
		pattern := r.pattern
		if r.back == 0 {
			pattern = `^(?:` + pattern + `)`
		}
		r.re = regexp.MustCompile(pattern)
	})
	return r.re.FindStringSubmatchIndex(text)
}

// size is the shape of the pattern, which is found out when it is first needed.
func (r *recogniser) size() *patternShape {
	r.sized.Do(func() { r.shape = shapeOf(r.pattern) })
	return r.shape
}

// reach is how many bytes behind the beginning of a literal the pattern may want to see.
func (r *recogniser) reach() int { return min(r.size().most+1, credentialWindow) }

// possible reports whether the text at a literal is of the bytes that the pattern takes, as
// far as its shortest match goes.
func (r *recogniser) possible(low string, at int) bool {
	shape := r.size()
	return r.back > 0 || shape.run(low[at:], shape.least) == shape.least
}

// credentialWindow is how far a pattern is tried.
const credentialWindow = 600

// match finds the pattern around a literal: the place of its group, or of all of it.
func (r *recogniser) match(text string, at int) (from, to int, ok bool) {
	begin := max(0, at-r.back)
	window := text[begin:min(len(text), at+r.reach())]
	m := r.find(window)
	if m == nil || m[0] > r.back+64 || begin > 0 && m[0] == 0 && r.back == 0 && !r.inside && letter(text[begin-1]) && letter(text[begin]) {
		return 0, 0, false // nothing, another literal's, or the middle of a longer word
	}
	if len(m) >= 4 && m[2] >= 0 {
		return begin + m[2], begin + m[3], true
	}
	return begin + m[0], begin + m[1], true
}

// cost is what a try took, in bytes: as far as the match goes, or as the pattern can have
// come.
func (r *recogniser) cost(low string, at, to int, ok bool) int {
	const start = 8
	switch {
	case ok:
		return start + r.back + to - at
	case r.back > 0:
		return 2 * (r.reach() + r.back)
	}
	return start + r.size().run(low[at:], r.reach())
}

// real reports whether a text of the right shape is one that somebody may use.
func (r *recogniser) real(found string) bool {
	least := r.entropy
	if !r.guess && span(found, func(c byte) bool { return digit(c) < 16 }) == len(found) {
		least -= 0.6 // hexadecimal digits have four bits at most
	}
	return (r.entropy == 0 || entropy(found) >= least) && !placeholder(found) && (r.check == nil || r.check(found))
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' }

// asciiLower is a text of the same length in small letters.
func asciiLower(s string) string {
	capital := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	i := 0
	for i < len(s) && !capital(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	b := []byte(s)
	for ; i < len(b); i++ {
		b[i] = lower[b[i]]
	}
	return string(b)
}

// lower is the small letter of each byte.
var lower = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			t[c] += 'a' - 'A'
		}
	}
	return t
}()

// assigned looks whether a name that has a literal in it is given a value that is long
// enough: a sign follows, perhaps a quote, and so many characters of which tokens are made.
// Quotes are those of which one must be there; "" asks for none.
func assigned(least int, quotes string) func(low string, at, end int) bool {
	return func(low string, _, end int) bool {
		i := end
		for i < len(low) && i < end+28 && (letter(low[i]) || low[i] == '-' || low[i] == '.') {
			i++
		}
		for i < len(low) && i < end+34 && (low[i] == '"' || low[i] == '\'' || low[i] == ' ') {
			i++
		}
		if i >= len(low) || low[i] != '=' && low[i] != ':' {
			return false
		}
		for i++; i < len(low) && i < end+48 && strings.IndexByte(" \t\r\n=>\"'", low[i]) >= 0; i++ {
		}
		return (quotes == "" || strings.IndexByte(quotes, low[i-1]) >= 0) && i+least <= len(low) && span(low[i:i+least], ofToken) == least
	}
}

// around looks whether so many characters of a set stand before a literal, and behind it so
// many of which tokens are made.
func around(set string, before, after int) func(low string, at, end int) bool {
	return func(low string, at, end int) bool {
		return at >= before && span(low[at-before:at], func(c byte) bool { return strings.IndexByte(set, c) >= 0 }) == before &&
			end+after <= len(low) && span(low[end:end+after], ofToken) == after
	}
}

// ofToken reports whether tokens are made of a character.
func ofToken(c byte) bool { return letter(c) || strings.IndexByte("+/.~!@#%^&*-", c) >= 0 }

// maxAddress bounds a user and a password in an address.
const maxAddress = 2000

// address reports whether a user and a password stand in an address.
func address(low string, at, end int) bool {
	colon := false
	for i := end; i < len(low) && i < end+maxAddress; i++ {
		switch c := low[i]; {
		case c == '@':
			return colon
		case c == ':':
			colon = true
		case c <= ' ' || c == '/' || c == '"' || c == '\'':
			return false
		}
	}
	return false
}

// entropy is how many bits each character of a text has, by how often they occur.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	e := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			e -= p * math.Log2(p)
		}
	}
	return e
}

// exampleWords stand for passwords in examples.
var exampleWords = []string{"password", "passwd", "postgres", "secret", "root", "admin", "test", "changeit", "letmein", "mysecretpassword", "hunter2", "foobar", "qwerty", "guest", "12345678", "rootpassword", "testpassword"}

// exampleParts are in what only stands where a credential would.
var exampleParts = []string{"example", "xxxx", "your", "placeholder", "changeme", "redacted", "dummy", "${", "{{", "process.env", "os.environ", "....", "****", "0000000000", "1234567890", "abcdef0123", "insert", "replace"}

// placeholder reports whether a text only stands where a credential would.
func placeholder(s string) bool {
	low := strings.ToLower(s)
	if from := strings.IndexByte(low, '<'); from >= 0 && span(low[from+1:], func(c byte) bool { return letter(c) || c == '-' || c == ' ' }) > 0 { // <token>
		return true
	}
	return slices.Contains(exampleWords, low) || slices.ContainsFunc(exampleParts, func(w string) bool { return strings.Contains(low, w) })
}

// notAWord reports whether a value looks made up by a machine: letters and digits.
func notAWord(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.IndexFunc(s, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }) >= 0 && !strings.Contains(s, "/") && strings.Count(s, ".") < 3
}

// madeByMachine reports whether a value is one that nobody thinks up: letters of both sizes
// and digits in turn, or a long number in hex. Paths, addresses and calls are none.
func madeByMachine(s string) bool {
	if digits := span(strings.TrimPrefix(s, "0x"), func(c byte) bool { return digit(c) < 16 }); digits == len(strings.TrimPrefix(s, "0x")) {
		return digits >= 32 && notAWord(s)
	}
	if strings.ContainsAny(s, "/[:") && !strings.ContainsAny(s, "+=") || strings.Count(s, ".") > 1 || strings.Count(s, "-") > 2 || strings.Count(s, "_") > 2 {
		return false
	}
	upper, lower, digits, turns, before := 0, 0, 0, 0, 0
	for i := range len(s) {
		kind := 0
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			upper, kind = upper+1, 1
		case c >= 'a' && c <= 'z':
			lower, kind = lower+1, 2
		case c >= '0' && c <= '9':
			digits, kind = digits+1, 3
		}
		if kind != before {
			turns++
		}
		before = kind
	}
	return upper > 0 && lower > 0 && digits > 0 && turns*3 >= len(s)
}

// random reports whether a value is one that nobody thinks up, or a name of letters and
// digits.
func random(s string) bool {
	return notAWord(s) || madeByMachine(s) || strong(s) || turns(s)*3 >= len(s)
}

// password reports whether a value is one that only a password has.
func password(s string) bool { return madeByMachine(s) || strong(s) }

// strong reports whether a value has what careful people put into a password: letters of
// both sizes, digits, and a sign that no name has.
func strong(s string) bool {
	has := [4]bool{}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			has[0] = true
		case c >= 'a' && c <= 'z':
			has[1] = true
		case c >= '0' && c <= '9':
			has[2] = true
		case strings.IndexByte("!#%*+@^~?", c) >= 0:
			has[3] = true
		case c == '/' || c == '[' || c == ':':
			return false
		}
	}
	return has == [4]bool{true, true, true, true}
}

// turns is how often letters of both sizes, digits and signs take turns.
func turns(s string) (n int) {
	kind := func(c byte) int {
		switch {
		case c >= 'A' && c <= 'Z':
			return 1
		case c >= 'a' && c <= 'z':
			return 2
		case c >= '0' && c <= '9':
			return 3
		}
		return 0
	}
	for i := 1; i < len(s); i++ {
		if kind(s[i]) != kind(s[i-1]) {
			n++
		}
	}
	return n
}

// signed reports whether a value has letters, digits, and signs of many kinds.
func signed(s string) bool {
	signs := 0
	for _, c := range []byte("!@#$%^&*(=+)") {
		if strings.IndexByte(s, c) >= 0 {
			signs++
		}
	}
	return signs >= 3 && notAWord(s)
}

// keyInBase64 reports whether a private key stands in a text in base64.
func keyInBase64(s string) bool {
	b, err := base64.RawStdEncoding.DecodeString(s[:min(len(s), 60)/4*4])
	return err == nil && strings.Contains(string(b), "PRIVATE KEY")
}

// functionWords are those of sentences: no wallet has them.
var functionWords = []string{"the", "and", "for", "are", "not", "with", "was", "but", "from", "has", "have", "its", "our", "your", "his", "her", "were", "which", "into", "than", "been", "does"}

// seed reports whether a text has as many words as a wallet is made of, and then, at most,
// a sentence.
func seed(s string) bool {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r < 'a' || r > 'z' })
	if i := slices.IndexFunc(words, func(w string) bool { return slices.Contains(functionWords, w) }); i >= 0 {
		words = words[:i]
	}
	different := map[string]bool{}
	for _, w := range words {
		different[w] = true
	}
	return len(words) >= 12 && len(words) <= 24 && len(words)%3 == 0 && len(different)*4 >= len(words)*3
}

// noWord reports whether a value has more than small letters.
func noWord(s string) bool {
	return span(s, func(c byte) bool { return c >= 'a' && c <= 'z' }) < len(s)
}

// unnamedToken reports whether a token does not say itself of what kind it is.
func unnamedToken(s string) bool { return notAWord(s) && !strings.HasPrefix(s, "eyJ") }

// leastPassword is the length of a password that is none of an example.
const leastPassword = 8

// nameAndPassword reports whether a text in base64 is a name, a colon and a password.
func nameAndPassword(s string) bool {
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	name, password, ok := strings.Cut(string(b), ":")
	printable := span(string(b), func(c byte) bool { return c >= ' ' && c < 0x7F }) == len(b)
	return err == nil && ok && printable && name != "" && len(password) >= leastPassword && !placeholder(password)
}

// crc62 checks the last six characters of a token of GitHub or npm: the CRC-32 of the
// thirty before them, in base 62. Longer tokens have none.
func crc62(token string) bool {
	_, body, _ := strings.Cut(token, "_")
	if len(body) != 36 {
		return true
	}
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := crc32.ChecksumIEEE([]byte(body[:30]))
	for i := 35; i >= 30; i-- {
		if body[i] != digits[sum%62] {
			return false
		}
		sum /= 62
	}
	return true
}

// bech32 checks the checksum of a key of age (BIP 173).
func bech32(key string) bool {
	low := strings.ToLower(key)
	i := strings.LastIndexByte(low, '1')
	if i < 1 {
		return false
	}
	sum := uint32(1)
	step := func(v byte) {
		top := sum >> 25
		sum = (sum&0x1ffffff)<<5 ^ uint32(v)
		for i, g := range []uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	for _, c := range []byte(low[:i]) {
		step(c >> 5)
	}
	step(0)
	for _, c := range []byte(low[:i]) {
		step(c & 31)
	}
	for _, c := range []byte(low[i+1:]) {
		v := strings.IndexByte("qpzry9x8gf2tvdw0s3jn54khce6mua7l", c)
		if v < 0 {
			return false
		}
		step(byte(v))
	}
	return sum == 1
}

// jwtHeader checks that the first part of a JSON Web Token says how it is signed.
func jwtHeader(token string) bool {
	head, _, _ := strings.Cut(token, ".")
	b, err := base64.RawURLEncoding.DecodeString(head)
	return err == nil && strings.Contains(string(b), `"alg"`)
}
