package audit

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// HookStats is what one hook did.
type HookStats struct {
	Hook     string  `json:"hook"`
	Runs     int     `json:"runs"`
	Blocks   int     `json:"blocks"`
	Failures int     `json:"failures"`
	Changes  int     `json:"changes"`
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	P99      float64 `json:"p99_ms"`

	took []float32
}

// Summarize counts what each hook did in the records that are wanted, sorted by
// id. Damaged lines are left out; they are in the error, which joins *Damage
// errors, beside a result that counts.
func Summarize(dir string, f Filter) ([]HookStats, error) {
	byHook, blocked := map[string]*HookStats{}, map[string]bool{}
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
			return nil, err
		}
		revises := r.Action == Untaken
		if revises && !blocked[r.EventID] {
			continue
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
	}
	out := make([]HookStats, 0, len(byHook))
	for _, s := range byHook {
		slices.Sort(s.took)
		s.P50, s.P95, s.P99 = percentile(s.took, 50), percentile(s.took, 95), percentile(s.took, 99)
		s.took = nil
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b HookStats) int { return cmp.Compare(a.Hook, b.Hook) })
	return out, errors.Join(damages...)
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
