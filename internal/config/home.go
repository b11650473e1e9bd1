package config

import (
	"os"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// otherHome is the home of the environment's owner if this process has another,
// else "". A daemon has that of whoever called it first.
func (o *Options) otherHome() string {
	home := o.home()
	if ours, err := os.UserHomeDir(); err == nil && ours == home {
		return ""
	}
	return home
}

// inHome writes a home into the path patterns of a match that begin with "~/".
// The pattern as it was stays beside it, since an agent may write "~/" too, which
// is read as this process's home; but not where a match is what lets pass.
func inHome(m hook.Match, home string, negated bool) hook.Match {
	if home == "" {
		return m
	}
	var paths []string
	for _, pattern := range m.Path {
		rest, ok := strings.CutPrefix(pattern, "~/")
		if ok {
			paths = append(paths, home+"/"+rest)
		}
		if !ok || !negated {
			paths = append(paths, pattern)
		}
	}
	m.Path = paths
	m.Any, m.All = slices.Clone(m.Any), slices.Clone(m.All)
	for i := range m.Any {
		m.Any[i] = inHome(m.Any[i], home, negated)
	}
	for i := range m.All {
		m.All[i] = inHome(m.All[i], home, negated)
	}
	if m.Not != nil {
		inner := inHome(*m.Not, home, !negated)
		m.Not = &inner
	}
	return m
}
