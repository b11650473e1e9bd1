//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// waitsThere is a hook of the agent's permission request, which goes on when the test lets
// it.
const waitsThere = `version: 1
hooks:
  - {id: waits, on: PermissionRequest, timeout: 50s, command: ": > ../begun; while [ ! -e ../go ]; do sleep 0.1; done"}
`

// later are the agents that ask their user only when the hook of their permission request
// has ended, and what they ask then. An answer from elsewhere cannot end such a question.
var later = map[*agent]string{codex: "Would you like to run", copilot: "Do you want to run this command?", qwen: "Allow execution of"}

// TestAQuestionComesAfterTheHook of the permission request, where hookway does not wait for
// answers from elsewhere beside it.
func TestAQuestionComesAfterTheHook(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		question := later[a]
		if question == "" {
			t.Skipf("%s asks beside the hook, or has no such event", a.name)
		}
		argv, call := a.screen.asking, a.screen.call
		if argv == nil {
			argv, call = a.screen.argv, model.Turn{Shell: "touch ./made"}
		}
		w := newWorld(t, a, waitsThere, call)
		w.install(t)
		x := w.open(t, append([]string{os.Getenv(a.program)}, argv...)...)
		x.sees(t, a.screen.ready)
		x.prompts(t, "Go on.")
		x.until(t, "hook that waits", func() bool { return exists(filepath.Join(w.root, "begun")) })
		looks := 0
		x.until(t, "screen that was drawn anew a few times", func() bool {
			if looks++; strings.Contains(x.shows(), question) {
				t.Fatalf("it asks while the hook waits; see adapter.Waits.Beside:\n%s", x.shows())
			}
			return looks > 20
		})
		w.write(t, filepath.Join(w.root, "go"), "")
		x.sees(t, question)
		x.rests(t)
		x.types(t, "\r")
		x.until(t, "call that ran", func() bool { return w.has("made") })
		x.leaves(t)
	})
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
