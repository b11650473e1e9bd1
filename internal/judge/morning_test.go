package judge

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
)

func TestTheUserIsToldOnceADayWhatWouldHaveBeenStopped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	log, err := audit.Open(audit.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2031, 5, 6, 9, 0, 0, 0, time.UTC)
	for _, r := range []audit.Record{
		{Time: now.AddDate(0, 0, -3), Would: "block"}, {Time: now.AddDate(0, 0, -1), Would: "block"}, {Time: now.AddDate(0, 0, -1), Would: "ask"},
		{Time: now.AddDate(0, 0, -1), Would: "change"}, {Time: now.AddDate(0, 0, -1)}, {Time: now.Add(-time.Hour), Would: "ask"},
	} {
		r.Event, r.Action = "PreToolUse", "continue"
		if err := log.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	j := &Judge{AuditDir: dir}
	on := &config.Set{Settings: config.Settings{Guards: &config.Guards{}}}
	told := func(set *config.Set, ev hook.AnyEvent, now time.Time) string {
		var out hook.Outcome[any]
		out.UserMessage = "first"
		j.morning(t.Context(), set, ev, &out, now)
		return out.UserMessage
	}
	begins := hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{})
	if got := told(&config.Set{}, begins, now); got != "first" {
		t.Errorf("without rules: %q", got)
	}
	if got := told(on, hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{}), now); got != "first" {
		t.Errorf("at a call: %q", got)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if j.morning(over, on, begins, new(hook.Outcome[any]), now); alreadyTold(filepath.Join(filepath.Dir(dir), "guards"), now) {
		t.Error("what nobody was told, because there was no time, is kept as told")
	}
	if got, want := told(on, begins, now), "first\nhookway: 2 calls would have been stopped yesterday; hookway log --would"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := told(on, begins, now.Add(time.Hour)); got != "first" {
		t.Errorf("the second time: %q", got)
	}
	if got, want := told(on, begins, now.AddDate(0, 0, 1)), "first\nhookway: 1 call would have been stopped yesterday; hookway log --would"; got != want {
		t.Errorf("the day after: got %q, want %q", got, want)
	}
	if left, err := os.ReadDir(filepath.Join(filepath.Dir(dir), "guards")); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestTheMorningLooksAtSoManyRecordsAtMost(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	log, err := audit.Open(audit.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2031, 5, 6, 9, 0, 0, 0, time.UTC)
	for range 5 {
		if err := log.Append(t.Context(), audit.Record{Time: now.AddDate(0, 0, -1), Event: "PreToolUse", Action: "continue", Would: "ask"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	today := time.Date(2031, 5, 6, 0, 0, 0, 0, time.UTC)
	for most, want := range map[int]int{3: 3, 5: 5, 6: 5} {
		if n, all, err := wouldStop(t.Context(), dir, today, most); n != want || all != (most > 5) || err != nil {
			t.Errorf("at most %d: got %d, %t, %v; want %d", most, n, all, err, want)
		}
	}
}
