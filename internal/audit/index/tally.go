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

// tally makes figures of blocks.
type tally struct {
	zone   *time.Location
	stats  Stats
	days   map[string]*Day
	hooks  map[string]*hookTally
	rules  map[string]*ruleTally
	agents map[string]*AgentStats

	from, to int64 // the day that was looked up last, in nanoseconds
	day      string
}

type hookTally struct {
	HookStats
	last int64
	took histogram
}

type ruleTally struct {
	RuleStats
	last int64
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
func (t *tally) dayOf(nanos int64) string {
	if nanos >= t.from && nanos < t.to {
		return t.day
	}
	at := time.Unix(0, nanos).In(t.zone)
	begin := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, t.zone)
	t.from, t.to, t.day = begin.UnixNano(), begin.AddDate(0, 0, 1).UnixNano(), at.Format(time.DateOnly)
	return t.day
}

// blockTally has the figures of a block by the numbers of its texts.
type blockTally struct {
	*tally
	b       *block
	hooks   []*hookTally
	kinds   []byte // what kind of action a text is
	name    string
	day     *Day
	actions []int64 // of the day
	woulds  []int64
}

// Kinds of actions.
const (
	unlooked = iota
	decision
	noDecision
	toBlock
	toAsk
	untaken
	repeat
)

func kindOf(action string) byte {
	switch action {
	case "block":
		return toBlock
	case "ask":
		return toAsk
	case audit.Untaken:
		return untaken
	case audit.Repeat:
		return repeat
	}
	if _, err := hook.ParseAction(action); err == nil {
		return decision
	}
	return noDecision
}

func (t *blockTally) kind(id uint32) byte {
	if t.kinds[id] == unlooked {
		t.kinds[id] = kindOf(t.b.texts[id])
	}
	return t.kinds[id]
}

// block counts what is wanted of a block.
func (t *tally) block(b *block, m *matcher) error {
	if b.n == 0 {
		return nil
	}
	of := &blockTally{tally: t, b: b, hooks: make([]*hookTally, len(b.texts)), kinds: make([]byte, len(b.texts)), actions: make([]int64, len(b.texts)), woulds: make([]int64, len(b.texts))}
	m.enter()
	steps := b.stepper()
	var failed error
	err := b.each(func(_ int, r *row) bool {
		var list []step
		if list, failed = steps.next(); failed != nil {
			return false
		}
		if m.wantsRow(b, r) && ((m.Hook == "" && m.Rule == "") || m.wantsSteps(b, r, list)) {
			of.row(r, list)
		}
		return true
	})
	of.endDay()
	return cmp.Or(failed, err)
}

// row counts a record.
func (t *blockTally) row(r *row, steps []step) {
	if name := t.dayOf(r.time); t.day == nil || name != t.name {
		t.endDay()
		t.day, t.name = get(t.days, name), name
		if t.day.ByAction == nil {
			t.day.Day, t.day.ByAction, t.day.Would = name, map[string]int64{}, map[string]int64{}
		}
	}
	kind := t.kind(r.texts[inAction])
	if t.b.texts[r.texts[inEvent]] != audit.Approval {
		t.decided(r, kind)
	}
	for i := range steps {
		t.step(r, &steps[i], kind)
	}
}

// decided counts what came of an event: an answer of a person is none.
func (t *blockTally) decided(r *row, kind byte) {
	t.actions[r.texts[inAction]]++
	if would := r.texts[inWould]; would != 0 && kind != untaken && kind != repeat {
		t.woulds[would]++
	}
	if kind == decision || kind == toBlock || kind == toAsk {
		t.stats.Decisions++
		agent := get(t.agents, t.b.texts[r.texts[inAgent]])
		agent.Decisions++
		agent.Last = later(agent.Last, time.Unix(0, r.time).UTC())
	}
}

// endDay adds what was counted by number to the day.
func (t *blockTally) endDay() {
	for id := range t.actions {
		if n := t.actions[id]; n > 0 {
			name := strings.Clone(cmp.Or(t.b.texts[id], "none"))
			t.day.ByAction[name] += n
			t.stats.ByAction[name] += n
			t.actions[id] = 0
		}
		if n := t.woulds[id]; n > 0 {
			name := strings.Clone(t.b.texts[id])
			t.day.Would[name] += n
			t.stats.Would[name] += n
			t.woulds[id] = 0
		}
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
func (t *blockTally) step(r *row, s *step, kind byte) {
	h := t.hooks[s.hook]
	if h == nil {
		h = get(t.tally.hooks, t.b.texts[s.hook])
		t.hooks[s.hook] = h
	}
	did := t.kind(s.action)
	if kind == untaken {
		if did == toBlock && t.kind(r.texts[inAnswer]) == toBlock && h.Blocks > 0 {
			h.Blocks--
		}
		return
	}
	h.Runs++
	h.took.add(s.bucket)
	h.last = max(h.last, r.time)
	switch {
	case did == toBlock && kind == toBlock:
		h.Blocks++
	case did == toAsk:
		h.Asks++
	}
	if s.flags&stepFailed != 0 {
		h.Failures++
	}
	if s.flags&stepChanged != 0 {
		h.Changes++
	}
	if s.rule != 0 && (did == toBlock || did == toAsk) {
		t.rule(s.rule, r.time, false)
	}
	if s.flags&stepOnTrial == 0 {
		return
	}
	would := t.kind(s.would)
	if would == toBlock || would == toAsk || s.flags&stepWouldChange != 0 {
		h.Would++
	}
	if s.wouldRule != 0 && (would == toBlock || would == toAsk) {
		t.rule(s.wouldRule, r.time, true)
	}
}

func (t *blockTally) rule(id uint32, at int64, would bool) {
	rule, _, _ := strings.Cut(t.b.texts[id], "@")
	r := get(t.rules, rule)
	if r.days == nil {
		r.days = map[string]*RuleDay{}
	}
	d := get(r.days, t.name)
	r.last = max(r.last, at)
	if would {
		r.Would++
		d.Would++
	} else {
		r.Hits++
		d.Hits++
	}
}

// sum gives the figures.
func (t *tally) sum(q StatsQuery) *Stats {
	s := &t.stats
	s.Since, s.Until = q.Since, q.Until
	s.Days, s.Hooks, s.Rules, s.Agents, s.Problems = []Day{}, []HookStats{}, []RuleStats{}, []AgentStats{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(t.days)) {
		s.Days = append(s.Days, *t.days[name])
	}
	for _, name := range slices.Sorted(maps.Keys(t.hooks)) {
		h := t.hooks[name]
		h.Hook, h.Last = name, time.Unix(0, h.last).UTC()
		h.P50, h.P95, h.P99 = h.took.percentile(50), h.took.percentile(95), h.took.percentile(99)
		s.Hooks = append(s.Hooks, h.HookStats)
	}
	for _, name := range slices.Sorted(maps.Keys(t.rules)) {
		r := t.rules[name]
		r.Rule, r.Last, r.Days = name, time.Unix(0, r.last).UTC(), []RuleDay{}
		r.Pack, _, _ = strings.Cut(name, "/")
		for _, day := range slices.Sorted(maps.Keys(r.days)) {
			r.days[day].Day = day
			r.Days = append(r.Days, *r.days[day])
		}
		s.Rules = append(s.Rules, r.RuleStats)
	}
	for _, name := range slices.Sorted(maps.Keys(t.agents)) {
		t.agents[name].Agent = name
		s.Agents = append(s.Agents, *t.agents[name])
	}
	return s
}

// Buckets of times: each reaches from a value to one that is two percent larger, so that
// its middle is within one percent of all in it. The first has all below a microsecond.
const buckets = 1200

var bucketSize = math.Log(1.02)

// bucketOf is the bucket of a time in milliseconds.
func bucketOf(ms float64) int16 {
	if !(ms >= 0.001) { // also what is not a number
		return 0
	}
	return int16(min(1+math.Log(min(ms, 1e12)/0.001)/bucketSize, buckets-1))
}

// histogram counts times by bucket.
type histogram struct {
	n     int64
	count [buckets]int64
}

func (h *histogram) add(bucket int16) {
	if bucket < 0 || bucket >= buckets {
		bucket = 0
	}
	h.n++
	h.count[bucket]++
}

// percentile is a value that p percent of all do not exceed, to one percent of it.
func (h *histogram) percentile(p int64) float64 {
	rank := (h.n*p + 99) / 100
	for b, n := range h.count {
		if rank -= n; rank > 0 || n == 0 {
			continue
		}
		if b == 0 {
			return 0
		}
		return math.Round(0.001*math.Exp((float64(b)-0.5)*bucketSize)*1000) / 1000
	}
	return 0
}
