package memory

// tally is scores of few among many, by number: an array, and who has one.
type tally struct {
	score []float64
	who   []int32
}

func newTally(n int) *tally { return &tally{score: make([]float64, n)} }

// add gives a score, which must not be 0, besides what there is.
func (t *tally) add(n int32, score float64) {
	if t.score[n] == 0 {
		t.who = append(t.who, n)
	}
	t.score[n] += score
}

// raise makes a score at least so high.
func (t *tally) raise(n int32, score float64) {
	if t.score[n] == 0 {
		t.who = append(t.who, n)
	}
	t.score[n] = max(t.score[n], score)
}

// clear forgets all, at the cost of those who have a score.
func (t *tally) clear() {
	for _, n := range t.who {
		t.score[n] = 0
	}
	t.who = t.who[:0]
}
