package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
)

// matchWord is a name or glob in a matcher.
type matchWord struct {
	entry
	hook string
}

// checkTools warns of matchers that name a tool as an agent does: events have the
// one name that hookway gives it, whichever agent calls it.
func (l *loader) checkTools(file string, words []matchWord) {
	if l.opts.ToolNames == nil {
		return
	}
	for _, w := range words {
		for name := range strings.SplitSeq(w.text, "|") {
			name = strings.TrimSpace(name)
			if known, ok := l.opts.ToolNames(name); ok && known != name {
				l.set.Warnings = append(l.set.Warnings, Problem{
					File: file, Line: w.node.Line, Column: w.node.Column, Hook: w.hook,
					Message: fmt.Sprintf("the tool %q is known here as %s, under every agent", strict.Clip(name), known),
					Hint:    "write " + known,
				})
			}
		}
	}
}

// checkSources warns of matchers that name a source which is nearly one of ours.
// It can be no mistake: a Go program calls itself what it likes.
func (l *loader) checkSources(file string, words []matchWord) {
	for _, w := range words {
		if strings.ContainsAny(w.text, `*?[{\`) || slices.Contains(l.opts.Sources, w.text) {
			continue
		}
		if near := hook.Nearest(w.text, l.opts.Sources); near != "" && alike(w.text, near) {
			l.set.Warnings = append(l.set.Warnings, Problem{
				File: file, Line: w.node.Line, Column: w.node.Column, Hook: w.hook,
				Message: fmt.Sprintf("no event of hookway's own has the source %q", strict.Clip(w.text)),
				Hint:    fmt.Sprintf("did you mean %s?", near),
			})
		}
	}
}
