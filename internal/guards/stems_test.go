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

// An automaton that counts further than 16 bits is refused, and never one that finds
// other stems. The list that hookway comes with has room to grow.
func TestStemsThatDoNotFitAreRefused(t *testing.T) {
	a, err := build(readStems(stemFile))
	if err != nil || len(a.states) > maxStates*3/4 {
		t.Fatalf("orders.txt: %d states, %v; want %d at most, and a wider type beyond", len(a.states), err, maxStates*3/4)
	}
	many := func(n, size int) (list []stem) { // no two begin alike after the first two bytes
		for i := range n {
			list = append(list, stem{kind: 'd', text: string([]byte{byte('a' + i%16), byte('a' + i/16%16), byte('a' + i/256%16)}) + strings.Repeat("x", size)})
		}
		return list
	}
	fits, err := build(many(4096, 12)) // 16 + 256 + 4096*13 states
	if err != nil {
		t.Fatal(err)
	}
	last := "ppp" + strings.Repeat("x", 12)
	if got := fits.find(last); len(got) != 1 || got[0].to != len(last) {
		t.Errorf("a list that just fits finds %v, want its last stem", got)
	}
	bytes := stem{kind: 'd'}
	for c := 1; c < 256; c++ {
		bytes.text += string([]byte{byte(c)})
	}
	for name, list := range map[string][]stem{
		"states": many(4096, 16), "a step over": many(4096, 15)[:4095], "stems": make([]stem, maxStates), "bytes": {bytes, {kind: 'd', text: "\x00"}},
	} {
		if _, err := build(list); err == nil {
			t.Errorf("%s: a list that does not fit is taken", name)
		}
	}
}
