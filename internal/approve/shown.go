package approve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/visible"
)

// How much of one argument is shown: its beginning and its end, because what matters may
// stand behind a long text.
const (
	shownHead = 3000
	shownTail = 1000
)

// mostArguments bounds how many arguments are shown.
const mostArguments = 20

// shown is a call's input for a person: an argument a line or more, safe to show on a
// terminal. What is left out is said.
func shown(input map[string]any) string {
	names := slices.Sorted(maps.Keys(input))
	if i := slices.Index(names, "command"); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, "command")
	}
	var b strings.Builder
	for i, name := range names {
		if i == mostArguments {
			fmt.Fprintf(&b, "(%d more arguments are not shown)\n", len(names)-i)
			break
		}
		text, ok := input[name].(string)
		if !ok {
			text = string(appendValue(nil, input[name]))
		}
		lines := strings.Split(strings.TrimSuffix(clipped(text), "\n"), "\n")
		fmt.Fprintf(&b, "%s: ", visible.Line(visible.Clip(name, 100)))
		for n, line := range lines {
			if n > 0 {
				b.WriteString("  ")
			}
			b.WriteString(visible.Line(line) + "\n")
		}
	}
	return b.String()
}

// clipped is a text without its middle, if it is long.
func clipped(text string) string {
	if len(text) <= shownHead+shownTail {
		return text
	}
	head, tail := shownHead, len(text)-shownTail
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n(%d bytes in between are not shown)\n%s", text[:head], tail-head, text[tail:])
}
