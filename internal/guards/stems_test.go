package guards

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestStemsAreFoundWhereTheyStand compares the automaton with a search for each stem by
// itself, in texts that are made of stems and of parts of them.
func TestStemsAreFoundWhereTheyStand(t *testing.T) {
	list := stems().stems
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		var b strings.Builder
		for range 12 {
			s := list[random.IntN(len(list))].text
			b.WriteString([]string{s, s[:random.IntN(len(s))], s[random.IntN(len(s)):]}[random.IntN(3)])
			b.WriteString([]string{"", " ", "x"}[random.IntN(3)])
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		var want []int // where each stem ends
		for _, s := range list {
			for from := 0; ; {
				i := strings.Index(text[from:], s.text)
				if i < 0 {
					break
				}
				from += i
				want = append(want, from+len(s.text))
				from++
			}
		}
		slices.Sort(want)
		a, got, at := stems(), []int(nil), uint16(0)
		for i := range len(text) {
			at = a.step(at, a.class[text[i]])
			for end := a.states[at].found; end != 0; end = a.found[end].next {
				got = append(got, i+1)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %d stems end at %v, want %d at %v", text, len(got), got, len(want), want)
		}
	}
}
