package approve_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/approve"
)

// asked is a call that a hook asks about.
func asked(t testing.TB, command string) approve.Call {
	c := bash(t, command)
	c.Kind, c.Hook = approve.KindAsk, "careful"
	c.Facts = []hook.Fact{{Does: "delete", By: "rm", Path: "/work/build", Sure: true}}
	return c
}

func ask(t testing.TB, s *approve.Store, c approve.Call) approve.Request {
	t.Helper()
	r, err := s.Ask(t.Context(), c, "here")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func answer(t testing.TB, s *approve.Store, r approve.Request, yes bool, scope approve.Scope) approve.Request {
	t.Helper()
	r, err := s.Answer(t.Context(), r, approve.Answer{Yes: yes, Scope: scope, Note: "mind the gap", By: "anna", From: "/dev/pts/3"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// said is what a person said of a call: "yes", "no", or "".
func said(t testing.TB, s *approve.Store, c approve.Call) string {
	t.Helper()
	w, err := s.Use(t.Context(), c)
	switch {
	case err != nil:
		t.Fatal(err)
	case w == nil:
		return ""
	case w.By != "anna" || w.Note != "mind the gap":
		t.Errorf("it was said by %q: %q", w.By, w.Note)
	case w.Yes:
		return "yes"
	}
	return "no"
}

func refused(t testing.TB, err error, state approve.State, words string) {
	t.Helper()
	var is *approve.RefusedError
	if !errors.As(err, &is) || is.State != state || !strings.Contains(err.Error(), words) {
		t.Errorf("%v; want %q", err, words)
	}
}

func TestANoHoldsForTheSameCallForAWhile(t *testing.T) {
	now := newClock()
	s := open(t, t.TempDir(), approve.Options{Now: now.now})
	c := asked(t, "rm -rf build")
	seen := ask(t, s, c)
	r := answer(t, s, seen, false, "")
	if r.State != approve.Denied || r.Note != "mind the gap" || r.Scope != approve.ScopeOnce {
		t.Errorf("%+v", r)
	}
	_, err := s.Answer(t.Context(), seen, approve.Answer{Yes: true, By: "bob"})
	refused(t, err, approve.Denied, "was refused already, by anna (/dev/pts/3)")
	for range 2 {
		now.pass(time.Minute)
		if got := said(t, s, c); got != "no" {
			t.Errorf("when it comes again: %q", got)
		}
		if again := ask(t, s, c); again.Code != r.Code || again.State != approve.Denied {
			t.Errorf("asked again: %+v", again)
		}
	}
	if got := said(t, s, asked(t, "rm -rf  build")); got != "" {
		t.Errorf("another call: %q", got)
	}
	now.pass(approve.GrantTime)
	if got := said(t, s, c); got != "" {
		t.Errorf("much later: %q", got)
	}
	if again := ask(t, s, c); again.Code == r.Code {
		t.Error("an old no answers a new request")
	}
}

// A clock that is set back, and right again, loses nothing: a no holds meanwhile, and a yes
// is none.
func TestAClockThatIsSetBackLosesNothing(t *testing.T) {
	now := newClock()
	s := open(t, t.TempDir(), approve.Options{Now: now.now})
	no, session, yes, waits := asked(t, "rm -rf a"), asked(t, "rm -rf b"), asked(t, "rm -rf c"), asked(t, "rm -rf d")
	session.Session = "another"
	answer(t, s, ask(t, s, no), false, "")
	answer(t, s, ask(t, s, session), false, approve.ScopeSession)
	answer(t, s, ask(t, s, yes), true, "")
	open := ask(t, s, waits)
	now.pass(-3 * time.Hour)
	if _, err := s.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	for c, want := range map[*approve.Call]string{&no: "no", &session: "no", &yes: "", &waits: ""} {
		if got := said(t, s, *c); got != want {
			t.Errorf("while it is set back, %v: %q, want %q", c.Input, got, want)
		}
	}
	now.pass(3 * time.Hour)
	if got := said(t, s, yes); got != "yes" {
		t.Errorf("when it is right again, what was allowed: %q", got)
	}
	if r, err := s.Get(t.Context(), open.Code); err != nil || r.State != approve.Waiting {
		t.Errorf("when it is right again, what waits: %+v, %v", r, err)
	}
}

// A yes to what is only asked about passes no block; one for a block passes both.
func TestAYesToAnAskPassesNoBlock(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	c, block := asked(t, "rm -rf build"), asked(t, "rm -rf build")
	block.Kind = approve.KindBlock
	for _, scope := range []approve.Scope{approve.ScopeOnce, approve.ScopeSession, approve.ScopeShape} {
		r := answer(t, s, ask(t, s, c), true, scope)
		if got := said(t, s, block); got != "" {
			t.Errorf("%s: a block: %q", scope, got)
		}
		if got := said(t, s, c); got != "yes" {
			t.Errorf("%s: the ask: %q", scope, got)
		}
		if scope != approve.ScopeOnce {
			if _, err := revoke(t, s, r.Code); err != nil {
				t.Error(err)
			}
		}
	}
	if got := said(t, s, c); got != "" {
		t.Errorf("after all was used or revoked: %q", got)
	}
	answer(t, s, ask(t, s, block), true, "")
	if got := said(t, s, c); got != "yes" {
		t.Errorf("an ask about a call that may pass a block: %q", got)
	}
}

func TestScopes(t *testing.T) {
	same := func(*approve.Call) {}
	others := map[string]func(*approve.Call){
		"same call": same, "same shape": func(c *approve.Call) { c.Input = map[string]any{"command": "rm -fr ./build", "description": "x"} },
		"other session": func(c *approve.Call) { c.Session = "s-2" }, "other workspace": func(c *approve.Call) { c.Workspace = "/other" },
		"other facts": func(c *approve.Call) { c.Facts = []hook.Fact{{Does: "delete", By: "rm", Path: "/work", Sure: true}} }, "more facts": func(c *approve.Call) {
			c.Facts = append(c.Facts[:1:1], hook.Fact{Does: "connect", Host: "x", Sure: true})
		},
		"no facts": func(c *approve.Call) { c.Facts = nil }, "other rule": func(c *approve.Call) { c.Rule = "else" }, "other hook": func(c *approve.Call) { c.Hook = "else" },
		"other member": func(c *approve.Call) { c.Input = map[string]any{"command": "rm -rf build", "no_sandbox": true} },
		"a variable":   func(c *approve.Call) { c.Input = map[string]any{"command": "LD_PRELOAD=x rm -rf build"} },
		"other agent":  func(c *approve.Call) { c.Agent = "codex" },
	}
	for name, c := range map[string]struct {
		yes   bool
		scope approve.Scope
		hold  string
	}{
		"yes, session": {true, approve.ScopeSession, "same call, same shape"},
		"yes, shape":   {true, approve.ScopeShape, "other session, same call, same shape"},
		"no, session":  {false, approve.ScopeSession, "same call, same shape, other rule, other hook"},
		"no, shape":    {false, approve.ScopeShape, "same call, same shape, other rule, other hook"},
	} {
		t.Run(name, func(t *testing.T) {
			now := newClock()
			s := open(t, t.TempDir(), approve.Options{Now: now.now})
			first := asked(t, "rm -rf build")
			code := answer(t, s, ask(t, s, first), c.yes, c.scope).Code
			if got := said(t, s, first); got != word(c.yes) {
				t.Errorf("the first call: %q", got)
			}
			now.pass(2 * time.Hour)
			for name, change := range others {
				call := asked(t, "rm -rf build")
				change(&call)
				want := ""
				if strings.Contains(c.hold, name) {
					want = word(c.yes)
				}
				for range 2 {
					if got := said(t, s, call); got != want {
						t.Errorf("%s: %q, want %q", name, got, want)
					}
				}
			}
			all, err := s.Standing(t.Context())
			if err != nil || len(all) != 1 {
				t.Fatalf("%+v, %v", all, err)
			}
			if got := all[0]; got.Code != code || got.Yes != c.yes || got.Scope != c.scope {
				t.Errorf("%+v", got)
			}
			if _, err := revoke(t, s, code); err != nil {
				t.Error(err)
			}
			_, err = revoke(t, s, code)
			refused(t, err, "", "no answer holds under the code")
			if got := said(t, s, first); got != "" {
				t.Errorf("after it was revoked: %q", got)
			}
		})
	}
}

// What is taken back at once counts no more for the call that was asked about, either.
func TestARevokedAnswerHoldsForNoCall(t *testing.T) {
	for _, yes := range []bool{true, false} {
		for _, scope := range []approve.Scope{approve.ScopeSession, approve.ScopeShape} {
			t.Run(word(yes)+", "+string(scope), func(t *testing.T) {
				s := open(t, t.TempDir(), approve.Options{})
				c := asked(t, "rm -rf build")
				r := answer(t, s, ask(t, s, c), yes, scope)
				if _, err := revoke(t, s, r.Code); err != nil {
					t.Fatal(err)
				}
				if got := said(t, s, c); got != "" {
					t.Errorf("the call that was asked about: %q", got)
				}
				_, err := s.Find(t.Context(), r.Code)
				refused(t, err, approve.Revoked, "the answer to "+r.Code+" was taken back")
				if again := ask(t, s, c); again.Code == r.Code || again.State != approve.Waiting {
					t.Errorf("asked about again, it is %s, %s", again.Code, again.State)
				}
			})
		}
	}
}

// An answer for more than one call says how often it decided one, and how long the first
// call waited for it.
func TestAStandingAnswerIsCounted(t *testing.T) {
	for _, yes := range []bool{true, false} {
		t.Run(word(yes), func(t *testing.T) {
			now := newClock()
			s := open(t, t.TempDir(), approve.Options{Now: now.now})
			c := asked(t, "rm -rf build")
			c.Report = "first"
			r := ask(t, s, c)
			now.pass(30 * time.Second)
			answer(t, s, r, yes, approve.ScopeSession)
			stands := func(uses int) {
				t.Helper()
				got, err := s.Stands(t.Context(), r.Code)
				if err != nil || got.Uses != uses || got.Used.IsZero() != (uses == 0) {
					t.Errorf("%+v, %v; want %d uses", got, err, uses)
				}
				if got.After != 30 {
					t.Errorf("the first call waited %v s, want 30", got.After)
				}
			}
			stands(0)
			said(t, s, c)
			stands(1)
			if yes {
				said(t, s, c) // it may have died before it could answer
				stands(1)
			}
			now.pass(time.Hour)
			other := asked(t, "rm -fr ./build")
			got, err := s.Use(t.Context(), other)
			if err != nil || got == nil {
				t.Fatalf("%+v, %v; want the answer", got, err)
			}
			if got.Yes != yes || got.After != 30*time.Second {
				t.Errorf("%+v; want it 30 s after it was asked", got)
			}
			stands(2)
			other.Session = "s-2"
			said(t, s, other)
			stands(2)
		})
	}
}

func word(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func TestAnswersForShapesExpire(t *testing.T) {
	now := newClock()
	s := open(t, t.TempDir(), approve.Options{Now: now.now})
	c := asked(t, "rm -rf build")
	answer(t, s, ask(t, s, c), true, approve.ScopeShape)
	now.pass(approve.ScopeTime - time.Minute)
	if got := said(t, s, c); got != "yes" {
		t.Errorf("before: %q", got)
	}
	now.pass(time.Minute)
	if got := said(t, s, c); got != "" {
		t.Errorf("after: %q", got)
	}
}

// What is not known for sure has no shape.
func TestWhatHasNoShape(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	for name, change := range map[string]func(*approve.Call){
		"no facts": func(c *approve.Call) { c.Facts = nil }, "not sure": func(c *approve.Call) { c.Facts = []hook.Fact{{Does: "delete", Path: "/work"}} },
		"unknown": func(c *approve.Call) { c.Facts = []hook.Fact{{Does: "unknown", Sure: true}} }, "a script": func(c *approve.Call) { c.Facts = []hook.Fact{{Does: "execute", Path: "/x.sh", Sure: true}} },
		"a variable": func(c *approve.Call) { c.Input = map[string]any{"command": "a; X=1 rm build"} },
	} {
		c := asked(t, "rm -rf build")
		change(&c)
		r := ask(t, s, c)
		if _, err := s.Answer(t.Context(), r, approve.Answer{Yes: true, Scope: approve.ScopeShape}); r.HasShape || err == nil || !strings.Contains(err.Error(), "has no shape") {
			t.Errorf("%s: %v, %v", name, r.HasShape, err)
		}
		answer(t, s, r, true, approve.ScopeSession)
		for range 2 {
			if got := said(t, s, c); got != "yes" {
				t.Errorf("%s: the very same call: %q", name, got)
			}
		}
		c.Input = map[string]any{"command": "rm -rf build; true"}
		if got := said(t, s, c); got != "" {
			t.Errorf("%s: another call: %q", name, got)
		}
	}
	if _, err := s.Answer(t.Context(), ask(t, s, asked(t, "x")), approve.Answer{Scope: "always"}); err == nil || !strings.Contains(err.Error(), "want once, session or shape") {
		t.Errorf("%v", err)
	}
}

func TestAnswerAll(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	var seen []approve.Request
	for _, command := range []string{"a", "b", "c"} {
		seen = append(seen, ask(t, s, asked(t, command)))
	}
	unseen := ask(t, s, asked(t, "d"))
	answer(t, s, seen[1], false, "")
	all, err := s.AnswerAll(t.Context(), seen, approve.Answer{Yes: true, By: "anna", From: "x", Note: "mind the gap"})
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if all[0].Code != seen[0].Code || all[1].Code != seen[2].Code {
		t.Errorf("%+v", all)
	}
	for command, want := range map[string]string{"a": "yes", "b": "no", "c": "yes", "d": ""} {
		if got := said(t, s, asked(t, command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	_, err = s.AnswerAll(t.Context(), seen, approve.Answer{Yes: true})
	refused(t, err, approve.Used, "anna")
	other := asked(t, "e")
	other.Session = "s-2"
	if _, err := s.AnswerAll(t.Context(), []approve.Request{unseen, ask(t, s, other)}, approve.Answer{Yes: true}); err == nil {
		t.Error("requests of two sessions are answered together")
	}
}

func TestTokens(t *testing.T) {
	now, dir := newClock(), t.TempDir()
	s := open(t, dir, approve.Options{Now: now.now})
	r := ask(t, s, asked(t, "a"))
	token, err := s.Token(t.Context(), r, "phone")
	if err != nil || len(token) < 20 || strings.Contains(files(t, dir), token) {
		t.Fatalf("%q, %v", token, err)
	}
	second, err := s.Token(t.Context(), r, "phone")
	if err != nil || second == token {
		t.Fatalf("%q, %v", second, err)
	}
	for _, wrong := range [][2]string{{token + "x", "phone"}, {"", "phone"}, {token, "other"}, {strings.ToLower(token), "phone"}} {
		_, err := s.Redeem(t.Context(), wrong[0], wrong[1])
		refused(t, err, "", "this token answers nothing")
	}
	for range 2 { // an answer that got lost on the way can be given again
		if got, err := s.Redeem(t.Context(), token, "phone"); err != nil || got.Code != r.Code {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	got, err := s.Redeem(t.Context(), token, "phone")
	if err != nil {
		t.Fatal(err)
	}
	answer(t, s, got, true, "")
	for _, used := range []string{token, second} {
		_, err := s.Redeem(t.Context(), used, "phone")
		refused(t, err, approve.Allowed, "is allowed already, by anna")
	}
	_, err = s.Token(t.Context(), r, "phone")
	refused(t, err, approve.Allowed, "anna")
	late := ask(t, s, asked(t, "b"))
	if token, err = s.Token(t.Context(), late, "phone"); err != nil {
		t.Fatal(err)
	}
	now.pass(approve.AnswerTime)
	_, err = s.Redeem(t.Context(), token, "phone")
	refused(t, err, approve.Expired, "has expired")
	now.pass(2 * approve.KeepTime)
	ask(t, s, asked(t, "c"))
	_, err = s.Redeem(t.Context(), token, "phone")
	refused(t, err, "", "this token answers nothing")
}

// A yes by a token is for as many calls as the card showed, however many came since.
func TestATokenIsForTheCallsThatWereShown(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	calls := make([]approve.Call, 3)
	dones := make([]<-chan outcome, len(calls))
	var token string
	for i := range calls {
		calls[i] = asked(t, "rm x")
		calls[i].Report = fmt.Sprint("report ", i)
		var r approve.Request
		if r, dones[i] = hold(t, t.Context(), s, calls[i], long); i == 1 {
			var err error
			if token, err = s.Token(t.Context(), r, "phone"); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := s.Redeem(t.Context(), token, "phone")
	if err != nil || r.Waiters != 2 {
		t.Fatalf("%+v, %v", r, err)
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
	if pass != 2 {
		t.Errorf("%d pass, of 2 that were shown", pass)
	}
}

// Whoever is asked in the agent's own dialog answers there, too.
func TestAnAnswerInTheDialog(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	for _, made := range []bool{false, true} {
		c := asked(t, fmt.Sprint("rm ", made))
		c.Route = approve.RouteDialog
		r := ask(t, s, c)
		if err := s.InDialog(t.Context(), r.Code, made); err != nil {
			t.Fatal(err)
		}
		_, err := s.Answer(t.Context(), r, approve.Answer{Yes: true})
		refused(t, err, map[bool]approve.State{true: approve.Used, false: approve.Expired}[made], "the agent's own dialog")
		if got := said(t, s, c); got != "" {
			t.Errorf("made %v: %q", made, got)
		}
	}
}

// A yes that did not end the dialog, in which its user said yes, too, is for no other call.
func TestAYesBesideTheDialogIsUsedUpByItsCall(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	c := asked(t, "rm x")
	c.Route, c.ID = approve.RouteDialog, "1"
	r := ask(t, s, c)
	if _, err := s.Answer(t.Context(), r, approve.Answer{Yes: true}); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Dialogs(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("a process that begins knows of %+v, %v", all, err)
	}
	if err := s.InDialog(t.Context(), r.Code, true); err != nil {
		t.Fatal(err)
	}
	if got := said(t, s, c); got != "" {
		t.Errorf("the same call again: %q", got)
	}
}

func TestTheLimitsSpareWhatWaits(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{Limits: approve.Limits{Session: 2}})
	held := func(command string) approve.Call {
		c := asked(t, command)
		c.Route, c.Wait, c.Report = approve.RouteHold, time.Hour, command
		return c
	}
	first := ask(t, s, held("a"))
	ask(t, s, asked(t, "b"))
	ask(t, s, held("c"))
	if _, err := s.Find(context.Background(), first.Code); err != nil {
		t.Error(err)
	}
	var many *approve.ManyError
	if _, err := s.Ask(t.Context(), held("d"), "here"); !errors.As(err, &many) || many.Session != 2 {
		t.Errorf("%v", err)
	}
}

// An answer for more than one call may come between the look for one and the request.
func TestAnAnswerThatComesJustBeforeTheRequest(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	for i, yes := range []bool{true, false} {
		c := asked(t, "rm -rf build")
		c.Session = fmt.Sprint("s-", i)
		answer(t, s, ask(t, s, c), yes, approve.ScopeSession)
		if got := said(t, s, c); got != word(yes) {
			t.Errorf("%q", got)
		}
		c.Input = map[string]any{"command": "rm -fr build"}
		r := ask(t, s, c)
		if want := map[bool]approve.State{true: approve.Allowed, false: approve.Denied}[yes]; r.State != want || r.Code != "" {
			t.Errorf("%+v", r)
		}
	}
}

// A call without a session shares none: no answer to it is for a session.
func TestACallWithoutASessionHasNoAnswerForOne(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	none := asked(t, "rm -rf build")
	none.Session = ""
	r := ask(t, s, none)
	for _, a := range []approve.Answer{{Yes: true, Scope: approve.ScopeSession}, {Scope: approve.ScopeSession}, {Scope: approve.ScopeShape}} {
		a.By, a.Note = "anna", "mind the gap"
		if _, err := s.Answer(t.Context(), r, a); err == nil || !strings.Contains(err.Error(), "has no session") {
			t.Errorf("%+v: %v", a, err)
		}
	}
	for _, c := range []approve.Call{none, asked(t, "rm -rf ./build")} {
		if got := said(t, s, c); got != "" {
			t.Errorf("session %q: %q", c.Session, got)
		}
	}
	answer(t, s, r, true, approve.ScopeShape)
	if got := said(t, s, asked(t, "rm -rf ./build")); got != "yes" {
		t.Errorf("a yes for the shape: %q", got)
	}
}
