package config

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/trust"
)

// patient bounds every wait of these tests; none comes near it.
const patient = time.Minute

// world is a user with a configuration, a state folder and a workspace.
type world struct {
	t    *testing.T
	home string // HOOKWAY_HOME
	ws   string
	env  map[string]string

	managed string // folder of an organisation's settings of Claude Code; "": the system's

	checkManaged func(string, fs.FileInfo) error // of the administrator's file
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(root, "home"), ws: filepath.Join(root, "ws"), checkManaged: trust.CheckOwner}
	w.env = map[string]string{"HOOKWAY_HOME": w.home, "HOME": filepath.Join(root, "home")}
	for _, dir := range []string{w.user(""), w.ws} {
		w.must(os.MkdirAll(dir, 0o700))
	}
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// user is a path in the user's configuration.
func (w *world) user(name string) string { return filepath.Join(w.home, "config", name) }

// admin is a path in the administrator's configuration.
func (w *world) admin(name string) string {
	return filepath.Join(filepath.Dir(w.home), "etc", "hookway", name)
}

// work is a path in the workspace.
func (w *world) work(name string) string { return filepath.Join(w.ws, filepath.FromSlash(name)) }

// write makes a file that only its owner may write; a script can be executed.
func (w *world) write(path, text string) {
	w.t.Helper()
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(text), mode))
	w.must(os.Chmod(path, mode))
}

func (w *world) options() Options {
	return Options{Dir: w.ws, Managed: Managed{Dir: w.admin(""), Check: w.checkManaged}, managedClaude: w.managed, Getenv: func(name string) string { return w.env[name] }, Log: logline.New(func(line string) { w.t.Log("log: " + line) })}
}

// load reads the configuration and closes it when the test ends.
func (w *world) load() *Set {
	w.t.Helper()
	set, err := Load(context.Background(), w.options())
	w.must(err)
	w.t.Cleanup(func() {
		if err := set.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return set
}

func (w *world) trust() trust.Status {
	w.t.Helper()
	status, err := Trust(w.options())
	w.must(err)
	return status
}

// states lists the hooks as "id state".
func states(s *Set) string {
	var out []string
	for _, h := range s.Hooks {
		out = append(out, h.ID+" "+string(h.State))
	}
	return strings.Join(out, ", ")
}

func (w *world) want(s *Set, want string) {
	w.t.Helper()
	if got := states(s); got != want {
		w.t.Errorf("hooks are %q, want %q\nproblems: %s\nwarnings: %s", got, want, s.Problems, s.Warnings)
	}
}

// wantProblem wants no hooks, and a problem with these words.
func (w *world) wantProblem(s *Set, words string) {
	w.t.Helper()
	w.want(s, "")
	if got := s.Problems.String(); !strings.Contains(got, words) {
		w.t.Errorf("the problems are %q, want %q in them", got, words)
	}
}

// bash fires a PreToolUse for a shell command in the workspace.
func bash(t *testing.T, e *hook.Engine, cwd, command string) hook.Outcome[hook.ToolUse] {
	t.Helper()
	use := hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}}
	out, err := hook.Fire(context.Background(), e, hook.PreToolUse, &hook.Envelope{Session: "s", CWD: cwd}, use)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fill gives an engine with the set's hooks.
func fill(t *testing.T, s *Set) *hook.Engine {
	t.Helper()
	e := new(hook.Engine)
	if err := s.Fill(e); err != nil {
		t.Fatal(err)
	}
	return e
}

const blockRM = `hooks:
  - id: no-rm
    on: PreToolUse
    match: {tool: Bash, command: 'rm\s'}
    lane: guard
    block: no rm here
`

// guard is a script that blocks with a reason, in Claude Code's way.
func guard(reason string) string { return "#!/bin/sh\necho '" + reason + "' >&2\nexit 2\n" }

// describing is a hook of a hooks folder.
func describing(description, reason string) string {
	return "#!/bin/sh\nif [ \"$HOOK_ACTION\" = describe ]; then echo '" + description + "'; exit 0; fi\necho '" + reason + "' >&2\nexit 2\n"
}

// read gives what a file in the workspace holds.
func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.work(name))
	w.must(err)
	return string(text)
}
