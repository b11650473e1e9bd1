package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// In short: what facts say of an act, as "delete /home/u/work".
func inShort(fs []hook.Fact) []string {
	var out []string
	for _, f := range fs {
		s := f.Does
		for _, more := range []string{f.Path, f.Host, f.Kind} {
			if more != "" {
				s += " " + more
			}
		}
		if f.Does != "run" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

func TestCallsOfTools(t *testing.T) {
	const key = "AKIAQ3EGR5T7XW2NZP4K"
	w := World{Dir: "/home/u/p", Home: "/home/u"}
	type in = map[string]any
	for _, c := range []struct {
		name, tool string
		input      in
		want       string
	}{
		{"words in place of a line", "Bash", in{"command": []any{"rm", "-rf", "/home/u/x"}}, "delete /home/u/x"},
		{"words of a Go program", "Bash", in{"command": []string{"rm", "-rf", "/home/u/x"}}, "delete /home/u/x"},
		{"words for a tool of a server", "mcp__shell__run", in{"command": []any{"rm", "-rf", "/home/u/x"}}, "delete /home/u/x"},
		{"a program and its arguments", "mcp__shell__run", in{"command": "rm", "args": []any{"-rf", "/home/u/x"}}, "delete /home/u/x"},
		{"what is typed into a terminal", "write_stdin", in{"session_id": 1.0, "chars": "rm -rf /home/u/x\n"}, "delete /home/u/x"},
		{"what is typed into a page", "mcp__browser__type", in{"text": "rm -rf /home/u/x"}, ""},
		{"a patch as Codex gives it", "Edit", in{"command": "*** Begin Patch\n*** Delete File: /home/u/x\n*** End Patch\n"}, "delete /home/u/x"},
		{"a diff", "apply_patch", in{"diff": "--- a/x.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"}, "delete /home/u/p/x.go"},
		{"a credential in one of several edits", "MultiEdit", in{"file_path": "a", "edits": []any{in{"old_string": "x", "new_string": "id = " + key}}}, "secret aws access key|write /home/u/p/a"},
		{"a credential that a patch adds", "apply_patch", in{"input": "*** Begin Patch\n*** Update File: a\n+id = " + key + "\n*** End Patch"}, "secret aws access key|write /home/u/p/a"},
		{"a credential that a patch takes out", "apply_patch", in{"input": "*** Begin Patch\n*** Update File: a\n-id = " + key + "\n*** End Patch"}, "write /home/u/p/a"},
		{"arguments without a form", "Bash", in{"command": func() {}}, "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(inShort(Call(c.tool, c.input, w)), "|"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
