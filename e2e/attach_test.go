//go:build unix

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/bench/model"
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

// signalDaemon sends a signal to the daemon of this world, and says which process
// that is. The session's first events have made it start; on a slow machine it may
// still be at it.
func (w *world) signalDaemon(signal syscall.Signal) (pid int, err error) {
	var r result
	for begun := time.Now(); time.Since(begun) < deadline/2; {
		if r, err = w.start(w.bin("hookway"), "status", "--json"); err != nil {
			return 0, err
		}
		var status struct{ PID int }
		if json.Unmarshal([]byte(r.stdout), &status) == nil && r.code == 0 {
			return status.PID, syscall.Kill(status.PID, signal)
		}
	}
	return 0, fmt.Errorf("hookway status ended with %d: %s%s", r.code, r.stdout, r.stderr)
}

// TestADeadDaemonStillBlocks kills the daemon after it has answered the session's
// first events, and before the tool.
func TestADeadDaemonStillBlocks(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		var w *world
		killed := errors.New("it was never tried")
		kill := sync.OnceFunc(func() { _, killed = w.signalDaemon(syscall.SIGKILL) })
		w = newWorld(t, a, keepVictim, model.Turn{Shell: a.destroy, Before: kill})
		w.install(t)
		w.runAgent(t)
		if killed != nil {
			t.Errorf("the daemon was not killed, so this proves nothing: %v", killed)
		}
		w.mustBeKept(t, "block", "keep-victim", reason)
		if before := w.log(t, "AgentStart"); len(before) != 1 {
			t.Errorf("the log has %+v, want the one AgentStart that the daemon had answered", before)
		}
		w.hookway(t, "log", "verify")
	})
}

// TestAStuckDaemonStillBlocks stops the daemon in its tracks: it takes the call and
// never answers. An agent would let the tool run when its time is over.
func TestAStuckDaemonStillBlocks(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		var w *world
		stuck := errors.New("it was never tried")
		pid := 0
		stop := sync.OnceFunc(func() { pid, stuck = w.signalDaemon(syscall.SIGSTOP) })
		kill := sync.OnceFunc(func() {
			if pid != 0 { // it hears nothing else
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
		w = newWorld(t, a, keepVictim, model.Turn{Shell: a.destroy, Before: stop}, model.Turn{Text: "Done.", Before: kill})
		t.Cleanup(kill)
		w.hookway(t, "install", a.name, "--user", "--yes", "--timeout", "5s")
		w.runAgent(t)
		if stuck != nil {
			t.Errorf("the daemon was not stopped, so this proves nothing: %v", stuck)
		}
		if !w.has("victim/file.txt") {
			t.Error("the victim is gone")
		}
		w.mustBeTold(t, 1, "")
	})
}

// TestTwoInstallsAskOnce: an agent whose user and whose project both have hookway
// calls it twice for each event.
func TestTwoInstallsAskOnce(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		const context = "E2E-CONTEXT: once is enough"
		w := newWorld(t, a, keepVictim+`  - id: context
    on: AgentStart
    inject: '`+context+`'
`, model.Turn{Shell: a.destroy})
		w.hookway(t, "install", a.name, "--user", "--yes")
		w.hookway(t, "install", a.name, "--project", "--yes")
		w.runAgent(t)
		w.mustBeKept(t, "block", "keep-victim", reason)
		if records := w.log(t, "AgentStart"); len(records) != 1 {
			t.Errorf("the log has %d AgentStart, want 1: %+v", len(records), records)
		}
		texts := 0
		for _, said := range w.model.Requests()[0].Said {
			texts += strings.Count(said, context)
		}
		if texts != 1 {
			t.Errorf("the model reads what was injected %d times, want once", texts)
		}
	})
}

// TestWithoutHookwayNothingRuns takes the daemon away, and the program that could
// start it again or judge in its place: what the agent calls is left alone.
func TestWithoutHookwayNothingRuns(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		var w *world
		gone := errors.New("it was never tried")
		remove := sync.OnceFunc(func() {
			_, err := w.signalDaemon(syscall.SIGKILL)
			gone = errors.Join(err, os.Remove(w.bin("hookway")))
		})
		w = newWorld(t, a, keepVictim, model.Turn{Shell: a.destroy, Before: remove})
		t.Cleanup(func() { w.place(t, "hookway", "hookway-hook") }) // to stop what may run
		w.install(t)
		r := w.runAgent(t)
		if gone != nil {
			t.Errorf("hookway is still there, so this proves nothing: %v", gone)
		}
		if !w.has("victim/file.txt") {
			t.Error("the victim is gone")
		}
		if !a.endsUnasked {
			w.mustBeTold(t, 1, "hookway")
		} else if !strings.Contains(r.stdout+r.stderr, "hookway could not decide") {
			t.Error("the user is not told why the command did not run")
		}
	})
}

// TestRunNeedsNoInstall: hookway run attaches the hooks to one session, and no
// file of the user is another afterwards.
func TestRunNeedsNoInstall(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		if !a.attaches {
			t.Skipf("hookway run cannot attach to %s", a.name)
		}
		w := newWorld(t, a, keepVictim, model.Turn{Shell: a.destroy})
		before := w.userFiles(t)
		w.runAgent(t, w.bin("hookway"), "run", "--")
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
		w.hookway(t, "uninstall", a.name, "--user")
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
