package approve_test

import (
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
)

// revoke takes back what stands under a code.
func revoke(t *testing.T, s *approve.Store, code string) (approve.Standing, error) {
	t.Helper()
	seen, err := s.Stands(t.Context(), code)
	if err != nil {
		return seen, err
	}
	return s.Revoke(t.Context(), seen)
}

// An answer to one call can be taken back, too, until the call has passed or the answer is
// over. Then the call is asked about anew.
func TestAnAnswerToOneCallIsRevoked(t *testing.T) {
	for _, yes := range []bool{true, false} {
		t.Run(word(yes), func(t *testing.T) {
			now := newClock()
			s := open(t, t.TempDir(), approve.Options{Now: now.now})
			c := asked(t, "rm -rf build")
			r := answer(t, s, ask(t, s, c), yes, approve.ScopeOnce)
			gone, err := revoke(t, s, r.Code)
			if err != nil {
				t.Fatal(err)
			}
			if gone.Code != r.Code || gone.Yes != yes || gone.Scope != approve.ScopeOnce {
				t.Fatalf("got %+v, want the answer that is gone", gone)
			}
			if got, err := s.Use(t.Context(), c); err != nil || got != nil {
				t.Errorf("%+v, %v; want that nobody said anything", got, err)
			}
			again := ask(t, s, c)
			if again.State != approve.Waiting || again.Code == r.Code {
				t.Errorf("asked about again it is %s, %s; want a new code that is open", again.Code, again.State)
			}
			_, err = revoke(t, s, r.Code)
			refused(t, err, "", "no answer holds under the code")
			_, err = revoke(t, s, again.Code)
			refused(t, err, "", "no answer holds under the code")
			over := answer(t, s, again, yes, approve.ScopeOnce)
			if yes {
				said(t, s, c)
			} else {
				now.pass(approve.GrantTime)
			}
			_, err = revoke(t, s, over.Code)
			refused(t, err, "", "no answer holds under the code")
			if got, err := s.Get(t.Context(), over.Code); err != nil || got.State == approve.Revoked {
				t.Errorf("%s, %v; want it as it was", got.State, err)
			}
		})
	}
}

// A yes that is used and taken back at the same time is one of both.
func TestAYesIsUsedOrRevoked(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	for range 20 {
		c := asked(t, "rm -rf build")
		r := answer(t, s, ask(t, s, c), true, approve.ScopeOnce)
		seen, err := s.Stands(t.Context(), r.Code)
		if err != nil {
			t.Fatal(err)
		}
		var used *approve.Said
		var useErr, revokeErr error
		var both sync.WaitGroup
		both.Go(func() { used, useErr = s.Use(t.Context(), c) })
		both.Go(func() { _, revokeErr = s.Revoke(t.Context(), seen) })
		both.Wait()
		if useErr != nil || (used == nil) != (revokeErr == nil) {
			t.Fatalf("used: %+v, %v; revoked: %v; want one of both", used, useErr, revokeErr)
		}
	}
}

// What was seen may be gone when it is taken back, and something else may stand there.
func TestOnlyWhatWasSeenIsRevoked(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	r := answer(t, s, ask(t, s, asked(t, "rm -rf build")), false, approve.ScopeSession)
	seen, err := s.Stands(t.Context(), r.Code)
	if err != nil || seen.Code != r.Code || seen.Yes {
		t.Fatalf("%+v, %v", seen, err)
	}
	for name, change := range map[string]func(*approve.Standing){
		"another answer": func(a *approve.Standing) { a.Yes = true }, "an earlier one": func(a *approve.Standing) { a.Since = a.Since.Add(-time.Second) },
		"another code": func(a *approve.Standing) { a.Code = "CCCCC" },
	} {
		other := seen
		change(&other)
		_, err := s.Revoke(t.Context(), other)
		refused(t, err, "", "no answer holds under the code")
		if all, err := s.Standing(t.Context()); err != nil || len(all) != 1 {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	if gone, err := s.Revoke(t.Context(), seen); err != nil || gone.Code != r.Code {
		t.Errorf("%+v, %v", gone, err)
	}
	_, err = s.Revoke(t.Context(), seen)
	refused(t, err, "", "no answer holds under the code")
}
