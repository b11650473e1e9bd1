package config

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

func TestAnAgentThatIsNearlyOneIsAWarning(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), `guards:
  budget: {agents: {cluade: {calls: 5}, Alice: {calls: 6}, Codex: {calls: 7}, claude: {calls: 8}}}
hooks:
  - {id: a, on: PreToolUse, match: {agent: [geminy, Cody, 'cl*']}, block: x}
`)
	options := w.options()
	options.Agents = []string{"claude", "codex", "gemini"}
	set, err := Load(context.Background(), options)
	w.must(err)
	var got []string
	for _, p := range set.Warnings {
		got = append(got, fmt.Sprintf("%d:%d %s %s", p.Line, p.Column, p.Message, p.Hint))
	}
	want := `4:45 no agent that hookway knows is called "geminy" did you mean gemini?
2:21 no agent that hookway knows is called "cluade" did you mean claude?
2:60 no agent that hookway knows is called "Codex" did you mean codex?`
	slices.Sort(got)
	wants := strings.Split(want, "\n")
	slices.Sort(wants)
	if !slices.Equal(got, wants) {
		t.Errorf("warnings %q, want %q", got, wants)
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
