//go:build unix

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/bench/model"
)

// asksAll asks about what makes a file.
const asksAll = `version: 1
hooks:
  - id: asks
    on: PreToolUse
    lane: guard
    match: {tool: Bash, command: 'touch '}
    ask: '` + reason + `'
`

// note is what a person says beside an answer.
const note = "E2E-NOTE: mind the gap"

// approvals says how asks reach a person, in the user's own configuration.
func (w *world) approvals(t *testing.T, how string) {
	t.Helper()
	w.write(t, filepath.Join(w.root, "hookway", "config", "hookway.yaml"), "version: 1\napprovals: {"+how+"}\n")
}

// person answers what is asked from elsewhere, until the test ends, and gives what was
// asked. decide says nothing of what is to be left alone: the answer is then "".
func (w *world) person(t *testing.T, decide func(approve.Request) string) *approve.Store {
	t.Helper()
	s, err := approve.Open(context.Background(), filepath.Join(w.root, "hookway", "state", "approvals"), approve.Options{})
	check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
			all, _ := s.List(ctx)
			for _, r := range all {
				if word := decide(r); r.State == approve.Waiting && word != "" {
					_, _ = s.Answer(ctx, r, approve.Answer{Yes: word == "yes", Note: note, By: "e2e", From: "elsewhere"})
				}
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		check(t, s.Close())
	})
	return s
}

// always is a person who says the same to everything.
func always(word string) func(approve.Request) string {
	return func(approve.Request) string { return word }
}

// about is a person who says yes to calls with one text, and no to those with another.
func about(yes, no string) func(approve.Request) string {
	return func(r approve.Request) string {
		switch {
		case strings.Contains(r.Input, yes):
			return "yes"
		case strings.Contains(r.Input, no):
			return "no"
		}
		return ""
	}
}

// states are those of what was asked, by the file that a call makes.
func states(t *testing.T, s *approve.Store) (all []string) {
	t.Helper()
	requests, err := s.List(t.Context())
	check(t, err)
	for _, r := range requests {
		_, file, _ := strings.Cut(strings.TrimSpace(r.Input), "touch ./")
		file, _, _ = strings.Cut(file, "\n")
		all = append(all, file+" "+string(r.Route)+" "+string(r.State))
	}
	slices.Sort(all)
	return all
}

// eachPatient runs a test with every agent that waits for a person.
func eachPatient(t *testing.T, test func(*testing.T, *agent)) {
	eachAgent(t, func(t *testing.T, a *agent) {
		if a.hasty {
			t.Skipf("%s waits too short a time for a person", a.name)
		}
		test(t, a)
	})
}

// TestAHeldCallGoesOnAfterAYes: the call waits in its hook, without a terminal, and a yes
// from elsewhere lets exactly that call run. A no stops it, and so does nobody's answer.
func TestAHeldCallGoesOnAfterAYes(t *testing.T) {
	eachPatient(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, asksAll, model.Turn{Shell: "touch ./yes"}, model.Turn{Shell: "touch ./no"})
		w.approvals(t, "hold: always, timeout: 1m")
		s := w.person(t, about("./yes", "./no"))
		w.install(t)
		w.runAgent(t)
		if !w.has("yes") || w.has("no") {
			t.Errorf("made: yes %v, no %v; want the one with a yes only", w.has("yes"), w.has("no"))
		}
		w.mustBeTold(t, 2, "e2e refused this call")
		w.mustBeTold(t, 2, note)
		if got, want := states(t, s), []string{"no hold denied", "yes hold used"}; !slices.Equal(got, want) {
			t.Errorf("asked: %q, want %q", got, want)
		}
		proves(t, "%s waits for a person: after a yes from elsewhere that call runs, after a no it does not", a.name)
	})
}

func TestNobodyAnswersAHeldCall(t *testing.T) {
	eachPatient(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, asksAll, model.Turn{Shell: "touch ./made"})
		w.approvals(t, "hold: always, timeout: 2s")
		s := w.person(t, always(""))
		w.install(t)
		w.runAgent(t)
		if w.has("made") {
			t.Error("the call has run")
		}
		w.mustBeTold(t, 1, "timed out: nobody answered")
		if got, want := states(t, s), []string{"made hold timed out"}; !slices.Equal(got, want) {
			t.Errorf("asked: %q, want %q", got, want)
		}
	})
}

// TestAHeldCallOutlastsAnUpgrade: hookway's programs are put there anew while the call
// waits, and the daemon that holds it ends.
func TestAHeldCallOutlastsAnUpgrade(t *testing.T) {
	eachPatient(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, asksAll, model.Turn{Shell: "touch ./made"})
		w.approvals(t, "hold: always, timeout: 1m")
		waits, upgraded := make(chan struct{}), make(chan struct{})
		var once sync.Once
		s := w.person(t, func(approve.Request) string {
			once.Do(func() { close(waits) })
			select {
			case <-upgraded:
				return "yes"
			default:
				return ""
			}
		})
		w.install(t)
		var upgrade sync.WaitGroup
		upgrade.Go(func() {
			defer close(upgraded)
			select {
			case <-waits:
			case <-t.Context().Done():
				return
			}
			w.place(t, "hookway", "hookway-hook")
			if r, err := w.start(w.bin("hookway"), "stop"); err != nil || r.code != 0 {
				t.Errorf("the daemon did not end: %+v, %v", r, err)
			}
		})
		w.runAgent(t)
		upgrade.Wait()
		if got, want := states(t, s), []string{"made hold used"}; !w.has("made") || !slices.Equal(got, want) {
			t.Errorf("made: %v; asked: %q, want %q", w.has("made"), got, want)
		}
		proves(t, "a held call of %s outlasts that hookway is put there anew, and its daemon ends", a.name)
	})
}

// TestCallsOfOneTurnAreAskedAboutEach: one answer lets one of them run.
func TestCallsOfOneTurnAreAskedAboutEach(t *testing.T) {
	eachPatient(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, asksAll, model.Turn{Shell: "touch ./yes", More: []model.Turn{{Shell: "touch ./no"}, {Shell: "touch ./also-yes"}}})
		w.approvals(t, "hold: always, timeout: 1m")
		s := w.person(t, about("yes", "./no"))
		w.install(t)
		w.runAgent(t)
		if !w.has("yes") || w.has("no") || !w.has("also-yes") {
			t.Errorf("made: yes %v, no %v, also-yes %v; want those with a yes only", w.has("yes"), w.has("no"), w.has("also-yes"))
		}
		if got, want := states(t, s), []string{"also-yes hold used", "no hold denied", "yes hold used"}; !slices.Equal(got, want) {
			t.Errorf("asked: %q, want %q", got, want)
		}
	})
}

// allowOne says yes to the only call that is asked about.
func allowOne(t *testing.T, s *approve.Store) {
	t.Helper()
	all, err := s.List(context.Background())
	if err == nil && len(all) == 1 {
		_, err = s.Answer(context.Background(), all[0], approve.Answer{Yes: true, By: "e2e", From: "elsewhere"})
	}
	if err != nil || len(all) != 1 {
		t.Errorf("got %+v, %v, want one call that can be allowed", all, err)
	}
}

// TestARefusedCallPassesOnceAfterAYes: nobody is there who would answer, so the call is
// refused with a code. After a yes the agent hears of it, and the same call passes once.
func TestARefusedCallPassesOnceAfterAYes(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, asksAll)
		s := w.person(t, always(""))
		once := func() { check(t, os.Remove(filepath.Join(w.project, "made"))) }
		call := model.Turn{Shell: "touch ./made"}
		again, third := call, call
		again.Before, third.Before = func() { allowOne(t, s) }, once
		w.model.Play(call, again, third)
		w.approvals(t, "hold: never")
		w.install(t)
		w.runAgent(t)
		if w.has("made") {
			t.Error("the call has run a second time")
		}
		w.mustBeTold(t, 3, "Waiting for approval")
		if results := w.model.Requests()[2].Results; !strings.Contains(results[0], "Waiting for approval") || strings.Contains(results[1], reason) {
			t.Errorf("the model is told %q", results)
		}
		if got, want := states(t, s), []string{"made retry open", "made retry used"}; !slices.Equal(got, want) {
			t.Errorf("asked: %q, want %q", got, want)
		}
		proves(t, "%s is refused at once, and after a yes the same call runs, once", a.name)
	})
}

// TestAnAnswerFromElsewhereEndsTheDialog: somebody sits at the agent, and somebody else
// is faster.
func TestAnAnswerFromElsewhereEndsTheDialog(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		if a != claude {
			t.Skipf("%s shows no dialog while a hook of its permission request runs", a.name)
		}
		for _, word := range []string{"yes", "no"} {
			t.Run(word, func(t *testing.T) {
				w := newWorld(t, a, asksAll, model.Turn{Shell: "touch ./made"})
				w.approvals(t, "hold: auto, timeout: 1m")
				answer := make(chan struct{})
				w.person(t, func(approve.Request) string {
					select {
					case <-answer:
						return word
					default:
						return ""
					}
				})
				w.install(t)
				x := w.open(t, append([]string{os.Getenv(a.program)}, a.screen.asking...)...)
				x.sees(t, a.screen.ready)
				x.prompts(t, "Go on.")
				x.sees(t, a.screen.question)
				close(answer)
				x.until(t, "result of the call", func() bool {
					asked := w.model.Requests()
					return len(asked) > 0 && len(asked[len(asked)-1].Results) == 1
				})
				if made := w.has("made"); made != (word == "yes") {
					t.Errorf("after a %s it was made: %v", word, made)
				}
				x.rests(t)
				x.leaves(t)
				proves(t, "a %s from elsewhere ends the dialog of %s", word, a.name)
			})
		}
	})
}

// TestACallIsHeldInATerminal as without one, where calls are always held.
func TestACallIsHeldInATerminal(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		if a.screen.freely == nil && a != codex {
			t.Skipf("it is not known how %s runs commands unasked in a terminal", a.name)
		}
		w := newWorld(t, a, asksAll, model.Turn{Shell: "touch ./yes"}, model.Turn{Shell: "touch ./no"})
		w.approvals(t, "hold: always, timeout: 1m")
		w.person(t, about("./yes", "./no"))
		x := w.open(t, append([]string{w.bin("hookway"), "run", "--", os.Getenv(a.program)}, append(a.screen.argv, a.screen.freely...)...)...)
		x.sees(t, a.screen.ready)
		x.prompts(t, "Go on.")
		x.until(t, "results of both calls", func() bool {
			asked := w.model.Requests()
			return len(asked) > 0 && len(asked[len(asked)-1].Results) == 2
		})
		if !w.has("yes") || w.has("no") {
			t.Errorf("made: yes %v, no %v; want the one with a yes only", w.has("yes"), w.has("no"))
		}
		x.rests(t)
		x.leaves(t)
	})
}

// TestAWrappedAgentIsWokenByAnAnswer: a rule stops its call, and it rests. The answer is
// typed, and the same call passes.
func TestAWrappedAgentIsWokenByAnAnswer(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		if a != claude && a != codex {
			t.Skipf("it is not known how %s runs commands unasked in a terminal", a.name)
		}
		call := model.Turn{Shell: "git push -f origin main"}
		w := newWorld(t, a, "version: 1\n", call, model.Turn{Make: func(q model.Request) model.Turn {
			if q.Says(" was approved. If you have not made that call since") {
				return call
			}
			return model.Turn{Text: "I wait."}
		}})
		w.write(t, filepath.Join(w.root, "hookway", "config", "hookway.yaml"), "guards: {use: default, mode: enforce}\n")
		answer := make(chan struct{})
		s := w.person(t, func(approve.Request) string {
			select {
			case <-answer:
				return "yes"
			default:
				return ""
			}
		})
		x := w.open(t, append([]string{w.bin("hookway"), "run", "--", os.Getenv(a.program)}, append(a.screen.argv, a.screen.freely...)...)...)
		x.sees(t, a.screen.ready)
		x.prompts(t, "Go on.")
		x.sees(t, "I wait.")
		x.rests(t)
		close(answer)
		x.until(t, "call that passes", func() bool {
			all, err := s.List(context.Background())
			return err == nil && len(all) == 1 && all[0].State == approve.Used
		})
		x.rests(t)
		x.leaves(t)
		proves(t, "%s rests under hookway run until the yes is typed, and its call passes", a.name)
	})
}
