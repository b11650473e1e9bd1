package facts

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	parser "github.com/hookway/hookway/internal/shell"
)

// maxMended bounds the texts that are read again in other ways, in bytes.
const maxMended = 8 << 10

// mended reads what can be read of a text with a mistake in it: it closes what is
// open, or takes the lines that are whole. An agent's shell would refuse such a text,
// mostly; another may not.
func mended(src string) (*syntax.File, error) {
	if len(src) > maxMended {
		return parser.Parse(src)
	}
	for _, end := range []string{"'", `"`, "`", ")", "\"'", "}", "))"} {
		if file, err := parser.Parse(src + end); err == nil {
			return file, nil
		}
	}
	for _, start := range []string{"| ", "|| ", "&& ", "; ", "& "} {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(src), strings.TrimSpace(start)); ok {
			if file, err := parser.Parse(rest); err == nil {
				return file, nil
			}
		}
	}
	var last *syntax.File
	_, err := parser.Parse(src)
	lines := strings.SplitAfter(src, "\n")
	for n := len(lines) - 1; n > 0; n-- {
		if file, err := parser.Parse(strings.Join(lines[:n], "")); err == nil {
			last = file
			break
		}
		if len(lines)-n > 20 {
			break
		}
	}
	return last, err
}
