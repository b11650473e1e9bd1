package guardset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/scaffold"
	"github.com/hookway/hookway/internal/trust"
)

// Somebody else writes into a project while hookway guards works on it: what is new is
// not trusted along with what hookway wrote itself.
func TestGuardsTrustOnlyTheirOwnEdit(t *testing.T) {
	const rules, enforced = "guards: {use: [git], mode: auto}\n", "guards: {use: [git], mode: enforce}\n"
	const hook = "hooks: [{id: mine, on: PreToolUse, command: touch x}]\n"
	const loose = "hooks: [{id: mine, on: PreToolUse, script: .hookway/hooks/own.js, allow: [exec]}]\n"
	nothing := func(string) error { return nil }
	add := func(name, text string) func(string) error {
		return func(dir string) error {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			return os.WriteFile(file, []byte(text), 0o644)
		}
	}
	own := map[string]string{"hookway.yaml": rules, ".hookway/hooks/own.js": "hook.on('PreToolUse', () => {})\n"}
	for name, c := range map[string]struct {
		files            map[string]string
		asleep, unpinned func(dir string) error // between the first look and the edit; between the edit and the trust
		why              string                 // "" is trusted
	}{
		"nobody":                   {own, nothing, nothing, ""},
		"nobody, new":              {nil, nothing, nothing, ""},
		"a hook in the file":       {own, add("hookway.yaml", rules+hook), nothing, "something has changed meanwhile"},
		"a hook after the edit":    {own, nothing, add("hookway.yaml", enforced+hook), "something has changed meanwhile"},
		"a grant after the edit":   {own, nothing, add("hookway.yaml", enforced+loose), "own.js wants to run programs"},
		"another script":           {own, add(".hookway/hooks/new.js", "hook.on('PreToolUse', () => {})\n"), nothing, "more has changed meanwhile: .hookway/hooks/new.js added"},
		"a script was changed":     {own, nothing, add(".hookway/hooks/own.js", "hook.on('Stop', () => {})\n"), "more has changed meanwhile: .hookway/hooks/own.js"},
		"new, with a script":       {nil, add(".hookway/hooks/new.js", "hook.on('PreToolUse', () => {})\n"), nothing, "something has changed meanwhile"},
		"new, with a script later": {nil, nothing, add(".hookway/hooks/new.js", "hook.on('PreToolUse', () => {})\n"), "something has changed meanwhile"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			project := filepath.Join(dir, "project")
			if err := os.Mkdir(project, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Chdir(project)
			vars := map[string]string{"HOME": dir, "HOOKWAY_HOME": filepath.Join(dir, "home")}
			options := config.Options{Getenv: func(name string) string { return vars[name] }}
			for name, text := range c.files {
				if err := add(name, text)(project); err != nil {
					t.Fatal(err)
				}
			}
			if c.files != nil {
				if _, err := config.Trust(options); err != nil {
					t.Fatal(err)
				}
			}
			err := meddledWith(t, options, project, c.asleep, c.unpinned)
			switch {
			case c.why == "" && err != nil:
				t.Error(err)
			case c.why != "" && !strings.Contains(fmt.Sprint(err), c.why):
				t.Errorf("%v, want %q", err, c.why)
			}
			set, err := config.Load(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			defer set.Close()
			if given := set.Trust.State == trust.Given; given != (c.why == "") {
				t.Errorf("it is %s now", set.Trust.State)
			}
		})
	}
}

// meddledWith has rules enforced in a project, as hookway guards does it, in steps.
func meddledWith(t *testing.T, options config.Options, project string, asleep, unpinned func(dir string) error) error {
	t.Helper()
	file, found, err := (&Change{Options: options, Dir: project, Project: true}).file(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := asleep(project); err != nil {
		t.Fatal(err)
	}
	f, err := scaffold.EditGuards(file, []scaffold.GuardEdit{{Path: []string{"use"}, Value: "[git]"}, {Path: []string{"mode"}, Value: "enforce"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(); err != nil {
		t.Fatal(err)
	}
	if err := unpinned(project); err != nil {
		t.Fatal(err)
	}
	return TrustEdited(options, found, f)
}

// What is asked about is what is written: the file changes after it was read first.
func TestGuardsEditWhatTheyRead(t *testing.T) {
	dir := t.TempDir()
	vars := map[string]string{"HOME": dir, "HOOKWAY_HOME": dir}
	file := filepath.Join(dir, "config", "hookway.yaml")
	write := func(text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("guards: {use: [git], mode: auto}\n")
	change := Change{Options: config.Options{Getenv: func(name string) string { return vars[name] }}, Edits: func(now *config.Guards) ([]scaffold.GuardEdit, error) {
		write("guards: {use: [git], mode: auto}\nhooks: []\n")
		return wordEdits(now, "enforce", nil)
	}}
	if out, err := change.Make(t.Context()); err == nil || !strings.Contains(err.Error(), "changed by somebody else") {
		t.Errorf(`%v: got %+v, want err != nil and strings.Contains(err.Error(), "changed by somebody else")`, err, out)
	}
}
