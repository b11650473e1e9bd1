//go:build unix

package judge_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/judge"
)

// watched is a log, and a judge that watches it.
func watched(t *testing.T) (*judge.Judge, *audit.Log, context.Context) {
	t.Helper()
	dir := t.TempDir()
	log, err := audit.Open(audit.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	t.Cleanup(func() {
		cancel()
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return &judge.Judge{AuditDir: dir}, log, ctx
}

// put puts records on record, of 4 KB each.
func put(ctx context.Context, t *testing.T, log *audit.Log, n int) {
	t.Helper()
	reason := strings.Repeat("because ", 500)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range n / 8 {
				if err := log.Append(ctx, audit.Record{Event: "PreToolUse", Action: "block", Reason: reason}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// TestAllWhoWatchGetEveryRecord has some who take what comes, one who comes back, and
// one who takes nothing until far more is on record than is kept for those who are slow.
func TestAllWhoWatchGetEveryRecord(t *testing.T) {
	const n = 4000 // 16 MB
	j, log, ctx := watched(t)
	put(ctx, t, log, 800)

	var all, quick sync.WaitGroup
	slow := make(chan struct{})
	watch := func(name string, f judge.WatchFilter, first int64, wait <-chan struct{}, done func()) {
		records, err := j.Watch(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			defer done()
			next := first
			for one, err := range records {
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				if one.Record.Seq != next || one.Missed != 0 {
					t.Errorf("%s: got record %d after %d missed, want %d after none", name, one.Record.Seq, one.Missed, next)
					return
				}
				if text, err := one.JSON(); err != nil || !strings.Contains(string(text), "because") {
					t.Errorf("%s: got %q, %v", name, text, err)
				}
				if next == 801 && wait != nil {
					<-wait
				}
				if next++; next > 800+n {
					return
				}
			}
			t.Errorf("%s: it ended before record %d", name, next)
		})
	}
	quick.Add(3)
	watch("the first", judge.WatchFilter{}, 801, nil, quick.Done)
	watch("the second", judge.WatchFilter{Event: "before_tool_call"}, 801, nil, quick.Done)
	watch("who comes back", judge.WatchFilter{After: 300}, 301, nil, quick.Done)
	watch("the slow one", judge.WatchFilter{}, 801, slow, func() {})
	put(ctx, t, log, n)
	quick.Wait()
	close(slow)
	all.Wait()
}

// TestWhoWatchesAfterTheLastLeft begins anew with the log as it is then.
func TestWhoWatchesAfterTheLastLeft(t *testing.T) {
	j, log, ctx := watched(t)
	for turn := range int64(3) {
		mine, leave := context.WithCancel(ctx)
		records, err := j.Watch(mine, judge.WatchFilter{})
		if err != nil {
			t.Fatal(err)
		}
		put(ctx, t, log, 8)
		next := turn*8 + 1
		for one, err := range records {
			if err != nil || one.Record.Seq != next {
				t.Fatalf("got record %d, %v, want %d", one.Record.Seq, err, next)
			}
			if next++; next > turn*8+8 {
				break
			}
		}
		leave()
	}
}
