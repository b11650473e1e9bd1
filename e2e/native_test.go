//go:build unix

package e2e

import (
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// TestATextForAWorkingAgentGoesThroughItsHooks: a text for a wrapped agent that
// works is in the model's next request, where the agent's own hook has put it, and
// nowhere else; the session has one begin and one end. Without a terminal to type
// in, there is no other way that it could have come. Once, the daemon that judges
// the agent's hooks is killed meanwhile.
func TestATextForAWorkingAgentGoesThroughItsHooks(t *testing.T) {
	for name, killed := range map[string]bool{"daemon": false, "daemon killed": true} {
		t.Run(name, func(t *testing.T) {
			eachAgent(t, func(t *testing.T, a *agent) {
				if !a.attaches {
					t.Skipf("hookway run cannot attach to %s", a.name)
				}
				const text = "E2E-TEXT: from another agent"
				var w *world
				failed := errors.New("it was never tried")
				tell := sync.OnceFunc(func() {
					var r result
					if r, failed = w.start(w.bin("hookway"), "inject", "Alice", text); failed == nil && r.code != 0 {
						failed = errors.New(r.stdout + r.stderr)
					}
					if killed && failed == nil {
						_, failed = w.signalDaemon(syscall.SIGKILL)
					}
				})
				w = newWorld(t, a, "version: 1\n", model.Turn{Shell: "sleep 1", Before: tell})
				w.runAgent(t, w.bin("hookway"), "run", "-n", "Alice", "--")
				if failed != nil {
					t.Fatal(failed)
				}
				n, last := 0, 0
				for _, q := range w.model.Requests() {
					if last = read(q, text); last > 0 && n == 0 && len(q.Results) == 0 {
						t.Errorf("the text came before the tool's result: %q", q.Said)
					}
					n = max(n, last)
				}
				if n != 1 {
					t.Errorf("the model reads the text %d times, want once", n)
				}
				w.once(t, "SessionStart", "AgentStart", "PostToolUse", "AgentStop", "SessionEnd")
				for _, line := range strings.Split(strings.TrimSpace(w.hookway(t, "log")), "\n") {
					if !strings.Contains(line, "Alice") {
						t.Errorf("the log has an event of somebody else: %s", line)
					}
				}
			})
		})
	}
}

// TestAnInstalledAgentIsOneSessionWithItsTerminal: what SessionStart injects goes to
// the model with the user's first prompt, by the agent's own hooks; the begin and
// the end are fired once, though agents tell of them once more, twice or not at all.
func TestAnInstalledAgentIsOneSessionWithItsTerminal(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		const context = "E2E-CONTEXT: of the session"
		w := newWorld(t, a, deployHook+`  - id: context
    on: SessionStart
    inject: '`+context+`'
`, talk(""))
		w.install(t)
		x := w.wrapped(t)
		x.prompts(t, "The first prompt.")
		q := x.hears(t, "The first prompt.")
		x.sees(t, "Fine.")
		if n := read(q, context); n != 1 {
			t.Errorf("the model reads %d times what SessionStart injected, want once: %q", n, q.Said)
		}
		x.rests(t)
		x.leaves(t)
		w.once(t, "SessionStart", "AgentStart", "SessionEnd")
	})
}
