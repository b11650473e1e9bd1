package index

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
)

// Stats are figures of what was recorded.
type Stats struct {
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until"`

	Decisions int64            `json:"decisions"` // of hooks
	ByAction  map[string]int64 `json:"by_action"` // of all records
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

// tally makes figures of records.
type tally struct {
	zone   *time.Location
	stats  Stats
	days   map[string]*Day
	hooks  map[string]*hookTally
	rules  map[string]*ruleTally
	agents map[string]*AgentStats

	from, to int64 // the day that was looked up last, in seconds
	day      string
}

type hookTally struct {
	HookStats
	took histogram
}

type ruleTally struct {
	RuleStats
	days map[string]*RuleDay
}

func newTally(zone *time.Location) *tally {
	return &tally{
		zone: zone, stats: Stats{ByAction: map[string]int64{}, Would: map[string]int64{}}, days: map[string]*Day{},
		hooks: map[string]*hookTally{}, rules: map[string]*ruleTally{}, agents: map[string]*AgentStats{},
	}
}

// get gives what a map has under a name, or a new one.
func get[T any](in map[string]*T, name string) *T {
	v := in[name]
	if v == nil {
		v = new(T)
		in[strings.Clone(name)] = v
	}
	return v
}

// dayOf is the day of a time.
func (t *tally) dayOf(at time.Time) string {
	if s := at.Unix(); s >= t.from && s < t.to {
		return t.day
	}
	at = at.In(t.zone)
	begin := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, t.zone)
	t.from, t.to, t.day = begin.Unix(), begin.AddDate(0, 0, 1).Unix(), at.Format(time.DateOnly)
	return t.day
}

// add counts a record.
func (t *tally) add(r *audit.Record) {
	name := t.dayOf(r.Time)
	day := get(t.days, name)
	if day.ByAction == nil {
		day.Day, day.ByAction, day.Would = name, map[string]int64{}, map[string]int64{}
	}
	action := cmp.Or(r.Action, "none")
	day.ByAction[action]++
	t.stats.ByAction[action]++
	if r.Would != "" && r.Action != audit.Untaken && r.Action != audit.Repeat {
		day.Would[r.Would]++
		t.stats.Would[r.Would]++
	}
	if _, err := hook.ParseAction(r.Action); err == nil {
		t.stats.Decisions++
		agent := get(t.agents, r.Agent)
		agent.Agent = r.Agent
		agent.Decisions++
		agent.Last = later(agent.Last, r.Time)
	}
	for i := range r.Steps {
		t.step(r, &r.Steps[i], name)
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// step counts a step. A block counts if the event was blocked: an agent may have no way
// to. One that did not get to the agent is taken back.
func (t *tally) step(r *audit.Record, s *audit.Step, day string) {
	h := get(t.hooks, s.Hook)
	h.Hook = s.Hook
	if r.Action == audit.Untaken {
		if r.Answer == "block" && s.Action == "block" && h.Blocks > 0 {
			h.Blocks--
		}
		return
	}
	h.Runs++
	h.took.add(s.DurationMS)
	h.Last = later(h.Last, r.Time)
	switch {
	case s.Action == "block" && r.Action == "block":
		h.Blocks++
	case s.Action == "ask":
		h.Asks++
	}
	if w := s.Would; w != nil && (w.Action == "block" || w.Action == "ask" || w.Change) {
		h.Would++
	}
	if s.Failed {
		h.Failures++
	}
	if s.Changed {
		h.Changes++
	}
	if s.Rule != "" && (s.Action == "block" || s.Action == "ask") {
		t.rule(s.Rule, day, r.Time, false)
	}
	if w := s.Would; w != nil && w.Rule != "" && (w.Action == "block" || w.Action == "ask") {
		t.rule(w.Rule, day, r.Time, true)
	}
}

func (t *tally) rule(rule, day string, at time.Time, would bool) {
	rule, _, _ = strings.Cut(rule, "@")
	r := get(t.rules, rule)
	if r.days == nil {
		r.Rule, r.days = rule, map[string]*RuleDay{}
		r.Pack, _, _ = strings.Cut(rule, "/")
	}
	d := get(r.days, day)
	d.Day = day
	r.Last = later(r.Last, at)
	if would {
		r.Would++
		d.Would++
	} else {
		r.Hits++
		d.Hits++
	}
}

// sum gives the figures.
func (t *tally) sum() *Stats {
	s := &t.stats
	s.Days, s.Hooks, s.Rules, s.Agents = []Day{}, []HookStats{}, []RuleStats{}, []AgentStats{}
	s.Problems = []string{}
	for _, name := range slices.Sorted(maps.Keys(t.days)) {
		s.Days = append(s.Days, *t.days[name])
	}
	for _, name := range slices.Sorted(maps.Keys(t.hooks)) {
		h := t.hooks[name]
		h.P50, h.P95, h.P99 = h.took.percentile(50), h.took.percentile(95), h.took.percentile(99)
		s.Hooks = append(s.Hooks, h.HookStats)
	}
	for _, name := range slices.Sorted(maps.Keys(t.rules)) {
		r := t.rules[name]
		for _, day := range slices.Sorted(maps.Keys(r.days)) {
			r.Days = append(r.Days, *r.days[day])
		}
		s.Rules = append(s.Rules, r.RuleStats)
	}
	for _, name := range slices.Sorted(maps.Keys(t.agents)) {
		s.Agents = append(s.Agents, *t.agents[name])
	}
	return s
}

// histogram counts times so that each is known to one percent.
type histogram struct {
	n     int64
	count map[int16]int64
}

// step of the histogram: a bucket reaches from one power of it to the next.
var bucket = math.Log(1.02)

func (h *histogram) add(ms float64) {
	if h.count == nil {
		h.count = map[int16]int64{}
	}
	h.n++
	h.count[bucketOf(ms)]++
}

func bucketOf(ms float64) int16 {
	if !(ms >= 0.001) { // a microsecond is as good as nothing
		return math.MinInt16
	}
	return int16(math.Floor(math.Log(min(ms, 1e12)) / bucket))
}

// percentile is a value that p percent of all do not exceed, to one percent of it.
func (h *histogram) percentile(p int64) float64 {
	rank := (h.n*p + 99) / 100
	for _, b := range slices.Sorted(maps.Keys(h.count)) {
		if rank -= h.count[b]; rank <= 0 {
			if b == math.MinInt16 {
				return 0
			}
			return math.Round(math.Exp((float64(b)+0.5)*bucket)*1000) / 1000
		}
	}
	return 0
}
