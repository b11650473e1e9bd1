package config

import (
	"context"
	"testing"
)

func TestAToolUnderAnAgentsOwnNameIsAWarning(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), `import: claude
hooks:
  - id: a
    on: PreToolUse
    match: {tool: [Bash, run_shell_command], not: {tool: 'Edit|apply_*|shell'}}
    block: true
`)
	w.write(w.env["HOME"]+"/.claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "shell", "hooks": [{"type": "command", "command": "true"}]}]}}`)
	options := w.options()
	options.ToolNames = func(native string) (string, bool) {
		name, ok := map[string]string{"run_shell_command": "Bash", "shell": "Bash", "Edit": "Edit"}[native]
		return name, ok
	}
	set, err := Load(context.Background(), options)
	w.must(err)
	w.want(set, "a active, claude:PreToolUse:1 active")
	want := w.user("hookway.yaml") + `:5:26: hook "a": the tool "run_shell_command" is known here as Bash, under every agent
    write Bash
` + w.user("hookway.yaml") + `:5:58: hook "a": the tool "shell" is known here as Bash, under every agent
    write Bash
` + w.env["HOME"] + `/.claude/settings.json:1:39: hook "claude:PreToolUse:1": the tool "shell" is known here as Bash, under every agent
    write Bash`
	if got := set.Warnings.String(); got != want {
		t.Errorf("warnings\n%s\nwant\n%s", got, want)
	}
	w.must(set.Close())
}
