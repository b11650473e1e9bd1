package guards

import (
	"cmp"
	"fmt"
	"slices"
)

// Mode says which verdicts count. A verdict that does not count is on record as what
// hookway would have done, and the call passes.
type Mode string

// The modes.
const (
	Auto    Mode = "auto"    // what blocks and is sure counts, and what cannot be analysed; the rest does not
	Monitor Mode = "monitor" // nothing counts
	Enforce Mode = "enforce" // everything counts
)

// Allow is the verdict of a rule that is switched off.
const Allow Verdict = "allow"

// Setting changes one rule, or all rules of a pack. Members that are "" change nothing.
type Setting struct {
	Verdict Verdict `json:"verdict,omitempty"` // block, ask or allow
	Mode    Mode    `json:"mode,omitempty"`
}

// Policy says which rules are on and what comes of them. The zero Policy has none. It
// must not be changed once it is used.
type Policy struct {
	Packs     []string           `json:"packs,omitempty"`    // names of the packs that are on
	Mode      Mode               `json:"mode,omitempty"`     // "" is Auto
	Rules     map[string]Setting `json:"rules,omitempty"`    // by "pack/rule" or "pack"
	Protected []string           `json:"branches,omitempty"` // protected branches, as patterns; none are the usual ones
	Scratch   []string           `json:"scratch,omitempty"`  // more places that may be emptied, as patterns of paths
	Hosts     Hosts              `json:"hosts,omitzero"`
	Budget    Budget             `json:"budget,omitzero"`
}

// remembers reports whether a pack is on whose rules are over sessions.
func (p *Policy) remembers() bool {
	return slices.ContainsFunc(Packs(), func(k *Pack) bool { return k.Judges == "sessions" && slices.Contains(p.Packs, k.Name) })
}

// Hosts are patterns of host names.
type Hosts struct {
	Allow []string `json:"allow,omitempty"` // rules of the pack network do not hold for them
	Block []string `json:"block,omitempty"` // nothing connects to them
}

// Names are the names of all packs, in order.
func Names() []string {
	var names []string
	for _, p := range Packs() {
		names = append(names, p.Name)
	}
	return names
}

// Everything is the policy under which every rule counts: what `hookway explain` shows.
func Everything() *Policy { return &Policy{Packs: Names(), Mode: Enforce} }

// Strict is the policy of those who want to be asked more often than Everything asks.
func Strict() *Policy { return &Policy{Packs: Names(), Mode: Enforce, Rules: StrictRules()} }

// StrictRules are the rules that a strict policy has stricter than others, by their names
// and those of their packs: what cannot be seen through is blocked.
func StrictRules() map[string]Setting {
	rules := map[string]Setting{"unseen": {Verdict: Block}}
	for _, p := range Packs() {
		for _, r := range p.Rules {
			if r.Strict {
				rules[r.ID] = Setting{Verdict: r.Verdict}
			}
		}
	}
	return rules
}

// Known reports whether a name is that of a rule, "pack/rule", or of a pack.
func Known(name string) bool {
	return slices.ContainsFunc(Packs(), func(p *Pack) bool {
		return p.Name == name || slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.ID == name })
	})
}

// setting is what the policy says of a rule.
func (p *Policy) setting(pack *Pack, rule *Rule) Setting {
	of, whole, usual := p.Rules[rule.ID], p.Rules[pack.Name], rule.Verdict
	if rule.Strict {
		whole.Verdict, usual = "", Allow
	}
	return Setting{
		Verdict: cmp.Or(of.Verdict, whole.Verdict, usual),
		Mode:    cmp.Or(of.Mode, whole.Mode, p.Mode, Auto),
	}
}

// Version is a rule's id with the version of its pack, as records have it.
func (r *Rule) Version() string { return fmt.Sprintf("%s@%d", r.ID, max(r.version, 1)) }
