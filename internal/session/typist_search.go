package session

import (
	"regexp"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/terminal"
)

// searchRow is how line editors show that keys go to a search in the history, or
// are counted: those of readline, zsh, Python and ipython.
var searchRow = regexp.MustCompile(`(?i)^\s*(\(((failed|failing) )?((reverse|forward|r|f)-)?(i-)?search\b|\(arg: |` +
	`((failed|failing) )?(bck|fwd)-i-search:|i-search( backward)?:)`)

// searching reports whether a search in the history is at the cursor: in its row,
// in one that goes on in it, or right below it.
func searching(s terminal.Screen) bool {
	first := s.Row
	for first > 0 && s.Width > 0 && utf8.RuneCountInString(s.At(first-1).Text) >= s.Width-1 {
		first--
	}
	for row := first; row <= s.Row+1; row++ {
		if searchRow.MatchString(rowAt(s, row).Text) {
			return true
		}
	}
	return false
}
