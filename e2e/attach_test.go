//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hookway/hookway/e2e/model"
)

// install puts hookway into the agent's own configuration, as its user would.
func (w *world) install(t *testing.T) {
	t.Helper()
	w.hookway(t, "install", w.agent.name, "--user", "--yes")
}

// stopDaemon ends the daemon of this world, which outlives the agent.
func (w *world) stopDaemon(t *testing.T) {
	t.Helper()
	w.hookway(t, "stop")
}

// daemon is the process id of the daemon of this world, 0 if none runs.
func (w *world) daemon(t *testing.T) int {
	t.Helper()
	r := w.run(t, filepath.Join(bin, "hookway"), "status", "--json")
	var status struct {
		Running bool
		PID     int
	}
	if err := json.Unmarshal([]byte(r.stdout), &status); err != nil {
		t.Errorf("hookway status --json said %q: %v\n%s", r.stdout, err, r.stderr)
	}
	return status.PID
}

// TestADeadDaemonStillBlocks kills the daemon after it has answered the session's
// first events, and before the tool.
func TestADeadDaemonStillBlocks(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		var w *world
		killed := false
		w = newWorld(t, a, keepVictim, model.Turn{Shell: a.destroy, Before: func() {
			pid := w.daemon(t)
			if pid == 0 {
				t.Error("no daemon runs, though the session's first events have been answered")
				return
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Errorf("the daemon cannot be killed: %v", err)
			}
			killed = true
		}})
		w.install(t)
		w.runAgent(t)
		if !killed {
			t.Error("the daemon was not killed, so this proves nothing")
		}
		w.mustBeKept(t, "block", "keep-victim", reason)
	})
}

// TestRunNeedsNoInstall: hookway run attaches the hooks to one session, and no
// file of the user is another afterwards.
func TestRunNeedsNoInstall(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, keepVictim, model.Turn{Shell: a.destroy})
		before := w.userFiles(t)
		w.runAgent(t, filepath.Join(bin, "hookway"), "run", "--")
		w.mustBeKept(t, "block", "keep-victim", reason)
		after := w.userFiles(t)
		for name, text := range before {
			if after[name] != text {
				t.Errorf("%s was\n%s\nand is\n%s", name, text, after[name])
			}
		}
	})
}

// TestUninstallLeavesNothing: after it the agent works without hooks, and its
// settings are the user's again, byte for byte.
func TestUninstallLeavesNothing(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, keepVictim, model.Turn{Shell: a.destroy})
		before := w.userFiles(t)
		w.install(t)
		w.hookway(t, "uninstall", a.name, "--user", "--yes")
		for name, text := range w.userFiles(t) {
			if text != before[name] {
				t.Errorf("%s was\n%s\nand is\n%s", name, before[name], text)
			}
		}
		w.runAgent(t)
		if w.has("victim") {
			t.Error("the victim is still there: a hook has run")
		}
		if records := w.log(t, "PreToolUse"); len(records) != 0 {
			t.Errorf("the log has %+v, want nothing", records)
		}
	})
}

// userFiles are the agent's settings, by name; "" for what is not there.
func (w *world) userFiles(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range w.agent.kept {
		text, err := os.ReadFile(filepath.Join(w.root, filepath.FromSlash(name)))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

func contains(s, part string) bool { return strings.Contains(s, part) }
