//go:build unix

package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/hookway/hookway/internal/bench/model"
)

// A switch is a setting of an agent after which it may not ask hookway any more.
// What is tried is the very file of its user, after hookway was installed.
type switchCase struct {
	agent *agent
	name  string
	off   bool // the command runs, though a guard is against it
	set   []edit

	project bool // hookway is installed for the project
	always  bool // it is a part of the check, and not only of make proof
}

// edit changes the world of a switchCase.
type edit func(t *testing.T, w *world)

// env sets a variable of whoever runs the agent, and hookway doctor.
func env(assignment string) edit {
	return func(_ *testing.T, w *world) {
		name, _, _ := strings.Cut(assignment, "=")
		w.env = slices.DeleteFunc(w.env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		if !strings.HasSuffix(assignment, "=") {
			w.env = append(w.env, strings.ReplaceAll(assignment, "ROOT", w.root))
		}
	}
}

// file writes a file; ROOT in its text is the world's folder.
func file(name, text string) edit {
	return func(t *testing.T, w *world) {
		w.write(t, filepath.Join(w.root, name), strings.ReplaceAll(text, "ROOT", w.root))
	}
}

// add puts a text behind that of a file, or before it.
func add(name, before, after string) edit {
	return func(t *testing.T, w *world) {
		text, err := os.ReadFile(filepath.Join(w.root, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		file(name, before+string(text)+after)(t, w)
	}
}

// set sets a member of a JSON file, whose keys are joined by dots; "" is nothing.
func set(name, keys, value string) edit {
	return func(t *testing.T, w *world) {
		text, err := os.ReadFile(filepath.Join(w.root, name))
		if errors.Is(err, fs.ErrNotExist) {
			text, err = []byte("{}"), nil
		}
		check(t, err)
		text, err = hujson.Standardize(text)
		check(t, err)
		root := map[string]any{}
		check(t, json.Unmarshal(text, &root))
		at, path := root, strings.Split(keys, ".")
		for _, key := range path[:len(path)-1] {
			inner, ok := at[key].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[key] = inner
			}
			at = inner
		}
		var v any
		check(t, json.Unmarshal([]byte(strings.ReplaceAll(value, "ROOT", w.root)), &v))
		at[path[len(path)-1]] = v
		text, err = json.MarshalIndent(root, "", "  ")
		check(t, err)
		w.write(t, filepath.Join(w.root, name), string(text))
	}
}

// TestDoctorKnowsEverySwitch: where an agent runs a command that a guard is
// against, hookway doctor fails; where the guard stops it, it does not.
// HOOKWAY_E2E_SWITCHES=all tries all, not only those of the check.
func TestDoctorKnowsEverySwitch(t *testing.T) {
	some := asked()
	if len(some) == 0 {
		t.Skip("no program of an agent is named; make e2e installs some")
	}
	tried := 0
	for _, c := range switches {
		if !slices.Contains(some, c.agent) || !c.always && os.Getenv("HOOKWAY_E2E_SWITCHES") != "all" {
			continue
		}
		tried++
		t.Run(c.agent.name+"/"+c.name, func(t *testing.T) {
			w := newWorld(t, c.agent, keepVictim, model.Turn{Shell: c.agent.destroy})
			w.call(t, c.agent)
			scope := "--user"
			if c.project {
				scope = "--project"
			}
			w.hookway(t, "install", c.agent.name, scope, "--yes")
			for _, change := range c.set {
				change(t, w)
			}
			looked := w.run(t, w.bin("hookway"), "doctor", c.agent.name)
			said := w.run(t, append([]string{os.Getenv(c.agent.program)}, c.agent.argv...)...)
			if asked := w.model.Requests(); len(asked) < 2 {
				t.Fatalf("the model was asked %d times: the agent did not run its tool, which proves nothing\n%s%s", len(asked), said.stdout, said.stderr)
			}
			if off := !w.has("victim/file.txt"); off != c.off {
				t.Errorf("the command ran: %v, want %v\n%s%s", off, c.off, said.stdout, said.stderr)
			}
			if failed := looked.code != 0; failed != c.off {
				t.Errorf("hookway doctor ended with %d\n%s%s", looked.code, looked.stdout, looked.stderr)
			}
		})
	}
	proves(t, "%d of %d switches of agents tried: where the command ran, doctor failed, and nowhere else", tried, len(switches))
}

// call puts the agent into PATH under its own name.
func (w *world) call(t *testing.T, a *agent) {
	t.Helper()
	if program := os.Getenv(a.program); filepath.Base(program) != a.name {
		check(t, os.Symlink(program, w.bin(a.name)))
	}
}

// replaced changes the text of a file.
func replaced(name, old, with string) edit {
	return func(t *testing.T, w *world) {
		text, err := os.ReadFile(filepath.Join(w.root, name))
		check(t, err)
		changed := strings.ReplaceAll(string(text), old, with)
		if changed == string(text) {
			t.Fatalf("%s has no %s:\n%s", name, old, text)
		}
		w.write(t, filepath.Join(w.root, name), changed)
	}
}

// untrust takes back Codex's trust in the project.
var untrust = replaced("home/.codex/config.toml", `trust_level = "trusted"`, `trust_level = "untrusted"`)

// disableCodexHook has the approvals of hooks, and switches the hooks off by them.
var disableCodexHook = replaced("home/.codex/config.toml", "trusted_hash = ", "enabled = false\ntrusted_hash = ")

// forgetCodexTrust leaves approvals of other commands.
var forgetCodexTrust = replaced("home/.codex/config.toml", `trusted_hash = "sha256:`, `trusted_hash = "sha256:00`)

// moveCodexHome has Codex work in another folder, without the hooks.
func moveCodexHome(t *testing.T, w *world) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.home, ".codex", "config.toml"))
	check(t, err)
	before, _, _ := strings.Cut(string(text), "\n[hooks.state")
	w.write(t, filepath.Join(w.root, "other", "config.toml"), before)
	env("CODEX_HOME=ROOT/other")(t, w)
}
