//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/e2e/model"
)

// eachScreen runs a test with every agent that is tried in a terminal.
func eachScreen(t *testing.T, test func(*testing.T, *agent)) {
	eachAgent(t, func(t *testing.T, a *agent) {
		if a.screen == nil {
			t.Skipf("%s is not tried in a terminal", a.name)
		}
		test(t, a)
	})
}

// wrapped runs the agent in a terminal under hookway run, until it takes a prompt.
func (w *world) wrapped(t *testing.T) *window {
	t.Helper()
	x := w.open(t, append([]string{w.bin("hookway"), "run", "--", os.Getenv(w.agent.program)}, w.agent.screen.argv...)...)
	x.sees(t, w.agent.screen.ready)
	return x
}

// talk is a model that answers by what it reads: it deploys, or thanks for what
// it was told, or else says Fine. The script's turns are counted by results of
// tools, of which there are none here, so all of it is one turn.
func talk(deploy string) model.Turn {
	return model.Turn{Make: func(q model.Request) model.Turn {
		switch {
		case q.Says("Anything else?"):
			return model.Turn{Text: "Nothing else."}
		case q.Says(deployed):
			return model.Turn{Text: "Thank you, all is well."}
		case q.Says("Please deploy."):
			return model.Turn{Text: deploy}
		}
		return model.Turn{Text: "Fine."}
	}}
}

const deployed = "Deployed to staging successfully"

// deployHook answers the directive, and leaves a line each time that it ran.
const deployHook = `version: 1
hooks:
  - id: deploy
    on: Directive
    match: {namespace: deploy}
    command: "echo ran >> ../runs; echo '{\"inject\": \"` + deployed + `\"}'"
`

// ran is how often the deploy hook has run.
func (w *world) ran(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.root, "runs"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "ran\n")
}

// read is how often the texts of a request have a text.
func read(q model.Request, text string) (n int) {
	for _, said := range q.Said {
		n += strings.Count(said, text)
	}
	return n
}

// hears waits for a request to the model that has the text, and returns it.
func (x *window) hears(t *testing.T, text string) (q model.Request) {
	t.Helper()
	x.until(t, fmt.Sprintf("request to the model with %q", text), func() bool {
		for _, q = range x.w.model.Requests() {
			if q.Says(text) {
				return true
			}
		}
		return false
	})
	return q
}

// once checks that an event was fired once in the whole session.
func (w *world) once(t *testing.T, events ...string) {
	t.Helper()
	for _, event := range events {
		if records := w.log(t, event); len(records) != 1 {
			t.Errorf("%s was fired %d times, want once: %+v", event, len(records), records)
		}
	}
}

// TestADirectiveOnTheScreenIsAnswered: the agent draws its answer again and again,
// and its hook runs once; what that injects is in the model's next request, once.
func TestADirectiveOnTheScreenIsAnswered(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, deployHook, talk("I deploy it now.\n\n@deploy:staging Release v1.2.3\n\nNow I wait for the answer."))
		x := w.wrapped(t)
		x.prompts(t, "Please deploy.")
		x.sees(t, "@deploy:staging Release v1.2.3")
		q := x.hears(t, deployed)
		if n := read(q, deployed); n != 1 {
			t.Errorf("the model reads %d times what was injected, want once: %q", n, q.Said)
		}
		x.sees(t, "Thank you, all is well.")

		x.resize(t, 80, 24)
		x.rests(t)
		x.prompts(t, "Anything else?")
		x.sees(t, "Nothing else.")
		x.resize(t, 100, 30)
		x.rests(t)
		if n := read(x.hears(t, "Anything else?"), deployed); n != 1 {
			t.Errorf("later the model reads %d times what was injected, want once", n)
		}
		if code := x.leaves(t); code != 0 {
			t.Errorf("ended with %d, where the agent by itself ends with 0", code)
		}
		if n := w.ran(t); n != 1 {
			t.Errorf("the hook of one directive ran %d times", n)
		}
		w.once(t, "Directive")
	})
}

// TestWhatTheUserTypesIsNoDirective: neither are the lines of a prompt, which the
// agent shows in its transcript as it shows answers. Beside it, SessionStart has
// told the agent something.
func TestWhatTheUserTypesIsNoDirective(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		const context = "E2E-CONTEXT: of the session"
		w := newWorld(t, a, deployHook+`  - id: context
    on: SessionStart
    inject: '`+context+`'
  - id: bye
    on: SessionEnd
    command: "echo bye >> ../byes"
`, talk(""))
		x := w.wrapped(t)
		if !a.attaches { // what is injected is typed, as a prompt of its own
			x.hears(t, context)
			x.sees(t, "Fine.")
			x.rests(t)
		}
		x.prompts(t, "What is this line good for?\n@deploy:staging of the user\nTell me.")
		q := x.hears(t, "@deploy:staging of the user")
		x.sees(t, "Fine.")
		if n := read(q, context); n != 1 {
			t.Errorf("the model reads %d times what SessionStart injected, want once: %q", n, q.Said)
		}
		x.resize(t, 80, 24)
		x.rests(t)
		if code := x.leaves(t); code != 0 {
			t.Errorf("ended with %d, where the agent by itself ends with 0", code)
		}
		if n := w.ran(t); n != 0 {
			t.Errorf("what the user typed was obeyed, %d times", n)
		}
		byes, err := os.ReadFile(filepath.Join(w.root, "byes"))
		if err != nil || string(byes) != "bye\n" {
			t.Errorf("hooks of SessionEnd have left %q, %v; want it to be fired once", byes, err)
		}
		w.once(t, "SessionStart", "SessionEnd")
	})
}

// TestAnAgentByItselfEndsWithZero is the control of what leaves expects.
func TestAnAgentByItselfEndsWithZero(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, "version: 1\n", talk(""))
		x := w.open(t, append([]string{os.Getenv(a.program)}, a.screen.argv...)...)
		x.sees(t, a.screen.ready)
		x.prompts(t, "Hello.")
		x.sees(t, "Fine.")
		x.resize(t, 80, 24)
		if code := x.leaves(t); code != 0 {
			t.Errorf("ended with %d", code)
		}
	})
}
