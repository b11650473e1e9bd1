package approve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/eventually"
)

// long is longer than any test takes.
const long = 10 * time.Minute

// outcome is what a call that waited was told.
type outcome struct {
	approve.Request
	err error
}

// hold asks about a call that waits, and waits.
func hold(t testing.TB, ctx context.Context, s *approve.Store, c approve.Call, wait time.Duration) (approve.Request, <-chan outcome) {
	t.Helper()
	c.Route, c.Wait = approve.RouteHold, wait
	r := ask(t, s, c)
	done := make(chan outcome, 1)
	go func() {
		r, err := s.Hold(ctx, r.Code, c.Report, wait)
		done <- outcome{r, err}
	}()
	return r, done
}

func TestAHeldCallGoesOnWithItsAnswer(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, approve.Options{}), open(t, dir, approve.Options{})
	for _, yes := range []bool{true, false} {
		c := asked(t, fmt.Sprint("rm ", yes))
		r, done := hold(t, t.Context(), s, c, long)
		if r.State != approve.Waiting || r.Route != approve.RouteHold || r.Waiters != 1 {
			t.Errorf("%+v", r)
		}
		answer(t, other, r, yes, "")
		got := <-done
		if want := map[bool]approve.State{true: approve.Allowed, false: approve.Denied}[yes]; got.err != nil || got.State != want || got.By != "anna" {
			t.Errorf("%+v", got)
		}
		if got := said(t, s, c); got != word(yes) {
			t.Errorf("%q", got)
		}
	}
}

// An answer in another process ends the wait, too.
func TestAnAnswerOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, approve.Options{})
	cmd, in, lines := startChild(t, dir)
	r, done := hold(t, t.Context(), s, asked(t, "rm x"), long)
	if _, err := fmt.Fprintln(in, "answer", r.Code, "true"); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.err != nil || got.State != approve.Allowed || got.By != "child" {
		t.Errorf("%+v", got)
	}
	ended(t, cmd.Wait, in.Close, lines)
}

func ended(t *testing.T, wait, closing func() error, lines *bufio.Scanner) {
	t.Helper()
	if err := closing(); err != nil {
		t.Error(err)
	}
	for lines.Scan() { // what it says does not matter
		_ = lines.Text()
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	c := asked(t, "rm x")
	r, done := hold(t, t.Context(), s, c, 10*time.Millisecond)
	if got := <-done; got.err != nil || got.State != approve.TimedOut {
		t.Errorf("%+v", got)
	}
	_, err := s.Answer(t.Context(), r, approve.Answer{Yes: true})
	refused(t, err, approve.TimedOut, "timed out: nobody answered in")
	if got := said(t, s, c); got != "" {
		t.Errorf("it is %q", got)
	}
	if again := ask(t, s, c); again.Code == r.Code {
		t.Error("what has timed out is asked about again under its code")
	}
}

// Equal calls that wait at once are one request; a yes is for as many as the person saw.
func TestEqualCallsAreOneRequest(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	for seen := range 3 {
		calls := make([]approve.Call, 3)
		var dones []<-chan outcome
		var r approve.Request
		for i := range calls {
			calls[i] = asked(t, fmt.Sprint("rm ", seen))
			calls[i].Report = fmt.Sprint("report ", i)
			one, done := hold(t, t.Context(), s, calls[i], long)
			if i > 0 && one.Code != r.Code || one.Waiters != i+1 {
				t.Errorf("%d: %+v", i, one)
			}
			if dones = append(dones, done); i <= seen {
				r = one
			}
		}
		answer(t, s, r, true, "")
		pass := 0
		for i, done := range dones {
			if got := <-done; got.err != nil {
				t.Error(got.err)
			}
			if said(t, s, calls[i]) == "yes" {
				pass++
			}
		}
		calls[0].Report = "another"
		if pass != seen+1 || said(t, s, calls[0]) != "" {
			t.Errorf("%d pass, of %d that were seen", pass, seen+1)
		}
	}
}

// A call whose process died is taken over by another one under the same report.
func TestAReportThatIsTakenOver(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	c := asked(t, "rm x")
	c.Report = "one"
	ctx, die := context.WithCancel(t.Context())
	r, done := hold(t, ctx, s, c, long)
	die()
	if got := <-done; !errors.Is(got.err, context.Canceled) {
		t.Errorf("%+v", got)
	}
	again, done := hold(t, t.Context(), s, c, long)
	if again.Code != r.Code || again.Waiters != 1 {
		t.Errorf("%+v", again)
	}
	answer(t, s, again, true, "")
	<-done
	for range 2 { // the first process may have died with the grant
		if got := said(t, s, c); got != "yes" {
			t.Errorf("the same report: %q", got)
		}
	}
	for _, report := range []string{"two", ""} {
		other := c
		other.Report = report
		if got := said(t, s, other); got != "" {
			t.Errorf("the report %q: %q", report, got)
		}
	}
}

// What waits outlives a clock that is set, and a machine that slept: also where others look
// at the file first.
func TestAHeldCallAndAClockThatJumps(t *testing.T) {
	for _, jump := range []time.Duration{24 * time.Hour, -30 * time.Second, -3 * time.Hour} {
		now, dir := newClock(), t.TempDir()
		s := open(t, dir, approve.Options{Now: now.now})
		r, done := hold(t, t.Context(), s, asked(t, "rm x"), long)
		now.pass(jump)
		open(t, dir, approve.Options{Now: now.now}) // what is old is forgotten
		var seen approve.Request
		eventually.True(t, "it can still be answered", func() (ok bool) {
			var err error
			seen, err = s.Find(t.Context(), r.Code)
			return err == nil
		})
		answer(t, s, seen, true, "")
		if got := <-done; got.err != nil || got.State != approve.Allowed {
			t.Errorf("%v: %+v", jump, got)
		}
	}
}

func TestWait(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	r := ask(t, s, asked(t, "a"))
	done := make(chan outcome, 1)
	go func() {
		r, err := s.Wait(t.Context(), r.Code)
		done <- outcome{r, err}
	}()
	answer(t, s, r, false, "")
	if got := <-done; got.err != nil || got.State != approve.Denied {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Wait(ctx, ask(t, s, asked(t, "b")).Code); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	_, err := s.Wait(t.Context(), "CCCCC")
	refused(t, err, "", "nobody asked")
}

func TestChangesAndWhoIsPresent(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, approve.Options{}), open(t, dir, approve.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changes, err := s.Changes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, other, asked(t, "a"))
	if _, ok := <-changes; !ok {
		t.Error("the changes have ended")
	}
	if yes, err := s.Attended(t.Context()); yes || err != nil {
		t.Errorf("%v, %v", yes, err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := other.Present(ctx, "a terminal"); err != nil {
			t.Error(err)
		}
	})
	attended := func(want bool) {
		t.Helper()
		eventually.True(t, fmt.Sprint("somebody is present: ", want), func() bool {
			yes, err := s.Attended(t.Context())
			return yes == want && err == nil
		})
	}
	attended(true)
	cancel()
	wg.Wait()
	attended(false)
	for range changes { // it ends
		continue
	}
}

// TestTwoAnswersAtOnce has several processes answer the same requests: one wins, and the
// others are told who.
func TestTwoAnswersAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, approve.Options{})
	var codes []string
	for i := range 12 {
		codes = append(codes, ask(t, s, asked(t, fmt.Sprint("rm ", i))).Code)
	}
	won := make(chan string, 100)
	var wg sync.WaitGroup
	for n := range 3 {
		cmd, in, lines := startChild(t, dir)
		wg.Go(func() {
			for i, code := range codes {
				fmt.Fprintln(in, "answer", code, (i+n)%2 == 0)
				lines.Scan()
				switch text := lines.Text(); {
				case strings.HasPrefix(text, "won "):
					won <- code
				case !strings.Contains(text, "by child"):
					t.Errorf("the process says %q", text)
				}
			}
			ended(t, cmd.Wait, in.Close, lines)
		})
	}
	wg.Wait()
	close(won)
	times := map[string]int{}
	for code := range won {
		times[code]++
	}
	for _, code := range codes {
		if times[code] != 1 {
			t.Errorf("%s was answered %d times", code, times[code])
		}
	}
}
