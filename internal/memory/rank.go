package memory

import (
	"cmp"
	"math"
	"slices"
)

// weights are the parts of a score, each of about 0 to 1 before its weight. They
// were set on conversations and on notes; TestRecall holds what they reach.
type weights struct {
	k1, b               float64 // BM25
	near, far           float64 // neighbours, and theirs
	answer              float64 // of the neighbour before, if it asks
	before              float64 // of the neighbour before, more than of the one after
	session             float64
	alone               float64 // of that, for who is in no session: its own score
	spread              float64 // words that occur beside those of the query
	like                float64 // terms that are spelled alike
	concept             float64 // words that mean the same, or a kind of it
	agent, date         float64
	time, number        float64 // asked for, and there
	question, short     float64 // taken off: it asks itself, it says nothing
	newer               float64
	spreadDocs, spread2 int
}

var tuned = weights{
	k1: 0.5, b: 0.25, near: 0.35, far: 0.2, before: 1.5, answer: 1.6, session: 0.6, alone: 0.5, spread: 0.2, like: 0.35, concept: 0.5,
	agent: 0.2, date: 0.3, time: 0.1, number: 0.1, question: 0.12, short: 0.12, newer: 0.01,
	spreadDocs: 400, spread2: 200,
}

// wanted is a term of a query and what it counts.
type wanted struct {
	term   int32
	weight float64 // with the idf
	asked  int     // the word of the query that it stands for
}

// hit is a document and its score.
type hit struct {
	doc   int32
	score float64
}

// ranking is one search on its way.
type ranking struct {
	x     *index
	w     weights
	sees  func(*document) bool
	own   *tally // BM25 by document
	total *tally // with all that is added
	one   *tally // for one step of the search
	terms []wanted
	ideal float64 // what a document of all terms would have
}

// score gives the documents that fit a query best, of those that can be seen: at most
// so many, the best first.
func (x *index) score(query string, most int, sees func(*document) bool, w weights) []hit {
	n := len(x.docs)
	r := &ranking{x: x, w: w, sees: sees, own: newTally(n), total: newTally(n), one: newTally(n)}
	spoken := r.want(query)
	if len(r.terms) == 0 {
		return nil
	}
	r.match()
	r.addNeighbours()
	r.addSessions()
	r.addSpread()
	return r.best(askedBy(query), spoken, most)
}

// mostAsked is how many words of a query are looked for: someone may ask with a
// whole page.
const mostAsked = 100

// want finds the terms of a query, and the agents' names among them.
func (r *ranking) want(query string) (spoken map[string]bool) {
	x := r.x
	n := 0
	spoken = map[string]bool{}
	unknown := math.Log(1 + float64(x.live) + 0.5)
	seen := map[string]bool{}
	for _, t := range terms(query) {
		if seen[t] || len(seen) == mostAsked {
			continue
		}
		seen[t] = true
		if x.agents[t] {
			spoken[t] = true
		}
		id, known := x.vocabulary[t]
		known = known && len(x.postings[id]) > 0
		if known {
			r.ideal += x.idf(id)
		} else {
			r.ideal += 0.5 * unknown
		}
		limit := unknown
		if known {
			limit = x.idf(id)
			r.terms = append(r.terms, wanted{id, limit, n})
		}
		for _, l := range x.likes(t) {
			r.terms = append(r.terms, wanted{l.term, r.w.like * l.likeness * min(limit, x.idf(l.term)), n})
		}
		for _, c := range concepts()[t] {
			if id, ok := x.vocabulary[c.stem]; ok && len(x.postings[id]) > 0 {
				r.terms = append(r.terms, wanted{id, r.w.concept * c.strength * min(limit, x.idf(id)), n})
			}
		}
		n++
	}
	return spoken
}

func (x *index) idf(term int32) float64 {
	n := float64(len(x.postings[term]))
	return math.Log(1 + (float64(x.live)-n+0.5)/(n+0.5))
}

// match scores documents by BM25, as a part of the ideal. Of the terms that stand
// for one word, the best one counts.
func (r *ranking) match() {
	mean := r.x.length/float64(max(1, r.x.live)) + 1e-9
	for i := 0; i < len(r.terms); {
		r.one.clear()
		asked := r.terms[i].asked
		for ; i < len(r.terms) && r.terms[i].asked == asked; i++ {
			t := r.terms[i]
			for _, p := range r.x.postings[t.term] {
				d := &r.x.docs[p.doc]
				if !r.sees(d) {
					continue
				}
				often := float64(p.often)
				norm := r.w.k1 * (1 - r.w.b + r.w.b*float64(d.length)/mean)
				r.one.raise(p.doc, t.weight*often*(r.w.k1+1)/(often+norm)/r.ideal)
			}
		}
		for _, n := range r.one.who {
			r.own.add(n, r.one.score[n])
		}
	}
}

// addNeighbours gives each document its own score and a share to those beside it.
func (r *ranking) addNeighbours() {
	for _, n := range r.own.who {
		s := r.own.score[n]
		if s > 0 {
			r.total.add(n, s)
		}
		r.x.share(n, s, r.w, func(to int32, score float64) {
			if score > 0 && r.sees(&r.x.docs[to]) {
				r.total.add(to, score)
			}
		})
	}
}

// share gives those beside a document in its session, and those beside them, their
// part of its score: an answer often stands beside what was asked for.
func (x *index) share(n int32, score float64, w weights, give func(to int32, score float64)) {
	d := &x.docs[n]
	if d.next >= 0 {
		after := score * w.near * w.before
		if d.hints&isQuestion != 0 {
			after *= w.answer
		}
		give(d.next, after)
		if next := x.docs[d.next].next; next >= 0 {
			give(next, score*w.far*w.before)
		}
	}
	if d.prev >= 0 {
		give(d.prev, score*w.near)
		if prev := x.docs[d.prev].prev; prev >= 0 {
			give(prev, score*w.far)
		}
	}
}

// addSessions adds how well the whole session fits: BM25 of all that was said in it.
func (r *ranking) addSessions() {
	if len(r.x.sessions) < 2 {
		return
	}
	often := make([]float64, len(r.x.sessions))
	scores := make([]float64, len(r.x.sessions))
	lengths := make([]float64, len(r.x.sessions))
	mean := 0.0
	for _, s := range r.x.sessions {
		lengths[s.n] = float64(s.length)
		mean += lengths[s.n] / float64(len(r.x.sessions))
	}
	ideal := 0.0
	for _, t := range r.terms {
		var touched []int32
		for _, p := range r.x.postings[t.term] {
			if d := &r.x.docs[p.doc]; d.session != nil && r.sees(d) {
				if often[d.session.n] == 0 {
					touched = append(touched, d.session.n)
				}
				often[d.session.n] += float64(p.often)
			}
		}
		n := float64(len(touched))
		idf := math.Log(1 + (float64(len(lengths))-n+0.5)/(n+0.5))
		trust := t.weight / r.x.idf(t.term) // less for a term that is only spelled alike
		ideal += idf * trust
		for _, s := range touched {
			scores[s] += trust * idf * often[s] * 2.2 / (often[s] + 1.2*(0.25+0.75*lengths[s]/(mean+1e-9)))
			often[s] = 0
		}
	}
	if ideal == 0 {
		return
	}
	for _, n := range r.total.who {
		if s := r.x.docs[n].session; s != nil {
			r.total.score[n] += r.w.session * scores[s.n] / (ideal * 2.2)
		} else {
			r.total.score[n] += r.w.session * r.w.alone * r.own.score[n]
		}
	}
}

// addSpread finds words that occur beside those of the query, in the same texts
// and the next ones, and scores documents by them: in the documents' space it is
// the cosine of each word and the query, which random indexing estimates.
func (r *ranking) addSpread() {
	words := r.beside()
	r.one.clear()
	for _, t := range words {
		for _, p := range r.x.postings[t.term] {
			if t.weight > 0 && r.sees(&r.x.docs[p.doc]) {
				r.one.add(p.doc, t.weight)
			}
		}
	}
	best := 0.0
	for _, n := range r.one.who {
		r.one.score[n] /= math.Sqrt(float64(r.x.docs[n].length) + 4)
		best = max(best, r.one.score[n])
	}
	for _, n := range r.one.who {
		r.total.add(n, r.w.spread*r.one.score[n]/best)
	}
}

// beside gives the words that occur most beside those of the query, each with its
// cosine and its idf.
func (r *ranking) beside() []wanted {
	from := top[int32]{n: r.w.spreadDocs, less: func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.own.score[b], r.own.score[a]), cmp.Compare(a, b))
	}}
	for _, n := range r.own.who {
		from.add(n)
	}
	counts := newTally(len(r.x.spelling))
	count := func(n int32, score float64) {
		if n < 0 || !r.sees(&r.x.docs[n]) {
			return
		}
		for _, t := range r.x.docs[n].terms {
			counts.add(t.term, score)
		}
	}
	size := 0.0
	for _, n := range from.sorted() {
		d, s := &r.x.docs[n], r.own.score[n]
		size += s * s
		count(n, s)
		count(d.prev, s*0.5)
		count(d.next, s*0.5)
	}
	words := top[wanted]{n: r.w.spread2, less: func(a, b wanted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term))
	}}
	for _, t := range counts.who {
		cosine := counts.score[t] / math.Sqrt(size*float64(len(r.x.postings[t]))*1.5)
		words.add(wanted{term: t, weight: cosine * r.x.idf(t)})
	}
	return words.sorted()
}

// best adds what else speaks for a document, and gives the first of them.
func (r *ranking) best(a asked, spoken map[string]bool, most int) []hit {
	hits := top[hit]{n: most, less: func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc, a.doc))
	}}
	named := r.named(spoken)
	for _, n := range r.total.who {
		d := &r.x.docs[n]
		score := r.total.score[n] + r.extra(d, a) + r.w.newer*float64(n)/float64(len(r.x.docs))
		if named[d.speaker] {
			score += r.w.agent
		}
		hits.add(hit{n, score})
	}
	return hits.sorted()
}

// named are the agents of whom the query speaks.
func (r *ranking) named(spoken map[string]bool) map[string]bool {
	named := map[string]bool{}
	if len(spoken) == 0 {
		return named
	}
	for agent := range r.x.speakers {
		named[agent] = slices.ContainsFunc(terms(agent), func(t string) bool { return spoken[t] })
	}
	return named
}

func (r *ranking) extra(d *document, a asked) (extra float64) {
	for _, s := range a.spans {
		if s.has(d.day) {
			extra += r.w.date
			break
		}
	}
	if a.hints&d.hints&hasTime != 0 {
		extra += r.w.time
	}
	if a.hints&d.hints&hasNumber != 0 {
		extra += r.w.number
	}
	if d.hints&isQuestion != 0 {
		extra -= r.w.question
	}
	if d.hints&isShort != 0 {
		extra -= r.w.short
	}
	return extra
}
