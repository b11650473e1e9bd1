package audit

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
)

// HookStats is what one hook did.
type HookStats struct {
	Hook     string  `json:"hook"`
	Runs     int     `json:"runs"`
	Blocks   int     `json:"blocks"`
	Would    int     `json:"would"` // on trial, it would have blocked, asked, or changed something
	Failures int     `json:"failures"`
	Changes  int     `json:"changes"`
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	P99      float64 `json:"p99_ms"`

	took []float32
}

// RuleStats is what one rule did, of the hooks that have rules.
type RuleStats struct {
	Rule       string `json:"rule"` // without its version
	Blocks     int    `json:"blocks"`
	Asks       int    `json:"asks"`
	WouldBlock int    `json:"would_block"`
	WouldAsk   int    `json:"would_ask"`
}

// wanted goes through the records that are wanted. Damaged lines are left out: they are
// in the error, which joins *Damage errors; with any other error ok is false.
func wanted(dir string, f Filter, visit func(r *Record)) (ok bool, err error) {
	var damages []error
	for r, err := range Read(dir, f) {
		var damage *Damage
		if errors.As(err, &damage) {
			if len(damages) < maxProblems {
				damages = append(damages, err)
			}
			continue
		}
		if err != nil {
			return false, err
		}
		visit(&r)
	}
	return true, errors.Join(damages...)
}

// Rules counts what each rule did in the records that are wanted, sorted by name. The
// error is as Summarize has it.
func Rules(dir string, f Filter) ([]RuleStats, error) {
	byRule := map[string]*RuleStats{}
	ok, err := wanted(dir, f, func(r *Record) {
		for i := range r.Steps {
			if r.Action != Untaken {
				r.Steps[i].countRules(byRule)
			}
		}
	})
	if !ok {
		return nil, err
	}
	out := make([]RuleStats, 0, len(byRule))
	for _, s := range byRule {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b RuleStats) int { return cmp.Compare(a.Rule, b.Rule) })
	return out, err
}

// countRules adds what the rules of a step did.
func (s *Step) countRules(byRule map[string]*RuleStats) {
	of := func(rule string) *RuleStats {
		rule, _, _ = strings.Cut(rule, "@")
		if byRule[rule] == nil {
			byRule[rule] = &RuleStats{Rule: rule}
		}
		return byRule[rule]
	}
	switch {
	case s.Rule != "" && s.Action == "block":
		of(s.Rule).Blocks++
	case s.Rule != "" && s.Action == "ask":
		of(s.Rule).Asks++
	}
	switch {
	case s.Would == nil || s.Would.Rule == "":
	case s.Would.Action == "block":
		of(s.Would.Rule).WouldBlock++
	case s.Would.Action == "ask":
		of(s.Would.Rule).WouldAsk++
	}
}

// Summarize counts what each hook did in the records that are wanted, sorted by
// id. Damaged lines are left out; they are in the error, which joins *Damage
// errors, beside a result that counts.
func Summarize(dir string, f Filter) ([]HookStats, error) {
	byHook, blocked := map[string]*HookStats{}, map[string]bool{}
	ok, err := wanted(dir, f, func(r *Record) {
		revises := r.Action == Untaken
		if revises && !blocked[r.EventID] {
			return
		}
		if blocks := r.Action == "block"; blocks || revises {
			blocked[r.EventID] = blocks
		}
		for i := range r.Steps {
			if f.Hook != "" && r.Steps[i].Hook != f.Hook {
				continue
			}
			if revises {
				byHook[r.Steps[i].Hook].takeBack(&r.Steps[i])
			} else {
				count(byHook, &r.Steps[i], r.Action == "block")
			}
		}
	})
	if !ok {
		return nil, err
	}
	out := make([]HookStats, 0, len(byHook))
	for _, s := range byHook {
		slices.Sort(s.took)
		s.P50, s.P95, s.P99 = percentile(s.took, 50), percentile(s.took, 95), percentile(s.took, 99)
		s.took = nil
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b HookStats) int { return cmp.Compare(a.Hook, b.Hook) })
	return out, err
}

// takeBack uncounts a block that did not get to the agent.
func (s *HookStats) takeBack(step *Step) {
	if s != nil && step.Action == "block" && s.Blocks > 0 {
		s.Blocks--
	}
}

// count adds a call of a hook. Its block counts if the event was blocked: an agent
// may have no way to.
func count(byHook map[string]*HookStats, step *Step, blocked bool) {
	s := byHook[step.Hook]
	if s == nil {
		s = &HookStats{Hook: step.Hook}
		byHook[step.Hook] = s
	}
	s.Runs++
	if step.Action == "block" && blocked {
		s.Blocks++
	}
	if w := step.Would; w != nil && (w.Action == "block" || w.Action == "ask" || w.Change) {
		s.Would++
	}
	if step.Failed {
		s.Failures++
	}
	if step.Changed {
		s.Changes++
	}
	s.took = append(s.took, float32(step.DurationMS))
}

// percentile is the smallest value that p percent of all do not exceed, to the
// thousandth of a millisecond.
func percentile(sorted []float32, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*p + 99) / 100
	return math.Round(float64(sorted[max(rank-1, 0)])*1000) / 1000
}
