package hook

import (
	"strings"
	"testing"
)

// A line of a list that is wrapped within a word would make two words of it.
func TestNoWordOfFactsIsBroken(t *testing.T) {
	all := []vocabulary{}
	for _, v := range memberWords {
		all = append(all, v)
	}
	for _, list := range keyWords {
		all = append(all, list...)
	}
	for _, v := range all {
		for _, w := range v.words {
			if strings.HasPrefix(w, "-") || strings.HasSuffix(w, "-") {
				t.Errorf("%q is a part of a word", w)
			}
		}
	}
}
