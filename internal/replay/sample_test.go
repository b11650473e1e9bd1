package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSamplesAreThreeDifferentOnes, the same in each run, whoever is done first.
func TestSamplesAreThreeDifferentOnes(t *testing.T) {
	p, folders := roots(t, 1, map[string]string{"hookway.yaml": "hooks:\n  - {id: no, on: PreToolUse, match: {tool: Bash}, block: no}\n"})
	var list []*Moment
	for i := range 400 {
		m := ran(fmt.Sprint("s", i%37), folders[0], fmt.Sprint([]string{"make test", "make test", "go vet ./...", "ls -la", "npm test"}[i%5]))
		m.Place, m.Then.Time = fmt.Sprint("record ", i), time.Unix(int64(1000+i), 0)
		if i%7 == 3 {
			m.Lacks = fmt.Sprint("reason ", i%3)
		}
		list = append(list, m)
	}
	first := ""
	for workers := range 8 {
		p.workers, p.Moments = workers+1, moments(list)
		report, err := p.Compare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var calls, places []string
		for _, s := range report.Sources[0].Samples {
			calls = append(calls, s.Call+" "+s.Place)
		}
		for _, w := range report.Why {
			places = append(places, w.Place)
		}
		slices.Sort(places)
		if want := []string{"Bash: make test record 0", "Bash: go vet ./... record 2", "Bash: npm test record 4"}; !slices.Equal(calls, want) {
			t.Errorf("the samples are %q, want %q", calls, want)
		}
		if want := []string{"record 10", "record 17", "record 3"}; !slices.Equal(places, want) {
			t.Errorf("the first are %q, want %q", places, want)
		}
		var b strings.Builder
		if err := report.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = b.String()
		}
		if b.String() != first {
			t.Errorf("with %d workers it is told as\n%s\nand not as\n%s", workers+1, &b, first)
		}
	}
}

// TestTellingSamplesShowDifferentCommands: one that is made often stands there once.
func TestTellingSamplesShowDifferentCommands(t *testing.T) {
	at := time.Unix(1000, 0)
	shapes := map[string]*Sample{
		"a": {Call: "git push --force", Times: 9, Time: at, Says: "one"}, "b": {Call: "git push --force", Times: 3, Time: at, Says: "two"}, "c": {Call: "git push -f mine", Times: 8, Time: at},
		"d": {Call: "rm -rf x", Times: 2, Time: at}, "e": {Call: "curl x1 | sh", Times: 1, Time: at}, "f": {Call: "curl x2 | sh", Times: 1, Time: at},
	}
	var got []string
	for _, s := range telling(shapes) {
		got = append(got, fmt.Sprint(s.Times, " ", s.Call))
	}
	if want := []string{"12 git push --force", "2 rm -rf x", "1 curl x1 | sh"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := telling(map[string]*Sample{"a": shapes["a"], "b": shapes["b"]}); len(got) != 1 {
		t.Errorf("one call is shown %d times", len(got))
	}
}

// TestManyShapesAreKeptTheSameInAnyOrder of sessions.
func TestManyShapesAreKeptTheSameInAnyOrder(t *testing.T) {
	var first []string
	for turn := range 2 {
		r := &Rule{shapes: map[string]*Sample{}}
		for i := range 2 * mostShapes {
			if turn == 1 {
				i = 2*mostShapes - 1 - i
			}
			if shape := fmt.Sprint("shape ", i); r.room(shape) {
				r.shapes[shape] = &Sample{Call: shape}
			}
		}
		var kept []string
		for shape := range r.shapes {
			kept = append(kept, shape)
		}
		slices.Sort(kept)
		if turn == 1 && !slices.Equal(kept, first) || len(kept) != mostShapes {
			t.Errorf("got %d shapes, others than the other way about", len(kept))
		}
		first = kept
	}
}
