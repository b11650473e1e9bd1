package guardset

import (
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
)

// Shown is which rules are on in a folder: what hookway guards --json prints.
type Shown struct {
	On       bool                `json:"on"`
	Mode     guards.Mode         `json:"mode,omitempty"`
	Place    string              `json:"place,omitempty"`
	Layers   []config.GuardLayer `json:"layers"`             // what each file alone says
	Mistakes config.Problems     `json:"mistakes,omitempty"` // while there are some, what was in force stays so
	Packs    []Pack              `json:"packs"`
	Refused  config.Problems     `json:"refused"` // what a project's file says, and may not
	Policy   *guards.Policy      `json:"policy,omitempty"`
}

// Pack is one pack.
type Pack struct {
	Pack  string `json:"pack"`
	About string `json:"about"`
	On    bool   `json:"on"`
	Rules []Rule `json:"rules"`

	Version int `json:"-"`
}

// Rule is one rule, with what it did lately.
type Rule struct {
	ID      string         `json:"id"`
	On      bool           `json:"on"`
	Verdict guards.Verdict `json:"verdict"`
	Mode    guards.Mode    `json:"mode"`
	Set     bool           `json:"set,omitempty"`  // the configuration says something of it
	From    string         `json:"from,omitempty"` // the layer that makes it so
	Did

	Says string `json:"-"` // of a call
}

// Did is how often a rule spoke.
type Did struct {
	Blocks int `json:"blocks"`
	Asks   int `json:"asks"`
	Would  int `json:"would"`
}

// Days is how far back is counted what rules did.
const Days = 7

// Show gathers what a configuration has on. did is what rules did, by their ids.
func Show(set *config.Set, did map[string]Did) *Shown {
	out := &Shown{Packs: []Pack{}, Refused: set.RefusedGuards(), Layers: set.GuardLayers(), Mistakes: set.GuardMistakes()}
	policy, from := new(guards.Policy), map[string]string{}
	if on := set.Settings.Guards; on != nil {
		policy, from = on.Policy, on.From
		out.On, out.Mode, out.Place, out.Policy = true, on.Policy.Mode, on.Place, on.Policy
	}
	for _, s := range policy.Standings() {
		if n := len(out.Packs); n == 0 || out.Packs[n-1].Pack != s.Pack.Name {
			out.Packs = append(out.Packs, Pack{Pack: s.Pack.Name, About: s.Pack.About, Version: s.Pack.Version})
		}
		p := &out.Packs[len(out.Packs)-1]
		_, set := policy.Rules[s.Rule.ID]
		p.On = p.On || s.On
		p.Rules = append(p.Rules, Rule{ID: s.Rule.ID, On: s.On, Verdict: s.Verdict, Mode: s.Mode, Set: set, From: from[s.Rule.ID], Did: did[s.Rule.ID], Says: s.Rule.Says})
	}
	return out
}
