//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestOptionsOfPluginsReachTheirHooks(t *testing.T) {
	w := pluginWorld(t, `{"enabledPlugins": {"guard@mk": true}, "env": {"TEAM": "red", "LEVEL": 3, "BAD=NAME": "x", "LIST": [1]},
  "pluginConfigs": {"guard@mk": {"options": {"mode": "strict", "max-size": 7, "on": true, "words": ["a", "b"], "tone": "kind $(touch x)"}}, "other@mk": {"options": {"mode": "lax"}}}}`)
	root := w.plugin("guard@mk", `{"hooks": {
  "PreToolUse": [{"hooks": [{"type": "command", "command": "echo $CLAUDE_PLUGIN_OPTION_MODE $CLAUDE_PLUGIN_OPTION_MAX_SIZE $CLAUDE_PLUGIN_OPTION_ON $CLAUDE_PLUGIN_OPTION_WORDS [$CLAUDE_PLUGIN_OPTION_TONE] [$CLAUDE_PLUGIN_OPTION_KEY] $TEAM $LEVEL >&2; exit 2"}]}],
  "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "sh", "args": ["-c", "echo $1 >&2; exit 2", "x", "${user_config.mode}; ${user_config.tone} ${CLAUDE_PLUGIN_ROOT}"]}]}],
  "PostToolUse": [{"hooks": [{"type": "command", "command": "echo ${user_config.mode}; exit 2", "onFailure": "block"}]},
                  {"hooks": [{"type": "command", "command": "echo", "args": ["${user_config.gone}"]}]}]}}`)
	w.write(filepath.Join(root, ".claude-plugin/plugin.json"), `{"name": "guard", "userConfig": {"mode": {"type": "string", "default": "lax"},
  "tone": {"type": "string", "default": "unused"}, "max-size": {"type": "number", "default": 1}, "KEY": {"type": "string", "sensitive": true}, "none": {"type": "string"}}}`)
	w.write(w.work("hookway.yaml"), "import: claude\n")
	w.write(w.work(".claude/settings.json"), `{"pluginConfigs": {"guard@mk": {"options": {"mode": "of a stranger"}}}, "env": {"TEAM": "of a stranger"}}`)
	set := w.load()
	e := fill(t, set)
	if out := fireFrom(t, e, "codex", working(w.ws, shellCall("ls"))); strings.TrimSpace(out.Reason) != "strict 7 true a,b [kind $(touch x)] [] red 3" {
		t.Errorf("variables: %q", out.Reason)
	}
	if out := fireFrom(t, e, "codex", hook.AgentStart.New(hook.Envelope{CWD: w.ws}, hook.AgentRun{Prompt: "hi"})); strings.TrimSpace(out.Reason) != "strict; kind $(touch x) "+root {
		t.Errorf("words: %q", out.Reason)
	}
	out := fireFrom(t, e, "codex", hook.PostToolUse.New(hook.Envelope{CWD: w.ws}, hook.ToolResult{ToolUse: hook.ToolUse{ToolName: "Bash"}}))
	if out.Action != hook.ActionBlock || len(out.Steps) != 2 || out.Steps[0].Err == nil || out.Steps[1].Err == nil {
		t.Errorf("%s, %+v", out.Action, out.Steps)
	}
	told := set.Warnings.String()
	for _, want := range []string{"keeps its option KEY where hookway does not look", "CLAUDE_PLUGIN_OPTION_KEY", "a line of the shell names ${user_config.mode}", "the option gone of the plugin guard@mk is not set", "BAD=NAME", "LIST must be a text"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told: %s", want, told)
		}
	}
}

func TestVariablesOfSettingsGoByTheirScopes(t *testing.T) {
	w := settingsWorld(t, `{"env": {"A": "project", "B": "project"}, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo $A $B $C $HOOKWAY_TEST_D >&2; exit 2"}]}]}}`)
	w.write(w.work(".claude/settings.local.json"), `{"env": {"B": "local"}}`)
	w.write(w.user("hookway.yaml"), "import: claude\n")
	w.write(w.claudeHome("settings.json"), `{"env": {"A": "user", "C": "user", "HOOKWAY_TEST_D": "theirs"}}`)
	t.Setenv("HOOKWAY_TEST_D", "of the agent")
	set := w.load()
	if out := fireFrom(t, fill(t, set), "codex", working(w.ws, shellCall("ls"))); strings.TrimSpace(out.Reason) != "project local user theirs" {
		t.Errorf("%q; %s", out.Reason, set.Problems)
	}
}
