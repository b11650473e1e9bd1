package audit

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestLateRecordsStandWhereTheyBelong: before what happened after them in their
// session; a clock that was set back, and other sessions, move nothing.
func TestLateRecordsStandWhereTheyBelong(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var records []Record
	var want []string
	add := func(session, name string, at time.Duration) {
		records = append(records, Record{Session: session, Event: name, Time: began.Add(at)})
	}
	for i := range 200 {
		add("s", fmt.Sprint(i), time.Duration(i)*time.Second)
		want = append(want, fmt.Sprint(i))
	}
	add("s", "late", 190*time.Second+1)
	add("other", "of another", 0)
	add("s", "an hour ago", -time.Hour)
	add("s", "last", 200*time.Second)
	want = append(slices.Insert(want, 191, "late"), "of another", "an hour ago", "last")
	var got []string
	for r := range ByTime(func(yield func(Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}) {
		got = append(got, r.Event)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
