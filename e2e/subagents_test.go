//go:build unix

package e2e

import (
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// work is what a sub-agent is asked to do: by it the model knows who asks.
const work = "E2E-WORK: make the files."

// delegates is a script in which the agent has a sub-agent work, waits for it, and then does
// what else there is in own. Both ask the same model.
func delegates(a *agent, sub []model.Turn, own ...model.Turn) (script []model.Turn) {
	before := []model.Turn{{Call: a.delegate(work)}}
	if a.awaits != nil {
		before = append(before, model.Turn{Make: func(q model.Request) model.Turn { return model.Turn{Call: a.awaits(q.Results[0])} }})
	}
	own = append(before, own...)
	for n := range max(len(own), len(sub)) {
		script = append(script, model.Turn{Make: func(q model.Request) model.Turn {
			turns := own
			if !q.Says(prompt) {
				turns = sub
			}
			switch {
			case n >= len(turns):
				return model.Turn{Text: "Done."}
			case turns[n].Make != nil:
				return turns[n].Make(q)
			}
			return turns[n]
		}})
	}
	return script
}

// eachDelegating runs a test with every agent that has sub-agents here.
func eachDelegating(t *testing.T, test func(*testing.T, *agent)) {
	eachAgent(t, func(t *testing.T, a *agent) {
		if a.delegate == nil {
			t.Skipf("%s has no sub-agents here", a.name)
		}
		test(t, a)
	})
}

// asSubagent are the requests of a sub-agent to the model.
func (w *world) asSubagent(t *testing.T) (all []model.Request) {
	t.Helper()
	for _, q := range w.model.Requests() {
		if !q.Says(prompt) && q.Says(work) {
			all = append(all, q)
		}
	}
	if len(all) == 0 {
		t.Fatal("the model was never asked by a sub-agent")
	}
	return all
}

// TestACallOfASubagentIsAskedAbout as one of the agent itself: a yes from elsewhere lets
// that call run; a no stops it, and so does nobody's answer.
func TestACallOfASubagentIsAskedAbout(t *testing.T) {
	eachDelegating(t, func(t *testing.T, a *agent) {
		if a.hasty {
			t.Skipf("%s waits too short a time for a person", a.name)
		}
		w := newWorld(t, a, asksAll)
		w.model.Play(delegates(a, []model.Turn{{Shell: "touch ./yes"}, {Shell: "touch ./no"}, {Shell: "touch ./late"}})...)
		w.approvals(t, "hold: always, timeout: 10s")
		s := w.person(t, about("./yes", "./no"))
		w.install(t)
		w.runAgent(t)
		if !w.has("yes") || w.has("no") || w.has("late") {
			t.Errorf("made: yes %v, no %v, late %v; want the one with a yes only", w.has("yes"), w.has("no"), w.has("late"))
		}
		if got, want := states(t, s), []string{"late hold timed out", "no hold denied", "yes hold used"}; !slices.Equal(got, want) {
			t.Errorf("asked: %q, want %q", got, want)
		}
		asked := w.asSubagent(t)
		if last := asked[len(asked)-1]; !last.Says("e2e refused this call") || !last.Says(note) || !last.Says("timed out: nobody answered") {
			t.Errorf("the sub-agent is told %q", last.Results)
		}
		proves(t, "a sub-agent of %s waits for a person: after a yes from elsewhere its call runs, after a no it does not", a.name)
	})
}

// TestASubagentHearsOfAnAnswer: a call of a sub-agent is refused with a code. After a yes it
// is the sub-agent that hears of it, and makes the call again.
func TestASubagentHearsOfAnAnswer(t *testing.T) {
	const approved = " was approved. If you have not made that call since"
	eachDelegating(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, asksAll)
		s := w.person(t, always(""))
		call := model.Turn{Shell: "touch ./made"}
		again := model.Turn{Make: func(q model.Request) model.Turn {
			if !q.Says(approved) {
				return model.Turn{Text: "I was told nothing."}
			}
			return call
		}}
		w.model.Play(delegates(a, []model.Turn{call, {Shell: "echo on", Before: func() { allowOne(t, s) }}, again})...)
		w.approvals(t, "hold: never")
		w.install(t)
		w.runAgent(t)
		if got, want := states(t, s), []string{"made retry used"}; !w.has("made") || !slices.Equal(got, want) {
			t.Errorf("asked: %q, want %q; made: %v", got, want, w.has("made"))
		}
		for _, q := range w.model.Requests() {
			if q.Says(prompt) && q.Says(approved) {
				t.Errorf("the agent itself is told, too: %q", q.Said)
			}
		}
		proves(t, "a sub-agent of %s is refused, hears of the yes, and its call runs", a.name)
	})
}
