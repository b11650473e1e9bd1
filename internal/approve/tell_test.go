package approve_test

import (
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
)

// An answer is told once the agent has it. Who cannot tell it leaves it to others, and so
// does who dies, also where the clock is set meanwhile.
func TestAnAnswerIsToldUntilTheAgentHasIt(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(s *approve.Store, now *clock, r approve.Request) error
		again bool
	}{
		"it has it":               {func(s *approve.Store, _ *clock, r approve.Request) error { return s.Told(t.Context(), r) }, false},
		"it could not be told":    {func(s *approve.Store, _ *clock, r approve.Request) error { return s.Untold(t.Context(), r) }, true},
		"it is on its way":        {func(*approve.Store, *clock, approve.Request) error { return nil }, false},
		"who told it has died":    {func(_ *approve.Store, now *clock, _ approve.Request) error { now.pass(2 * time.Minute); return nil }, true},
		"and the clock went back": {func(_ *approve.Store, now *clock, _ approve.Request) error { now.pass(-5 * time.Minute); return nil }, true},
	} {
		now := newClock()
		s := open(t, t.TempDir(), approve.Options{Now: now.now})
		r := ask(t, s, asked(t, "rm x"))
		answer(t, s, r, false, "")
		to := approve.Agent{Session: r.Session}
		first, _, err := s.Tell(t.Context(), to)
		if err != nil || len(first) != 1 {
			t.Fatalf("%s: %+v, %v", name, first, err)
		}
		if err := c.do(s, now, first[0]); err != nil {
			t.Fatal(err)
		}
		if got, _, err := s.Tell(t.Context(), to); err != nil || (len(got) == 1) != c.again {
			t.Errorf("%s: told again: %+v, %v; want %v", name, got, err, c.again)
		}
	}
}

// A sub-agent is told of its own calls, and the agent itself of those of one that has ended.
func TestASubagentIsTold(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	call := asked(t, "rm x")
	call.Subagent = "a-1"
	r := ask(t, s, call)
	answer(t, s, r, false, "")
	tell := func(id string) int {
		got, _, err := s.Tell(t.Context(), approve.Agent{Session: r.Session, Subagent: id})
		if err != nil {
			t.Fatal(err)
		}
		return len(got)
	}
	if tell("") != 0 || tell("a-2") != 0 {
		t.Error("another one is told")
	}
	if err := s.Inherit(t.Context(), approve.Agent{Session: r.Session, Subagent: "a-1"}); err != nil {
		t.Fatal(err)
	}
	if tell("a-1") != 0 || tell("") != 1 {
		t.Error("the agent itself is not told")
	}
}
