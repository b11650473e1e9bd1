package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/visible"
)

// maxGroups is how many different failures are kept apart at least; never are it
// more than twice as many.
const maxGroups = 1000

// happened is a failure, and how often it was seen.
type happened struct {
	what  string
	times int
	last  time.Time
}

// tally counts what happened.
type tally map[string]*happened

func (t tally) add(at time.Time, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	h := t[what]
	if h == nil {
		if len(t) >= 2*maxGroups { // what is older is of less interest
			for _, old := range t.sorted()[maxGroups:] {
				delete(t, old.what)
			}
		}
		h = &happened{what: what}
		t[what] = h
	}
	h.times++
	if at.After(h.last) {
		h.last = at
	}
}

// sorted lists what happened, the newest first.
func (t tally) sorted() []*happened {
	return slices.SortedFunc(maps.Values(t), func(a, b *happened) int {
		return cmp.Or(b.last.Compare(a.last), cmp.Compare(a.what, b.what))
	})
}

// newest lists what happened last.
func (t tally) newest() []*happened { return t.sorted()[:min(len(t), mostLines)] }

// history tells what failed in the last day.
func (c *Checkup) history() Section {
	s := Section{Name: "history", Title: "Last 24 hours"}
	failed, degraded, odd, events := tally{}, tally{}, tally{}, 0
	for r, err := range audit.Read(c.auditDir(), audit.Filter{Since: c.Now.Add(-recent)}) {
		var damage *audit.Damage
		switch {
		case errors.As(err, &damage) && damage.Torn: // somebody died while writing
			continue
		case err != nil:
			failed.add(c.Now, "the audit log: %v; hookway log verify tells more", err)
			continue
		}
		events++
		note(&r, failed, degraded)
		for _, step := range r.Steps {
			if step.Note != "" {
				odd.add(r.Time, "hook %s: %s", step.Hook, step.Note)
			}
		}
	}
	if events > 0 {
		s.ok("%s on record", visible.Count(events, "event"))
	}
	for _, h := range failed.newest() {
		s.warn("hookway log --since 24h --explain", "%s", repeated(h.what, h.times, c.Now.Sub(h.last)))
	}
	for _, h := range degraded.newest() {
		s.note("%s", repeated(h.what, h.times, c.Now.Sub(h.last)))
	}
	for _, h := range odd.newest() {
		s.note("%s", repeated(h.what, h.times, c.Now.Sub(h.last)))
	}
	path := filepath.Join(c.state, "shim.log")
	for _, line := range c.newest(path, nil) {
		s.warn("more is in "+path, "hookway-hook, %s", line)
	}
	return s
}

// note counts what a record tells of failures.
func note(r *audit.Record, failed, degraded tally) {
	where := strings.TrimSpace(cmp.Or(r.Agent, r.Source, "?") + " " + cmp.Or(r.Native, r.Event))
	if r.Failure != "" {
		failed.add(r.Time, "%s: %s", where, r.Failure)
	}
	for _, step := range r.Steps {
		switch {
		case step.Failed && strings.HasPrefix(step.Error, hook.ErrCircuitOpen.Error()):
			failed.add(r.Time, "%s: hook %s %s%s", where, step.Hook, strings.TrimPrefix(step.Error, "it "), passed(step.Action))
		case step.Failed:
			failed.add(r.Time, "%s: hook %s failed: %s", where, step.Hook, step.Error)
		}
	}
	if r.Lost > 0 {
		failed.add(r.Time, "%s could not be put on record", visible.Count(int(r.Lost), "event"))
	}
	for _, d := range r.Degraded {
		degraded.add(r.Time, "%s: %s", where, d)
	}
}

// passed says what became of a call about which a hook was not asked.
func passed(action string) string {
	if action == "block" {
		return "; its failures block, so the call did not pass"
	}
	return "; its failures do not block, so the call went on without it"
}

// repeated adds to a line how often, and when last.
func repeated(what string, times int, since time.Duration) string {
	if times == 1 {
		return fmt.Sprintf("%s (%s ago)", what, ago(since))
	}
	return fmt.Sprintf("%s (%d times, last %s ago)", what, times, ago(since))
}

// ago writes a time as people do.
func ago(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	default:
		return fmt.Sprintf("%d s", max(0, d/time.Second))
	}
}
