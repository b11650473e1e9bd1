package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/visible"
)

const (
	namespaceNews  = 7 * 24 * time.Hour
	namespaceLines = 10
)

// builtinNamespaces are those that hookway itself answers under hookway run.
var builtinNamespaces = []string{"relay", "broadcast", "memory"}

// namespaces tells of directives that no hook took. They do no harm: their text
// is left alone. But one of them may be a namespace that is misspelt.
func (c *Checkup) namespaces() Section {
	s := Section{Name: "namespaces", Title: "Unknown namespaces of directives, last 7 days"}
	all, err := audit.ReadNamespaces(audit.NamespacesPath(c.state))
	if err != nil {
		s.warn("delete the file; it is made again", "%v", err)
	}
	all = slices.DeleteFunc(all, func(n audit.Namespace) bool { return c.Now.Sub(n.Last) > namespaceNews || c.takes(n) })
	for _, n := range all[:min(len(all), namespaceLines)] {
		mend := fmt.Sprintf("if it is meant for a hook, give one on: Directive, match: {namespace: %s}", n.Name)
		if near := hook.NearestWithin(min(2, (len(n.Name)+1)/3), n.Name, c.knownNamespaces(n.Dir)); near != "" {
			mend = fmt.Sprintf("did the agent mean @%s:? Else %s", near, mend)
		}
		s.add(Note, mend, "@%s: no hook took %s; the last %s ago, of %s in %s", n.Name, visible.Count(n.Count, "directive"), ago(c.Now.Sub(n.Last)),
			orText(n.Agent, "an agent"), n.Dir)
	}
	if more := len(all) - namespaceLines; more > 0 {
		s.note("and %s more", visible.Count(more, "namespace"))
	}
	return s
}

// takes reports whether a hook takes such a directive by now, whatever its target.
func (c *Checkup) takes(n audit.Namespace) bool {
	var e hook.Engine
	for i, h := range c.directiveHooks(n.Dir) {
		h.Match.Target = nil
		_ = e.Add(hook.Hook{ID: fmt.Sprint(i), Events: h.Events, Match: h.Match, Handler: hook.Static{}}) // it was added before
	}
	return e.TakesDirective(&hook.Envelope{Agent: n.Agent, Source: "run", CWD: n.Dir}, hook.DirectiveCall{Namespace: n.Name})
}

// knownNamespaces are those that hooks in a directory name, and the built-in ones.
func (c *Checkup) knownNamespaces(dir string) []string {
	known := slices.Clone(builtinNamespaces)
	for _, h := range c.directiveHooks(dir) {
		if h.Match.ExactNamespaces() {
			known = append(known, h.Match.Namespace...)
		}
	}
	return known
}

// directiveHooks are the active hooks of Directive in a directory, as far as they
// are known here: those of another workspace are not.
func (c *Checkup) directiveHooks(dir string) []hook.Hook {
	within := c.set.Workspace != "" && strings.HasPrefix(dir+string(filepath.Separator), c.set.Workspace+string(filepath.Separator))
	var out []hook.Hook
	for _, h := range c.active() {
		if h.Layer == config.LayerWorkspace && !within {
			continue
		}
		one := h.Hook
		one.Events = slices.DeleteFunc(slices.Clone(h.Events), func(name string) bool {
			info, err := hook.Lookup(name)
			return name != "*" && (err != nil || info != hook.Directive.Info())
		})
		if len(one.Events) > 0 {
			out = append(out, one)
		}
	}
	return out
}
