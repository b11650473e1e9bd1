package guards

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestStemsAreFoundWhereTheyStand compares the tree with a search for each stem by
// itself, in texts that are made of stems and of parts of them.
func TestStemsAreFoundWhereTheyStand(t *testing.T) {
	x := stems()
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		var b strings.Builder
		for range 12 {
			s := x.stems[random.IntN(len(x.stems))].text
			b.WriteString([]string{s, s[:random.IntN(len(s))], s[random.IntN(len(s)):]}[random.IntN(3)])
			b.WriteString([]string{"", " ", "x", "_"}[random.IntN(4)])
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		got, _ := x.find(text)
		at := 0
		for _, s := range x.stems {
			for from := 0; ; {
				i := strings.Index(text[from:], s.text)
				if i < 0 {
					break
				}
				if from += i; s.stands(text, from, from+len(s.text)) && !slices.ContainsFunc(got, func(g signal) bool {
					return g.kind == s.kind && g.from <= from && g.to >= from+len(s.text)
				}) {
					t.Errorf("%q: %c %q at %d is not found", text, s.kind, s.text, from)
				}
				from++
			}
		}
		for _, g := range got {
			if g.to < at {
				t.Errorf("%q: %c ends at %d, behind one that ends at %d", text, g.kind, g.to, at)
			}
			at = g.to
			if !slices.ContainsFunc(x.stems, func(s stem) bool {
				return s.kind == g.kind && strings.HasPrefix(text[g.from:], s.text) && s.stands(text, g.from, g.from+len(s.text))
			}) {
				t.Errorf("%q: no stem of kind %c stands at %d", text, g.kind, g.from)
			}
		}
	}
}

// Capital letters and white space of any kind stand for small ones and for one blank.
func TestStemsAreFoundInCapitals(t *testing.T) {
	for text, kind := range map[string]byte{"PLEASE": 'm', "Language \n\t Model": 'a', "ÜBERWEISE": 'p', "GITHUB_TOKEN": 'k', "<!--": '<', "note_for_ai": 'N'} {
		if got, _ := stems().find("x " + text + " y"); !slices.ContainsFunc(got, func(s signal) bool { return s.kind == kind && s.from == 2+max(0, strings.Index(text, "TOKEN")) }) {
			t.Errorf("%q: got %v, want one of kind %c", text, got, kind)
		}
	}
}

// A tree that counts further than its types is refused.
func TestStemsThatDoNotFitAreRefused(t *testing.T) {
	bytes := stem{kind: 'd'}
	for c := 1; c < 256; c++ {
		bytes.text += string([]byte{byte(c)})
	}
	for name, list := range map[string][]stem{"stems": make([]stem, 1<<16), "bytes": {bytes, {kind: 'd', text: "\x00"}}} {
		if _, err := build(list); err == nil {
			t.Errorf("%s: a list that does not fit is taken", name)
		}
	}
}
