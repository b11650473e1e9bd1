//go:build unix

package judge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/audit"
)

func TestProgramsAreAskedForTheirEventsInTheCallersEnvironment(t *testing.T) {
	w := newWorld(t, "hooks: []\n")
	bin := filepath.Join(w.home, "bin")
	if err := os.MkdirAll(filepath.Join(w.dir, ".hookway/hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.write(".hookway/hooks/asked", "#!/bin/sh\n[ \"$HOOK_ACTION\" = describe ] && exec their-answer\necho \"no $THEIRS\" >&2\nexit 2\n")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "their-answer"), []byte("#!/bin/sh\necho \"{\\\"event\\\":\\\"$THEIRS\\\"}\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.trust()
	t.Setenv("THEIRS", "SessionEnd") // ours
	w.env = append(w.env, "THEIRS=PreToolUse", "PATH="+bin+":"+os.Getenv("PATH"))
	w.want(w.ask(w.bash("s", "1", "ls")), `"deny"`, "no PreToolUse")
}

func TestARelativeHomeIsMeantFromWhereTheCallerWorks(t *testing.T) {
	for _, variable := range []string{"HOOKWAY_HOME=config", "HOME=.config/hookway"} {
		t.Run(variable, func(t *testing.T) {
			w := newWorld(t, "hooks: []\n")
			name, below, _ := strings.Cut(variable, "=")
			users := filepath.Join(w.dir, "here", below)
			if err := os.MkdirAll(users, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(users, "hookway.yaml"), []byte("hooks: [{id: mine, on: PreToolUse, block: from here}]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			w.env = []string{name + "=.", "PATH=" + os.Getenv("PATH"), "HOOKWAY_TRUST=1"}
			r := w.bash("s", "1", "ls")
			r.Env, r.Dir = w.env, filepath.Join(w.dir, "here")
			w.want(w.ask(r), `"deny"`, "from here")
			if left, _ := filepath.Glob("*"); len(left) > 0 {
				t.Errorf("something was written where this process works: %q", left)
			}
		})
	}
}

func TestWhatTheUserAndTheWorkspaceHideIsNotOnRecord(t *testing.T) {
	w := newWorld(t, "redact: [iban]\nhooks:\n- {id: look, on: PreToolUse, lane: observe, command: 'echo ssn=111-22 >&2; exit 1'}\n")
	users := filepath.Join(w.home, "config")
	if err := os.MkdirAll(users, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(users, "hookway.yaml"), []byte("redact: ssn\nhooks: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(w.home, "audit")
	log, err := audit.Open(audit.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	w.Record = log.Append
	r := w.bash("s", "1", "pay --iban=DE02 ssn=111-22")
	w.ask(r)
	w.write("hookway.yaml", "hooks: [{id: x, on: Nonsense, block: true}]\nredact: [vat]\n") // it is not trusted, and has a mistake
	w.ask(w.bash("s", "2", "pay iban=DE03 vat=77777 amount=5"))
	if err := w.Close(); err != nil { // what only watches has ended
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range must(filepath.Glob(filepath.Join(dir, "*.jsonl"))) {
		all.Write(must(os.ReadFile(file)))
	}
	w.want(all.String(), `"workspace":"`+w.dir+`","action":"observed"`, "amount=5", "[redacted]", "!111-22", "!DE02", "!DE03", "!77777")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
