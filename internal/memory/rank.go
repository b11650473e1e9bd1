package memory

import (
	"math"
	"slices"
)

// weights are the parts of a score, each of about 0 to 1 before its weight. They
// were set on conversations and on notes; TestRecall holds what they reach.
type weights struct {
	k1, b               float64 // BM25
	near, far           float64 // neighbours, and theirs
	before              float64 // of the neighbour before, more than of the one after
	session             float64
	spread              float64 // words that occur beside those of the query
	like                float64 // terms that are spelled alike
	agent, date         float64
	time, number        float64 // asked for, and there
	question, short     float64 // taken off: it asks itself, it says nothing
	newer               float64
	spreadDocs, spread2 int
}

var tuned = weights{
	k1: 0.5, b: 0.25, near: 0.3, far: 0.1, before: 1.3, session: 0.5, spread: 0.6, like: 0.4,
	agent: 0.2, date: 0.3, time: 0.08, number: 0.05, question: 0.06, short: 0.05, newer: 0.01,
	spreadDocs: 400, spread2: 200,
}

// wanted is a term of a query and what it counts.
type wanted struct {
	term   int32
	weight float64 // with the idf
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
	own   []float64 // BM25 by document
	terms []wanted
	ideal float64 // what a document of all terms would have
}

// rank gives the k documents that fit a query best, of those that can be seen.
func (x *index) rank(query string, k int, sees func(*document) bool, w weights) []hit {
	r := &ranking{x: x, w: w, sees: sees, own: make([]float64, len(x.docs))}
	spoken := r.want(query)
	if len(r.terms) == 0 {
		return nil
	}
	matched := r.match(r.terms, r.own)
	total := r.combine(matched)
	r.addSessions(total)
	r.addSpread(matched, total)
	return r.best(total, askedBy(query), spoken, k)
}

// want finds the terms of a query, and the agents' names among them.
func (r *ranking) want(query string) (spoken map[string]bool) {
	x := r.x
	weights := map[int32]float64{}
	spoken = map[string]bool{}
	unknown := math.Log(1 + float64(x.live) + 0.5)
	seen := map[string]bool{}
	for _, t := range terms(query) {
		if seen[t] {
			continue
		}
		seen[t] = true
		if x.agents[t] {
			spoken[t] = true
		}
		id, known := x.vocabulary[t]
		known = known && len(x.postings[id]) > 0
		if known {
			weights[id] = max(weights[id], x.idf(id))
			r.ideal += x.idf(id)
		} else {
			r.ideal += 0.5 * unknown
		}
		for _, l := range x.likes(t) {
			weight := r.w.like * l.likeness * x.idf(l.term)
			if known {
				weight = min(weight, x.idf(id)*0.5)
			}
			weights[l.term] = max(weights[l.term], weight)
		}
	}
	for id, weight := range weights {
		r.terms = append(r.terms, wanted{id, weight})
	}
	slices.SortFunc(r.terms, func(a, b wanted) int { return int(a.term - b.term) }) // the sum must not depend on a map's order
	return spoken
}

func (x *index) idf(term int32) float64 {
	n := float64(len(x.postings[term]))
	return math.Log(1 + (float64(x.live)-n+0.5)/(n+0.5))
}

// match adds BM25 to the scores, as a part of the ideal, and gives the documents
// that have any.
func (r *ranking) match(terms []wanted, scores []float64) []int32 {
	var found []int32
	mean := r.x.length/float64(max(1, r.x.live)) + 1e-9
	for _, t := range terms {
		for _, p := range r.x.postings[t.term] {
			d := &r.x.docs[p.doc]
			if !r.sees(d) {
				continue
			}
			if scores[p.doc] == 0 {
				found = append(found, p.doc)
			}
			often := float64(p.often)
			norm := r.w.k1 * (1 - r.w.b + r.w.b*float64(d.length)/mean)
			scores[p.doc] += t.weight * often * (r.w.k1 + 1) / (often + norm) / r.ideal
		}
	}
	return found
}

// combine gives each document its own score and a share of its neighbours'.
func (r *ranking) combine(matched []int32) map[int32]float64 {
	total := make(map[int32]float64, 3*len(matched))
	docs := r.x.docs
	give := func(to int32, score float64) {
		if to >= 0 && r.sees(&docs[to]) {
			total[to] += score
		}
	}
	for _, n := range matched {
		s := r.own[n]
		d := &docs[n]
		total[n] += s
		give(d.next, s*r.w.near*r.w.before)
		give(d.prev, s*r.w.near)
		if d.next >= 0 {
			give(docs[d.next].next, s*r.w.far*r.w.before)
		}
		if d.prev >= 0 {
			give(docs[d.prev].prev, s*r.w.far)
		}
	}
	return total
}

// addSessions adds how well the whole session fits: BM25 of all that was said in it.
func (r *ranking) addSessions(total map[int32]float64) {
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
	for n := range total {
		if s := r.x.docs[n].session; s != nil {
			total[n] += r.w.session * scores[s.n] / (ideal * 2.2)
		}
	}
}

// addSpread finds words that occur beside those of the query, in the same texts
// and the next ones, and scores documents by them: in the documents' space it is
// the cosine of each word and the query, which random indexing estimates.
func (r *ranking) addSpread(matched []int32, total map[int32]float64) {
	from := slices.Clone(matched)
	slices.SortFunc(from, func(a, b int32) int {
		if c := sign(r.own[b] - r.own[a]); c != 0 {
			return c
		}
		return int(a - b)
	})
	from = from[:min(len(from), r.w.spreadDocs)]
	beside := map[int32]float64{}
	size := 0.0
	for _, n := range from {
		d := &r.x.docs[n]
		s := r.own[n]
		size += s * s
		r.collect(beside, d, s)
		for _, m := range []int32{d.prev, d.next} {
			if m >= 0 && r.sees(&r.x.docs[m]) {
				r.collect(beside, &r.x.docs[m], s*0.5)
			}
		}
	}
	words := make([]wanted, 0, len(beside))
	for t, s := range beside {
		cosine := s / math.Sqrt(size*float64(len(r.x.postings[t]))*1.5)
		words = append(words, wanted{t, cosine * r.x.idf(t)})
	}
	slices.SortFunc(words, func(a, b wanted) int {
		if c := sign(b.weight - a.weight); c != 0 {
			return c
		}
		return int(a.term - b.term)
	})
	words = words[:min(len(words), r.w.spread2)]
	spread := map[int32]float64{}
	best := 0.0
	for _, t := range words {
		for _, p := range r.x.postings[t.term] {
			if d := &r.x.docs[p.doc]; r.sees(d) {
				spread[p.doc] += t.weight
			}
		}
	}
	for n, s := range spread {
		spread[n] = s / math.Sqrt(float64(r.x.docs[n].length)+4)
		best = max(best, spread[n])
	}
	for n, s := range spread {
		total[n] += r.w.spread * s / best
	}
}

func (r *ranking) collect(beside map[int32]float64, d *document, s float64) {
	for _, t := range d.terms {
		beside[t.term] += s
	}
}

// best adds what else speaks for a document, and gives the k best ones.
func (r *ranking) best(total map[int32]float64, a asked, spoken map[string]bool, k int) []hit {
	hits := make([]hit, 0, len(total))
	for n, score := range total {
		hits = append(hits, hit{n, score + r.extra(&r.x.docs[n], a, spoken) + r.w.newer*float64(n)/float64(len(r.x.docs))})
	}
	slices.SortFunc(hits, func(a, b hit) int {
		if c := sign(b.score - a.score); c != 0 {
			return c
		}
		return int(b.doc - a.doc)
	})
	return hits[:min(k, len(hits))]
}

func (r *ranking) extra(d *document, a asked, spoken map[string]bool) (extra float64) {
	if len(spoken) > 0 && d.agent != "" {
		for _, t := range terms(d.agent) {
			if spoken[t] {
				extra += r.w.agent
				break
			}
		}
	}
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
