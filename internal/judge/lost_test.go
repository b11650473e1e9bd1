//go:build unix

package judge_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/internal/config"
)

// TestLosingTheRecordOfTrustLeavesTheGuards: the guards of a daemon that runs must
// not end because a file is gone that any command can remove.
func TestLosingTheRecordOfTrustLeavesTheGuards(t *testing.T) {
	const guard = "hooks:\n- {id: no-rm, on: PreToolUse, lane: guard, match: {tool: Bash, command: '^rm '}, block: no rm here}\n"
	w := newWorld(t, guard)
	sub := filepath.Join(w.dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	inSub := func(id, command string) string {
		r := w.bash("s", id, command)
		r.Env = append(r.Env, "HOOKWAY_PROJECT_DIR="+sub)
		return w.ask(r)
	}
	w.want(w.ask(w.bash("s", "1", "rm -r x")), "deny", "no rm here")
	w.want(w.ask(w.bash("s", "2", "ls")), "!ask", "!deny")

	if err := os.Remove(filepath.Join(w.home, "state", "trust.json")); err != nil {
		t.Fatal(err)
	}
	w.want(w.ask(w.bash("s", "3", "rm -r x")), "deny", "no rm here")
	w.want(w.ask(w.bash("s", "4", "ls")), `"ask"`, "trust.json is gone")
	w.write("sub/hookway.yaml", "hooks: []\n") // untrusted hooks, nearer by
	w.want(inSub("5", "rm -r x"), "deny", "no rm here")
	if err := os.Remove(filepath.Join(w.dir, "hookway.yaml")); err != nil {
		t.Fatal(err)
	}
	w.want(w.ask(w.bash("s", "6", "rm -r x")), "deny", "no rm here")
	w.want(inSub("7", "rm -r x"), "deny", "no rm here")

	w.write("hookway.yaml", guard)
	w.trust()
	w.want(w.ask(w.bash("s", "8", "ls")), "!ask", "!deny")
	if _, was, err := config.Untrust(config.Options{Dir: w.dir, Getenv: w.getenv}); err != nil || !was {
		t.Fatalf("got %v, %v, want err == nil and was", was, err)
	}
	w.want(w.ask(w.bash("s", "9", "rm -r x")), "!deny")
}
