package guards

import (
	"strings"

	"github.com/hookway/hookway/hook"
)

// Finding is a rule that holds for a fact.
type Finding struct {
	Rule *Rule
	Fact hook.Fact
}

// Judge gives the findings of rules over the facts of one call, the strictest first.
func Judge(packs []*Pack, facts []hook.Fact) []Finding {
	var out []Finding
	for i := range facts {
		f := &facts[i]
		if f.Dry && f.Does != "execute" {
			continue
		}
		for _, p := range packs {
			for r := range p.Rules {
				rule := &p.Rules[r]
				if !rule.When.hold(f) || rule.Unless.hold(f) {
					continue
				}
				found := Finding{rule, *f}
				if len(out) > 0 && rule.Verdict.worse(out[0].Rule.Verdict) {
					out = append([]Finding{found}, out...)
				} else {
					out = append(out, found)
				}
			}
		}
	}
	return out
}

// Says is what a rule says of a fact: its words with the members filled in.
func (f Finding) Says() string {
	pairs := []string{}
	for name, text := range map[string]string{
		"by": f.Fact.By, "path": f.Fact.Path, "host": f.Fact.Host, "verb": f.Fact.Verb, "ref": f.Fact.Ref, "object": f.Fact.Object,
		"secret": f.Fact.Secret, "link": f.Fact.Link, "because": f.Fact.Because, "kind": f.Fact.Kind, "name": f.Fact.Name, "remote": f.Fact.Remote, "system": f.Fact.System,
		"manager": f.Fact.Manager, "what": f.Fact.What, "program": f.Fact.Program,
	} {
		if text == "" {
			text = "something"
		}
		pairs = append(pairs, "{"+name+"}", text)
	}
	return strings.NewReplacer(pairs...).Replace(f.Rule.Says)
}
