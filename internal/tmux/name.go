package tmux

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName bounds the name of a session, in bytes.
const longestName = 48

// Name makes a session's name of any text. tmux gives a meaning to some
// characters (. : # = $ @ and others, for which it even runs programs), so that
// only letters, digits, - and _ are kept; others become _. A text that is too long
// keeps its begin, and gets an end of its own.
func Name(text string) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, text)
	name = strings.TrimLeft(name, "-") // it would be a flag
	if name == "" {
		return "_"
	}
	if len(name) <= longestName {
		return name
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(text))
	end := "-" + strconv.FormatUint(sum.Sum64(), 36)
	cut := longestName - len(end)
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + end
}
