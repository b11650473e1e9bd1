//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// reason is what the hooks tell the agent; no program says it by itself.
const reason = "E2E: the victim is under protection"

const keepVictim = `version: 1
hooks:
  - id: keep-victim
    on: PreToolUse
    lane: guard
    match: {tool: Bash, command: 'rm .*victim'}
    block: '` + reason + `'
`

func TestABlockedCommandDoesNotRun(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, keepVictim, model.Turn{Shell: a.destroy})
		w.install(t)
		w.runAgent(t)
		w.mustBeKept(t, "block", "keep-victim", reason)
	})
}

// TestAnAllowedCommandRuns is the control of all others: without a block the
// same command of the same agent does what it says.
func TestAnAllowedCommandRuns(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, `version: 1
hooks:
  - id: something-else
    on: PreToolUse
    lane: guard
    match: {tool: Bash, command: 'git push'}
    block: '`+reason+`'
`, model.Turn{Shell: a.destroy})
		w.install(t)
		w.runAgent(t)
		if w.has("victim") {
			t.Error("the victim is still there: the command has not run, so the other tests prove nothing")
		}
		w.mustBeTold(t, 1, "")
		if records := w.log(t, "PreToolUse"); len(records) != 1 || records[0].Action != "continue" {
			t.Errorf("the log has %+v, want one PreToolUse that continues", records)
		}
	})
}

func TestAChangedInputIsWhatRuns(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		// The agents name the command differently; hooks do not have to care.
		w := newWorld(t, a, `version: 1
hooks:
  - id: tame
    on: PreToolUse
    match: {tool: Bash, command: 'rm .*victim'}
    modify: {tool_input: {command: 'echo tamed > ./tamed'}}
`, model.Turn{Shell: a.destroy})
		w.install(t)
		w.runAgent(t)
		if a.keepsInput { // a block, which says what should run
			w.mustBeKept(t, "block", "tame", "echo tamed > ./tamed")
			return
		}
		if !w.has("victim/file.txt") || !w.has("tamed") {
			t.Errorf("victim kept: %v, the changed command has run: %v; want both", w.has("victim/file.txt"), w.has("tamed"))
		}
		if records := w.log(t, "PreToolUse"); len(records) != 1 {
			t.Errorf("the log has %+v, want one PreToolUse", records)
		}
	})
}

func TestTheModelReadsWhatAHookInjects(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		const context = "E2E-CONTEXT: the office is closed on Fridays"
		w := newWorld(t, a, `version: 1
hooks:
  - id: context
    on: AgentStart
    inject: '`+context+`'
`)
		w.install(t)
		w.runAgent(t)
		asked := w.model.Requests()
		if len(asked) == 0 || !asked[0].Says(context) {
			t.Errorf("the first of %d requests to the model does not hold what the hook injected", len(asked))
		}
		if len(asked) > 0 && !asked[0].Says(prompt) {
			t.Error("the first request does not hold the prompt")
		}
	})
}

// TestACrashedGuardBlocks: agents let a tool run if the hook on it crashes.
func TestACrashedGuardBlocks(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, `version: 1
hooks:
  - id: crashes
    on: PreToolUse
    lane: guard
    on_failure: block
    command: 'echo not the answer; kill -9 $$'
`, model.Turn{Shell: a.destroy})
		w.install(t)
		w.runAgent(t)
		w.mustBeKept(t, "block", "crashes", "crashes")
	})
}

// TestAnAskWithoutAUserDoesNotRun: headless, nobody can be asked.
func TestAnAskWithoutAUserDoesNotRun(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, `version: 1
hooks:
  - id: asks
    on: PreToolUse
    lane: guard
    match: {tool: Bash, command: 'rm .*victim'}
    ask: '`+reason+`'
`, model.Turn{Shell: a.destroy})
		w.install(t)
		w.runAgent(t)
		if !w.has("victim/file.txt") {
			t.Error("the victim is gone")
		}
		w.mustBeTold(t, 1, reason)
	})
}

// TestAStopLoopEnds: a hook that never lets the agent stop is obeyed so often and
// no more. Codex by itself would go on for ever.
func TestAStopLoopEnds(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		if a.mayStop {
			t.Skipf("a stop of %s cannot be refused", a.name)
		}
		const most = 3
		w := newWorld(t, a, fmt.Sprintf(`version: 1
max_continues: %d
hooks:
  - id: never
    on: AgentStop
    lane: guard
    block: '%s'
`, most, reason))
		w.install(t)
		w.runAgent(t)
		asked := w.model.Requests()
		if len(asked) != 1+most {
			t.Fatalf("the model was asked %d times, want once for the prompt and %d times to go on", len(asked), most)
		}
		if asked[0].Says(reason) || !asked[1].Says(reason) {
			t.Error("what the hook wants is not what the agent goes on with")
		}
	})
}

// mustBeKept wants the victim alive, the agent told why, and one PreToolUse in
// the log that was decided so.
func (w *world) mustBeKept(t *testing.T, action, by, told string) {
	t.Helper()
	if !w.has("victim/file.txt") {
		t.Error("the victim is gone")
	}
	w.mustBeTold(t, 1, told)
	records := w.log(t, "PreToolUse")
	if len(records) != 1 {
		t.Fatalf("the log has %d PreToolUse, want 1: %+v", len(records), records)
	}
	if r := records[0]; r.Action != action || r.By != by {
		t.Errorf("the log says %+v, want %s by %s", r, action, by)
	}
}

// mustBeTold wants the model to have got the results of so many tools, with the
// text in the last. Without a result a tool was never tried.
func (w *world) mustBeTold(t *testing.T, results int, text string) {
	t.Helper()
	asked := w.model.Requests()
	if len(asked) == 0 {
		t.Fatal("the model was never asked")
	}
	last := asked[len(asked)-1]
	if len(last.Results) != results {
		t.Fatalf("the model has seen %d results of tools, want %d; it was offered %q", len(last.Results), results, last.Tools)
	}
	if result := last.Results[results-1]; !strings.Contains(result, text) {
		t.Errorf("the tool's result is %q, want %q in it", result, text)
	}
}

// has reports whether a file of the project exists.
func (w *world) has(name string) bool {
	_, err := os.Lstat(filepath.Join(w.project, name))
	return err == nil
}
