package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
)

// TestPasswordsOnCommandLinesAreNotWritten: neither in a record nor in what is kept of its
// event, nor in what was found about it.
func TestPasswordsOnCommandLinesAreNotWritten(t *testing.T) {
	for _, c := range []struct {
		command any
		secret  string
	}{
		{[]any{"mysql", "-uroot", "-pzq9Xk", "db"}, "zq9Xk"}, {[]any{"tool", "--password", "zq9Xk", "x"}, "zq9Xk"}, {[]any{"bash", "-lc", "curl -u bob:zq9Xk x"}, "zq9Xk"}, {[]any{"curl", "-u", "bob:zq 9Xk", "x"}, "zq 9Xk"},
		{map[string]any{"command": "redis-cli", "args": []any{"-a", "zq9Xk", "ping"}}, "zq9Xk"},
		{"curl -u bob:zq9Xk https://x.example", "zq9Xk"}, {"mysql -uroot -pzq9Xk db < a.sql", "zq9Xk"}, {"sshpass -p zq9Xk22long ssh a@b ls", "zq9Xk22long"},
		{"echo zq9Xkw | sudo -S rm -rf /srv/x", "zq9Xkw"}, {"git clone https://bob:zq9X@x.example/a.git", "zq9X"}, {"PGPASSWORD=zq9Xkww psql -h x", "zq9Xkww"}, {"docker login -u a -p zq9Xk x.example", "zq9Xk"},
	} {
		dir := t.TempDir()
		words, _ := c.command.(string)
		l := open(t, Config{Dir: dir})
		ev := hook.PreToolUse.New(hook.Envelope{Session: "s", CWD: "/p"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": c.command}})
		_, watch := keep.Watching(t.Context(), ev)
		found := watch.Analyse(ev, facts.World{Dir: "/p", Home: "/h"})
		out := &hook.Outcome[any]{Verdict: hook.Verdict{Action: hook.ActionBlock, Reason: "it says " + words, Facts: found}}
		watch.Decided(out)
		r := FromOutcome(ev, out, 0)
		r.Watched(watch)
		add(t, l, r)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if err != nil || len(names) != 1 {
			t.Fatalf("got %v, %v, want err == nil and len(names) == 1", names, err)
		}
		record, err := os.ReadFile(names[0])
		if err != nil || strings.Contains(string(record), c.secret) {
			t.Errorf("%v: the record is %s, %v", c.command, record, err)
		}
		all, _ := events(t, dir, Filter{})
		if len(all) != 1 || all[0].Event == nil {
			t.Fatalf("%v: it is not kept: %+v", c.command, all)
		}
		kept, err := json.Marshal(all[0].Event)
		if err != nil || strings.Contains(string(kept), c.secret) {
			t.Errorf("%v: kept is %s, %v", c.command, kept, err)
		}
	}
}
