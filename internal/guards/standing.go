package guards

import (
	"slices"
)

// Standing is a rule under a policy.
type Standing struct {
	Pack    *Pack
	Rule    *Rule
	Setting      // what comes of it; both members are set
	On      bool // false: it is not asked
}

// Standings are all rules, those that are off too, in the order of their packs.
func (p *Policy) Standings() []Standing {
	var all []Standing
	for _, pack := range Packs() {
		on := slices.Contains(p.Packs, pack.Name)
		for i := range pack.Rules {
			rule := &pack.Rules[i]
			set := p.setting(pack, rule)
			all = append(all, Standing{pack, rule, set, (on || p.blocks(rule)) && set.Verdict != Allow})
		}
	}
	return all
}
