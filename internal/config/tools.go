package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
)

// checkTools warns of matchers that name a tool as an agent does: events have the
// one name that hookway gives it, whichever agent calls it.
func (l *load) checkTools(file string, words []strict.Word) {
	if l.opts.ToolNames == nil {
		return
	}
	for _, w := range words {
		for name := range strings.SplitSeq(w.Text, "|") {
			name = strings.TrimSpace(name)
			if known, ok := l.opts.ToolNames(name); ok && known != name {
				l.set.Warnings = append(l.set.Warnings, Problem{
					File: file, Line: w.Node.Line, Column: w.Node.Column, Hook: w.Hook,
					Message: fmt.Sprintf("the tool %q is known here as %s, under every agent", strict.Clip(name), known),
					Hint:    "write " + known,
				})
			}
		}
	}
}

// checkSources warns of matchers that name a source which is nearly one of ours.
// It can be no mistake: a Go program calls itself what it likes.
func (l *load) checkSources(file string, words []strict.Word) {
	for _, w := range words {
		if strings.ContainsAny(w.Text, `*?[{\`) || slices.Contains(l.opts.Sources, w.Text) {
			continue
		}
		if near := hook.Nearest(w.Text, l.opts.Sources); near != "" && alike(w.Text, near) {
			l.set.Warnings = append(l.set.Warnings, Problem{
				File: file, Line: w.Node.Line, Column: w.Node.Column, Hook: w.Hook,
				Message: fmt.Sprintf("no event of hookway's own has the source %q", strict.Clip(w.Text)),
				Hint:    fmt.Sprintf("did you mean %s?", near),
			})
		}
	}
}
