package approve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/internal/visible"
)

// masks takes out of texts what may be a credential: neither the file nor a person who
// looks at a call needs it.
var masks facts.Redactor

// How much of one argument is shown: its beginning and its end, because what matters may
// stand behind a long text.
const (
	shownHead = 3000
	shownTail = 1000
)

// mostArguments bounds how many arguments are shown.
const mostArguments = 20

// shown is a call's input for a person: an argument a line or more, safe to show on a
// terminal, without credentials. What is left out is said.
func shown(input map[string]any) string {
	input = edited(input)
	names := slices.Sorted(maps.Keys(input))
	for _, first := range []string{change, "command"} {
		if i := slices.Index(names, first); i > 0 {
			names = slices.Insert(slices.Delete(names, i, i+1), 0, first)
		}
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
		lead := visible.Line(visible.Clip(name, 100)) + ": "
		lines := strings.Split(strings.TrimSuffix(clipped(lead, text), "\n"), "\n")
		b.WriteString(lead)
		for n, line := range lines {
			if n > 0 {
				b.WriteString("  ")
			}
			b.WriteString(visible.Line(line) + "\n")
		}
	}
	return b.String()
}

// mostHidden is how long credentials are. A person is told when more is hidden: a call
// may hide what it does behind something that looks like one.
const mostHidden = 1 << 10

// mostMasked bounds how much of each end of a long argument is looked at for credentials.
const mostMasked = 128 << 10

// clipped is an argument without credentials, and if it is long without its middle. lead
// is its name, which may say that it is a password.
func clipped(lead, text string) string {
	masked := func(lead, text string) string { return strings.TrimPrefix(masks.Text(lead+text), lead) }
	length, head, tail := len(text), "", ""
	if length > 2*mostMasked {
		head, tail = masked(lead, text[:mostMasked]), masked("", text[length-mostMasked:])
	} else {
		text = masked(lead, text)
		hidden := ""
		if n := length - len(text); n > mostHidden {
			hidden = fmt.Sprintf("\n(%d of its %d bytes are not shown, because they look like a credential)", n, length)
		}
		if length = len(text); length <= shownHead+shownTail {
			return text + hidden
		}
		head, tail = text, text+hidden
		length += len(hidden)
	}
	to, from := min(shownHead, len(head)), max(len(tail)-shownTail, 0)
	for to > 0 && to < len(head) && !utf8.RuneStart(head[to]) {
		to--
	}
	for from < len(tail) && !utf8.RuneStart(tail[from]) {
		from++
	}
	head, tail = head[:to], tail[from:]
	return fmt.Sprintf("%s\n(%d bytes in between are not shown)\n%s", head, length-len(head)-len(tail), tail)
}
