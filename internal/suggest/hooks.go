package suggest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/visible"
)

// What is worth saying of a hook.
const (
	leastRuns   = 5   // of one that fails, or is slow
	leastEvents = 50  // of one that never matched
	slowMS      = 500 // at the 95th percentile
	slowShare   = 50  // percent of the whole call's time
	buckets     = 160
	bucketRatio = 1.1 // one bucket is so much longer than the one before
	bucketLeast = 0.01
)

// hookStats is what hooks did.
type hookStats struct {
	known map[string]*Hook
	by    map[string]*hookStat
}

// hookStat is what one hook did.
type hookStat struct {
	times
	runs, failed, acted int
	since               int // events of its kinds since its file was last changed
	error               string
	took                [buckets]int32
	ms, whole           float64
}

func newHookStats(list []Hook) *hookStats {
	h := &hookStats{known: map[string]*Hook{}, by: map[string]*hookStat{}}
	for i := range list {
		if id := list[i].ID; id != guards.ID && id != guards.ResultsID {
			h.known[id], h.by[id] = &list[i], &hookStat{}
		}
	}
	return h
}

// see takes in what the hooks did of a record. Hooks that the configuration does not have
// any more are passed over.
func (h *hookStats) see(r *audit.Record) {
	if r.Action == audit.Repeat || r.Action == audit.Untaken {
		return
	}
	for id, hook := range h.known {
		if r.Time.After(hook.Since) && (slices.Contains(hook.Events, r.Event) || slices.Contains(hook.Events, "*")) && r.Action != audit.Observed {
			h.by[id].since++
		}
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		of := h.by[s.Hook]
		if of == nil {
			continue
		}
		of.runs++
		of.ms, of.whole = of.ms+s.DurationMS, of.whole+max(r.DurationMS, s.DurationMS)
		of.took[bucket(s.DurationMS)]++
		if s.Action != "continue" && !s.Failed || s.Changed || s.Injected || s.Would != nil {
			of.acted++
		}
		if s.Failed {
			of.failed++
			of.error = s.Error
			of.add(r.Time, r.Session)
		}
	}
}

// bucket is the one that a time lies in.
func bucket(ms float64) int {
	if ms <= bucketLeast {
		return 0
	}
	return min(int(math.Ceil(math.Log(ms/bucketLeast)/math.Log(bucketRatio))), buckets-1)
}

// p95 is the time that 95 of 100 calls do not exceed, to a tenth.
func (s *hookStat) p95() float64 {
	need := int32((s.runs*95 + 99) / 100)
	for i, n := range s.took {
		if need -= n; need <= 0 {
			return bucketLeast * math.Pow(bucketRatio, float64(i))
		}
	}
	return 0
}

// suggestions are what to do about hooks.
func (h *hookStats) suggestions() (out []Suggestion) {
	for _, id := range slices.Sorted(maps.Keys(h.known)) {
		k, s := h.known[id], h.by[id]
		where := "look at " + k.Where
		switch {
		case s.failed >= leastRuns && s.failed*2 >= s.runs:
			f := Suggestion{Kind: Fails, ID: id, Title: fmt.Sprintf("mend %s: it fails", id), Note: where, YAML: "- id: " + id + "\n  enabled: false   # until it is mended\n", Samples: []string{}}
			f.count(&s.times)
			f.Why = []string{fmt.Sprintf("%d of %d runs failed", s.failed, s.runs), "last error: " + visible.ClipBytes(unsafe.Text(s.error), 2*mostShown)}
			out = append(out, f)
		case s.runs >= leastRuns && s.p95() >= slowMS && s.ms*100 >= s.whole*slowShare:
			f := Suggestion{Kind: Slow, ID: id, Title: fmt.Sprintf("make %s faster: agents wait for it", id), Times: s.runs, Note: where, Samples: []string{}}
			f.Why = []string{fmt.Sprintf("of 100 runs 95 take up to %.0f ms: %.0f %% of all the time of the calls that it was asked about", s.p95(), min(s.ms*100/s.whole, 100))}
			if limit := k.Timeout; limit > 0 {
				f.Why = append(f.Why, fmt.Sprintf("it may take %v", limit))
			}
			if s.acted == 0 {
				f.Why = append(f.Why, "it never decided or changed anything")
				f.YAML = "- id: " + id + "\n  async: true   # nobody waits for it then\n"
			}
			out = append(out, f)
		case s.runs == 0 && s.since >= leastEvents:
			out = append(out, Suggestion{Kind: Never, ID: id, Title: fmt.Sprintf("look at %s: it never matched", id), Times: s.since, Samples: []string{}, Note: where,
				Why:  []string{fmt.Sprintf("%s of its kinds came since %s, when its file was last changed, and its match held for none", visible.Count(s.since, "event"), k.Since.UTC().Format(time.DateOnly)), "its events: " + strings.Join(k.Events, ", ")},
				YAML: "- id: " + id + "\n  enabled: false   # or widen its match\n"})
		}
	}
	return out
}
