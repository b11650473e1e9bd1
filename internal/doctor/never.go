package doctor

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/install"
)

// Never gives, by the hook's id, the agents under which none of its events comes, of
// those that hookway is installed in.
func Never(getenv func(string) string, dir string, hooks []config.Hook) map[string][]string {
	_, state, err := config.Places(getenv)
	if err != nil {
		return nil
	}
	c := &Checkup{Getenv: getenv, Dir: dir, state: state}
	out := map[string][]string{}
	for _, name := range install.Agents() {
		p := patient{name: name}
		for _, scope := range []install.Scope{install.User, install.Project} {
			if s, err := install.Installed(name, scope, c.installOptions("")); err == nil && len(s.Events) > 0 {
				p.installed = append(p.installed, s)
			}
		}
		if len(p.installed) == 0 {
			continue
		}
		about := c.about(&p)
		for _, h := range hooks {
			if neverUnder(h, about) {
				out[h.ID] = append(out[h.ID], about.Title)
			}
		}
	}
	return out
}

// neverUnder reports whether no event of a hook comes from an agent. What others fire,
// terminals and Go programs, says nothing of agents.
func neverUnder(h config.Hook, a *adapter.About) bool {
	if h.State != config.Active || !concerns(h.Match, a) {
		return false
	}
	return !slices.ContainsFunc(h.Events, func(name string) bool {
		info, _ := hook.Lookup(name)
		return name == "*" || firedElsewhere(h, info) || len(rowsOf(a, info, name)) > 0
	})
}

// firedElsewhere reports whether an event is one that no agent is asked for. A plugin
// waits for the messages of its agent: here they are those of hookway's relay.
func firedElsewhere(h config.Hook, info *hook.EventInfo) bool {
	return h.Changes() || slices.Contains(elsewhere, info) && (h.Profile.Name != hook.ProfileOpenClaw.Name || !strings.HasPrefix(info.Name, "Message"))
}
