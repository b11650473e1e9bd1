package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/internal/visible"
)

// Kept is what is kept whole of the events of a log, within which limits.
type Kept struct {
	keep.Survey
	Off    bool     `json:"off"`
	Age    string   `json:"limit_age"`
	Size   int64    `json:"limit_bytes"`
	Unkept []Unkept `json:"not_kept"` // of the last day
}

// Unkept says why events were not kept.
type Unkept struct {
	Why    string `json:"why"`
	Events int    `json:"events"`
}

// LookAtKept looks at the events that are kept beside a log, which its configuration
// switches off, or bounds: zero values are the defaults.
func LookAtKept(ctx context.Context, dir string, off bool, age time.Duration, size int64, now time.Time) (Kept, error) {
	k := Kept{Off: off, Age: days(cmp.Or(age, keep.DefaultAge)), Size: cmp.Or(size, keep.DefaultSize), Unkept: []Unkept{}}
	var err error
	if k.Survey, err = keep.TakeStock(ctx, EventsDir(dir)); err != nil {
		return k, err
	}
	why := map[string]int{}
	for r, err := range Read(dir, Filter{Since: now.Add(-24 * time.Hour)}) {
		if err == nil && r.Unkept != "" { // of damages others tell
			why[r.Unkept]++
		}
	}
	for _, w := range slices.Sorted(maps.Keys(why)) {
		k.Unkept = append(k.Unkept, Unkept{w, why[w]})
	}
	slices.SortStableFunc(k.Unkept, func(a, b Unkept) int { return b.Events - a.Events })
	return k, nil
}

// Holds says in a line how much is kept.
func (k *Kept) Holds() string {
	about := ""
	if k.About {
		about = "about "
	}
	limits := fmt.Sprintf("at most %s and %s", k.Age, sizeOf(k.Size))
	if k.Off {
		limits = "nothing more is kept: audit.keep_events is off"
	}
	if k.Files == 0 {
		return "no event is kept whole; " + limits
	}
	return fmt.Sprintf("%s%s kept whole in %s, %s, the oldest of %s; %s", about, visible.Count(k.Events, "event"), visible.Count(k.Files, "file"), sizeOf(k.Bytes), k.Oldest.UTC().Format(time.DateOnly), limits)
}

// Lacks says what is wrong with what is kept, a line each.
func (k *Kept) Lacks() (lines []string) {
	if k.Fails != "" && !k.Off {
		lines = append(lines, "events are not kept: "+k.Fails)
	}
	if n := k.Torn + k.Damaged; n > 0 {
		lines = append(lines, fmt.Sprintf("%s of kept events cannot be read (%d torn): %s", visible.Count(n, "block"), k.Torn, k.First))
	}
	for _, u := range k.Unkept {
		lines = append(lines, fmt.Sprintf("in the last 24 hours %s not kept: %s", visible.Count(u.Events, "event was", "events were"), u.Why))
	}
	return lines
}

// days is a time as the configuration has it.
func days(d time.Duration) string {
	switch {
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return strings.TrimSuffix(d.String(), "0s")
}

// sizeOf is a number of bytes for people.
func sizeOf(n int64) string {
	for _, unit := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= unit.size {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(unit.size)), ".0") + " " + unit.name
		}
	}
	return visible.Count(int(n), "byte")
}
