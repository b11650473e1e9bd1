package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/visible"
)

// Report is what the rules would have done.
type Report struct {
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until"`
	Use   []string  `json:"use"`
	counts

	Agents      []Part       `json:"agents"`
	Days        []Part       `json:"days"` // in UTC
	Projects    []Part       `json:"projects"`
	Rules       []*Rule      `json:"rules"`
	Suggestions []Suggestion `json:"suggestions"`

	Problems     []string `json:"problems"`      // what could not be read, a line each
	MoreProblems int      `json:"more_problems"` // that are not told one by one

	looked []string // the agents whose records were looked for
}

// Suggestion is a setting that would spare questions about calls which were fine.
type Suggestion struct {
	Rule   string `json:"rule"`
	Why    string `json:"why"`
	YAML   string `json:"yaml"`   // to go below guards:
	Spares int    `json:"spares"` // calls that nothing would stop then
	Shared int    `json:"shared"` // more that nothing would stop with the other suggestions
}

// Saves says how many calls a suggestion spares.
func (s Suggestion) Saves() string {
	text := "spares up to " + calls(s.Spares)
	switch {
	case s.Spares == 0:
		return "with the others here it spares up to " + calls(s.Shared)
	case s.Shared > 0:
		text += fmt.Sprintf(", with the others here %s more", visible.Number(s.Shared))
	}
	return text
}

// mostSamples is how many samples of a rule are told.
const mostSamples = 3

func newReport(plan *Plan) *Report {
	return &Report{Since: plan.Since, Until: plan.Now, Use: plan.Use, counts: *newCounts(), looked: plan.Agents}
}

func (r *Report) add(c *counts) { r.counts.add(c) }

// Judged is how many calls the rules judged.
func (r *Report) Judged() int { return r.Calls - r.NoFolder - r.Programs }

// finish puts everything in order.
func (r *Report) finish(p *problems) {
	r.Agents = partsOf(r.agents, byName)
	r.Days = partsOf(r.days, byName)
	r.Projects = partsOf(r.projects, func(a, b Part) int {
		return cmp.Or(b.Enforce.All()-a.Enforce.All(), b.Calls-a.Calls, byName(a, b))
	})
	r.Rules, r.Suggestions = []*Rule{}, []Suggestion{}
	for _, id := range slices.Sorted(maps.Keys(r.rules)) {
		rule := r.rules[id]
		if n := r.Judged(); n > 0 {
			rule.Share = float64(rule.Calls()*100000/n) / 1000
		}
		rule.Samples = telling(rule.shapes)
		r.Rules = append(r.Rules, rule)
		if s, ok := suggest(rule); ok {
			r.Suggestions = append(r.Suggestions, s)
		}
	}
	r.Suggestions = r.worthwhile(r.Suggestions)
	r.Results.Rules = []*Rule{}
	for _, id := range slices.Sorted(maps.Keys(r.Results.rules)) {
		rule := r.Results.rules[id]
		rule.Samples = telling(rule.shapes)
		r.Results.Rules = append(r.Results.Rules, rule)
	}
	slices.SortStableFunc(r.Rules, func(a, b *Rule) int { return cmp.Or(b.Enforce.Block-a.Enforce.Block, b.Enforce.Ask-a.Enforce.Ask) })
	slices.SortStableFunc(r.Suggestions, func(a, b Suggestion) int { return cmp.Or(b.Spares-a.Spares, b.Shared-a.Shared) })
	slices.Sort(p.texts)
	r.Problems, r.MoreProblems = append([]string{}, p.texts...), p.more
}

func byName(a, b Part) int { return strings.Compare(a.Name, b.Name) }

func partsOf(in map[string]*Part, order func(a, b Part) int) []Part {
	out := []Part{}
	for _, p := range in {
		out = append(out, *p)
	}
	slices.SortFunc(out, order)
	return out
}

// telling are the samples that stand for the most calls: no call twice, and those first
// that are another command than the ones before.
func telling(shapes map[string]*Sample) []Sample {
	byCall := map[string]*Sample{}
	for _, shape := range slices.Sorted(maps.Keys(shapes)) {
		s := *shapes[shape]
		switch have := byCall[s.Call]; {
		case have == nil:
			byCall[s.Call] = &s
		case compareSamples(&s, have) < 0:
			s.Times += have.Times
			byCall[s.Call] = &s
		default:
			have.Times += s.Times
		}
	}
	all := slices.SortedFunc(maps.Values(byCall), func(a, b *Sample) int {
		return cmp.Or(b.Times-a.Times, compareSamples(a, b), strings.Compare(a.Says, b.Says))
	})
	out, again := []Sample{}, []*Sample(nil)
	seen := map[string]bool{}
	for _, s := range all {
		if kind := commandOf(s.Call); seen[kind] {
			again = append(again, s)
		} else if seen[kind] = true; len(out) < mostSamples {
			out = append(out, *s)
		}
	}
	for _, s := range again[:min(len(again), mostSamples-len(out))] {
		out = append(out, *s)
	}
	return out
}

// commandOf is what kind of call a sample shows: its first two words, whatever numbers.
func commandOf(call string) string {
	words := strings.Fields(call)
	kind := strings.Join(words[:min(len(words), 2)], " ")
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, kind)
}

// From when on calls that were fine say that a rule is too strict for their user.
const (
	leastFine  = 5
	leastShare = 0.8 // of those whose end is known; and of those of one host or folder
)

// suggest gives a setting that would spare what a rule asks for in vain. What it blocks
// is never let through as a whole: one host or one folder may be.
func suggest(r *Rule) (s Suggestion, ok bool) {
	known := r.Fine + r.Failed + r.Refused
	if r.Fine < leastFine || float64(r.Fine) < leastShare*float64(known) || never(r.ID) {
		return s, false
	}
	s = Suggestion{Rule: r.ID, Spares: r.Alone, Why: fmt.Sprintf("%d of %d calls ran and were answered without an error", r.Fine, r.Calls())}
	pack, _, _ := strings.Cut(r.ID, "/")
	if host := most(r.hosts, r.Calls()); pack == "network" && host != "" {
		s.YAML, s.Why = "hosts: {allow: ["+quoted(host)+"]}", s.Why+", most of them to "+host
		return s, true
	}
	if r.Enforce.Block > 0 {
		folder := most(r.places, r.Calls())
		if pack != "files" || strings.Count(folder, "/") < 2 {
			return s, false
		}
		s.YAML, s.Why = "scratch: ["+quoted(folder+"/**")+"]", s.Why+", most of them in "+folder
		return s, true
	}
	s.YAML = "rules: {" + r.ID + ": allow}"
	return s, true
}

// worthwhile leaves out suggestions that spare nothing, because other rules hold for all of
// their calls that nobody suggests to let pass.
func (r *Report) worthwhile(list []Suggestion) []Suggestion {
	for {
		known := map[string]int{}
		for i := range list {
			known[list[i].Rule], list[i].Shared = i, 0
		}
		for ids, n := range r.together {
			rules := strings.Split(ids, " ")
			if slices.ContainsFunc(rules, func(id string) bool { _, ok := known[id]; return !ok }) {
				continue
			}
			for _, id := range rules {
				list[known[id]].Shared += n
			}
		}
		left := slices.DeleteFunc(slices.Clone(list), func(s Suggestion) bool { return s.Spares+s.Shared == 0 })
		if len(left) == len(list) {
			return left
		}
		list = left
	}
}

// quoted is a text as a scalar of YAML.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// most is the name that nearly all calls have.
func most(in map[string]int, calls int) string {
	for name, n := range in {
		if float64(n) >= leastShare*float64(calls) {
			return name
		}
	}
	return ""
}

// never reports whether a rule is one that nobody lets anything pass.
func never(id string) bool {
	return slices.ContainsFunc(guards.Packs(), func(p *guards.Pack) bool {
		return slices.ContainsFunc(p.Rules, func(r guards.Rule) bool { return r.ID == id && r.Never })
	})
}
