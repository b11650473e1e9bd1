package hook_test

import (
	"testing"

	"github.com/hookway/hookway/hook"
)

// TestWhereToolsNameFiles: arguments in which tools name files, and some in which they do not.
func TestWhereToolsNameFiles(t *testing.T) {
	type m = map[string]any
	for _, c := range []struct {
		input m
		want  bool
	}{
		{m{"local_file": "keys/a"}, true},
		{m{"profile": "keys/a"}, false},
		{m{"configFile": "keys/a"}, true},
		{m{"attachments": []any{m{"name": "keys/a"}}}, true},
		{m{"document": "keys/a"}, true},
		{m{"from": "keys/a", "to": "x"}, true},
		{m{"from": "Bob", "to": "keys"}, false},
		{m{"writes": []any{m{"to": "keys/a"}}}, true},
		{m{"old_name": "keys/a"}, true},
		{m{"name": "keys/a"}, false},
		{m{"save_as": "keys/a"}, true},
		{m{"output": "see\nkeys/a"}, false},
		{m{"files": "src/b,keys/a"}, true},
		{m{"files": "src/b\nkeys/a"}, true},
		{m{"patch": "diff --git a/b b/keys/a\nrename from b\nrename to keys/a\n"}, true},
		{m{"unified_diff": "--- \"a/\\153eys/a\"\n+++ \"b/\\153eys/a\"\n"}, true},
		{m{"content": "--- a/keys/a\n+++ b/keys/a\n"}, false},
		{m{"file_path": "$PWD/keys/a"}, true},
		{m{"file_path": "${PWD}/keys/a"}, true},
		{m{"file_path": "$PWDX/keys/a"}, false},
	} {
		var e hook.Engine
		add(t, &e, "h", says(hook.Block("no")), hook.As(hook.Guard), hook.MatchPath("keys/**"))
		ev := hook.PreToolUse.New(hook.Envelope{CWD: t.TempDir()}, hook.ToolUse{ToolName: "mcp__x__y", ToolInput: c.input})
		out, err := e.Fire(t.Context(), ev)
		if got := out.Action == hook.ActionBlock; err != nil || got != c.want {
			t.Errorf("%v: matched %v, want %v; error %v", c.input, got, c.want, err)
		}
	}
}
