package cases

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/hookway/hookway/hook"
)

// Status is how a case ended.
type Status string

// The ways in which a case ends. An errored one has no outcome to compare.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Errored Status = "error"
)

// Result is what became of one case.
type Result struct {
	Case     *Case
	Status   Status
	Failures []Failure          // expectations that do not hold, in the order of the file
	Err      error              // with Errored
	Outcome  *hook.Outcome[any] // nil with Errored
	Duration time.Duration
}

// Failure is one expectation that does not hold.
type Failure struct {
	Key          string // as in the file: "action", "modified"
	Line, Column int
	Want, Got    []string // lines
	Note         string   // what the lines do not say
}

// Report is what became of all cases.
type Report struct {
	Results []Result
	NotRun  int // cases that were left out, or not come to
}

// Fire fires an event at the hooks under test. The steps of the outcome may hold
// those of the observe lane, too, if the function waits for them.
type Fire func(ctx context.Context, ev hook.AnyEvent) (hook.Outcome[any], error)

// Run runs the cases one after the other; those whose names do not match only are
// left out, unless that is nil. When the context ends, the cases that remain are
// not run. One call of fire never begins before the last has ended.
func Run(ctx context.Context, list []*Case, only *regexp.Regexp, fire Fire) *Report {
	report := &Report{Results: []Result{}}
	for _, c := range list {
		if only != nil && !only.MatchString(c.Name) || ctx.Err() != nil {
			report.NotRun++
			continue
		}
		report.Results = append(report.Results, c.run(ctx, fire))
	}
	return report
}

func (c *Case) run(ctx context.Context, fire Fire) Result {
	begin := time.Now()
	out, err := fire(ctx, c.event)
	r := Result{Case: c, Status: Passed, Duration: time.Since(begin)}
	if err != nil {
		r.Status, r.Err = Errored, err
		return r
	}
	s, err := see(c.event, out)
	if err != nil {
		r.Status, r.Err = Errored, fmt.Errorf("the outcome cannot be compared: %w", err)
		return r
	}
	r.Outcome = &out
	for _, e := range c.expectations {
		if m := e.check(s); m != nil {
			r.Status = Failed
			r.Failures = append(r.Failures, Failure{e.key, e.line, e.column, m.want, m.got, m.note})
		}
	}
	return r
}

// Count counts the cases that ended so.
func (r *Report) Count(s Status) int {
	n := 0
	for _, result := range r.Results {
		if result.Status == s {
			n++
		}
	}
	return n
}

// Passed reports whether every case passed that was run, and that there was one.
func (r *Report) Passed() bool { return len(r.Results) > 0 && r.Count(Passed) == len(r.Results) }
