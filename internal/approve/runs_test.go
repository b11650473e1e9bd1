package approve_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/internal/approve"
)

// A yes is to what a script held when it was given, also where facts do not tell the
// difference.
func TestAYesIsToWhatAScriptHolds(t *testing.T) {
	for name, c := range map[string]struct {
		input         map[string]any
		file, was, is string
	}{
		"Python":             {map[string]any{"command": "python3 x.py"}, "x.py", "print(1)", "print(2)"},
		"below another":      {map[string]any{"command": "timeout 5 env A=1 python3 x.py"}, "x.py", "1", "2"},
		"JavaScript":         {map[string]any{"command": "node lib/x.js"}, "lib/x.js", "1", "2"},
		"a shell's variable": {map[string]any{"command": "./x.sh"}, "x.sh", "make all", "MAKEFLAGS=-fother make all"},
		"a text in a script": {map[string]any{"command": "sh x.sh"}, "x.sh", "cat <<E\n1\nE\n", "cat <<E\n2\nE\n"},
		"what is sourced":    {map[string]any{"command": ". ./env && ls"}, "env", "A=1", "A=2"},
		"a script's script":  {map[string]any{"command": "bash a.sh"}, "b.sh", "A=1", "A=2"},
		"in a folder":        {map[string]any{"command": "cd lib && ./x.sh"}, "lib/x.sh", "A=1", "A=2"},
		"rules of make":      {map[string]any{"command": "make all"}, "Makefile", "all:\n\techo 1", "all:\n\techo 2"},
		"what comes first":   {map[string]any{"command": "make all"}, "GNUmakefile", "", "all:\n\techo 2"},
		"a program":          {map[string]any{"command": "lib/x"}, "lib/x", "\x7fELF1", "\x7fELF2"},
		"words":              {map[string]any{"command": []any{"python3", "x.py"}}, "x.py", "1", "2"},
		"another member":     {map[string]any{"script": "python3 x.py"}, "x.py", "1", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(file, text string) {
				t.Helper()
				if text == "" {
					return
				}
				file = filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			put("a.sh", "source b.sh")
			put(c.file, c.was)
			put("unrelated.py", "1")
			s := open(t, t.TempDir(), approve.Options{})
			call := approve.Call{Agent: "claude", Session: "s-1", Workspace: dir, Tool: "Bash", Input: c.input}
			answer(t, s, ask(t, s, call), true, approve.ScopeOnce)
			put(c.file, c.is)
			put("unrelated.py", "2")
			if got, err := s.Use(t.Context(), call); got != nil || err != nil {
				t.Errorf("got %+v, %v once %s was changed; want no answer", got, err, c.file)
			}
			if c.was == "" {
				if err := os.Remove(filepath.Join(dir, c.file)); err != nil {
					t.Fatal(err)
				}
			}
			put(c.file, c.was)
			if got, err := s.Use(t.Context(), call); got == nil || err != nil {
				t.Errorf("got %+v, %v as it was before; want the yes", got, err)
			}
		})
	}
}

// A yes to a shape is none to what a script does later.
func TestAShapeIsOfWhatAScriptHolds(t *testing.T) {
	for _, scope := range []approve.Scope{approve.ScopeSession, approve.ScopeShape} {
		s := open(t, t.TempDir(), approve.Options{})
		call := asked(t, "./x.sh")
		call.Workspace = t.TempDir()
		script := filepath.Join(call.Workspace, "x.sh")
		for _, text := range []string{"A=1 ls", "A=2 ls"} {
			if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Use(t.Context(), call); got != nil || err != nil {
				t.Errorf("%s: got %+v, %v for %q; want no answer", scope, got, err, text)
			}
			answer(t, s, ask(t, s, call), true, scope)
			if got, err := s.Use(t.Context(), call); got == nil || err != nil {
				t.Errorf("%s: got %+v, %v for %q; want the yes", scope, got, err, text)
			}
		}
	}
}

// What runs files of its own choice is not known for 30 days.
func TestWhatChoosesItsFilesHasNoShape(t *testing.T) {
	for command, want := range map[string]bool{"ls": true, "./x.sh": true, "make all": false, "npm run all": false, "just all": false, "go run ./x": false, "$X": false} {
		s := open(t, t.TempDir(), approve.Options{})
		call := asked(t, command)
		call.Workspace = t.TempDir()
		if got := ask(t, s, call); got.HasShape != want {
			t.Errorf("%s: got %v, want %v", command, got.HasShape, want)
		}
	}
}

// What is no regular file holds nobody up.
func TestAPipeIsNoScript(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, t.TempDir(), approve.Options{})
	for _, command := range []string{"sh x.sh", "sh /dev/zero", "sh /dev/stdin", "sh nothing", "./", ""} {
		call := approve.Call{Agent: "claude", Session: "s-1", Workspace: dir, Tool: "Bash", Input: map[string]any{"command": command}}
		answer(t, s, ask(t, s, call), true, approve.ScopeOnce)
		if got, err := s.Use(t.Context(), call); got == nil || err != nil {
			t.Errorf("%q: got %+v, %v; want the yes", command, got, err)
		}
	}
}
