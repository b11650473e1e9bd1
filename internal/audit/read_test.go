package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFiltersHoldTogether(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir, MaxSize: 4 << 10})
	begin := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for i := range 60 {
		r := sample(i)
		r.Time = begin.Add(time.Duration(i) * time.Hour)
		r.Session, r.Agent, r.Action = fmt.Sprintf("s-%d", i%2), []string{"claude", "codex", `a"b`}[i%3], []string{"block", "allow"}[i%2]
		if i%10 == 0 {
			r.Event, r.Native = "AgentStop", "Stop"
		}
		if i%4 == 0 {
			r.Steps = append(r.Steps, Step{Hook: "other", Action: "continue"})
		}
		add(t, l, r)
	}
	for _, test := range []struct {
		filter Filter
		want   func(i int) bool
	}{
		{Filter{Session: "s-1"}, func(i int) bool { return i%2 == 1 }},
		{Filter{Agent: `a"b`}, func(i int) bool { return i%3 == 2 }},
		{Filter{Event: "pre_tool_use"}, func(i int) bool { return i%10 != 0 }},
		{Filter{Event: "before-tool-call"}, func(i int) bool { return i%10 != 0 }},
		{Filter{Event: "Stop"}, func(i int) bool { return i%10 == 0 }},
		{Filter{Action: "deny"}, func(i int) bool { return i%2 == 0 }},
		{Filter{Hook: "other"}, func(i int) bool { return i%4 == 0 }},
		{Filter{Hook: "guard"}, func(i int) bool { return true }},
		{Filter{Hook: "uard"}, func(i int) bool { return false }},
		{Filter{Since: begin.Add(41 * time.Hour)}, func(i int) bool { return i >= 41 }},
		{Filter{Since: begin.Add(41 * time.Hour), Last: 100}, func(i int) bool { return i >= 41 }},
		{Filter{Last: 7}, func(i int) bool { return i >= 53 }},
		{Filter{After: 55}, func(i int) bool { return i >= 55 }},
		{Filter{After: 20, Last: 100}, func(i int) bool { return i >= 20 }},
		{Filter{After: 20, Last: 7}, func(i int) bool { return i >= 53 }},
		{Filter{Session: "s-0", Agent: "codex", Last: 2}, func(i int) bool { return i == 52 || i == 58 }},
	} {
		var want, got []string
		for i := range 60 {
			if test.want(i) {
				want = append(want, fmt.Sprintf("e-%d", i))
			}
		}
		records, damages := read(t, dir, test.filter)
		for _, r := range records {
			got = append(got, r.EventID)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") || len(damages) > 0 {
			t.Errorf("%+v\n got %v\nwant %v\ndamages %v", test.filter, got, want, damages)
		}
	}
}

func TestDamagedLinesAreNamedAndTheRestIsRead(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 6)
	path := files(t, dir)[0]
	l := bytes.SplitAfter(contents(t, path), []byte("\n"))
	l[1], l[3] = []byte("garbage\n"), append(bytes.Repeat([]byte("x"), 2*maxLine), '\n')
	put(t, path, bytes.Join(l, nil))
	for _, f := range []Filter{{}, {Last: 10}, {Session: "s-1"}} {
		records, damages := read(t, dir, f)
		switch {
		case len(records) != 4:
			t.Errorf("%v: len(records): got %v, want %v", f, len(records), 4)
		case len(damages) != 2:
			t.Errorf("%v: len(damages): got %v, want %v", f, len(damages), 2)
		case damages[0].Line != 2:
			t.Errorf("%v: damages[0].Line: got %v, want %v", f, damages[0].Line, 2)
		case damages[1].Line != 4:
			t.Errorf("%v: damages[1].Line: got %v, want %v", f, damages[1].Line, 4)
		case damages[0].File != path:
			t.Errorf("%v: damages[0].File: got %v, want %v", f, damages[0].File, path)
		}
	}
}

// follower takes records from Follow one by one.
func follower(t *testing.T, dir string, f Filter) (next func() Record) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	pull, stop := iter.Pull2(Follow(ctx, dir, f))
	t.Cleanup(func() { cancel(); stop() })
	return func() Record {
		t.Helper()
		r, err, ok := pull()
		if err != nil || !ok {
			t.Fatalf("the records ended: %v", err)
		}
		return r
	}
}

func TestFollowGoesOnThroughRotationsAndRemovals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	next := follower(t, dir, Filter{}) // before there is a log
	l := open(t, Config{Dir: dir, MaxSize: 2 << 10, KeepSize: 16 << 10})
	for i := range 100 {
		add(t, l, sample(i))
		for seen := i - 9; i%10 == 9 && seen <= i; seen++ {
			if got := next(); got.EventID != fmt.Sprintf("e-%d", seen) {
				t.Fatalf("record %d: got %s", seen, got.EventID)
			}
		}
	}
	if len(files(t, dir)) < 2 {
		t.Error("the log did not rotate")
	}
}

func TestFollowBeginsWithTheLastAndMissesNothing(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir, MaxSize: 4 << 10}, 30)
	next := follower(t, dir, Filter{Last: 3})
	l := open(t, Config{Dir: dir})
	for want := 27; want < 30; want++ {
		if got := next(); got.EventID != fmt.Sprintf("e-%d", want) {
			t.Fatalf("got %s, want e-%d", got.EventID, want)
		}
	}
	for i := 30; i < 40; i++ {
		add(t, l, sample(i))
	}
	for want := 30; want < 40; want++ {
		if got := next(); got.EventID != fmt.Sprintf("e-%d", want) {
			t.Fatalf("got %s, want e-%d", got.EventID, want)
		}
	}
}

func TestFollowWaitsForTheEndOfALine(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 3)
	path := files(t, dir)[0]
	whole := contents(t, path)
	cut := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 40
	put(t, path, whole[:cut])
	next := follower(t, dir, Filter{})
	next()
	next()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(whole[cut:]); err != nil {
		t.Fatal(err)
	}
	if got := next(); got.EventID != "e-2" {
		t.Errorf("got %s", got.EventID)
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	fill(t, Config{Dir: dir}, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, err := range Follow(ctx, dir, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error("it ended before")
	}
}

func TestStatsCountPerHook(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir})
	for i := 1; i <= 100; i++ {
		r := sample(i)
		r.Steps = []Step{{Hook: "slow", Action: "continue", DurationMS: float64(i)}}
		if i%4 == 0 {
			r.Steps = append(r.Steps, Step{Hook: "guard", Action: "block", Failed: i%8 == 0, Changed: true, DurationMS: 0.125})
		}
		add(t, l, r)
	}
	got, err := Summarize(dir, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	want := []HookStats{
		{Hook: "guard", Runs: 25, Blocks: 25, Failures: 12, Changes: 25, P50: 0.125, P95: 0.125, P99: 0.125},
		{Hook: "slow", Runs: 100, P50: 50, P95: 95, P99: 99},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v", got)
	}
	if got, err = Summarize(dir, Filter{Hook: "guard"}); err != nil || len(got) != 1 || got[0].Runs != 25 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// FuzzRead reads whatever may stand in a file: it neither crashes nor hangs, both
// directions see the same, and the next writer leaves a log that goes on.
func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	fill(f, Config{Dir: dir}, 3)
	good := contents(f, files(f, dir)[0])
	f.Add(good)
	f.Add(good[:len(good)-20])
	f.Add([]byte("{}\n\n\n{\"seq\":1}"))
	f.Add([]byte("\n"))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0}, 100))
	f.Add(append(bytes.Clone(good), good...))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, fileName(1))
		put(t, path, text)
		records, damages := read(t, dir, Filter{})
		again, others := read(t, dir, Filter{Last: 1 << 20})
		if len(records) != len(again) || len(damages) != len(others) {
			t.Fatalf("forward %d and %d, backward %d and %d", len(records), len(damages), len(again), len(others))
		}
		for i := range damages {
			if *damages[i] != *others[i] && damages[i].Line != others[i].Line {
				t.Errorf("forward %v, backward %v", damages[i], others[i])
			}
		}
		verify(t, dir)
		appendOne(t, dir)
		after, _ := read(t, dir, Filter{})
		if len(after) != len(records)+1 || !bytes.HasPrefix(contents(t, path), text) {
			t.Errorf("%d records before, %d after", len(records), len(after))
		}
	})
}

// appendOne appends a record as the writer does, without its goroutine.
func appendOne(t *testing.T, dir string) {
	t.Helper()
	s := newStore(Config{Dir: dir}.complete())
	release, err := s.enter(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	buf := bytes.NewBuffer(s.opening())
	r := sample(0)
	r.Time, r.Seq, r.Prev, r.Torn = time.Now(), s.end.seq+1, s.end.hash, s.torn
	if err := appendLine(buf, &r); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.write(buf.Bytes(), position{r.Seq, r.Hash}, time.Now()), s.close()); err != nil {
		t.Fatal(err)
	}
}
