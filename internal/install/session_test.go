package install

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/hookway/hookway/internal/adapter"
)

// TestSessionArgs: what an agent is given for one session is what would be
// installed.
func TestSessionArgs(t *testing.T) {
	const shim = "/my bin/hookway-hook"
	args, env, ok := SessionArgs("claude", shim)
	switch {
	case !ok:
		t.Fatalf("%v %v %v", args, env, ok)
	case len(args) != 2:
		t.Fatalf("len(args): got %v, want %v", len(args), 2)
	case args[0] != "--settings":
		t.Fatalf("args[0]: got %v, want %v", args[0], "--settings")
	case env != nil:
		t.Fatalf("%v %v %v", args, env, ok)
	}
	var settings struct {
		Hooks map[string][]struct {
			Hooks []struct{ Type, Command string }
		}
	}
	if err := json.Unmarshal([]byte(args[1]), &settings); err != nil {
		t.Fatal(err)
	}
	if got := settings.Hooks["PreToolUse"][0].Hooks[0].Command; got != "'/my bin/hookway-hook' claude --event PreToolUse --timeout 600s" {
		t.Errorf(`got %v, want "'/my bin/hookway-hook' claude --event PreToolUse --timeout 600s"`, got)
	}
	if n, all := len(settings.Hooks), len((adapter.Claude{}).About().Events)-1; n != all { // but WorktreeCreate
		t.Errorf("%d events, want %d", n, all)
	}
	for _, name := range []string{"cursor", "unknown"} {
		if _, _, ok := SessionArgs(name, shim); ok {
			t.Errorf("%s takes no hooks on its command line", name)
		}
	}
}

// TestSessionArgsOfCodex: each value is TOML, and each hook has its approval.
func TestSessionArgsOfCodex(t *testing.T) {
	args, _, ok := SessionArgs("codex", `/a "b"/hookway-hook`)
	if !ok || len(args)%2 != 0 {
		t.Fatalf("got %v, want ok and len(args) %% 2 == 0", args)
	}
	var doc strings.Builder
	for i := 0; i < len(args); i += 2 {
		if args[i] != "-c" {
			t.Fatalf(`got %q, want "-c"`, args[i])
		}
		doc.WriteString(args[i+1] + "\n")
	}
	var config struct {
		Hooks map[string]any `toml:"hooks"`
	}
	if err := toml.Unmarshal([]byte(doc.String()), &config); err != nil {
		t.Fatalf("%v\n%s", err, doc.String())
	}
	state := config.Hooks["state"].(map[string]any)
	if len(state) != len(config.Hooks)-1 {
		t.Errorf("%d approvals of %d hooks", len(state), len(config.Hooks)-1)
	}
	if _, ok := state["/<session-flags>/config.toml:pre_tool_use:0:0"]; !ok {
		t.Errorf("no approval of PreToolUse: %v", state)
	}
}

// TestFind asks a program for its version, whatever words are around it.
func TestFind(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("the program of this test is a shell script")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for text, want := range map[string]string{"2.1.329 (Claude Code)": "2.1.329", "codex-cli 0.169.0": "0.169.0", "?": ""} {
		if err := os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\necho '"+text+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		p, err := Find("claude")
		if err != nil || p.Version != want || p.Path != filepath.Join(dir, "claude") {
			t.Errorf(`%s: got %+v, %v, want err == nil and p.Version == want and p.Path == filepath.Join(dir, "claude")`, text, p, err)
		}
	}
}

// TestFindDoesNotRunGemini: merely asked for its version, it writes its user's
// settings anew.
func TestFindDoesNotRunGemini(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("npm makes no links there")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	program := filepath.Join(dir, "lib", "node_modules", "@google", "gemini-cli", "bundle", "gemini.js")
	for name, text := range map[string]string{
		program: "#!/bin/sh\necho 9.9.9\n",
		filepath.Join(program, "..", "..", "package.json"): `{"name": "@google/gemini-cli", "version": "0.61.0", "bin": {"gemini": "bundle/gemini.js"}}`,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(program, filepath.Join(dir, "gemini")); err != nil {
		t.Fatal(err)
	}
	if p, err := Find("gemini"); err != nil || p.Version != "0.61.0" {
		t.Errorf(`got %+v, %v, want err == nil and p.Version == "0.61.0"`, p, err)
	}
}

// TestWhoeverTrustsAllFoldersIsNotTold: Gemini CLI runs the hooks of a project then.
func TestWhoeverTrustsAllFoldersIsNotTold(t *testing.T) {
	m := newMachine(t)
	for value, notes := range map[string]int{"": 1, "true": 0} {
		m.env["GEMINI_CLI_TRUST_WORKSPACE"] = value
		c, err := Plan("gemini", Project, m.o)
		m.must(err)
		if len(c.Notes) != notes {
			t.Errorf("%q: got %q, want len(c.Notes) == notes", value, c.Notes)
		}
	}
}

// TestOlderClaude: an event that an older version may not know would cost it the
// whole file.
func TestOlderClaude(t *testing.T) {
	m := newMachine(t)
	m.o.table = func(string) ([]adapter.Event, error) { return events("PreToolUse!", "MessageDisplay"), nil }
	for version, want := range map[string]int{"": 2, "2.1.329": 2, "2.2.0": 2, "2.1.100": 1, "1.0.30": 0} {
		m.o.Version = version
		c, err := Plan("claude", User, m.o)
		m.must(err)
		if len(c.Events) != want || len(c.Notes) != 2-want {
			t.Errorf("%s: got %v %v, want len(c.Events) == want and len(c.Notes) == 2 - want", version, c.Events, c.Notes)
		}
	}
}

// TestDiff compares with what diff -u says of the same files.
func TestDiff(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
	f := &File{Path: "f", Existed: true, Before: []byte(before),
		After: []byte(strings.Replace(strings.Replace(before, "b\n", "b\nB\n", 1), "k\n", "", 1))}
	want := "--- f\n+++ f\n@@ -1,5 +1,6 @@\n a\n b\n+B\n c\n d\n e\n@@ -8,5 +9,4 @@\n h\n i\n j\n-k\n l\n"
	if got := diff(f); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
	created := &File{Path: "f", After: []byte("x\n")}
	if got := diff(created); got != "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+x\n" {
		t.Errorf("got %v, want \"--- /dev/null\\n+++ f\\n@@ -0,0 +1,1 @@\\n+x\\n\"", got)
	}
}

func TestOnlyAgentsWhoseHooksDependOnItAreAskedTheirVersion(t *testing.T) {
	for _, name := range Agents() {
		if got := AsksVersion(name); got != (name == "claude" || name == "copilot") {
			t.Errorf("%s: got %v, want %v", name, got, (name == "claude" || name == "copilot"))
		}
	}
}
