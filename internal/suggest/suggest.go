package suggest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
)

// Plan says which record is read, and what is in force now.
type Plan struct {
	Dir   string // of the audit log
	Root  string // the workspace, or the folder where there is none
	Alone bool   // Root has no hooks: what was told from in it counts
	Since time.Time
	Now   time.Time

	Environ []string       // of the process: what variables in calls mean
	Policy  *guards.Policy // hookway's own rules as they are on here; nil: they are off
	Hooks   []Hook         // of the configuration

	// AllowAt is the event at which an agent, by the name that it has as a source, lets
	// hooks answer for its user; "": at none.
	AllowAt func(source string) string
}

// Hook is one that the configuration has.
type Hook struct {
	hook.Hook
	Kind  string    // allow, ask, block and so on, as the configuration says
	Where string    // its file and line, for people
	Since time.Time // its file was not changed since
}

// Kind says what a suggestion is about.
type Kind string

// The kinds, in the order in which suggestions are told.
const (
	Allow   Kind = "allow"   // a person always allowed it
	Quiet   Kind = "quiet"   // a rule of hookway's own asked, and a person always allowed it
	Catch   Kind = "catch"   // a person stopped it by hand
	Enforce Kind = "enforce" // a rule on trial was never wrong
	Fails   Kind = "fails"   // a hook fails
	Slow    Kind = "slow"    // a hook is slow
	Never   Kind = "never"   // a hook never matched
)

var kinds = []Kind{Allow, Quiet, Catch, Enforce, Fails, Slow, Never}

// Suggestion is one thing to change.
type Suggestion struct {
	N     int    `json:"n"`
	Kind  Kind   `json:"kind"`
	ID    string `json:"id"` // of the hook or the rule
	Title string `json:"title"`

	Times    int       `json:"times"`
	Days     int       `json:"days,omitempty"`
	Sessions int       `json:"sessions,omitempty"`
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Why      []string  `json:"why"` // the evidence in words, a line each
	Samples  []string  `json:"samples"`

	YAML   string `json:"yaml,omitempty"`
	Milder bool   `json:"milder"`         // it lets something pass: only a person may apply it
	Note   string `json:"note,omitempty"` // what to know of it, or to do by hand

	// What is to be written: an entry of hooks, or what becomes of a rule.
	Hook string `json:"-"`
	Rule string `json:"-"` // its word: allow or enforce
	Case *Case  `json:"-"`
}

// Case is the test of a suggestion.
type Case struct {
	Name   string
	Event  string
	Source string // "": any
	Tool   string
	Input  map[string]any
	Dir    string // below the root; "" is the root
	Action string
	By     string
}

// Report is what was found.
type Report struct {
	Root    string    `json:"workspace"`
	Since   time.Time `json:"since,omitzero"`
	Records int       `json:"records"`
	Calls   int       `json:"calls"`
	Yes     int       `json:"answered_yes"` // questions that a person answered so
	No      int       `json:"answered_no"`  // and what a person stopped
	Blind   int       `json:"without_input"`
	Held    int       `json:"held_by_a_block_rule"` // calls that were allowed, and that a block rule holds: nothing is suggested of them

	Suggestions []Suggestion `json:"suggestions"`
	More        int          `json:"more"`     // that are not told
	Broken      string       `json:"broken"`   // why the record cannot be trusted; then nothing is suggested that lets something pass
	Problems    []string     `json:"problems"` // lines that could not be read
}

// Bounds of a report.
const (
	most        = 20
	mostLines   = 10
	mostSamples = 3
)

// What counts as a habit. Answers within minutes of each other are one: a burst says
// nothing of what somebody always wants.
const (
	leastTimes = 3
	leastDays  = 2
	apart      = 10 * time.Minute

	leastOfRule  = 5 // answers to one rule before all of it is quieted
	leastStopped = 2 // times that a person stopped something
)

// Read reads the record.
func Read(ctx context.Context, p Plan) (*Report, error) {
	f := &finder{Plan: p, report: &Report{Root: p.Root, Since: p.Since, Suggestions: []Suggestion{}, Problems: []string{}}, watch: newWatch(), hooks: newHookStats(p.Hooks)}
	if err := f.verify(); err != nil {
		return nil, err
	}
	if err := f.each(ctx, f.see); err != nil {
		return nil, err
	}
	f.watch.finish()
	found, err := f.suggestions(ctx)
	if err != nil {
		return nil, err
	}
	f.report.add(found)
	return f.report, nil
}

// finder reads a record for a plan.
type finder struct {
	Plan
	report *Report
	watch  *watch
	hooks  *hookStats
}

// verify notes whether the record is as it was written.
func (f *finder) verify() error {
	v, err := audit.Verify(f.Dir)
	if err != nil {
		return err
	}
	if !v.OK() {
		f.report.Broken = v.Problems[0].String()
	}
	return nil
}

// each gives the records that count.
func (f *finder) each(ctx context.Context, visit func(r *audit.Record)) error {
	filter := audit.Filter{Since: f.Since, Workspace: f.Root}
	if f.Alone {
		filter.Workspace, filter.Folder = "", f.Root
	}
	for r, err := range audit.Read(f.Dir, filter) {
		var damage *audit.Damage
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted: %w", context.Cause(ctx))
		case errors.As(err, &damage):
			if !damage.Torn && len(f.report.Problems) < mostLines && !slices.Contains(f.report.Problems, damage.Error()) {
				f.report.Problems = append(f.report.Problems, damage.Error())
			}
		case err != nil:
			return err
		default:
			visit(&r)
		}
	}
	return nil
}

// see takes in one record.
func (f *finder) see(r *audit.Record) {
	f.report.Records++
	f.hooks.see(r)
	f.watch.see(r)
}

// suggestions makes what is to be told of what was seen.
func (f *finder) suggestions(ctx context.Context) ([]Suggestion, error) {
	j := newJudge(f)
	f.report.Calls, f.report.Yes, f.report.No, f.report.Blind = f.watch.calls, f.watch.answered, 0, f.watch.blind
	for _, a := range f.watch.no {
		f.report.No += a.all
	}
	found := slices.Concat(j.allows(), f.quiets(), f.enforces(), f.hooks.suggestions())
	f.report.Held = j.held
	catches, err := j.catches(ctx)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(append(found, catches...), func(s Suggestion) bool { // said of what was stopped, too
		return s.Kind == Enforce && slices.ContainsFunc(catches, func(c Suggestion) bool { return c.Rule != "" && c.ID == s.ID })
	})
	if f.report.Broken != "" {
		found = slices.DeleteFunc(found, func(s Suggestion) bool { return s.Milder })
	}
	return found, nil
}

// add numbers suggestions, in an order that depends on nothing but the record.
func (r *Report) add(found []Suggestion) {
	slices.SortFunc(found, func(a, b Suggestion) int {
		return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), b.Times-a.Times, cmp.Compare(a.ID, b.ID))
	})
	r.More = max(len(found)-most, 0)
	for i, s := range found[:min(len(found), most)] {
		s.N = i + 1
		r.Suggestions = append(r.Suggestions, s)
	}
}

// Find is the suggestion of a number, or of an id: other records and other times give
// other numbers.
func (r *Report) Find(name string) (*Suggestion, error) {
	n, err := strconv.Atoi(name)
	switch {
	case len(r.Suggestions) == 0:
		return nil, fmt.Errorf("there is no suggestion %s: there is none at all", name)
	case err != nil:
		return r.ofID(name)
	case n < 1 || n > len(r.Suggestions):
		return nil, fmt.Errorf("there is no suggestion %d: they go from 1 to %d; hookway suggest shows them", n, len(r.Suggestions))
	}
	return &r.Suggestions[n-1], nil
}

// ofID is the one suggestion of an id.
func (r *Report) ofID(id string) (*Suggestion, error) {
	var found *Suggestion
	for i := range r.Suggestions {
		s := &r.Suggestions[i]
		if s.ID != id {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s is what suggestions %d and %d are about: name one by its number", id, found.N, s.N)
		}
		found = s
	}
	if found == nil {
		return nil, fmt.Errorf("no suggestion has the id %q; hookway suggest shows them", id)
	}
	return found, nil
}
