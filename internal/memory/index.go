package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// index is what a search needs to know of the memories of one workspace: their
// words, not their texts. It is not safe for use by several goroutines.
type index struct {
	workspace string
	all       bool  // every workspace
	rows      int64 // read up to this seq
	changes   int64 // read up to this change

	vocabulary map[string]int32
	spelling   []string         // of each term
	postings   [][]posting      // of each term
	forms      map[string]int32 // of each word that was seen, its term; -1 if it says nothing
	grams      map[gram][]int32 // terms by their pieces
	gramed     int              // terms that are in grams

	docs     []document
	bySeq    map[int64]int32
	sessions map[string]*session
	agents   map[string]bool   // words of agents' names
	speakers map[string]string // agents, each by itself
	live     int               // documents that are not gone
	length   float64           // of all of them

	found      []weighed // terms of the document that is added
	last, slot []int32   // of each term: the last document with it, and where in found

	sketch *sketch // of the vectors; nil if there is no embedder
}

// posting says how often a term is in a document.
type posting struct {
	doc   int32
	often float32
}

// weighed is a term of a document.
type weighed struct {
	term  int32
	often float32
}

type document struct {
	seq        int64
	terms      []weighed
	length     float32
	session    *session
	prev, next int32 // in the session; -1 if there is none
	agent      string
	speaker    string // the agent, or else the name before the text
	scope      Scope
	tags       []string
	day        int32 // since 1970
	hints      hints
	gone       bool
}

// hints is what a text has besides words.
type hints uint8

const (
	hasTime    hints = 1 << iota // words of time: yesterday, in May
	hasNumber                    // a number, in digits or words
	isQuestion                   // it ends with a question mark
	isShort                      // hardly any words of its own
)

// session is the documents that were said one after the other.
type session struct {
	id     string
	n      int32 // of the session among all
	last   int32
	length float32
}

func newIndex(workspace string, all bool) *index {
	return &index{
		workspace: workspace, all: all, vocabulary: map[string]int32{}, forms: map[string]int32{}, grams: map[gram][]int32{},
		bySeq: map[int64]int32{}, sessions: map[string]*session{}, agents: map[string]bool{}, speakers: map[string]string{},
	}
}

// add takes in a row. Rows come in the order in which they were saved.
func (x *index) add(seq int64, m *Memory) {
	n := int32(len(x.docs))
	d := document{seq: seq, prev: -1, next: -1, agent: x.name(m.Agent), scope: m.Scope, tags: m.Tags, day: int32(m.Time.Unix() / 86400)}
	d.speaker = d.agent
	if d.agent == "" {
		d.speaker = x.name(speakerOf(m.Text))
	}
	x.found = x.found[:0]
	count := func(list []string, weight float32) {
		for _, w := range list {
			id := x.form(w)
			if id < 0 {
				continue
			}
			if x.last[id] != n+1 {
				x.last[id], x.slot[id] = n+1, int32(len(x.found))
				x.found = append(x.found, weighed{id, 0})
			}
			x.found[x.slot[id]].often += weight
			d.length += weight
		}
	}
	text := words(m.Text)
	d.hints = hintsOf(m.Text, text)
	count(text, 1)
	if d.length < 3 {
		d.hints |= isShort
	}
	if m.Agent != "" && !strings.HasPrefix(m.Text, m.Agent+":") {
		count(words(m.Agent), 1)
	}
	count(words(strings.Join(m.Tags, " ")), 1)
	count(words(m.File), 0.5)
	count(words(m.Context), 0.5)
	d.terms = slices.Clone(x.found)
	for _, t := range d.terms {
		x.postings[t.term] = append(x.postings[t.term], posting{n, t.often})
	}
	x.join(&d, n, m)
	x.bySeq[seq] = n
	x.docs = append(x.docs, d)
	x.live++
	x.length += float64(d.length)
}

// name gives a name as it is kept once for all that it said. Its words are those
// that speak of an agent.
func (x *index) name(name string) string {
	if kept, known := x.speakers[name]; known || name == "" {
		return kept
	}
	name = strings.Clone(name)
	x.speakers[name] = name
	for _, t := range terms(name) {
		x.agents[t] = true
	}
	return name
}

// join puts a document at the end of its session.
func (x *index) join(d *document, n int32, m *Memory) {
	if m.Session == "" {
		return
	}
	key := m.Workspace + "\x00" + m.Session
	s := x.sessions[key]
	if s == nil {
		s = &session{id: m.Session, n: int32(len(x.sessions)), last: -1}
		x.sessions[key] = s
	}
	if s.last >= 0 {
		d.prev, x.docs[s.last].next = s.last, n
	}
	s.last = n
	s.length += d.length
	d.session = s
}

// remove takes a row out.
func (x *index) remove(seq int64) {
	n, ok := x.bySeq[seq]
	if !ok {
		return
	}
	delete(x.bySeq, seq)
	d := &x.docs[n]
	for _, t := range d.terms {
		list := x.postings[t.term]
		for i := range list {
			if list[i].doc == n {
				x.postings[t.term] = append(list[:i], list[i+1:]...)
				break
			}
		}
	}
	if d.prev >= 0 {
		x.docs[d.prev].next = d.next
	}
	if d.next >= 0 {
		x.docs[d.next].prev = d.prev
	}
	if s := d.session; s != nil {
		s.length -= d.length
		if s.last == n {
			s.last = d.prev
		}
	}
	x.live--
	x.length -= float64(d.length)
	*d = document{gone: true, prev: -1, next: -1}
}

// term gives the number of a term, a new one if it was never seen.
func (x *index) term(spelling string) int32 {
	id, ok := x.vocabulary[spelling]
	if !ok {
		spelling = strings.Clone(spelling) // of a text that is not kept
		id = int32(len(x.spelling))
		x.vocabulary[spelling] = id
		x.spelling = append(x.spelling, spelling)
		x.postings = append(x.postings, nil)
		x.last, x.slot = append(x.last, 0), append(x.slot, 0)
	}
	return id
}

// form gives the number of a word's term; -1 if it says nothing. Most words were
// seen before.
func (x *index) form(word string) int32 {
	id, ok := x.forms[word]
	if !ok {
		id = -1
		if t := termOf(word); t != "" {
			id = x.term(t)
		}
		x.forms[strings.Clone(word)] = id
	}
	return id
}

// speakerOf is the name before a colon at the beginning of a text: "Ann: hello".
func speakerOf(text string) string {
	name, _, found := strings.Cut(cut(text, 40), ":")
	if !found || len(strings.Fields(name)) > 3 {
		return ""
	}
	for _, word := range strings.Fields(name) {
		if first, _ := utf8.DecodeRuneInString(word); !unicode.IsUpper(first) {
			return ""
		}
	}
	return name
}
