package audit

import (
	"fmt"
	"slices"
	"strings"
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

// TestALineSaysOnceWhichRuleSpoke: in front of what it says, without who speaks, which an
// agent has to be told. Other reasons stand behind the hook, as they are.
func TestALineSaysOnceWhichRuleSpoke(t *testing.T) {
	told := "hookway, which the user installed, asks before this call (rule files/delete-top): rm would delete /."
	would := []Step{{Hook: "hookway/guards", Would: &Would{Action: "ask", Rule: "files/delete-top@1", Reason: told}}}
	for _, c := range []struct {
		name   string
		record Record
		want   string
	}{
		{"a rule", Record{By: "hookway/guards", Rule: "files/delete-top@1", Reason: told}, "  by files/delete-top: rm would delete /.  ("},
		{"on trial", Record{Steps: would}, "  would ask by files/delete-top: rm would delete /.  ("},
		{"let through", Record{By: "hookway/guards", Rule: "files/delete-top@1", Reason: "a person let it through"}, "  by hookway/guards: a person let it through  ("},
		{"a hook", Record{By: "keep", Reason: "(rule x): no"}, "  by keep: (rule x): no  ("},
		{"a hook without a reason", Record{By: "keep"}, "  by keep  ("},
	} {
		if got := c.record.Describe(false); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q in it", c.name, got, c.want)
		}
	}
}
