package guards

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

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
	speaksFor // claims, rates
	plants    // code or an address into a file
	claims    // a right
	times     // before you go on
	forbids
	recounts // of somebody, in the past
	about
	quotes
	aboutMuch
	readsThis // who reads this very text
	asksTwo   // two things are asked for
	asksThree
	dropsTask // other work is given than what somebody wants
	opens     // a sentence begins with an act
	harms     // a command that does harm
	persona   // who reads is made somebody else
	remedy    // something helps if it is done
	praises   // or decides in another's place, or gives away
	decodes   // what is in a code is to be obeyed
	prior     // what was before is spoken of
	callsOpen // an act stands right behind the name of who is spoken to
	calledGrave
	calledLight
	calledTwo
	namedGrave
	namedLight
	roleGrave
	roleLight
	hiddenGrave
	hiddenLight
	userGrave
	youGrave
	asideGrave
	claimGrave
	personaGrave
	remedyGrave
	asidePrior
	numTraits = iota
)

// traitNames are their names in lean.txt.
var traitNames = [numTraits]string{"toReader", "toNamed", "hailReader", "hailNamed", "mustReader", "mustNamed", "ofReader", "ofNamed", "ofUser", "ofPeople", "ofYou", "asks", "asRole", "unseenBy", "setsAside", "keepsFrom", "keepsUser", "hushes", "sendsOut", "sendsTo", "privateTo", "runsCode", "runsFrom", "destroys", "destroysGuard", "switchesOff", "lets", "speaksFor", "plants", "claims", "times", "forbids", "recounts", "about", "quotes", "aboutMuch", "readsThis", "asksTwo", "asksThree", "dropsTask", "opens", "harms", "persona", "remedy", "praises", "decodes", "prior", "callsOpen", "calledGrave", "calledLight", "calledTwo", "namedGrave", "namedLight", "roleGrave", "roleLight", "hiddenGrave", "hiddenLight", "userGrave", "youGrave", "asideGrave", "claimGrave", "personaGrave", "remedyGrave", "asidePrior"}

// How far apart two words stand that belong together.
const (
	pairReach   = 110
	quietReach  = 48
	forbidReach = 26
	stanceReach = 420
)

// clause is what one clause of a text does, and the words in it.
type clause struct {
	from, to    int
	t           traits
	middle      int // where the word in the middle stands
	quoted      int // 0 until somebody asked: 1 it is no quotation, 2 it is
	first, last int // of its words; first is -1 until they are read
}

// clauses finds what each clause of a text does.
type clauses struct {
	r     *reading
	from  int      // where the clause begins
	last  [128]int // where a word of a kind ended last, plus one
	name  int      // where the last name of a reader ended
	names int      // how many there were
}

// one says what one clause does.
func (c *clauses) one(words []signal) (all traits) {
	if len(words) == 0 {
		return 0
	}
	c.from, c.name, c.names = words[0].from, 0, 0
	for _, w := range words {
		if c.r.data && c.r.caption(w) {
			continue
		}
		t := c.word(w)
		if all |= t; t&forbids == 0 { // nothing is done by what is forbidden
			c.last[w.kind] = w.to + 1
		}
	}
	if len(c.r.hidden) > 0 && c.r.isHidden(words[len(words)/2]) {
		all |= unseenBy
	}
	return all
}

// near reports whether a word of one of these kinds stands before one, close to it.
func (c *clauses) near(w signal, kinds string, reach int) bool {
	if c.r.text[w.from] >= utf8.RuneSelf {
		reach *= 2
	}
	for i := range len(kinds) {
		if at := c.last[kinds[i]]; at > c.from && w.from-at+1 <= reach {
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
	{"d", "e", destroys}, {"d", "q", destroysGuard}, {"ov", "q", switchesOff}, {"w", "zl", plants}, {"0", "1", readsThis}, {"i", "3", prior},
}

// mate is another kind of word, and what it does together with one.
type mate struct {
	kind byte
	is   traits
}

// mates are the pairs of a kind.
var mates = func() (all [128][]mate) {
	for _, p := range pairs {
		for _, one := range []byte(p.one) {
			for _, other := range []byte(p.other) {
				all[one] = append(all[one], mate{other, p.is})
				all[other] = append(all[other], mate{one, p.is})
			}
		}
	}
	return all
}()

// means is what words of a kind say by themselves.
var means = [128]traits{
	'a': ofReader, 'b': ofNamed, 'N': ofReader, 'u': ofUser, 'h': ofPeople, 'y': ofYou, 'm': asks, 's': hushes, 'C': harms, 'P': persona,
	'E': remedy, 'S': keepsUser | hushes, 'K': dropsTask, 'B': praises, 'Y': decodes, 'j': claims, 'f': times, 'g': recounts,
	'G': about, 'c': speaksFor, 'p': lets,
}

// word says what a word adds to its clause.
func (c *clauses) word(w signal) (t traits) {
	t = means[w.kind]
	switch w.kind {
	case 'a':
		t |= c.called(w, toReader, hailReader)
	case 'b':
		t |= c.called(w, toNamed, hailNamed)
	case 'N':
		t |= c.tag(w)
	case 'R':
		if !c.r.label(w) {
			t |= asRole
		}
	case 'm':
		if c.near(w, "a", pairReach/2) {
			t |= mustReader
		}
		if c.near(w, "b", pairReach/2) {
			t |= mustNamed
		}
	}
	if w.kind == 't' && c.near(w, "n", quietReach) || w.kind == 'n' && c.near(w, "t", quietReach/2) {
		t |= keepsFrom
		if c.near(w, "uh", pairReach) {
			t |= keepsUser
		}
	}
	if (w.kind == 'u' || w.kind == 'h') && c.near(w, "t", pairReach/2) && c.last['n'] > c.from {
		t |= keepsUser
	}
	if !acts[w.kind] && w.kind != 'v' {
		return t | c.together(w)
	}
	t |= c.opening(w)
	if acts[w.kind] && c.near(w, "n", forbidReach) {
		return t&^(lets|speaksFor) | forbids
	}
	return t | c.together(w)
}

// acts are the kinds of words that say what is to be done.
var acts = [128]bool{'x': true, 'r': true, 'd': true, 'o': true, 'p': true, 'w': true, 'c': true}

// together says what a word does with those before it.
func (c *clauses) together(w signal) (t traits) {
	if len(mates[w.kind]) == 0 {
		return 0
	}
	reach := pairReach
	if c.r.text[w.from] >= utf8.RuneSelf {
		reach *= 2
	}
	for _, m := range mates[w.kind] {
		if at := c.last[m.kind]; at > c.from && w.from-at+1 <= reach {
			t |= m.is
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
	at := w.from
	for at > max(0, w.from-40) && marks[c.r.text[at-1]] {
		at--
	}
	if at == 0 || strings.IndexByte(".:!?|", c.r.text[at-1]) >= 0 {
		return opens
	}
	return 0
}

// marks may stand before the first word of a sentence.
var marks = setOf(" \t\n*_`\"'#>/-<!;%+([{")

// called is spoken, and keeps in mind where such a name ended.
func (c *clauses) called(w signal, colon, comma traits) traits {
	t := c.spoken(w, colon, comma)
	if t != 0 {
		c.name = w.to
	}
	return t
}

// maxCalled is how many names of a clause are looked at: more are a list.
const maxCalled = 8

// spoken says whether a name is one that is spoken to: near the beginning of what is said,
// and before a colon or a comma.
func (c *clauses) spoken(w signal, colon, comma traits) traits {
	if c.names++; c.names > maxCalled || c.near(w, "xrdopw", quietReach) { // it is what the act is done to
		return 0
	}
	text := c.r.text
	after := text[w.to:min(len(text), w.to+72)]
	sign, end := signIn(after)
	is := traits(0)
	switch {
	case sign == ':':
		is = colon
	case sign == ',' && end < 24:
		is = comma
	}
	if is == 0 || !opening(text[max(0, w.from-60):w.from]) || is == colon && (strings.HasPrefix(after[end:], "://") || c.r.dialogue(w)) {
		return 0
	}
	return is
}

// signIn is the first sign of a text that parts sentences, and where: of a colon and a comma
// of any script the Latin one.
func signIn(text string) (sign rune, at int) {
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		switch r {
		case ':', '：':
			return ':', i
		case ',', '，', '、', '،', '!':
			return ',', i
		case '?', '\n', '.', ';':
			return r, i
		}
		i += n
	}
	return 0, len(text)
}

// opening reports whether a text ends with few words of a sentence, or none.
func opening(before string) bool {
	words := 0
	for i := len(before) - 1; i >= 0 && strings.IndexByte("\n.!?;:{[(<>\"|", before[i]) < 0; i-- {
		if before[i] == ' ' && i+1 < len(before) && before[i+1] != ' ' {
			words++
		}
	}
	return words <= 5
}

// tag says whether something is said to one by a key, a tag or a heading.
func (c *clauses) tag(w signal) traits {
	after := strings.TrimLeft(c.r.text[w.to:min(len(c.r.text), w.to+8)], "s_-\"'` ")
	if after == "" || strings.IndexByte(":=>)]*", after[0]) < 0 {
		return 0
	}
	c.name = w.to
	return toReader
}

// things are what a text asks for.
const (
	grave  = setsAside | dropsTask | decodes | keepsFrom | keepsUser | hushes | sendsOut | privateTo | destroysGuard | switchesOff
	light  = praises | sendsTo | runsCode | runsFrom | harms | destroys | lets | speaksFor | plants
	things = grave | light
	called = toReader | hailReader | mustReader
	byName = toNamed | hailNamed | mustNamed
)

// mixed are traits that others are together.
var mixed = [...]struct{ one, other, is traits }{
	{called, grave, calledGrave}, {called, light, calledLight}, {called, asksTwo, calledTwo},
	{byName, grave, namedGrave}, {byName, light, namedLight},
	{asRole, grave, roleGrave}, {asRole, light, roleLight},
	{unseenBy, grave, hiddenGrave}, {unseenBy, light, hiddenLight},
	{ofUser, grave, userGrave}, {ofYou, grave, youGrave}, {claims, grave, claimGrave}, {persona, things, personaGrave}, {remedy, grave, remedyGrave}, {setsAside, prior, asidePrior},
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
