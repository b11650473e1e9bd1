package config

import (
	"context"
	"testing"

	"github.com/hookway/hookway/hook"
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

func TestASourceThatIsNearlyOneIsAWarning(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), `hooks:
  - id: a
    on: PreToolUse
    match: {source: [claude, cluade, Codex, 'gem*', my-own-program], not: {source: rum}}
    block: true
`)
	options := w.options()
	options.Sources = []string{"claude", "codex", "gemini", "run", "cli"}
	set, err := Load(context.Background(), options)
	w.must(err)
	w.want(set, "a active")
	want := w.user("hookway.yaml") + `:4:30: hook "a": no event of hookway's own has the source "cluade"
    did you mean claude?
` + w.user("hookway.yaml") + `:4:38: hook "a": no event of hookway's own has the source "Codex"
    did you mean codex?
` + w.user("hookway.yaml") + `:4:84: hook "a": no event of hookway's own has the source "rum"
    did you mean run?`
	if got := set.Warnings.String(); got != want {
		t.Errorf("warnings\n%s\nwant\n%s", got, want)
	}
	w.must(set.Close())
}

func TestAHookCanBeForTheEventsOfSomeAgentsOnly(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: a, on: PreToolUse, match: {source: [claude, 'cur*']}, block: true}\n  - {id: b, on: PreToolUse, match: {source: run}, block: true}\n")
	e := fill(t, w.load())
	for source, by := range map[string]string{"claude": "a", "cursor": "a", "run": "b", "codex": "", "": ""} {
		out, err := hook.Fire(context.Background(), e, hook.PreToolUse, &hook.Envelope{Session: "s", Source: source}, hook.ToolUse{ToolName: "Bash"})
		if err != nil || out.By != by {
			t.Errorf("of %q: by %q, %v; want %q", source, out.By, err, by)
		}
	}
}
