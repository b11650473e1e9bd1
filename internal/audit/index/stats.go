package index

import (
	"context"
	"time"

	"github.com/hookway/hookway/internal/audit"
)

// Stats are figures of what was recorded.
type Stats struct {
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until"`

	Decisions int64            `json:"decisions"` // of hooks
	ByAction  map[string]int64 `json:"by_action"` // of all records but answers
	Would     map[string]int64 `json:"would"`     // what was not decided because it is on trial
	Days      []Day            `json:"days"`
	Hooks     []HookStats      `json:"hooks"`
	Rules     []RuleStats      `json:"rules"`
	Agents    []AgentStats     `json:"agents"`

	Behind   int64    `json:"behind"`
	Problems []string `json:"problems"`
}

// Day is what was recorded on a day.
type Day struct {
	Day      string           `json:"day"`
	ByAction map[string]int64 `json:"by_action"`
	Would    map[string]int64 `json:"would"`
}

// HookStats are the figures of a hook.
type HookStats struct {
	Hook     string    `json:"hook"`
	Runs     int64     `json:"runs"`
	Blocks   int64     `json:"blocks"`
	Asks     int64     `json:"asks"`
	Would    int64     `json:"would"`
	Failures int64     `json:"failures"`
	Changes  int64     `json:"changes"`
	P50      float64   `json:"p50_ms"`
	P95      float64   `json:"p95_ms"`
	P99      float64   `json:"p99_ms"`
	Last     time.Time `json:"last,omitzero"`
}

// RuleStats are the figures of a rule.
type RuleStats struct {
	Rule  string    `json:"rule"` // without its version
	Pack  string    `json:"pack"`
	Hits  int64     `json:"hits"` // blocks and asks
	Would int64     `json:"would"`
	Last  time.Time `json:"last,omitzero"`
	Days  []RuleDay `json:"days"`
}

// RuleDay are the figures of a rule on a day.
type RuleDay struct {
	Day   string `json:"day"`
	Hits  int64  `json:"hits"`
	Would int64  `json:"would"`
}

// AgentStats are the figures of an agent.
type AgentStats struct {
	Agent     string    `json:"agent"`
	Decisions int64     `json:"decisions"`
	Last      time.Time `json:"last"`
}

// StatsQuery says of what figures are wanted.
type StatsQuery struct {
	audit.Filter
	Zone *time.Location // of the days; nil is UTC
}

// statsTime bounds how long figures may be read from the log itself.
const statsTime = 30 * time.Second

// Stats gives figures.
func (x *Index) Stats(ctx context.Context, q StatsQuery) (*Stats, error) {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	a, err := Query{Filter: q.Filter}.ready()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, statsTime)
	defer cancel()
	return answer(ctx, x, func(s *snapshot) (*Stats, error) {
		t, m := newTally(q.Zone), newMatcher(a)
		for _, b := range s.blocks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !m.perhaps(b) {
				continue
			}
			full, err := s.rowsOf(ctx, b, true)
			if err == nil {
				err = t.block(full, m)
			}
			if err != nil {
				return nil, err
			}
		}
		out := t.sum(q)
		out.Behind, out.Problems = s.behind, append(out.Problems, s.problems...)
		return out, nil
	}, func(why error) (*Stats, error) {
		out, err := x.plain.stats(ctx, q, a)
		if out != nil && why != nil {
			out.Problems = append(out.Problems, slowly(why))
		}
		return out, err
	})
}

// stats makes figures of the log itself.
func (p plain) stats(ctx context.Context, q StatsQuery, a *asked) (*Stats, error) {
	t, m, page := newTally(q.Zone), newMatcher(a), &Page{}
	b := newBuilder(1, 0)
	flush := func() error {
		done := b.seal()
		return t.block(done, m)
	}
	for f, err := range p.read(ctx, place{}, true) {
		if err != nil {
			if page.note(err) {
				continue
			}
			return nil, err
		}
		r := &b.reader
		r.row = row{steps: r.row.steps[:0]}
		r.fromRecord(&f.record, nil)
		if b.add(&r.row); b.full() {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	out := t.sum(q)
	out.Problems = append(out.Problems, page.Problems...)
	return out, ctx.Err()
}
