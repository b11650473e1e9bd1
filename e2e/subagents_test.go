//go:build unix

package e2e

import (
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/approve"
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
// that call run, a no stops it.
func TestACallOfASubagentIsAskedAbout(t *testing.T) {
	eachDelegating(t, func(t *testing.T, a *agent) {
		if a.hasty {
			t.Skipf("%s waits too short a time for a person", a.name)
		}
		w := newWorld(t, a, asksAll)
		w.model.Play(delegates(a, []model.Turn{{Shell: "touch ./yes"}, {Shell: "touch ./no"}})...)
		w.approvals(t, "hold: always, timeout: 1m")
		s := w.person(t, about("./yes", "./no"))
		w.install(t)
		w.runAgent(t)
		if !w.has("yes") || w.has("no") {
			t.Errorf("made: yes %v, no %v; want the one with a yes only", w.has("yes"), w.has("no"))
		}
		if got, want := states(t, s), []string{"no hold denied", "yes hold used"}; !slices.Equal(got, want) {
			t.Errorf("asked: %q, want %q", got, want)
		}
		asked := w.asSubagent(t)
		if last := asked[len(asked)-1]; !last.Says("e2e refused this call") || !last.Says(note) {
			t.Errorf("the sub-agent is told %q", last.Results)
		}
		proves(t, "a sub-agent of %s waits for a person: after a yes from elsewhere its call runs, after a no it does not", a.name)
	})
}

var _ = approve.Waiting
