//go:build unix

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// TestWhereHookwayHookIsGone: which agents go on then, as the README says, and that
// hookway doctor fails for all of them.
func TestWhereHookwayHookIsGone(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, keepVictim, model.Turn{Shell: a.destroy})
		w.call(t, a)
		w.install(t)
		check(t, os.Remove(w.bin("hookway-hook")))
		looked := w.run(t, w.bin("hookway"), "doctor", a.name)
		if looked.code != 1 || !strings.Contains(looked.stdout, "hookway-hook, which cannot be run") {
			t.Errorf("hookway doctor ended with %d\n%s%s", looked.code, looked.stdout, looked.stderr)
		}
		said := w.run(t, append([]string{os.Getenv(a.program)}, a.argv...)...)
		if a.goesOn && len(w.model.Requests()) == 0 { // one that refuses may refuse the prompt
			t.Fatalf("the model was never asked\n%s%s", said.stdout, said.stderr)
		}
		if goesOn := !w.has("victim/file.txt"); goesOn != a.goesOn {
			t.Errorf("it goes on: %v, want %v\n%s%s", goesOn, a.goesOn, said.stdout, said.stderr)
		}
	})
}
