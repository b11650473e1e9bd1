package guardset

import (
	"fmt"
	"slices"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/scaffold"
)

// RuleChanged is what became of one rule.
type RuleChanged struct {
	Rule string `json:"rule"`
	Was  string `json:"was"` // in the file: "ask, mode auto", or "off"
	Now  string `json:"now"`
	Here string `json:"here,omitempty"` // what counts in this folder, if that is stricter
	By   string `json:"by,omitempty"`   // the layer that makes it so

	Place string `json:"-"` // of that layer
}

// compare finds out what became of the rules that were named, and which are stricter here
// than the file has them now.
func (c *Changed) compare(edits []scaffold.GuardEdit, before, after *config.Guards, set *config.Set) {
	for _, e := range edits {
		if len(e.Path) > 1 && e.Path[0] == "rules" {
			c.Named = append(c.Named, e.Path[1])
		}
	}
	was, now, here := standings(before), standings(after), standings(set.Settings.Guards)
	for _, p := range guards.Packs() {
		for _, r := range p.Rules {
			one := RuleChanged{Rule: r.ID, Was: shownSetting(was[r.ID]), Now: shownSetting(now[r.ID])}
			if h, on := here[r.ID]; on && h != now[r.ID] && (c.Trusted == nil || *c.Trusted) {
				one.Here, one.By = shownSetting(h), set.Settings.Guards.From[r.ID]
				for _, l := range set.GuardLayers() {
					if l.Layer == one.By {
						one.Place = l.Place
					}
				}
			}
			named := slices.Contains(c.Named, r.ID) || slices.Contains(c.Named, p.Name)
			if named || one.Here != "" && len(c.Named) == 0 && c.On {
				c.Rules = append(c.Rules, one)
			}
		}
	}
}

// standings are the settings of the rules that are on.
func standings(g *config.Guards) map[string]guards.Setting {
	on := map[string]guards.Setting{}
	if g == nil {
		return on
	}
	for _, s := range g.Policy.Standings() {
		if s.On {
			on[s.Rule.ID] = s.Setting
		}
	}
	return on
}

func shownSetting(s guards.Setting) string {
	if s == (guards.Setting{}) || s.Verdict == guards.Allow {
		return "off"
	}
	return fmt.Sprintf("%s, mode %s", s.Verdict, s.Mode)
}
