//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// untrustedWords are what hookway says of a folder that nobody trusts, whatever it
// holds.
const untrustedWords = "hookway: this folder has hooks of its own, which do not run, because you have not trusted it. hookway list shows them; hookway trust lets them run."

// folderWord stands in everything that the folder says.
const folderWord = "E2E-OF-THE-FOLDER"

// TestAnUntrustedFolderIsTold: without a terminal the user reads once, in fixed
// words, that the folder's hooks do not run; nothing of the folder is shown, the
// model hears nothing of it, and no hook of it runs.
func TestAnUntrustedFolderIsTold(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := untrustedWorld(t, a, `version: 1
hooks:
  - {id: `+folderWord+`-says, on: [SessionStart, AgentStart], inject: `+folderWord+`}
  - {id: `+folderWord+`-runs, on: [SessionStart, AgentStart, PreToolUse, AgentStop], command: "touch ./ran"}
  - {id: `+folderWord+`-keeps, on: PreToolUse, lane: guard, block: `+folderWord+`}
`, model.Turn{Shell: a.destroy})
		w.install(t)
		said := w.runAgent(t)
		shown := said.stdout + said.stderr
		if n := strings.Count(shown, untrustedWords); n != 1 {
			t.Errorf("the user reads %d times that the folder is not trusted, want once:\n%s\n%s", n, said.stdout, said.stderr)
		}
		if strings.Contains(shown, folderWord) {
			t.Errorf("the user is shown what the folder says:\n%s", shown)
		}
		for i, q := range w.model.Requests() {
			if q.Says(folderWord) || q.Says("have not trusted it") || q.Says("hookway trust") {
				t.Errorf("request %d tells the model of it: %q %q", i+1, q.Said, q.Results)
			}
		}
		if w.has("victim/file.txt") || w.has("ran") {
			t.Error("a hook has run, or the agent has not")
		}
		proves(t, "its user is told of a folder that is not trusted, the model is not")
	})
}
