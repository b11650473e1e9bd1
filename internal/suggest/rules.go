package suggest

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/visible"
)

// allow is the suggestion of a rule that spares the agents' own questions.
func (j *judge) allow(t *try, ids map[string]bool) Suggestion {
	s := t.shape
	name := s.name()
	id := free(ids, "allow-"+slug(name))
	out := Suggestion{
		Kind: Allow, ID: id, Title: "allow " + name + " without asking", Milder: true,
		Why:     []string{fmt.Sprintf("a person was asked about %s and let each run, %s", calls(s.all), s.place()), "no such call was refused, interrupted or blocked, and no block rule holds for what the rule says"},
		Samples: j.samples(s.calls), Note: "what hookway's own rules and other hooks block or ask about stays so",
	}
	if more := s.words.told(); len(more) > 0 {
		out.Why = slices.Insert(out.Why, 1, fmt.Sprintf("these are %s; where they differ, what lies in %s may stand", visible.Count(s.inputs.different(), "different call"), strings.Join(more, " and ")))
	}
	out.count(&s.times)
	reason := fmt.Sprintf("you allowed this %s, %s", timesOf(s.all), span(s.first, s.last))
	out.Hook = hookEntry(id, s, t.text, "allow", reason)
	out.YAML = "hooks:\n" + out.Hook
	out.Case = j.caseOf(s.calls[0].call, "allow", id)
	out.Case.Event, out.Case.Source = s.event, s.source
	return out
}

// place says where the calls of a shape were made, for people.
func (s *shape) place() string {
	switch {
	case len(s.folders) > mostWords:
		return "in many folders of the workspace"
	case len(s.folders) == 1 && s.folders[s.root]:
		return "in the workspace's own folder: the rule holds there alone"
	}
	var from []string
	for _, dir := range slices.Sorted(maps.Keys(s.folders)) {
		from = append(from, s.seenFrom(dir))
	}
	return "in " + strings.Join(from, ", ") + ": the rule holds there alone"
}

// hookEntry is a hook as an entry of the list in a hookway.yaml.
func hookEntry(id string, s *shape, expression, verdict, reason string) string {
	match := "      where: " + single(expression) + "\n"
	if s.tool != "" {
		match = "      tool: " + single(s.tool) + "\n" + match
	}
	if s.source != "" {
		match = "      source: " + single(s.source) + "\n" + match
	}
	return "  - id: " + id + "\n    on: " + s.event + "\n    lane: guard\n    on_failure: continue\n    match:\n" + match + "    " + verdict + ": " + single(reason) + "\n"
}

// single is a text as a scalar of YAML.
func single(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func (s *Suggestion) count(t *times) {
	_, s.Days = t.habit()
	s.Times, s.Sessions, s.First, s.Last = t.all, len(t.sessions), t.first.UTC(), t.last.UTC()
}

// caseOf is the test of a rule: a call that was made.
func (f *finder) caseOf(c call, action, by string) *Case {
	dir, err := filepath.Rel(f.Root, c.dir)
	if err != nil || dir == "." {
		dir = ""
	}
	return &Case{Name: "suggested: " + by, Event: hook.PreToolUse.Info().Name, Tool: c.tool, Input: c.input, Dir: dir, Action: action, By: by}
}

// samples are calls as people are shown them.
func (f *finder) samples(list []*answered) []string {
	var all []call
	for _, a := range list {
		all = append(all, a.call)
	}
	return f.shown(all)
}

// quiets are the rules of hookway's own that asked, and what they asked about was always
// allowed.
func (f *finder) quiets() (out []Suggestion) {
	for _, id := range slices.Sorted(maps.Keys(f.watch.rules)) {
		a, rule := f.watch.rules[id], ruleOf(id)
		occasions, days := a.habit()
		if rule == nil || rule.Never || rule.Limit || a.no > 0 || occasions < leastOfRule || days < leastDays || f.verdict(id) != guards.Ask {
			continue
		}
		s := Suggestion{
			Kind: Quiet, ID: id, Title: "have " + id + " ask no more here", Milder: true, Rule: "allow",
			Why:     []string{fmt.Sprintf("it asked a person about %s, and each was allowed", calls(a.all)), "it is a rule that asks: what rules block stays blocked"},
			Samples: f.shown(slices.Collect(maps.Values(a.calls))),
			Note:    "this is about all that the rule asks, not only these calls",
		}
		s.count(&a.times)
		if list := sortedCalls(a.calls); len(list) > 0 {
			s.Case = f.caseOf(list[0], "continue", "")
			s.Case.Name = "suggested: " + id + " asks no more"
		}
		s.YAML = "guards:\n  projects:   # in your own configuration\n    " + single(f.Root) + ": {rules: {" + id + ": allow}}\n"
		out = append(out, s)
	}
	return out
}

// ruleOf is the rule of an id.
func ruleOf(id string) *guards.Rule {
	for _, p := range guards.Packs() {
		for i := range p.Rules {
			if p.Rules[i].ID == id {
				return &p.Rules[i]
			}
		}
	}
	return nil
}

// verdict is what a rule says here; "": it is off.
func (f *finder) verdict(id string) guards.Verdict {
	if f.Policy == nil {
		return ""
	}
	for _, s := range f.Policy.Standings() {
		if s.Rule.ID == id && s.On {
			return s.Verdict
		}
	}
	return ""
}

// onTrial reports whether a rule is on and does not count here.
func (f *finder) onTrial(id string) bool {
	if f.Policy == nil {
		return false
	}
	return slices.ContainsFunc(f.Policy.Standings(), func(s guards.Standing) bool { return s.Rule.ID == id && s.On && s.Mode != guards.Enforce })
}

// enforces are the rules on trial that were never wrong: no person allowed what they
// would have stopped, and of what they would only have asked about nothing ran.
func (f *finder) enforces() (out []Suggestion) {
	for _, id := range slices.Sorted(maps.Keys(f.watch.trials)) {
		t := f.watch.trials[id]
		occasions, days := t.habit()
		if !f.onTrial(id) || t.yes > 0 || occasions < leastTimes || days < leastDays || t.blocks == 0 && t.ran > 0 {
			continue
		}
		s := Suggestion{Kind: Enforce, ID: id, Title: "have " + id + " count", Rule: string(guards.Enforce), Samples: f.shown(slices.Collect(maps.Values(t.calls)))}
		s.count(&t.times)
		s.Why = []string{fmt.Sprintf("on trial it would have blocked %s and asked about %d; no person was asked about one and let it run", calls(t.blocks), t.asks)}
		if t.ran > 0 {
			s.Why = append(s.Why, fmt.Sprintf("%s of them ran, and nobody was asked: look whether they should have", visible.Number(t.ran)))
		}
		s.YAML = "guards:\n  rules:\n    " + id + ": enforce\n"
		action := "block"
		if f.verdict(id) == guards.Ask {
			action = "ask"
		}
		if list := sortedCalls(t.calls); len(list) > 0 {
			s.Case = f.caseOf(list[0], action, guards.ID)
			s.Case.Name = "suggested: " + id
		}
		out = append(out, s)
	}
	return out
}

// sortedCalls are calls in an order that does not depend on where they were made.
func sortedCalls(in map[hash]call) []call {
	return slices.SortedFunc(maps.Values(in), func(a, b call) int {
		return cmp.Or(strings.Compare(a.tool, b.tool), strings.Compare(fmt.Sprint(a.input), fmt.Sprint(b.input)), strings.Compare(a.dir, b.dir))
	})
}

func calls(n int) string {
	if n == 1 {
		return "1 call"
	}
	return visible.Number(n) + " calls"
}

func timesOf(n int) string {
	if n == 1 {
		return "once"
	}
	return visible.Number(n) + " times"
}

// span is from which day to which.
func span(first, last time.Time) string {
	a, b := first.UTC().Format(time.DateOnly), last.UTC().Format(time.DateOnly)
	if a == b {
		return "on " + a
	}
	return a + " to " + b
}

// telling are the kinds of facts by how much they matter, for rules that catch.
var telling = []string{"delete", "git", "sql", "infra", "package", "connect", "execute", "write", "move", "read", "run"}

// worst is the fact that matters most, or nil.
func worst(list []hook.Fact) *hook.Fact {
	i := slices.IndexFunc(telling, func(does string) bool {
		return slices.ContainsFunc(list, func(f hook.Fact) bool { return f.Does == does && !f.Dry })
	})
	if i < 0 {
		return nil
	}
	at := slices.IndexFunc(list, func(f hook.Fact) bool { return f.Does == telling[i] && !f.Dry })
	if f := &list[at]; f.Does == "git" && !f.Force && !f.Deletes && !f.Uncommitted && cmp.Or(f.Verb) == "" {
		return nil
	}
	return &list[at]
}
