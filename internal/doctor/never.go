package doctor

import (
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/install"
)

// Asked gives, by the hook's id, the agents under which it may be asked, of those that
// hookway is installed in.
func Asked(getenv func(string) string, dir string, hooks []config.Hook) map[string][]string {
	out := map[string][]string{}
	under(getenv, dir, func(about *adapter.About) {
		for _, h := range hooks {
			if h.State == config.Active && concerns(h.Match, about) && !neverUnder(h, about) {
				out[h.ID] = append(out[h.ID], about.Agent)
			}
		}
	})
	return out
}

// Never gives, by the hook's id, the agents under which none of its events comes, of
// those that hookway is installed in.
func Never(getenv func(string) string, dir string, hooks []config.Hook) map[string][]string {
	out := map[string][]string{}
	under(getenv, dir, func(about *adapter.About) {
		for _, h := range hooks {
			if neverUnder(h, about) {
				out[h.ID] = append(out[h.ID], about.Title)
			}
		}
	})
	return out
}

// under tells of each agent that hookway is installed in.
func under(getenv func(string) string, dir string, tell func(*adapter.About)) {
	_, state, err := config.Places(getenv)
	if err != nil {
		return
	}
	c := &Checkup{Getenv: getenv, Dir: dir, state: state}
	for _, name := range install.Agents() {
		p := patient{name: name}
		for _, scope := range []install.Scope{install.User, install.Project} {
			if s, err := install.Installed(name, scope, c.installOptions("")); err == nil && len(s.Events) > 0 {
				p.installed = append(p.installed, s)
			}
		}
		if len(p.installed) > 0 {
			tell(c.about(&p))
		}
	}
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
