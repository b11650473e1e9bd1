package guards

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/facts"
)

var (
	learn     = flag.Bool("update", false, "learn lean.txt anew, from testdata/results and -documents")
	documents = flag.String("documents", "", "a file with names of harmless texts, for -update")
)

// lesson is a text that is learned from, as what its passages have.
type lesson struct {
	bad      bool
	weight   float64
	passages [][]uint32
}

// school gathers lessons.
type school struct {
	places  map[uint32]uint32
	names   []string
	lessons []lesson
}

func (s *school) place(h uint32, first, second string) (uint32, bool) {
	at, ok := s.places[h]
	if !ok {
		at = uint32(len(s.names))
		s.places[h], s.names = at, append(s.names, strings.TrimSpace(first+" "+second))
	}
	return at, true
}

// teach takes a text into account, and what is encoded there.
func (s *school) teach(text string, bad bool, weight float64) {
	l := lesson{bad: bad, weight: weight}
	plain, _ := seenText(text)
	r := read(plain)
	l.passages = s.passages(r)
	if len(text) < 4<<10 {
		for _, layer := range decoded(plain, r.turned, r.turnedAt) {
			inner := read(layer.text)
			if layer.part {
				inner.hidden = [][2]int{{0, len(layer.text)}}
			}
			l.passages = append(l.passages, s.passages(inner)...)
		}
	}
	s.lessons = append(s.lessons, l)
}

func (s *school) passages(r *reading) (out [][]uint32) {
	l, tok := r.lean(), tokens{text: r.text, place: s.place, named: true}
	l.passages(func(p passage) bool {
		p.t |= l.quotes(p)
		var has []uint32
		for i, name := range traitNames {
			if p.t&(1<<i) != 0 {
				at, _ := s.place(uint32(i), "+"+name, "")
				has = append(has, at)
			}
		}
		for i := p.first; i <= p.last; i++ {
			has = append(has, l.words(&l.list[i], &tok)...)
		}
		slices.Sort(has)
		out = append(out, slices.Compact(has))
		return len(out) < 400
	})
	return out
}

// How lean.txt is learned: by logistic regression, in which a text is as bad as its worst
// passage.
const (
	learnRounds = 40
	learnRate   = 0.05
	learnDecay  = 0.08 // of words: what they do together should count
	learnTraits = 0.02 // of traits
	learnTexts  = 4    // that must have a word
	learnLeast  = 0.08 // of a weight that is kept
)

// rare takes out what few texts have: it says more about them than about orders.
func (s *school) rare() {
	texts := make([]int, len(s.names))
	for _, l := range s.lessons {
		seen := map[uint32]bool{}
		for _, p := range l.passages {
			for _, at := range p {
				if !seen[at] {
					seen[at] = true
					texts[at]++
				}
			}
		}
	}
	for _, l := range s.lessons {
		for i, p := range l.passages {
			l.passages[i] = slices.DeleteFunc(p, func(at uint32) bool { return texts[at] < learnTexts })
		}
	}
}

func (l *lesson) worst(weights []float64) (float64, int) {
	most, at := 0.0, -1
	for i, p := range l.passages {
		sum := 0.0
		for _, f := range p {
			sum += weights[f]
		}
		if at < 0 || sum > most {
			most, at = sum, i
		}
	}
	return most, at
}

// weigh gives the weights, and what each text begins with.
func (s *school) weigh() (weights []float64, bias float64) {
	now, sum := make([]float64, len(s.names)), make([]float64, len(s.names))
	random, from := rand.New(rand.NewPCG(1, 1)), -2.0
	order := random.Perm(len(s.lessons))
	for round := range learnRounds {
		rate := learnRate / (1 + float64(round)/15)
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, k := range order {
			l := &s.lessons[k]
			lean, at := l.worst(now)
			if at < 0 {
				continue
			}
			should := 0.0
			if l.bad {
				should = 1
			}
			step := (should - 1/(1+math.Exp(-lean-from))) * rate * l.weight
			from += step
			for _, f := range l.passages[at] {
				if s.names[f][0] == '+' {
					now[f] += 2*step - rate*learnTraits*now[f]
				} else {
					now[f] += step - rate*learnDecay*now[f]
				}
			}
		}
		if round >= learnRounds/2 { // the mean of the later rounds
			for i := range now {
				sum[i] += now[i] / (learnRounds / 2)
			}
			bias += from / (learnRounds / 2)
		}
	}
	return sum, bias
}

// made makes texts of the parts in parts.txt.
func made(t testing.TB) (rows []resultRow) {
	src, err := os.ReadFile("testdata/results/parts.txt")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	frames := []string{"%s", "%s", "%s", "%s", "# Widget\n\nA small tool.\n\n## Usage\n\n%s\n", "<p>Welcome to our page.</p><!-- %s -->", "// %s\nfunc main() {}\n", `{"status": "ok", "note": "%s"}`, "10:00:01 INFO started\n10:00:02 WARN %s\n", "Thanks for the report.\n\n%s", `<div style="display:none">%s</div><h1>Shop</h1>`, "commit 77aa\n\n    Fix a typo\n\n    %s\n"}
	for language := range strings.SplitSeq(string(src), "\n--- ") {
		parts := map[string][]string{}
		for line := range strings.Lines(language) {
			kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			parts[kind] = append(parts[kind], text)
		}
		for range 2 * len(parts["to"]) * len(parts["ask"]) / (4 + len(parts["to"])/8) {
			text := pick(parts["to"]) + " " + pick(parts["ask"])
			if random.IntN(3) == 0 {
				text += ", " + pick(parts["ask"])
			}
			if text += "."; random.IntN(3) > 0 {
				text += " " + pick(parts["end"])
			}
			rows = append(rows, resultRow{"made", "bad", fmt.Sprintf(pick(frames), text)})
		}
		for _, text := range parts["fine"] {
			rows = append(rows, resultRow{"made", "good", text}, resultRow{"made", "good", fmt.Sprintf(pick(frames), text)})
			if random.IntN(2) == 0 {
				rows = append(rows, resultRow{"made", "good", fmt.Sprintf(pick(frames), text+" "+pick(parts["fine"]))})
			}
		}
	}
	return rows
}

// lessons are all texts that lean.txt is learned from.
func lessons(t testing.TB) *school {
	s := &school{places: map[uint32]uint32{}}
	for _, r := range readResults(t) {
		if r.Expect != "bad" || len(tricks(r.Text))+len(facts.Credentials(r.Text)) == 0 {
			s.teach(r.Text, r.Expect == "bad", 1)
		}
	}
	for _, r := range made(t) {
		s.teach(r.Text, r.Expect == "bad", 0.5)
	}
	names, err := os.ReadFile(*documents)
	if err != nil {
		t.Fatalf("%v: -update wants -documents, a file that lists many harmless texts", err)
	}
	for name := range strings.FieldsSeq(string(names)) {
		if text, err := os.ReadFile(name); err == nil {
			s.teach(string(text[:min(len(text), 32<<10)]), false, 1)
		}
	}
	s.rare()
	return s
}

// lean.txt can be read, and every trait has a name in it that is a trait's.
func TestLeanings(t *testing.T) {
	if *learn {
		s := lessons(t)
		weights, bias := s.weigh()
		order := make([]int, len(weights))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			if c := math.Round(100*weights[b]) - math.Round(100*weights[a]); c != 0 {
				return int(c)
			}
			return strings.Compare(s.names[a], s.names[b])
		})
		var b strings.Builder
		b.WriteString("# How far a text leans towards an order to an agent: where all begin, and by what each\n# trait (+), word and pair of words adds, in hundredths. Learned: see lean_test.go.\n")
		fmt.Fprintf(&b, "%.0f .\n", 100*bias)
		for _, i := range order {
			if math.Abs(weights[i]) >= learnLeast {
				fmt.Fprintf(&b, "%.0f %s\n", 100*weights[i], s.names[i])
			}
		}
		if err := os.WriteFile("lean.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("lean.txt is learned anew: run the tests again")
	}
	l, err := readLeanings(leanFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.words) < 1000 || l.bias >= 0 {
		t.Errorf("lean.txt has %d words, and a text begins at %d; want more than 1000, and less than 0", len(l.words), l.bias)
	}
	if l.sum(quotes) > 0 {
		t.Errorf("a quotation adds %d to an order, and score wants that it takes something off", l.sum(quotes))
	}
	for _, bad := range []string{"x word", "1 +noTrait"} {
		if _, err := readLeanings(bad); err == nil {
			t.Errorf("%q is taken for a weight", bad)
		}
	}
}
