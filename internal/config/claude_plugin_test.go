//go:build unix

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// claudeHome is a path in the user's folder of Claude Code.
func (w *world) claudeHome(name string) string {
	return filepath.Join(w.env["HOME"], ".claude", filepath.FromSlash(name))
}

// plugin puts a plugin into the cache of Claude Code, as one that is installed.
func (w *world) plugin(id, hooks string) (root string) {
	name, market, _ := strings.Cut(id, "@")
	root = w.claudeHome("plugins/cache/" + market + "/" + name + "/1.0.0")
	w.write(filepath.Join(root, ".claude-plugin/plugin.json"), fmt.Sprintf(`{"name": %q, "version": "1.0.0"}`, name))
	if hooks != "" {
		w.write(filepath.Join(root, "hooks/hooks.json"), hooks)
	}
	return root
}

// pluginWorld is a user who imports Claude Code's hooks, and has settings.
func pluginWorld(t *testing.T, settings string) *world {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "import: claude\n")
	w.write(w.claudeHome("settings.json"), settings)
	return w
}

const pluginBlocks = `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo $CLAUDE_PLUGIN_ROOT $CLAUDE_PLUGIN_DATA >&2; test -d \"$CLAUDE_PLUGIN_DATA\" && exit 2"}]}]}}`

func TestHooksOfPluginsRunInTheirEnvironment(t *testing.T) {
	w := pluginWorld(t, `{"enabledPlugins": {"guard@mk": true, "off@mk": false}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
	root := w.plugin("guard@mk", pluginBlocks)
	w.plugin("off@mk", pluginBlocks)
	set := w.load()
	w.want(set, "claude:Stop:1 active, plugin:guard@mk:PreToolUse:1 active")
	out := fireFrom(t, fill(t, set), "codex", working(w.ws, shellCall("ls")))
	if want := root + " " + w.claudeHome("plugins/data/guard-mk"); out.Action != hook.ActionBlock || strings.TrimSpace(out.Reason) != want {
		t.Errorf("%s %q, want %q", out.Action, out.Reason, want)
	}
	if set.Hooks[1].File != filepath.Join(root, "hooks/hooks.json") || len(set.Warnings) > 0 {
		t.Errorf("%s, warnings %s", set.Hooks[1].File, set.Warnings)
	}
}

func TestAPluginsManifestNamesHooks(t *testing.T) {
	w := pluginWorld(t, `{"enabledPlugins": {"guard@mk": ["1.0.0"]}}`)
	root := w.plugin("guard@mk", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
	w.write(filepath.Join(root, ".claude-plugin/plugin.json"), `{"name": "guard", "hooks": ["./hooks/hooks.json", "./more.json", "../../out.json", "./gone.json",
  {"PreToolUse": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/g.sh", "args": ["${CLAUDE_PLUGIN_DATA}"]}]}]}]}`)
	w.write(filepath.Join(root, "more.json"), `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "false"}]}]}}`)
	w.write(filepath.Join(root, "g.sh"), "#!/bin/sh\necho $1 >&2\nexit 2\n")
	set := w.load()
	w.want(set, "plugin:guard@mk:Stop:1 active, plugin:guard@mk:Stop:2 active, plugin:guard@mk:PreToolUse:1 active")
	if len(set.Warnings) != 2 || !strings.Contains(set.Warnings.String(), "outside of the plugin") || !strings.Contains(set.Warnings.String(), "gone.json") {
		t.Errorf("warnings %s", set.Warnings)
	}
	if out := fireFrom(t, fill(t, set), "codex", working(w.ws, shellCall("ls"))); strings.TrimSpace(out.Reason) != w.claudeHome("plugins/data/guard-mk") {
		t.Errorf(`got %q, want strings.TrimSpace(out.Reason) == w.claudeHome("plugins/data/guard-mk")`, out.Reason)
	}
}

func TestPluginsLieWhereClaudeCodeHasThem(t *testing.T) {
	w := pluginWorld(t, `{"enabledPlugins": {"guard@mk": true, "shelf@mk": true, "listed@mk": true}}`)
	w.plugin("guard@mk", `{"hooks": {}}`)
	elsewhere := filepath.Join(w.home, "elsewhere")
	w.write(filepath.Join(elsewhere, "hooks/hooks.json"), pluginBlocks)
	w.write(w.claudeHome("plugins/installed_plugins.json"), fmt.Sprintf(`{"version": 2, "plugins": {"guard@mk": [
  {"scope": "project", "projectPath": "/other", "installPath": "/nowhere"}, {"scope": "user", "installPath": %q}]}}`, elsewhere))
	market := filepath.Join(w.home, "market")
	w.write(w.claudeHome("plugins/known_marketplaces.json"), fmt.Sprintf(`{"mk": {"source": {"source": "directory", "path": %q}, "installLocation": %q}}`, market, market))
	w.write(filepath.Join(market, ".claude-plugin/marketplace.json"), `{"name": "mk", "plugins": [{"name": "shelf", "source": "./plugins/shelf"},
  {"name": "shelf", "source": "./plugins/other"}, {"name": "listed", "source": "./plugins/listed", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}]}`)
	w.write(filepath.Join(market, "plugins/shelf/hooks/hooks.json"), pluginBlocks)
	w.must(os.MkdirAll(filepath.Join(market, "plugins/listed"), 0o755))
	set := w.load()
	w.want(set, "plugin:guard@mk:PreToolUse:1 active, plugin:listed@mk:Stop:1 active, plugin:shelf@mk:PreToolUse:1 active")
	if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0].Message, "two plugins have the id shelf@mk") {
		t.Errorf("warnings %s", set.Warnings)
	}
	w.write(w.claudeHome("plugins/installed_plugins.json"), `{"version": 2, "plugins": {`)
	set = w.load()
	w.want(set, "plugin:listed@mk:Stop:1 active, plugin:shelf@mk:PreToolUse:1 active")
	if len(set.Problems) > 0 || !strings.Contains(set.Warnings.String(), "looked for without it") {
		t.Errorf("problems %s, warnings %s", set.Problems, set.Warnings)
	}
}

func TestABrokenPluginIsToldAndTheOthersRun(t *testing.T) {
	w := pluginWorld(t, `{"enabledPlugins": {"a@mk": true, "b@mk": true, "c@mk": true, "d@mk": true, "e@mk": "yes", "no id": true, "guard@mk": true}}`)
	w.plugin("a@mk", `{"hooks": {"Stop": [}`)
	w.plugin("b@mk", `{"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}`)
	w.plugin("c@mk", `{"hooks": {"Stop": [{"hooks": [{"type": "comand"}, {"type": "command", "command": "true"}]}]}}`)
	w.plugin("guard@mk", pluginBlocks)
	set := w.load()
	w.want(set, "plugin:c@mk:Stop:2 active, plugin:guard@mk:PreToolUse:1 active")
	for _, want := range []string{"a@mk", "stands beside", `"comand"`, "d@mk is enabled, and its hooks are missing", "e@mk must be true or false", `"no id" is not a plugin's id`} {
		if n := strings.Count(set.Warnings.String(), want); n == 0 {
			t.Errorf("no word of %s in\n%s", want, set.Warnings)
		}
	}
	if len(set.Problems) > 0 {
		t.Errorf("problems %s", set.Problems)
	}
}

func TestPluginsOfAWorkspaceNeedItsTrust(t *testing.T) {
	w := settingsWorld(t, `{"enabledPlugins": {"guard@mk": true, "mine@mk": false}, "disableAllHooks": false}`)
	delete(w.env, "HOOKWAY_TRUST")
	root := w.plugin("guard@mk", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/g.sh\""}]}]}}`)
	w.write(filepath.Join(root, "g.sh"), "exit 2\n")
	w.write(w.user("hookway.yaml"), "import: claude\n")
	w.write(w.claudeHome("settings.json"), `{"enabledPlugins": {"mine@mk": true}}`)
	w.plugin("mine@mk", pluginBlocks)
	w.want(w.load(), "plugin:mine@mk:PreToolUse:1 active, plugin:guard@mk:PreToolUse:1 untrusted")
	status := w.trust()
	for _, want := range []string{filepath.Join(root, "g.sh"), filepath.Join(root, "hooks/hooks.json"), ".claude/settings.json"} {
		if !slices.Contains(status.Files, want) {
			t.Errorf("%s is not pinned: %q", want, status.Files)
		}
	}
	w.want(w.load(), "plugin:mine@mk:PreToolUse:1 disabled, plugin:guard@mk:PreToolUse:1 active")
	w.write(w.claudeHome("settings.json"), `{"enabledPlugins": {"mine@mk": true, "guard@mk": true}}`)
	w.want(w.load(), "plugin:guard@mk:PreToolUse:1 active, plugin:mine@mk:PreToolUse:1 disabled")
	w.write(w.claudeHome("settings.json"), `{"enabledPlugins": {"mine@mk": true}}`)
	w.write(filepath.Join(root, "g.sh"), "exit 0\n")
	w.want(w.load(), "plugin:mine@mk:PreToolUse:1 active, plugin:guard@mk:PreToolUse:1 untrusted")
}

func TestManagedSettingsGoBeforeAll(t *testing.T) {
	w := settingsWorld(t, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo project"}]}]}, "disableAllHooks": true}`)
	w.write(w.user("hookway.yaml"), "import: claude\n")
	w.write(w.claudeHome("settings.json"), entryOf("Stop", "", `"command": "echo user"`))
	load := func() *Set {
		t.Helper()
		o := w.options()
		o.managedClaude = filepath.Join(w.home, "managed")
		set, err := Load(t.Context(), o)
		w.must(err)
		t.Cleanup(func() { w.must(set.Close()) })
		return set
	}
	w.want(load(), "claude:Stop:1 disabled, workspace/claude:Stop:1 disabled")
	w.write(filepath.Join(w.home, "managed/managed-settings.json"), entryOf("Stop", "", `"command": "echo managed"`))
	w.write(filepath.Join(w.home, "managed/managed-settings.d/10-more.json"), entryOf("Stop", "", `"command": "echo more"`))
	w.want(load(), "claude-managed:Stop:1 active, claude-managed/10-more:Stop:1 active, claude:Stop:1 disabled, workspace/claude:Stop:1 disabled")
	w.write(filepath.Join(w.home, "managed/managed-settings.d/20-off.json"), `{"disableAllHooks": false}`)
	w.want(load(), "claude-managed:Stop:1 active, claude-managed/10-more:Stop:1 active, claude:Stop:1 active, workspace/claude:Stop:1 active")
	w.write(filepath.Join(w.home, "managed/managed-settings.d/20-off.json"), `{"allowManagedHooksOnly": true}`)
	w.write(w.work(".claude/settings.json"), entryOf("Stop", "", `"command": "echo project"`))
	w.want(load(), "claude-managed:Stop:1 active, claude-managed/10-more:Stop:1 active, claude:Stop:1 disabled, workspace/claude:Stop:1 disabled")
	w.write(filepath.Join(w.home, "managed/managed-settings.d/20-off.json"), `{"disableAllHooks": true}`)
	w.want(load(), "claude-managed:Stop:1 disabled, claude-managed/10-more:Stop:1 disabled, claude:Stop:1 disabled, workspace/claude:Stop:1 disabled")
}
