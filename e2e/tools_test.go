//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// TestAChangedResultIsWhatTheModelReads: what a hook takes out of a result never
// reaches the model, and what it injects does.
func TestAChangedResultIsWhatTheModelReads(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		const secret, context = "E2E-SECRET-4711", "E2E-CONTEXT: it was cleaned"
		w := newWorld(t, a, `version: 1
hooks:
  - id: clean
    on: PostToolUse
    match: {tool: Bash}
    modify: {tool_response: {output: 'E2E: cleaned'}}
  - id: context
    on: PostToolUse
    match: {tool: Bash}
    inject: '`+context+`'
`, model.Turn{Shell: "cat ./secret"})
		w.write(t, filepath.Join(w.project, "secret"), secret+"\n")
		w.install(t)
		w.runAgent(t)
		w.mustBeTold(t, 1, "E2E: cleaned")
		last := w.model.Requests()[len(w.model.Requests())-1]
		if last.Says(secret) {
			t.Error("the model reads what the hook took out")
		}
		if !last.Says(context) {
			t.Error("the model does not read what the hook injected")
		}
		if records := w.log(t, "PostToolUse"); len(records) != 1 || records[0].Tool != "Bash" {
			t.Errorf("the log has %+v, want one PostToolUse of Bash", records)
		}
	})
}

// TestABlockedResultTellsWhy: a block of a result tells the model why, but for
// Claude Code in the result's place.
func TestABlockedResultTellsWhy(t *testing.T) {
	eachAgent(t, func(t *testing.T, a *agent) {
		w := newWorld(t, a, `version: 1
hooks:
  - id: no
    on: PostToolUse
    lane: guard
    match: {tool: Bash}
    block: '`+reason+`'
`, model.Turn{Shell: "echo E2E-OUTPUT"})
		w.install(t)
		w.runAgent(t)
		last := w.model.Requests()[len(w.model.Requests())-1]
		if !last.Says(reason) {
			t.Error("the model is not told why its result was blocked")
		}
		if said := strings.Contains(strings.Join(last.Results, "\n"), "E2E-OUTPUT"); said != (a == claude) {
			t.Errorf("the model reads the result that was blocked: %v", said)
		}
	})
}

// TestFilesAreGuardedUnderTheirOwnNames: the agent's own tools for files are Read,
// Write and Edit to hooks, with a file_path.
func TestFilesAreGuardedUnderTheirOwnNames(t *testing.T) {
	for _, guarded := range []bool{true, false} {
		for _, tool := range []string{"Write", "Edit", "Read"} {
			name := tool + map[bool]string{true: "/blocked", false: "/control"}[guarded]
			t.Run(name, func(t *testing.T) {
				eachAgent(t, func(t *testing.T, a *agent) {
					if a.files == nil {
						t.Skipf("%s has no such tools", a.name)
					}
					aFileIsTouched(t, a, tool, guarded)
				})
			})
		}
	}
}

func aFileIsTouched(t *testing.T, a *agent, tool string, guarded bool) {
	match := "'*.secret'"
	if !guarded {
		match = "'*.public'"
	}
	w := newWorld(t, a, `version: 1
hooks:
  - id: keep-secrets
    on: PreToolUse
    lane: guard
    match: {tool: [Read, Write, Edit], path: `+match+`}
    block: '`+reason+`'
`)
	file := filepath.Join(w.project, "key.secret") // Gemini CLI and OpenCode have rules of their own about .env
	if tool != "Write" {
		w.write(t, file, "KEY=old\n")
	}
	calls := a.files(file)
	turns := []model.Turn{{Call: calls[tool]}}
	if tool == "Edit" && !guarded { // some edit only what they have read
		turns = slices.Insert(turns, 0, model.Turn{Call: calls["Read"]})
	}
	w.model.Play(turns...)
	w.install(t)
	w.runAgent(t)
	text, _ := os.ReadFile(file)
	records := w.log(t, "PreToolUse")
	if len(records) != len(turns) || records[len(turns)-1].Tool != tool {
		t.Errorf("the log has %+v, want %d PreToolUse, the last of %s", records, len(turns), tool)
	}
	told := w.model.Requests()[len(w.model.Requests())-1].Says(reason)
	changed := strings.Contains(string(text), "new")
	if told != guarded || changed != (!guarded && tool != "Read") {
		t.Errorf("told why: %v, changed: %v", told, changed)
	}
	if read := w.model.Requests()[len(w.model.Requests())-1].Says("KEY=old"); tool == "Read" && read == guarded {
		t.Errorf("the model has read the file: %v", read)
	}
}
