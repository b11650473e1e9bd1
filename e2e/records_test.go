//go:build unix

package e2e

import (
	"os"
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// goingOn is how an agent is made to go on with its last session, in place of its
// usual command line.
var goingOn = map[string][]string{
	"claude":   {"--continue"},
	"codex":    {"resume", "--last", "--no-daemon"},
	"gemini":   {"--resume", "latest"},
	"qwen":     {"--auth-type", "openai", "--continue"},
	"copilot":  {"--continue"},
	"opencode": {"--model", "scripted/scripted", "--continue"},
}

// says is a model that answers a prompt with what was made out for it.
func says(answers ...[2]string) model.Turn {
	return model.Turn{Make: func(q model.Request) model.Turn {
		for _, a := range slices.Backward(answers) {
			if q.Says(a[0]) {
				return model.Turn{Text: a[1], Between: func(int) {}}
			}
		}
		return model.Turn{Text: "Fine."}
	}}
}

// TestASessionThatGoesOnObeysNothingOld: it has its history on record and on the
// screen, and only what is said from then on is fired.
func TestASessionThatGoesOnObeysNothingOld(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		if os.Getenv(allShapes) == "" {
			t.Skipf("%s asks for it", allShapes)
		}
		w := newWorld(t, a, keepsAll, says([2]string{"The first prompt.", "One.\n\n- @deploy:a same\n\nThat was it."}, [2]string{"The second prompt.", "Two.\n\n@deploy:a same"}))
		w.env = append(w.env, "HOOKWAY_ATTACH=off")
		x := w.wrapped(t)
		x.rests(t)
		x.prompts(t, "The first prompt.")
		x.hearsAll(t, "the first", []fired{{"a", "same"}})
		x.rests(t)
		x.leaves(t)
		x = w.open(t, append([]string{w.bin("hookway"), "run", "--", os.Getenv(a.program)}, goingOn[a.name]...)...)
		x.sees(t, "That was it.")
		x.rests(t)
		x.prompts(t, "The second prompt.")
		want := []fired{{"a", "same"}, {"a", "same"}}
		x.hearsAll(t, "the second", want)
		x.rests(t)
		x.leaves(t)
		compare(t, a, w.heard(t), want)
		proves(t, "a session that goes on obeys nothing old")
	})
}

// TestTwoInOneFolder: each obeys what its own agent said.
func TestTwoInOneFolder(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		if os.Getenv(allShapes) == "" {
			t.Skipf("%s asks for it", allShapes)
		}
		w := newWorld(t, a, keepsAll, says([2]string{"Ask A.", "A.\n\n```\n@deploy:no x\n```\n\n- @deploy:a of A"}, [2]string{"Ask B.", "B.\n\n```\n@deploy:no x\n```\n\n- @deploy:b of B"},
			[2]string{"Again, A.", "> @deploy:a again"}))
		w.env = append(w.env, "HOOKWAY_ATTACH=off")
		var windows []*window
		for _, name := range []string{"A", "B"} {
			argv := append([]string{w.bin("hookway"), "run", "-n", name, "--", os.Getenv(a.program)}, a.screen.argv...)
			x := w.open(t, argv...)
			x.sees(t, a.screen.ready)
			x.rests(t)
			windows = append(windows, x)
		}
		var want []fired
		for i, prompt := range []string{"Ask A.", "Ask B.", "Again, A."} {
			x := windows[i%2]
			x.prompts(t, prompt)
			want = append(want, [...]fired{{"a", "of A"}, {"b", "of B"}, {"a", "again"}}[i])
			x.hearsAll(t, prompt, want)
			x.rests(t)
		}
		for _, x := range windows {
			x.leaves(t)
		}
		compare(t, a, w.heard(t), want)
		var who []string
		for _, r := range w.log(t, "Directive") {
			who = append(who, r.Agent)
		}
		if want := []string{"A", "B", "A"}; !slices.Equal(who, want) {
			t.Errorf("they were said by %q, want %q", who, want)
		}
		proves(t, "of two in one folder each obeys its own")
	})
}
