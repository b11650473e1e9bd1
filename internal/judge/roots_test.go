//go:build unix

package judge_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/wire/call"
)

// guardOf is a workspace whose guard refuses one tool.
func guardOf(id, command string) string {
	return "hooks:\n- {id: " + id + ", on: PreToolUse, lane: guard, match: {command: " + command + "}, block: " + id + " says no}\n"
}

// root makes another workspace of the user, which is trusted.
func (w *world) root(name, yaml string) string {
	w.t.Helper()
	dir := filepath.Join(filepath.Dir(w.dir), name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hookway.yaml"), []byte(yaml), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if _, err := config.Trust(config.Options{Dir: dir, Getenv: w.getenv}); err != nil {
		w.t.Fatal(err)
	}
	return dir
}

// inRoots is Cursor's word of a shell command in a workspace with several roots.
func (w *world) inRoots(id, command, cwd string, roots ...string) *call.Request {
	w.t.Helper()
	text, err := json.Marshal(map[string]any{
		"hook_event_name": "preToolUse", "conversation_id": "s", "generation_id": "g", "workspace_roots": roots, "cwd": cwd,
		"tool_name": "Shell", "tool_use_id": id, "tool_input": map[string]any{"command": command},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return &call.Request{Kind: call.KindHook, Agent: "cursor", Event: "preToolUse", Dir: w.dir, Env: w.env, Timeout: patient, Stdin: text}
}

func TestTheGuardsOfEveryRootAreAsked(t *testing.T) {
	w := newWorld(t, guardOf("first", "alpha"))
	second := w.root("second", guardOf("second", "beta")+"- {id: note, on: PreToolUse, match: {command: gamma}, block: not a guard}\n- {id: unsure, on: PreToolUse, lane: guard, match: {command: delta}, ask: sure?}\n")
	third := w.root("third", guardOf("third", "gamma|delta"))
	empty := filepath.Join(filepath.Dir(w.dir), "empty")
	if err := os.MkdirAll(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(empty, "gone")
	file := filepath.Join(w.dir, "hookway.yaml")
	all := []string{w.dir, gone, second, file, empty, third, second}
	for n, c := range []struct {
		command, cwd string
		roots        []string
		parts        []string
	}{
		{"alpha", "", all, []string{`"deny"`, "first says no"}},
		{"beta", "", all, []string{`"deny"`, "second says no"}},
		{"gamma", w.dir, all, []string{`"deny"`, "third says no", "!not a guard"}},
		{"delta", second, all, []string{`"deny"`, "third says no"}},
		{"delta", "", []string{w.dir, second}, []string{`"ask"`, "sure?"}},
		{"beta", "", []string{gone, second}, []string{`"deny"`, "second says no"}},
		{"beta", w.dir, []string{second, empty}, []string{`"deny"`, "second says no"}},
		{"beta", "", []string{"file://" + w.dir, "file://localhost" + strings.ReplaceAll(second, "s", "%73")}, []string{`"deny"`, "second says no"}},
		{"harmless", "", all, []string{"!deny", "!ask"}},
		{"beta", "", []string{w.dir, "vscode-remote://ssh-remote+box/work"}, []string{`"deny"`, "not a folder of this machine"}},
		{"harmless", w.dir, []string{w.dir, "file://box/work"}, []string{`"deny"`, "not a folder of this machine"}},
	} {
		got := w.ask(w.inRoots(string(rune('a'+n)), c.command, c.cwd, c.roots...))
		t.Logf("%s in %s of %s: %s", c.command, c.cwd, c.roots, got)
		w.want(got, c.parts...)
	}
}

// What changed since it was trusted does not run unasked, and does not pass unasked,
// whichever root it is in.
func TestARootWhoseGuardsDoNotRunIsAskedAbout(t *testing.T) {
	w := newWorld(t, guardOf("first", "alpha"))
	second := w.root("second", guardOf("second", "beta"))
	if err := os.WriteFile(filepath.Join(second, "hookway.yaml"), []byte(guardOf("second", "never")), 0o600); err != nil {
		t.Fatal(err)
	}
	w.want(w.ask(w.inRoots("1", "beta", "", w.dir, second)), `"ask"`, "changed since it was trusted")
}

// One call is one, whichever event of Cursor tells of it.
func TestTheGuardsOfRootsAreAskedOnce(t *testing.T) {
	w := newWorld(t, "hooks: []\n")
	second := w.root("second", `hooks:
- {id: count, on: PreToolUse, lane: guard, command: "cat >/dev/null; echo x >>`+filepath.Join(w.dir, "asked")+`"}
`)
	first := w.inRoots("1", "ls", w.dir, w.dir, second)
	shell, err := json.Marshal(map[string]any{
		"hook_event_name": "beforeShellExecution", "conversation_id": "s", "generation_id": "g", "workspace_roots": []string{w.dir, second}, "cwd": w.dir, "command": "ls",
	})
	if err != nil {
		t.Fatal(err)
	}
	again := *first
	again.Event, again.Stdin = "beforeShellExecution", shell
	w.ask(first)
	w.ask(&again)
	if got := strings.Count(w.read("asked"), "x"); got != 1 {
		t.Errorf("the guard of the second root was asked %d times", got)
	}
}

func TestAKeyInAnotherCaseIsNoFolder(t *testing.T) {
	w := newWorld(t, guardOf("first", "alpha"))
	elsewhere := w.root("elsewhere", "hooks: []\n")
	r := w.bash("s", "1", "alpha")
	r.Dir = "/"
	r.Stdin = append(r.Stdin[:len(r.Stdin)-1], `,"CWD":"`+elsewhere+`","Cwd":"`+elsewhere+`"}`...)
	w.want(w.ask(r), `"deny"`, "first says no")
}

// Rules of hookway's own that another root makes stricter hold too, with their name.
func TestStricterRulesOfAnotherRootHold(t *testing.T) {
	w := newWorld(t, "hooks: []\n")
	w.configure("guards: {use: [git]}\n")
	second := w.root("second", "guards: {rules: {git/force-push: {verdict: block, mode: enforce}}}\n")
	w.want(w.ask(w.inRoots("1", "git push -f origin feature", w.dir, w.dir, second)), `"deny"`, "git/force-push")
	w.want(w.ask(w.inRoots("2", "git push -f origin feature", w.dir, w.dir)), "!deny")
}
