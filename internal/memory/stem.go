package memory

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stem takes the endings of grammar from an English word, so that "tests",
// "tested" and "testing" are one word, by Snowball's rules for English. Words of
// other alphabets stay as they are.
func stem(word string) string {
	if !isASCII(word) {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

func isASCII(word string) bool {
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}
