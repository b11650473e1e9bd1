package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/scaffold"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

// ruleChanged is what became of one rule.
type ruleChanged struct {
	Rule string `json:"rule"`
	Was  string `json:"was"` // in the file: "ask, mode auto", or "off"
	Now  string `json:"now"`
	Here string `json:"here,omitempty"` // what counts in this folder, if that is stricter
	By   string `json:"by,omitempty"`   // the layer that makes it so
	at   string
}

// compare finds out what became of the rules that were named, and which are stricter here
// than the file has them now.
func (c *guardsChanged) compare(edits []scaffold.GuardEdit, before, after *config.Guards, set *config.Set) {
	for _, e := range edits {
		if len(e.Path) > 1 && e.Path[0] == "rules" {
			c.named = append(c.named, e.Path[1])
		}
	}
	was, now, here := standings(before), standings(after), standings(set.Settings.Guards)
	for _, p := range guards.Packs() {
		for _, r := range p.Rules {
			one := ruleChanged{Rule: r.ID, Was: shownSetting(was[r.ID]), Now: shownSetting(now[r.ID])}
			if h, on := here[r.ID]; on && h != now[r.ID] && (c.Trusted == nil || *c.Trusted) {
				one.Here, one.By = shownSetting(h), set.Settings.Guards.From[r.ID]
				for _, l := range set.GuardLayers() {
					if l.Layer == one.By {
						one.at = l.Place
					}
				}
			}
			named := slices.Contains(c.named, r.ID) || slices.Contains(c.named, p.Name)
			if named || one.Here != "" && len(c.named) == 0 && c.On {
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

// sayRules tells people what became of each name, and what holds it here.
func (c *guardsChanged) sayRules(a *app) {
	for _, name := range c.named {
		var of []ruleChanged
		changed, held := 0, []ruleChanged{}
		for _, r := range c.Rules {
			if r.Rule != name && !strings.HasPrefix(r.Rule, name+"/") {
				continue
			}
			of = append(of, r)
			if r.Was != r.Now {
				changed++
			}
			if r.Here != "" {
				held = append(held, r)
			}
		}
		switch {
		case len(of) == 1 && changed == 0:
			fmt.Fprintf(a.out, "%s: %s, as it was.\n", name, of[0].Now)
		case len(of) == 1:
			fmt.Fprintf(a.out, "%s: %s; it was %s.\n", name, of[0].Now, of[0].Was)
		case changed == 0:
			fmt.Fprintf(a.out, "%s: its %s are as they were.\n", name, visible.Count(len(of), "rule"))
		default:
			fmt.Fprintf(a.out, "%s: %d of its %s changed.\n", name, changed, visible.Count(len(of), "rule"))
		}
		sayHeld(a, held)
	}
	if len(c.named) == 0 {
		sayHeld(a, c.Rules)
	}
}

// sayHeld tells which rules another layer makes stricter.
func sayHeld(a *app, held []ruleChanged) {
	switch {
	case len(held) == 1:
		fmt.Fprintf(a.out, "Here %s is %s, by %s.\n", held[0].Rule, held[0].Here, relative(server.Cwd(), held[0].at))
	case len(held) > 1:
		var by []string
		for _, r := range held {
			if at := relative(server.Cwd(), r.at); !slices.Contains(by, at) {
				by = append(by, at)
			}
		}
		fmt.Fprintf(a.out, "Here %d of them are stricter, by %s; hookway guards --rules shows them.\n", len(held), strings.Join(by, " and "))
	}
}
