//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// TestDoctorSeesTheHooksFire: its canary runs the agent, and the model does what
// it is asked for.
func TestDoctorSeesTheHooksFire(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		asked := regexp.MustCompile(`touch [\w./-]+`)
		w := newWorld(t, a, keepVictim, model.Turn{Make: func(q model.Request) model.Turn {
			for _, said := range q.Said {
				if strings.Contains(said, "Run this shell command once") {
					return model.Turn{Shell: asked.FindString(said)}
				}
			}
			return model.Turn{Text: "There is nothing to do."}
		}})
		// The agent is in PATH under its own name.
		if program := os.Getenv(a.program); filepath.Base(program) != a.name {
			check(t, os.Symlink(program, w.bin(a.name)))
		}
		w.install(t)
		looked := w.run(t, w.bin("hookway"), "doctor", a.name)
		if looked.code != 0 || strings.Contains(looked.stdout, "FAILURE") {
			t.Errorf("hookway doctor ended with %d\n%s%s", looked.code, looked.stdout, looked.stderr)
		}
		proved := w.run(t, w.bin("hookway"), "doctor", "--live", "--yes", a.name)
		if proved.code != 0 || !strings.Contains(proved.stdout, a.name+": its hooks fire, and the marked command was refused") {
			t.Errorf("hookway doctor --live ended with %d\n%s%s", proved.code, proved.stdout, proved.stderr)
		}
	})
}
