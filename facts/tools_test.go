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

// Where a call runs in the event's folder or in one that it names, both count, and what
// is sure in one stays so. A folder that the tool is known to take goes alone.
func TestFoldersThatCallsName(t *testing.T) {
	w := World{Dir: "/home/u/p", Home: "/home/u"}
	type in = map[string]any
	for _, c := range []struct {
		name, source, tool string
		input              in
		want               string
	}{
		{"an argument that Bash of Claude Code does not have", "claude", "Bash", in{"command": "rm -rf *", "cwd": "/tmp/x"}, "delete /home/u/p/*|delete /tmp/x/*"},
		{"in other case", "", "Bash", in{"command": "rm -rf *", "WorkDir": "/tmp/x"}, "delete /home/u/p/*|delete /tmp/x/*"},
		{"one that Codex has", "codex", "Bash", in{"command": "rm -rf *", "workdir": "/tmp/x"}, "delete /tmp/x/*"},
		{"one that Codex does not have", "codex", "Bash", in{"command": "rm -rf *", "directory": "/tmp/x"}, "delete /home/u/p/*|delete /tmp/x/*"},
		{"by the tool's own name", "", "exec_command", in{"cmd": "rm -rf *", "workdir": "x"}, "delete /home/u/p/x/*"},
		{"one that Gemini CLI has", "gemini", "Bash", in{"command": "rm -rf *", "dir_path": "x"}, "delete /home/u/p/x/*"},
		{"two of them", "gemini", "Bash", in{"command": "rm -rf *", "dir_path": "x", "directory": "y"}, "delete /home/u/p/*|delete /home/u/p/x/*|delete /home/u/p/y/*"},
		{"a server of tools", "", "mcp__shell__run", in{"command": "rm -rf *", "cwd": "/home/u"}, "delete /home/u/*|delete /home/u/p/*"},
		{"the same in both", "", "Bash", in{"command": "rm -rf /etc/x", "cwd": "/tmp"}, "delete /etc/x"},
		{"too many of them", "", "Bash", in{"command": "ls", "cwd": "/a", "Cwd": "/b", "CWd": "/c", "cWd": "/d", "CWD": "/e"}, "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ev := hook.PreToolUse.New(hook.Envelope{Source: c.source}, hook.ToolUse{ToolName: c.tool, ToolInput: c.input})
			var acts []hook.Fact
			for _, f := range Of(ev, w) {
				if f.Does == "delete" || f.Does == "unknown" {
					acts = append(acts, f)
					if f.Does == "delete" && !f.Sure {
						t.Errorf("got %+v, want it sure", f)
					}
				}
			}
			if got := strings.Join(inShort(acts), "|"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Whatever the name of a tool that runs commands, what its command would do is sure.
func TestCommandsOfTools(t *testing.T) {
	const wants = "rm -rf ~/x"
	w := World{Dir: "/home/u/p", Home: "/home/u"}
	for _, tool := range []string{
		"Bash", "shell", "sh", "zsh", "cmd", "run_shell_command", "exec_command", "execute_command", "execute", "exec", "local_shell",
		"run_command", "run_terminal_cmd", "run_terminal_command", "terminal", "unified_exec", "shell_command", "run_in_terminal",
		"container.exec", "mcp__shell__run_command", "mcp__any__thing", "a_tool_nobody_knows",
	} {
		for _, input := range []map[string]any{
			{"command": wants}, {"cmd": wants}, {"cmd": "ls", "command": wants}, {"cmd": wants, "command": "ls"},
			{"command": []any{"rm", "-rf", "/home/u/x"}}, {"command": "cd /", "cmd": "rm -rf ../x"},
		} {
			sure := false
			for _, f := range Call(tool, input, w) {
				sure = sure || f.Does == "delete" && f.Path == "/home/u/x" && f.Sure
			}
			if !sure {
				t.Errorf("%s %v: got no sure delete of /home/u/x", tool, input)
			}
		}
	}
}

// A call that asks a shell tool for something else than a command says all that it does.
func TestShellToolsWithoutCommand(t *testing.T) {
	for _, c := range []struct {
		input map[string]any
		want  int
	}{{map[string]any{"restart": true}, 0}, {map[string]any{}, 0}, {map[string]any{"line": "rm -rf ~"}, 1}} {
		if got := Call("Bash", c.input, World{}); len(got) != c.want {
			t.Errorf("%v: got %+v, want %d facts", c.input, got, c.want)
		}
	}
}

func TestLiteralsBeyondOneByte(t *testing.T) {
	x := &literalIndex{}
	var all []string
	for i := range 400 {
		text := string([]byte{byte('a' + i/20), byte('a' + i%20)})
		all = append(all, text)
		x.add(&recogniser{literals: []string{text}})
	}
	for _, text := range all {
		found := false
		work := effortFor(text)
		x.scan(text, &work, func(r *recogniser, _, _ int) { found = found || r.literals[0] == text })
		if !found {
			t.Errorf("%q is not found among %d literals", text, len(all))
		}
	}
}
