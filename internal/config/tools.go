package config

import (
	"fmt"
	"strings"
)

// toolWord is a name or glob of a tool in a matcher.
type toolWord struct {
	entry
	hook string
}

// checkTools warns of matchers that name a tool as an agent does: events have the
// one name that hookway gives it, whichever agent calls it.
func (l *loader) checkTools(file string, words []toolWord) {
	if l.opts.ToolNames == nil {
		return
	}
	for _, w := range words {
		for name := range strings.SplitSeq(w.text, "|") {
			name = strings.TrimSpace(name)
			if known, ok := l.opts.ToolNames(name); ok && known != name {
				l.set.Warnings = append(l.set.Warnings, Problem{
					File: file, Line: w.node.Line, Column: w.node.Column, Hook: w.hook,
					Message: fmt.Sprintf("the tool %q is known here as %s, under every agent", clip(name), known),
					Hint:    "write " + known,
				})
			}
		}
	}
}
