package facts

import (
	"regexp"
	"sync"

	parser "github.com/hookway/hookway/internal/shell"
	"mvdan.cc/sh/v3/syntax"
)

// commandInSum is what begins like a command, and hardly like a sum: a name, and behind
// it a word or an option.
var commandInSum = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\(*\s*([\w./-]+)\s+(-?[A-Za-z/~"'$.])`) })

// sum reads what stands between "((" and "))". Shells that know no sums, as the sh of
// Debian and Alpine, begin two subshells there, and run what others would count.
func (sh *shell) sum(c *syntax.ArithmCmd) {
	sh.arithmetic(c.X)
	from, to := int(c.Left.Offset()), int(c.Right.Offset())
	if from < 0 || to > len(sh.src) || from+2 > to || sh.src[from:from+2] != "((" { // it stands in another text
		return
	}
	text := sh.src[from+2 : to]
	first := commandInSum().FindStringSubmatch(text)
	if first == nil || programs()[programName(first[1])] == nil {
		return
	}
	if _, err := parser.Parse(text); err != nil {
		return
	}
	sh.unsure(func() { sh.inner(text, sh.span(c), nil, sh.st.params, sh.st.paramsOpen) })
}
