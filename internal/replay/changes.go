package replay

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
)

// Comparison is what was decided then, beside what is decided now.
type Comparison struct {
	Events   int `json:"events"`
	Sessions int `json:"sessions"`

	Blocked int `json:"newly_blocked"`
	Asked   int `json:"newly_asked"`
	Passed  int `json:"newly_passed"`
	Other   int `json:"changed_otherwise"`
	Same    int `json:"same"`

	Incomparable  int      `json:"not_comparable"`
	NotReplayable int      `json:"not_replayable"`
	Why           []Reason `json:"why"` // of both

	Undecided int `json:"undecided"` // events of which no decision is known: they passed then

	// Then is what became of the calls, where agents' own records tell of them.
	Then Past `json:"then,omitzero"`
	Anew int  `json:"analysed_anew"`

	// Aged are the calls that were analysed anew because another version of hookway's
	// analyser had found what is on record of them.
	Aged int `json:"other_analyser"`

	// Moved are the calls that were analysed anew because other places may be emptied now.
	Moved int `json:"other_scratch"`

	// Lacking are the calls that were analysed anew, and of whose files not all is on
	// record; Lacks says what, of the first.
	Lacking int      `json:"lacking"`
	Lacks   []string `json:"lacks"`

	NotAsked []NotAsked `json:"not_asked"`
	Sources  []Source   `json:"by"`

	Problems     []string `json:"problems"`
	MoreProblems int      `json:"more_problems,omitempty"`
	Torn         int      `json:"unread_lines,omitempty"`   // of agents' records, among the problems
	Unversed     int      `json:"unread_records,omitempty"` // of a version that is not known, among them too

	Saved []Saved `json:"saved,omitempty"` // by SaveTests
}

// Changed is how many decisions have changed.
func (c *Comparison) Changed() int { return c.Blocked + c.Asked + c.Passed + c.Other }

// Compared is how many decisions were compared.
func (c *Comparison) Compared() int { return c.Changed() + c.Same }

// Reason says why events were not compared.
type Reason struct {
	Why        string `json:"why"`
	Events     int    `json:"events"`
	Replayable bool   `json:"replayable"` // it was fired, and only the decision says nothing
	Place      string `json:"place"`      // of the first

	number int // of the first
}

// NotAsked is a hook that was not asked, because it could act.
type NotAsked struct {
	Hook   string `json:"hook"`
	Kind   string `json:"kind"`
	Events int    `json:"events"`
}

// Source is a hook or a rule, with the decisions that changed because of it.
type Source struct {
	ID      string   `json:"id"`
	Blocked int      `json:"newly_blocked"`
	Asked   int      `json:"newly_asked"`
	Passed  int      `json:"newly_passed"`
	Other   int      `json:"changed_otherwise"`
	Samples []Change `json:"samples"`
}

// All is how many decisions changed because of it.
func (s *Source) All() int { return s.Blocked + s.Asked + s.Passed + s.Other }

func (s *Source) count(k Kind) *int {
	switch k {
	case Blocked:
		return &s.Blocked
	case Asked:
		return &s.Asked
	case Passed:
		return &s.Passed
	}
	return &s.Other
}

// Change is one event whose decision changed, with the secrets taken out.
type Change struct {
	Kind    Kind      `json:"kind"`
	Event   string    `json:"event"`
	Call    string    `json:"call"`
	What    string    `json:"what"`
	Agent   string    `json:"agent,omitempty"`
	Session string    `json:"session,omitempty"`
	Time    time.Time `json:"time"`
	Place   string    `json:"place"`
	Lacks   string    `json:"lacks,omitempty"` // what is not on record of what the call looked at

	picked *picked
	number int
}

// order puts the one that happened first before the other.
func (c *Change) order(o *Change) int { return cmp.Or(c.Time.Compare(o.Time), c.number-o.number) }

// like reports whether two changes show the same.
func (c *Change) like(o *Change) bool {
	return c.Kind == o.Kind && c.Event == o.Event && c.Call == o.Call && c.Event != "" && (c.Call != "" || c.What == o.What)
}

// full reports whether a change that happened then is none of the first of its kind.
func (s *Source) full(one *Change, most int) bool {
	n := 0
	for i := range s.Samples {
		if have := &s.Samples[i]; have.Kind == one.Kind {
			if one.order(have) < 0 {
				return false
			}
			n++
		}
	}
	return n >= most
}

// shows puts a change among the samples, if it is among the first of its kind that show
// something else, and gives the one that shows it; nil is none.
func (s *Source) shows(one Change, most int) *Change {
	last, n := -1, 0
	for i := range s.Samples {
		have := &s.Samples[i]
		if have.like(&one) {
			if one.order(have) < 0 {
				*have = one
				return have
			}
			return nil
		}
		if have.Kind != one.Kind {
			continue
		}
		if n++; last < 0 || have.order(&s.Samples[last]) > 0 {
			last = i
		}
	}
	switch {
	case n < most:
		s.Samples = append(s.Samples, one)
		return &s.Samples[len(s.Samples)-1]
	case one.order(&s.Samples[last]) < 0:
		s.Samples[last] = one
		return &s.Samples[last]
	}
	return nil
}

// lack is what is not on record of a call.
type lack struct {
	number int
	text   string
}

// changes are counted by one worker.
type changes struct {
	Comparison
	pick     int
	sessions map[string]struct{}
	why      map[Reason]*Reason
	asked    map[string]*NotAsked
	sources  map[string]*Source
	lacking  []lack

	see func(*comparison) // is told of each event that was fired; nil tells nobody
}

// Bounds of what is kept apart.
const (
	mostChanges  = 3   // of a hook or rule and a kind
	mostSources  = 500 // hooks and rules
	mostReasons  = 200
	mostLacks    = 20
	mostCounted  = 1 << 18 // sessions
	otherSources = "(others)"
)

func newChanges(pick int) *changes {
	return &changes{pick: pick, sessions: map[string]struct{}{}, why: map[Reason]*Reason{}, asked: map[string]*NotAsked{}, sources: map[string]*Source{}}
}

// saw counts an event.
func (c *changes) saw(m *Moment) {
	c.Events++
	if s := m.Then.Session; s != "" && len(c.sessions) < mostCounted {
		c.sessions[s] = struct{}{}
	}
}

// lacks counts an event that cannot be fired.
func (c *changes) lacks(m *Moment) {
	if m.Before {
		return
	}
	c.saw(m)
	c.NotReplayable++
	c.because(m, m.Lacks, false)
}

// incomparable counts an event whose decision says nothing.
func (c *changes) incomparable(m *Moment, why string) {
	if m.Before {
		return
	}
	c.saw(m)
	c.Incomparable++
	c.because(m, why, true)
}

func (c *changes) because(m *Moment, why string, replayable bool) {
	key := Reason{Why: why, Replayable: replayable}
	if c.why[key] == nil && len(c.why) >= mostReasons {
		key.Why = "other reasons"
	}
	r := c.why[key]
	if r == nil {
		r = &Reason{Why: key.Why, Replayable: replayable, Place: m.Place, number: m.number}
		c.why[key] = r
	}
	r.Events++
}

// compared counts an event with what became of its decision.
func (c *changes) compared(t *target, s *shot, ev hook.AnyEvent, out *hook.Outcome[any], then *saying) {
	m := s.moment
	for _, id := range s.passed {
		if c.asked[id] == nil {
			c.asked[id] = &NotAsked{Hook: id, Kind: s.why(id)}
		}
		c.asked[id].Events++
	}
	x := &comparison{t: t, s: s, ev: ev, out: out, then: then, now: nowOf(out)}
	if c.see != nil {
		c.see(x)
	}
	c.Then.count(m.Was)
	if why := x.unknown(); why != "" {
		c.incomparable(m, why)
		return
	}
	kind, by, what := x.change()
	if why := x.excuse(kind); why != "" {
		c.incomparable(m, why)
		return
	}
	c.saw(m)
	if m.Undecided && m.Was == "" {
		c.Undecided++
	}
	if m.Was == Refused && (x.now.action == hook.ActionBlock || x.now.action == hook.ActionAsk) {
		c.Then.Held++
	}
	if s.analysed {
		c.Anew++
	}
	if s.then != nil {
		if s.then.Aged() {
			c.Aged++
		}
		if s.then.Moved() {
			c.Moved++
		}
		if lacks := s.then.Lacks(); len(lacks) > 0 {
			c.Lacking++
			if len(c.lacking) < mostLacks {
				c.lacking = append(c.lacking, lack{m.number, m.Place + ": " + short(lacks[0], t.worlds.home)})
			}
		}
	}
	if kind == Same {
		c.Same++
		return
	}
	*c.total(kind)++
	c.changed(x, kind, by, what)
}

func (c *changes) total(k Kind) *int {
	switch k {
	case Blocked:
		return &c.Blocked
	case Asked:
		return &c.Asked
	case Passed:
		return &c.Passed
	}
	return &c.Other
}

// changed counts a change for its hook or rule, and keeps it if there are few.
func (c *changes) changed(x *comparison, kind Kind, by, what string) {
	by = orNobody(by)
	if c.sources[by] == nil && len(c.sources) >= mostSources {
		by = otherSources
	}
	source := c.sources[by]
	if source == nil {
		source = &Source{ID: by}
		c.sources[by] = source
	}
	*source.count(kind)++
	m, head, most := x.s.moment, x.ev.Head(), max(mostChanges, c.pick)
	one := Change{Kind: kind, Event: x.ev.Info().Name, Agent: head.Agent, Session: head.Session, Time: x.ev.Time().UTC(), Place: m.Place, number: m.number}
	if source.full(&one, most) {
		return
	}
	one.Call, one.What = about(x.ev, x.t.worlds.home), short(what, x.t.worlds.home)
	if x.s.then != nil {
		for _, lack := range x.s.then.Lacks()[:min(len(x.s.then.Lacks()), 1)] {
			one.Lacks = short(lack, x.t.worlds.home)
		}
	}
	if shown := source.shows(one, most); shown != nil && c.pick > 0 {
		shown.picked = x.pick(kind)
	}
}

// about is what an event is about, in one line without secrets.
func about(ev hook.AnyEvent, home string) string {
	call, ok := hook.CallOf(ev)
	if !ok {
		return ""
	}
	if command := guards.CommandOf(call.Input); command != "" {
		return call.Name + ": " + window(command, hook.Span{}, home)
	}
	return call.Name + " " + window(asText(call.Input), hook.Span{}, home)
}

// add adds what another worker counted.
func (c *Comparison) add(o *changes) {
	for to, n := range map[*int]int{
		&c.Events: o.Events, &c.Blocked: o.Blocked, &c.Asked: o.Asked, &c.Passed: o.Passed, &c.Other: o.Other, &c.Same: o.Same,
		&c.Incomparable: o.Incomparable, &c.NotReplayable: o.NotReplayable, &c.Undecided: o.Undecided, &c.Anew: o.Anew, &c.Aged: o.Aged, &c.Moved: o.Moved, &c.Lacking: o.Lacking, &c.Sessions: len(o.sessions),
	} {
		*to += n
	}
	c.Then.add(o.Then)
	for _, r := range o.why {
		if i := slices.IndexFunc(c.Why, func(w Reason) bool { return w.Why == r.Why && w.Replayable == r.Replayable }); i >= 0 {
			c.Why[i].Events += r.Events
			if r.number < c.Why[i].number {
				c.Why[i].Place, c.Why[i].number = r.Place, r.number
			}
		} else {
			c.Why = append(c.Why, *r)
		}
	}
	for _, n := range o.asked {
		if i := slices.IndexFunc(c.NotAsked, func(a NotAsked) bool { return a.Hook == n.Hook }); i >= 0 {
			c.NotAsked[i].Events += n.Events
		} else {
			c.NotAsked = append(c.NotAsked, *n)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(o.sources)) {
		s := o.sources[id]
		i := slices.IndexFunc(c.Sources, func(a Source) bool { return a.ID == id })
		if i < 0 {
			c.Sources = append(c.Sources, *s)
			continue
		}
		into := &c.Sources[i]
		for _, k := range []Kind{Blocked, Asked, Passed, Other} {
			*into.count(k) += *s.count(k)
		}
		for i := range s.Samples {
			into.shows(s.Samples[i], max(mostChanges, o.pick))
		}
	}
}

// finish puts everything in order: what changed most first, of each kind the samples
// that happened first.
func (c *Comparison) finish(found *problems) {
	slices.SortFunc(c.Why, func(a, b Reason) int { return cmp.Or(b.Events-a.Events, strings.Compare(a.Why, b.Why)) })
	slices.SortFunc(c.NotAsked, func(a, b NotAsked) int { return cmp.Or(b.Events-a.Events, strings.Compare(a.Hook, b.Hook)) })
	slices.SortFunc(c.Sources, func(a, b Source) int { return cmp.Or(b.All()-a.All(), strings.Compare(a.ID, b.ID)) })
	for i := range c.Sources {
		s := &c.Sources[i]
		slices.SortFunc(s.Samples, func(a, b Change) int {
			return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), a.order(&b))
		})
	}
	c.Problems, c.MoreProblems, c.Torn, c.Unversed = found.texts, found.more, found.torn, found.unversed
	c.Lacks = notNil(c.Lacks)
	c.Why, c.NotAsked, c.Sources, c.Problems = notNil(c.Why), notNil(c.NotAsked), notNil(c.Sources), notNil(c.Problems)
}

// kinds are those of changes, the one first that holds people up.
var kinds = []Kind{Blocked, Asked, Passed, Other}

func notNil[T any](list []T) []T {
	if list == nil {
		list = []T{}
	}
	return list
}
