//go:build unix

package config

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/hook"
)

// TestHomeInAPatternIsTheOwners: a daemon that was started with another HOME, as
// by a test, must not turn the guards of the user's home off.
func TestHomeInAPatternIsTheOwners(t *testing.T) {
	w := newWorld(t)
	theirs, ours := w.env["HOME"], t.TempDir()
	w.write(w.user("hookway.yaml"), `hooks:
  - {id: keys, on: PreToolUse, lane: guard, match: {path: '~/.ssh/*'}, block: true}
  - {id: some, on: PreToolUse, lane: guard, match: {any: [{tool: X}, {all: [{path: '~/some/**'}]}]}, block: true}
  - {id: only, on: PreToolUse, lane: guard, match: {tool: Write, not: {path: ['~/work/**', '/srv/**']}}, block: true}
`)
	for _, home := range []string{theirs, ours} {
		t.Setenv("HOME", home)
		e := fill(t, w.load())
		for _, c := range []struct{ tool, file, by string }{
			{"Read", filepath.Join(theirs, ".ssh/id"), "keys"}, {"Read", "~/.ssh/id", "keys"}, {"Read", filepath.Join(theirs, "some/x/y"), "some"},
			{"Read", filepath.Join(theirs, "ssh/id"), ""}, {"Write", filepath.Join(theirs, "work/a"), ""}, {"Write", "/srv/a", ""}, {"Write", "/tmp/a", "only"},
			{"Write", filepath.Join(ours, "work/a"), "only"},
		} {
			out, err := hook.Fire(context.Background(), e, hook.PreToolUse, &hook.Envelope{Session: "s", CWD: w.ws},
				hook.ToolUse{ToolName: c.tool, ToolInput: map[string]any{"file_path": c.file}})
			if err != nil || out.By != c.by {
				t.Errorf("HOME=%s: %s %s is blocked by %q, want %q (%v)", home, c.tool, c.file, out.By, c.by, err)
			}
		}
	}
}
