package hook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestCommandRegexesConcernShellToolsOnly(t *testing.T) {
	m := hook.Match{Command: []string{`rm\s+-rf`}}
	for _, c := range []struct {
		tool string
		want bool
	}{
		{"Bash", true}, {"bash", true}, {"shell", true}, {"PowerShell", true}, {"run_shell_command", true}, {"exec_command", true},
		{"local_shell", true}, {"Terminal", true}, {"shell_command", true}, {"run_in_terminal", true},
		{"Write", false}, {"Read", false}, {"mcp__bash", false}, {"BashOutput", false}, {"", false},
	} {
		use := hook.ToolUse{ToolName: c.tool, ToolInput: map[string]any{"command": "rm -rf /"}}
		if got := matches(t, m, hook.PreToolUse, hook.Envelope{}, use); got != c.want {
			t.Errorf("tool %q: %v, want %v", c.tool, got, c.want)
		}
	}
}

func TestCommandRegexes(t *testing.T) {
	for _, c := range []struct {
		pattern string
		command any
		want    bool
	}{
		{`rm\s+-rf`, "rm -rf /", true},
		{`rm\s+-rf`, "sudo rm \t -rf /", true},
		{`rm\s+-rf`, "rm -r", false},
		{`rm -rf`, "rm  -rf", false},
		{`^git\s+push`, "git push", true},
		{`^git\s+push`, "cd x && git push", false},
		{`(?i)drop\s+table`, "psql -c 'DROP table x'", true},
		{`(?i)straße`, "STRASSE STRAßE", true},
		{`(?i)k`, "\u212a", true}, // the Kelvin sign folds to k
		{`curl[^|]*\|\s*(ba)?sh`, "curl x | sh", true},
		{`(foo|bar)baz`, "barbaz", true},
		{`(foo|)baz`, "baz", true},
		{`a{0,3}`, "zzz", true},
		{`x+y?`, "ax", true},
		{``, "anything", true},
		{`rm\s+-rf`, []any{"rm", "-rf", "/"}, true},
		{`rm\s+-rf`, []string{"rm", "-rf", "/"}, true},
		{`^bash -lc rm`, []any{"bash", "-lc", "rm x"}, true},
		{`7`, []any{"sleep", 7}, true},
		{`x`, []any{}, false},
		{`x`, 7, false},
		{`x`, nil, false},
		{`x`, "", false},
		{`(?s)a.b`, "a\nb", true},
		{`(?m)^rm`, "ls\nrm x", true},
	} {
		use := hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": c.command}}
		if got := matches(t, hook.Match{Command: []string{c.pattern}}, hook.PreToolUse, hook.Envelope{}, use); got != c.want {
			t.Errorf("%s on %q: %v, want %v", c.pattern, c.command, got, c.want)
		}
	}
}

func TestCommandsUnderOtherNames(t *testing.T) {
	for _, key := range []string{"command", "cmd", "script"} {
		use := hook.ToolUse{ToolName: "shell", ToolInput: map[string]any{key: "rm -rf /"}}
		if !matches(t, hook.Match{Command: []string{"^rm"}}, hook.PreToolUse, hook.Envelope{}, use) {
			t.Errorf("a command under %q is not seen", key)
		}
	}
}

// Among a thousand rules exactly those speak that match.
func TestManyCommandRules(t *testing.T) {
	var e hook.Engine
	for i := range 1000 {
		add(t, &e, fmt.Sprintf("rule%d", i), says(hook.Decision{}), hook.MatchCommand(fmt.Sprintf(`(?i)deploy\s+app%d\b|^restart (web|db)%d$`, i, i)))
	}
	for command, want := range map[string]string{"Deploy  APP7 now": "rule7", "restart db999": "rule999", "restart db9999": "", "ls": ""} {
		if got := strings.Join(ids(fire(t, &e, bash(command)).Steps), " "); got != want {
			t.Errorf("%q: %v, want %q", command, got, want)
		}
	}
}

// Which of several arguments a tool runs is not known here, so all count; what
// a "not" lets pass must hold for all of them.
func TestCommandRegexesAreTriedOnEachArgumentThatMayBeTheCommand(t *testing.T) {
	listed := hook.Match{Command: []string{`^ls`}}
	for _, c := range []struct {
		match hook.Match
		input map[string]any
		want  bool
	}{
		{hook.Match{Command: []string{`rm\s+-rf`}}, map[string]any{"command": "ls", "cmd": "rm -rf /"}, true},
		{hook.Match{Command: []string{`rm\s+-rf`}}, map[string]any{"command": "", "script": []any{"rm", "-rf", "/"}}, true},
		{hook.Match{Command: []string{`(?i)RM\s+-RF`}}, map[string]any{"command": "ls", "cmd": "ls", "script": "rm -rf /"}, true},
		{hook.Match{Command: []string{`rm\s+-rf`}}, map[string]any{"command": "ls", "cmd": "ls", "other": "rm -rf /"}, false},
		{hook.Match{Command: []string{`^ls rm`}}, map[string]any{"command": "ls", "cmd": "rm"}, false},
		{hook.Match{Command: []string{``}}, map[string]any{"command": 7}, false},
		{hook.Match{Not: &listed}, map[string]any{"command": "ls", "cmd": "rm -rf /"}, true},
		{hook.Match{Not: &listed}, map[string]any{"command": "ls", "cmd": "ls -l"}, false},
	} {
		use := hook.ToolUse{ToolName: "Bash", ToolInput: c.input}
		if got := matches(t, c.match, hook.PreToolUse, hook.Envelope{}, use); got != c.want {
			t.Errorf("%+v on %v: %v, want %v", c.match, c.input, got, c.want)
		}
	}
}
