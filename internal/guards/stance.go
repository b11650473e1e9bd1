package guards

import (
	_ "embed"
	"math/bits"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordFile string

// wordStems is the automaton of words.txt.
var wordStems = sync.OnceValue(func() *automaton {
	a, err := build(readStems(wordFile))
	if err != nil {
		panic("words.txt: " + err.Error())
	}
	return a
})

// traits are what a few sentences do, as bits: who they speak to, and what they ask for.
type traits uint64

// Each trait stands for one thing that a person would name who is asked why a text looks
// like an order.
const (
	toReader   traits = 1 << iota // one who reads for others is spoken to, before a colon
	toNamed                       // or somebody of a name that people bear, too
	hailReader                    // before a comma
	hailNamed
	mustReader // or must do something
	mustNamed
	ofReader // or is only spoken of
	ofNamed
	ofUser   // for whom it works
	ofPeople // others
	ofYou
	asks      // must, please
	asRole    // in the guise of a role
	unseenBy  // a person does not see it
	setsAside // instructions
	keepsFrom // do not tell
	keepsUser // the user
	hushes    // silently
	sendsOut  // what is private is sent
	sendsTo   // something goes to an address
	privateTo // what is private beside an address
	runsCode
	runsFrom // an address
	destroys
	destroysGuard
	switchesOff
	lets      // approves, pays
	letsGuard // gives rights
	speaksFor // claims, rates
	plants    // code or an address into a file
	setsGuard
	claims // a right
	times  // before you go on
	forbids
	recounts // of somebody, in the past
	about
	quotes
	aboutMuch
	readsThis // who reads this very text
	asksTwo   // two things are asked for
	asksThree
	dropsTask // what somebody wants
	opens     // a sentence begins with an act
	callsOpen // an act stands right behind the name of who is spoken to
	calledGrave
	calledLight
	calledTwo
	namedGrave
	namedLight
	namedTwo
	roleGrave
	roleLight
	hiddenGrave
	hiddenLight
	userGrave
	youGrave
	asideGrave
	claimGrave
	numTraits = iota
)

// traitNames are their names in lean.txt.
var traitNames = [numTraits]string{"toReader", "toNamed", "hailReader", "hailNamed", "mustReader", "mustNamed", "ofReader", "ofNamed", "ofUser", "ofPeople", "ofYou", "asks", "asRole", "unseenBy", "setsAside", "keepsFrom", "keepsUser", "hushes", "sendsOut", "sendsTo", "privateTo", "runsCode", "runsFrom", "destroys", "destroysGuard", "switchesOff", "lets", "letsGuard", "speaksFor", "plants", "setsGuard", "claims", "times", "forbids", "recounts", "about", "quotes", "aboutMuch", "readsThis", "asksTwo", "asksThree", "dropsTask", "opens", "callsOpen", "calledGrave", "calledLight", "calledTwo", "namedGrave", "namedLight", "namedTwo", "roleGrave", "roleLight", "hiddenGrave", "hiddenLight", "userGrave", "youGrave", "asideGrave", "claimGrave"}

// How far apart two words stand that belong together.
const (
	pairReach   = 110
	quietReach  = 48
	forbidReach = 26
	stanceReach = 420
)

// clause is what one clause of a text does, and the words in it.
type clause struct {
	from, to int
	t        traits
	words    []uint32 // by their place in lean.txt
}

// clauses finds what each clause of a text does.
type clauses struct {
	r     *reading
	words []signal
	last  [128]int // where a word of a kind ended last in the clause, plus one
	role  int
	name  int // where the last name of a reader ended
}

// one says what one clause does.
func (c *clauses) one(words []signal) clause {
	cl := clause{}
	if len(words) == 0 {
		return cl
	}
	cl.from, cl.to = words[0].from, words[len(words)-1].to
	clear(c.last[:])
	c.name = 0
	for _, w := range words {
		if c.r.caption(w) {
			continue
		}
		t := c.word(w)
		if cl.t |= t; t&forbids == 0 { // nothing is done by what is forbidden
			c.last[w.kind] = w.to + 1
		}
	}
	for c.role < len(c.r.signals) && c.r.signals[c.role].to <= cl.from-40 {
		c.role++
	}
	for _, s := range c.r.signals[c.role:] {
		if s.from > cl.to {
			break
		}
		if s.kind == 'R' && !c.r.label(s) {
			cl.t |= asRole
		}
	}
	if _, hidden := c.r.hiddenIn(words[len(words)/2]); hidden {
		cl.t |= unseenBy
	}
	if cl.t&things != 0 && c.r.quoted(words[len(words)/2]) {
		cl.t |= quotes
	}
	return cl
}

// near reports whether a word of one of these kinds stands before one, close to it.
func (c *clauses) near(w signal, kinds string, reach int) bool {
	if c.r.text[w.from] >= utf8.RuneSelf {
		reach *= 2
	}
	for i := range len(kinds) {
		if at := c.last[kinds[i]]; at > 0 && w.from-at+1 <= reach {
			return true
		}
	}
	return false
}

// pairs are what words do together, whichever comes first.
var pairs = []struct {
	one, other string
	is         traits
}{
	{"v", "i", setsAside}, {"x", "k", sendsOut}, {"x", "l", sendsTo}, {"k", "l", privateTo}, {"r", "z", runsCode}, {"r", "l", runsFrom},
	{"d", "e", destroys}, {"d", "q", destroysGuard}, {"ov", "q", switchesOff}, {"p", "q", letsGuard}, {"w", "zl", plants}, {"w", "q", setsGuard}, {"0", "1", readsThis}, {"v", "2", dropsTask},
}

// word says what a word adds to its clause.
func (c *clauses) word(w signal) (t traits) {
	switch w.kind {
	case 'a':
		t |= ofReader | c.called(w, toReader, hailReader)
	case 'b':
		t |= ofNamed | c.called(w, toNamed, hailNamed)
	case 'u':
		t |= ofUser
	case 'h':
		t |= ofPeople
	case 'y':
		t |= ofYou
	case 'm':
		t |= asks
		if c.near(w, "a", pairReach/2) {
			t |= mustReader
		}
		if c.near(w, "b", pairReach/2) {
			t |= mustNamed
		}
	case 's':
		t |= hushes
	case 'j':
		t |= claims
	case 'f':
		t |= times
	case 'g':
		t |= recounts
	case 'G':
		t |= about
	case 'c':
		t |= speaksFor
	case 'p':
		t |= lets
	}
	if w.kind == 't' && c.near(w, "n", quietReach) || w.kind == 'n' && c.near(w, "t", quietReach/2) {
		t |= keepsFrom
		if c.near(w, "uh", pairReach) {
			t |= keepsUser
		}
	}
	if (w.kind == 'u' || w.kind == 'h') && c.near(w, "t", pairReach/2) && c.last['n'] > 0 {
		t |= keepsUser
	}
	if strings.IndexByte("xrdopwcv", w.kind) >= 0 {
		t |= c.opening(w)
	}
	if strings.IndexByte("xrdopwc", w.kind) >= 0 && c.near(w, "n", forbidReach) {
		return t&^(lets|speaksFor) | forbids
	}
	for _, p := range pairs {
		if strings.IndexByte(p.one, w.kind) >= 0 && c.near(w, p.other, pairReach) || strings.IndexByte(p.other, w.kind) >= 0 && c.near(w, p.one, pairReach) {
			t |= p.is
		}
	}
	return t
}

// opening says whether a sentence begins with an act: right behind the name of who is
// spoken to, or without one.
func (c *clauses) opening(w signal) traits {
	if c.name > 0 && w.from-c.name < 16 {
		if between := c.r.text[c.name:w.from]; strings.ContainsAny(between, ":,：，、") && !strings.Contains(between, "\n") {
			return callsOpen | opens
		}
	}
	before := strings.TrimRight(c.r.text[max(0, w.from-40):w.from], " \t\n*_`\"'#>/-<!;%+([{")
	if before == "" || strings.IndexByte(".:!?|", before[len(before)-1]) >= 0 {
		return opens
	}
	return 0
}

// called is spoken, and keeps in mind where such a name ended.
func (c *clauses) called(w signal, colon, comma traits) traits {
	t := c.spoken(w, colon, comma)
	if t != 0 {
		c.name = w.to
	}
	return t
}

// spoken says whether a name is one that is spoken to: near the beginning of what is said,
// and before a colon or a comma.
func (c *clauses) spoken(w signal, colon, comma traits) traits {
	if c.near(w, "xrdopw", quietReach) { // it is what the act is done to
		return 0
	}
	text := c.r.text
	before := text[max(0, w.from-60):w.from]
	if i := strings.LastIndexAny(before, "\n.!?;:{[(<>\"|"); i >= 0 {
		before = before[i+1:]
	}
	if len(strings.Fields(before)) > 4 {
		return 0
	}
	after := text[w.to:min(len(text), w.to+72)]
	end := strings.IndexAny(after, ":：,，、!?\n.;")
	if end < 0 {
		return 0
	}
	switch sign, _ := utf8.DecodeRuneInString(after[end:]); sign {
	case ':', '：':
		if strings.HasPrefix(after[end:], "://") || c.r.dialogue(w) {
			return 0
		}
		return colon
	case ',', '，', '、', '!':
		if end < 24 {
			return comma
		}
	}
	return 0
}

// folded is a text with small letters in the place of capital ones that take two bytes.
func folded(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x100 && r < 0x530 && unicode.IsUpper(r) }) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x100 && r < 0x530 {
			if low := unicode.ToLower(r); utf8.RuneLen(low) == utf8.RuneLen(r) {
				return low
			}
		}
		return r
	}, text)
}

// things are what a text asks for.
const (
	grave  = setsAside | dropsTask | keepsFrom | keepsUser | hushes | sendsOut | privateTo | destroysGuard | switchesOff | letsGuard | setsGuard
	light  = sendsTo | runsCode | runsFrom | destroys | lets | speaksFor | plants
	things = grave | light
	called = toReader | hailReader | mustReader
	byName = toNamed | hailNamed | mustNamed
)

// mixed are traits that others are together.
var mixed = [...]struct{ one, other, is traits }{
	{called, grave, calledGrave}, {called, light, calledLight}, {called, asksTwo, calledTwo},
	{byName, grave, namedGrave}, {byName, light, namedLight}, {byName, asksTwo, namedTwo},
	{asRole, grave, roleGrave}, {asRole, light, roleLight},
	{unseenBy, grave, hiddenGrave}, {unseenBy, light, hiddenLight},
	{ofUser, grave, userGrave}, {ofYou, grave, youGrave}, {claims, grave, claimGrave},
	{setsAside | dropsTask, things &^ (setsAside | dropsTask), asideGrave},
}

// mix adds what traits are together.
func (t traits) mix() traits {
	if n := bits.OnesCount64(uint64(t & things)); n > 2 {
		t |= asksThree | asksTwo
	} else if n > 1 {
		t |= asksTwo
	}
	all := t
	for _, m := range mixed {
		if t&m.one != 0 && t&m.other != 0 {
			all |= m.is
		}
	}
	return all
}
