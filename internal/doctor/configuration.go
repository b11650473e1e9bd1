package doctor

import (
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/trust"
	"github.com/hookway/hookway/internal/visible"
)

// configuration looks at the hooks that are configured here.
func (c *Checkup) configuration() Section {
	s := Section{Name: "configuration", Title: "Configuration"}
	active, untrusted := 0, 0
	for _, h := range c.set.Hooks {
		switch h.State {
		case config.Active:
			active++
		case config.Untrusted:
			untrusted++
		}
	}
	for _, p := range c.set.Problems {
		left := "mend it; until then this hook does not run, and each tool call is asked about"
		if c.set.Lost(p) {
			left = "mend it; until then no hook of this file runs, and each tool call is asked about"
		}
		s.fail(orText(p.Hint, left), "%s: %s", place(p), p.Message)
	}
	for _, p := range c.set.Warnings {
		s.warn(p.Hint, "%s: %s", place(p), p.Message)
	}
	if c.set.Managed != "" {
		s.ok("%s, of the administrator, counts: nothing below makes it milder", c.set.Managed)
	}
	c.trust(&s, untrusted)
	where := "no workspace here"
	if c.set.Workspace != "" {
		where = "workspace " + c.set.Workspace
	}
	switch {
	case active > 0:
		s.ok("%s active; %s", visible.Count(active, "hook"), where)
	case len(c.set.Hooks) == 0 && len(c.set.Problems) == 0:
		s.note("no hooks; %s (hookway init writes a hookway.yaml to begin with)", where)
	default:
		s.note("no hook is active; %s", where)
	}
	return s
}

// trust tells of hooks that do not run for want of it.
func (c *Checkup) trust(s *Section, untrusted int) {
	t := c.set.Trust
	switch {
	case t.State == trust.Changed:
		s.fail("look at the files, then run: hookway trust", "the files of %s changed since it was trusted (%s): %s not run", t.Workspace, t.Changed(), does(untrusted))
	case untrusted > 0:
		s.warn("look at them with hookway list, then run: hookway trust", "%s is not trusted: %s not run", t.Workspace, does(untrusted))
	case t.State == trust.Environment:
		s.note("HOOKWAY_TRUST=1: whatever stands in a workspace runs")
	}
}

func does(n int) string {
	switch n {
	case 0:
		return "its hooks do"
	case 1:
		return "1 hook does"
	}
	return visible.Count(n, "hook") + " do"
}

func place(p config.Problem) string {
	if p.Hook != "" {
		return p.Place() + ": hook " + p.Hook
	}
	return p.Place()
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
