//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
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

// wrapped runs the agent in a terminal under hookway run, with its usual command
// line or another, until it takes a prompt.
func (w *world) wrapped(t *testing.T, argv ...string) *window {
	t.Helper()
	if len(argv) == 0 {
		argv = w.agent.screen.argv
	}
	x := w.open(t, append([]string{w.bin("hookway"), "run", "--", os.Getenv(w.agent.program)}, argv...)...)
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

// read is how often the texts of a request have a text. Of a stop that was refused
// Claude Code itself tells the model twice, as feedback and as an error.
func read(q model.Request, text string) (n int) {
	for _, said := range q.Said {
		if !strings.HasPrefix(said, "Stop hook blocking error") {
			n += strings.Count(said, text)
		}
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

// fired is what a hook was told of a directive.
type fired struct{ Target, Body string }

// deployed is what the hook has written to the file events, in order.
func (w *world) deployed(t *testing.T) (all []fired) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.root, "events"))
	check(t, err)
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var event fired
		check(t, d.Decode(&event))
		all = append(all, event)
	}
	return all
}

// TestDirectivesAsAgentsDrawThem: agents draw the marks of lists and quotes in
// their own way, and break long lines at words.
func TestDirectivesAsAgentsDrawThem(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		const body = "Release v1.2.3 with a body that is so long that an agent in a terminal of 120 columns has to break it somewhere, at a blank"
		w := newWorld(t, a, `version: 1
hooks:
  - id: deploy
    on: Directive
    match: {namespace: deploy}
    command: "cat >> ../events"
`, talk(strings.Join([]string{
			"Some forms.", "@deploy:one " + body, "- @deploy:two in a list\n- @deploy:three beside it", "> @deploy:four in a quote",
			"Text with @deploy:no inside, and mail to a@deploy:no and `@deploy:no` as code.", "@deploy:five first\n  - item", "The end of it.",
		}, "\n\n")))
		x := w.wrapped(t)
		x.prompts(t, "Please deploy.")
		x.sees(t, "The end of it.")
		x.rests(t)
		x.resize(t, 80, 24)
		x.rests(t)
		x.leaves(t)
		var targets []string
		for _, event := range w.deployed(t) {
			targets = append(targets, event.Target)
			if event.Target == "one" && event.Body != body {
				t.Errorf("the body of a wrapped line is %q", event.Body)
			}
		}
		if want := []string{"one", "two", "three", "four", "five"}; !slices.Equal(targets, want) {
			t.Errorf("fired for %q, want %q", targets, want)
		}
	})
}

// TestWhatMarkdownHidesIsNoDirective: on the screen of an agent nobody sees a code
// fence, the backslash of an escape, or the end of a block. Its own record tells what
// it wrote.
func TestWhatMarkdownHidesIsNoDirective(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, keepsAll, talk(strings.Join([]string{
			"Some forms.", "```\n@deploy:no in a fence\n```", "\\@deploy:no escaped", "@deploy:block <<<\nfirst\n\nlast\n>>>", "The end of it.",
		}, "\n\n")))
		x := w.wrapped(t)
		x.prompts(t, "Please deploy.")
		x.sees(t, "The end of it.")
		x.rests(t)
		x.leaves(t)
		var got []string
		for _, event := range w.deployed(t) {
			got = append(got, event.Target+" "+event.Body)
		}
		if want := []string{"block first\n\nlast"}; !slices.Equal(got, want) {
			t.Errorf("fired for %q, want %q", got, want)
		}
	})
}

// TestALongAnswerHidesNoDirective: most of the answer scrolls away in the agent's
// own transcript before anybody could read it.
func TestALongAnswerHidesNoDirective(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		var rows []string
		for i := range 30 {
			rows = append(rows, fmt.Sprintf("Row %02d of a long answer.", i))
		}
		w := newWorld(t, a, deployHook, talk(strings.Join(rows, "\n\n")+"\n\n@deploy:staging Release v1.2.3\n\nThat was it."))
		x := w.wrapped(t)
		x.prompts(t, "Please deploy.")
		q := x.hears(t, deployed)
		if n := read(q, deployed); n != 1 {
			t.Errorf("the model reads %d times what was injected, want once", n)
		}
		x.sees(t, "Thank you, all is well.")
		x.leaves(t)
		if n := w.ran(t); n != 1 {
			t.Errorf("the hook of one directive ran %d times", n)
		}
	})
}

// TestNothingIsTypedIntoAQuestion: while the agent asks its user, a key could be
// the answer; what is injected waits.
func TestNothingIsTypedIntoAQuestion(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		if a.screen.asking == nil {
			t.Skipf("it is not known how %s is made to ask", a.name)
		}
		first := a.screen.call
		first.Text = "I deploy it now.\n\n@deploy:staging Release v1.2.3\n\nAnd make a file."
		w := newWorld(t, a, deployHook, first, talk("Too early."))
		x := w.wrapped(t, a.screen.asking...)
		x.prompts(t, "Go on.")
		x.sees(t, a.screen.question)
		x.until(t, "run of the hook", func() bool { return w.ran(t) == 1 })
		x.rests(t)
		x.sees(t, a.screen.question)
		if w.has("made") {
			t.Fatal("something has answered for the user")
		}
		x.types(t, "\r")
		if n := read(x.hears(t, deployed), deployed); n != 1 {
			t.Errorf("the model reads %d times what was injected, want once", n)
		}
		x.sees(t, "Thank you, all is well.")
		x.leaves(t)
		if !w.has("made") {
			t.Error("the user's answer was lost")
		}
	})
}

// TestAHalfWrittenLineIsNotTouched: what somebody injects meanwhile comes after it.
func TestAHalfWrittenLineIsNotTouched(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, "version: 1\n", talk(""))
		x := w.wrapped(t)
		x.rests(t)
		x.types(t, "Half of a")
		x.sees(t, "Half of a")
		w.hookway(t, "inject", a.name, "A note from elsewhere.")
		x.rests(t)
		x.types(t, " sentence.")
		x.sees(t, "Half of a sentence.")
		x.enter(t)
		if n := read(x.hears(t, "Half of a sentence."), "Half of a sentence."); n == 0 {
			t.Error("the user's line was changed")
		}
		if n := read(x.hears(t, "A note from elsewhere."), "A note from elsewhere."); n != 1 {
			t.Errorf("the model reads %d times what was injected, want once: %q", n, x.hears(t, "A note from elsewhere.").Said)
		}
		x.rests(t)
		x.leaves(t)
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
