//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// sent is the id of a message from a user at another terminal.
func (w *world) sent(t *testing.T, to, text string) (id string) {
	t.Helper()
	return messageID(t, w.hookway(t, "send", "--json", to, text))
}

// becomes waits until the receipt of a message has a text, and gives the receipt.
func (x *window) becomes(t *testing.T, id, state string) (receipt string) {
	t.Helper()
	x.until(t, "receipt with "+state, func() bool {
		receipt = x.w.hookway(t, "receipts", id, "--json")
		return strings.Contains(receipt, state)
	})
	return receipt
}

// alice runs the agent under hookway run -n Alice, until others can write to it.
func (w *world) alice(t *testing.T, argv ...string) *window {
	t.Helper()
	x := w.open(t, slices.Concat([]string{w.bin("hookway"), "run", "-n", "Alice", "--", os.Getenv(w.agent.program)}, w.agent.screen.argv, argv)...)
	x.sees(t, w.agent.screen.ready)
	x.until(t, "agent that is known", func() bool { return strings.Contains(w.hookway(t, "agents"), "Alice  runs") })
	return x
}

// waiting is what is left to the hooks of wrapped agents.
func (w *world) waiting(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.root, "hookway", "state", "wrapped", "*", "state.json"))
	check(t, err)
	var all string
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(t, err)
		all += string(text)
	}
	return all
}

// times is how often the model reads a text at most, in one request.
func (w *world) times(text string) (n int) {
	for _, q := range w.model.Requests() {
		n = max(n, read(q, text))
	}
	return n
}

var shortID = regexp.MustCompile(`\[([0-9a-z]{8})\]: E2E-QUESTION`)

// TestAMessageIsTypedAndAnswered: a message for an agent that is still is typed. Its
// model reads it once, and answers with a line of its text; whoever has asked sees
// that it was answered, and has the answer in the inbox.
func TestAMessageIsTypedAndAnswered(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		const question, answer = "E2E-QUESTION: is the build green?", "E2E-ANSWER: green as grass"
		w := newWorld(t, a, "version: 1\n", model.Turn{Make: func(q model.Request) model.Turn {
			for _, said := range q.Said {
				if q.Says("I have looked.") {
					break
				}
				if id := shortID.FindStringSubmatch(said); id != nil {
					return model.Turn{Text: "I have looked.\n\n@relay:user [re:" + id[1] + "] " + answer + "\n\nThat is all."}
				}
			}
			return model.Turn{Text: "Fine."}
		}})
		x := w.alice(t)
		id := w.sent(t, "Alice", question)
		x.hears(t, question)
		x.sees(t, "That is all.")
		if receipt := x.becomes(t, id, `"state": "replied"`); !strings.Contains(receipt, `"how": "typed"`) || strings.Contains(receipt, `"repeat"`) {
			t.Errorf("the receipt is %s", receipt)
		}
		inbox := ""
		x.until(t, "answer in the inbox", func() bool {
			inbox += w.hookway(t, "inbox")
			return strings.Contains(inbox, answer)
		})
		x.rests(t)
		x.leaves(t)
		if n := w.times(question); n != 1 {
			t.Errorf("the model reads the question %d times, want once", n)
		}
		if inbox += w.hookway(t, "inbox"); strings.Count(inbox, answer) != 1 {
			t.Errorf("the inbox had %s", inbox)
		}
	})
}

// TestMessagesForAWorkingAgentComeByItsHook: messages that come while a tool runs are
// in the next request to the model, together, in order and once.
func TestMessagesForAWorkingAgentComeByItsHook(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		if !a.attaches {
			t.Skipf("hookway run cannot attach to %s", a.name)
		}
		w := newWorld(t, a, "version: 1\n", model.Turn{Shell: "touch begun; while [ ! -e go ]; do sleep 0.1; done"}, model.Turn{Text: "All done."})
		x := w.alice(t, a.screen.freely...)
		x.prompts(t, prompt)
		x.until(t, "tool that runs", func() bool { return w.has("begun") })
		texts := []string{"E2E-ONE: first", "E2E-TWO: second", "E2E-THREE: third"}
		var ids []string
		for _, text := range texts {
			ids = append(ids, w.sent(t, "Alice", text))
		}
		x.until(t, "messages that are with the agent's hooks", func() bool {
			return strings.Count(w.waiting(t), "E2E-") == len(texts)
		})
		w.write(t, filepath.Join(w.project, "go"), "")
		q := x.hears(t, texts[0])
		at := -1
		all := strings.Join(q.Said, "\n")
		for _, text := range texts {
			if next := strings.Index(all, text); next <= at {
				t.Errorf("%q is not in its place in the request: %q", text, q.Said)
			} else {
				at = next
			}
		}
		x.sees(t, "All done.")
		for _, id := range ids {
			if receipt := x.becomes(t, id, `"state": "seen"`); !strings.Contains(receipt, `"how": "hook"`) || strings.Contains(receipt, `"repeat"`) {
				t.Errorf("the receipt is %s", receipt)
			}
		}
		x.rests(t)
		x.leaves(t)
		for _, text := range texts {
			if n := w.times(text); n != 1 {
				t.Errorf("the model reads %q %d times, want once", text, n)
			}
		}
	})
}

// TestAMessageIsNotRepeatedAfterAKill: hookway run is killed when the agent has got a
// message. The one that comes after it resumes the agent's session, and does not give
// it again.
func TestAMessageIsNotRepeatedAfterAKill(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		if a.screen.resume == nil {
			t.Skipf("it is not known how %s goes on with a session", a.name)
		}
		const text = "E2E-MESSAGE: remember the milk"
		w := newWorld(t, a, "version: 1\n", model.Turn{Make: func(q model.Request) model.Turn {
			if q.Says(text) {
				return model.Turn{Text: "Noted."}
			}
			return model.Turn{Text: "Fine."}
		}})
		x := w.alice(t)
		x.prompts(t, "The first prompt.")
		x.sees(t, "Fine.")
		id := w.sent(t, "Alice", text)
		x.sees(t, "Noted.")
		check(t, x.cmd.Process.Signal(syscall.SIGKILL))
		<-x.ended
		y := w.alice(t, a.screen.resume...)
		y.becomes(t, id, `"injected": "`)
		y.rests(t)
		y.prompts(t, "What now?")
		q := y.hears(t, "What now?")
		if n := read(q, text); n != 1 {
			t.Errorf("the model reads the message %d times, want once: %q", n, q.Said)
		}
		y.rests(t)
		y.leaves(t)
		if receipt := w.hookway(t, "receipts", id, "--json"); strings.Contains(receipt, `"repeat"`) || w.times(text) != 1 {
			t.Errorf("the model reads the message %d times; the receipt is %s", w.times(text), receipt)
		}
	})
}
