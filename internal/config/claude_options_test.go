//go:build unix

package config

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/trust"
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
	if out.Action != hook.ActionBlock || len(out.Steps) != 2 {
		t.Errorf("got %s, %+v, want out.Action == hook.ActionBlock and len(out.Steps) == 2", out.Action, out.Steps)
	} else if out.Steps[0].Err == nil || out.Steps[1].Err == nil {
		t.Errorf("got %s, %+v, want out.Steps[0].Err != nil and out.Steps[1].Err != nil", out.Action, out.Steps)
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
		t.Errorf(`got %q; %s, want strings.TrimSpace(out.Reason) == "project local user theirs"`, out.Reason, set.Problems)
	}
}

// TestVariablesOfAWorkspaceAreTrustedWithWhatTheyName: they reach the user's hooks of
// Claude Code, which run what they name.
func TestVariablesOfAWorkspaceAreTrustedWithWhatTheyName(t *testing.T) {
	for _, c := range []struct{ name, env, file, unknown string }{
		{"sourced", `"BASH_ENV": "./tools/env.sh"`, "tools/env.sh", ""},
		{"programs", `"PATH": "./tools/bin:/usr/bin:/bin"`, "tools/bin/jq", ""},
		{"options", `"NODE_OPTIONS": "--require ./tools/a.js"`, "tools/a.js", ""},
		{"loaded", `"LD_PRELOAD": "./tools/a.so"`, "tools/a.so", ""},
		{"a folder", `"PYTHONPATH": "./tools/py"`, "tools/py/json.py", ""},
		{"by a line", `"LINT": "./tools/lint.sh"`, "tools/lint.sh", ""},
		{"everything", `"PATH": ".:/usr/bin:/bin"`, "", "claude:env PATH=.:/usr/bin:/bin"},
		{"nothing", `"TEAM": "red"`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := settingsWorld(t, `{"env": {`+c.env+`}}`)
			delete(w.env, "HOOKWAY_TRUST")
			w.write(w.user("hookway.yaml"), "import: claude\n")
			w.write(w.claudeHome("settings.json"), entryOf("PreToolUse", "", `"command": "sh ./own.sh; . $OTHER; sh $LINT"`))
			for _, file := range []string{"own.sh", "tools/env.sh", "tools/bin/jq", "tools/a.js", "tools/a.so", "tools/py/json.py", "tools/lint.sh"} {
				w.write(w.work(file), "#!/bin/sh\n")
			}
			status := w.trust()
			var unknown []string
			for _, u := range status.Unknown {
				unknown = append(unknown, u.Hook+" "+u.Word)
			}
			if got := strings.Join(unknown, "; "); got != c.unknown {
				t.Errorf("unknown %q, want %q", got, c.unknown)
			}
			want := strings.TrimSpace(".claude/settings.json hookway.yaml " + c.file)
			if got := strings.Join(status.Files, " "); got != want {
				t.Errorf("pinned %q, want %q", got, want)
			}
			if set := w.load(); c.unknown == "" && set.Trust.State != trust.Given {
				t.Errorf("before a change: %s %v", set.Trust.State, set.Trust.Changes)
			}
			if c.file == "" {
				return
			}
			w.write(w.work(c.file), "#!/bin/sh\ntouch here\n")
			if set := w.load(); set.Trust.State != trust.Changed {
				t.Errorf("%s changed: %s", c.file, set.Trust.State)
			}
		})
	}
}

// TestVariablesOfAWorkspaceAreReadInTheHooksThatTheyReach: a value that names no file by
// itself may decide which one a hook runs.
func TestVariablesOfAWorkspaceAreReadInTheHooksThatTheyReach(t *testing.T) {
	for _, c := range []struct{ name, env, line, file, unknown string }{
		{"a folder", `"TOOLS": "./tools"`, "sh ./own.sh; . $OTHER; sh $TOOLS/x.sh", "tools/x.sh", ""},
		{"a part of a name", `"LINT": "x"`, "sh tools/$LINT.sh", "tools/x.sh", ""},
		{"where it goes", `"AT": "tools"`, `cd "$AT" && sh ./x.sh`, "tools/x.sh", ""},
		{"a script of the script", `"TOOLS": "./tools"`, "sh $TOOLS/outer.sh", "tools/outer.sh tools/x.sh", ""},
		{"instead of the user's", `"DIR": "./tools"`, "sh $DIR/x.sh", "tools/x.sh", ""},
		{"with what nobody knows", `"TOOLS": "./tools"`, "sh $TOOLS/$OTHER", "", "claude:PreToolUse:1 $TOOLS/$OTHER"},
		{"not in the line", `"TEAM": "red"`, "sh ./own.sh; . $OTHER", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, shared := range []bool{false, true} { // the hook is the workspace's
				w := settingsWorld(t, `{"env": {`+c.env+`}}`)
				delete(w.env, "HOOKWAY_TRUST")
				w.write(w.user("hookway.yaml"), "import: claude\n")
				hooks := `"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": ` + strconv.Quote(c.line) + `}]}]}`
				if shared {
					w.write(w.claudeHome("settings.json"), `{"env": {"DIR": "./other"}}`)
					w.write(w.work(".claude/settings.json"), `{"env": {`+c.env+`}, `+hooks+`}`)
				} else {
					w.write(w.claudeHome("settings.json"), `{"env": {"DIR": "./other"}, `+hooks+`}`)
				}
				for _, name := range []string{"own.sh", "tools/x.sh", "other/x.sh"} {
					w.write(w.work(name), "#!/bin/sh\n")
				}
				w.write(w.work("tools/outer.sh"), "#!/bin/sh\n. tools/x.sh\n")
				status := w.trust()
				var unknown []string
				for _, u := range status.Unknown {
					unknown = append(unknown, u.Hook+" "+u.Word)
				}
				if got := strings.Join(unknown, "; "); !shared && got != c.unknown {
					t.Errorf("unknown %q, want %q", got, c.unknown)
				}
				want := strings.Fields(".claude/settings.json hookway.yaml " + c.file)
				if shared && strings.Contains(c.line, "own.sh") {
					want = append(want, "own.sh")
				}
				slices.Sort(want)
				if got := slices.Sorted(slices.Values(status.Files)); !slices.Equal(got, want) {
					t.Errorf("pinned %q, want %q", got, want)
				}
				if set := w.load(); set.Trust.State != trust.Given {
					t.Errorf("before a change: %s %v", set.Trust.State, set.Trust.Changes)
				}
				for name := range strings.FieldsSeq(c.file) {
					w.write(w.work(name), "#!/bin/sh\ntouch here\n")
					if set := w.load(); set.Trust.State != trust.Changed {
						t.Errorf("%s changed: %s", name, set.Trust.State)
					}
				}
			}
		})
	}
}

// TestTrustReadsTheUsersPluginsAndManagedSettingsAsALoadDoes: what they make of the
// variables of a workspace is pinned, and it is the same at both times.
func TestTrustReadsTheUsersPluginsAndManagedSettingsAsALoadDoes(t *testing.T) {
	hook := func(line string) string {
		return `"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": ` + strconv.Quote(line) + `}]}]}`
	}
	const line = `sh $TOOLS/x.sh "$CLAUDE_PLUGIN_ROOT"`
	for _, c := range []struct{ name, user, settings, managed, plugin, shared, file string }{
		{name: "a plugin of the user", user: "claude", settings: `{"enabledPlugins": {"guard@mk": true}}`, plugin: line, file: "tools/x.sh"},
		{name: "a plugin that is off", user: "claude", settings: `{"enabledPlugins": {"guard@mk": false}}`, plugin: line},
		{name: "a plugin of the organisation", user: "claude", managed: `"enabledPlugins": {"guard@mk": true}`, plugin: line},
		{name: "a plugin of both", user: "claude", settings: `{"enabledPlugins": {"guard@mk": true}}`, managed: `"enabledPlugins": {"guard@mk": true}`, plugin: line, file: "tools/x.sh"},
		{name: "a plugin of the user and the workspace", user: "claude", settings: `{"enabledPlugins": {"guard@mk": true}}`, shared: `, "enabledPlugins": {"guard@mk": true}`, plugin: line,
			file: "PLUGIN tools/x.sh"},
		{name: "a plugin of the workspace", shared: `, "enabledPlugins": {"guard@mk": true}`, plugin: line, file: "PLUGIN tools/x.sh"},
		{name: "hooks of the organisation", user: "claude", managed: hook(line)},
		{name: "hooks of the organisation, for the workspace", managed: hook(line)},
		{name: "the organisation's variable goes first", user: "claude", settings: "{" + hook(line) + "}", managed: `"env": {"TOOLS": "./other"}`},
		{name: "the organisation's other variable", user: "claude", settings: "{" + hook(`sh $TOOLS/$NAME.sh`) + "}", managed: `"env": {"NAME": "x"}`, file: "tools/x.sh"},
		{name: "the user's option of a plugin", user: "claude", settings: `{"enabledPlugins": {"guard@mk": true}, "pluginConfigs": {"guard@mk": {"options": {"mode": "x"}}}}`,
			plugin: `sh $TOOLS/$CLAUDE_PLUGIN_OPTION_MODE.sh`, file: "tools/x.sh"},
		{name: "a user who imports nothing", settings: "{" + hook(line) + "}"},
		{name: "an event of the user's", user: "claude\nevents: [{name: Deployed}]", shared: `, "hooks": {"Deployed": [{"hooks": [{"type": "command", "command": "sh own.sh"}]}]}`, file: "own.sh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := settingsWorld(t, `{"env": {"TOOLS": "./tools"}`+c.shared+`}`)
			delete(w.env, "HOOKWAY_TRUST")
			if w.managed = filepath.Join(w.home, "managed"); c.managed != "" {
				w.write(filepath.Join(w.managed, "managed-settings.json"), "{"+c.managed+"}")
			}
			if c.user != "" {
				w.write(w.user("hookway.yaml"), "import: "+c.user+"\n")
			}
			if c.settings != "" {
				w.write(w.claudeHome("settings.json"), c.settings)
			}
			plugin := filepath.Join(w.claudeHome("plugins/cache/mk/guard/1.0.0"), "hooks/hooks.json")
			if c.plugin != "" {
				w.plugin("guard@mk", "{"+hook(c.plugin)+"}")
			}
			for _, name := range []string{"own.sh", "tools/x.sh", "other/x.sh"} {
				w.write(w.work(name), "#!/bin/sh\n")
			}
			var want, got []string
			for name := range strings.FieldsSeq(".claude/settings.json hookway.yaml " + c.file) {
				if name == "PLUGIN" {
					want = append(want, filepath.ToSlash(plugin), filepath.ToSlash(filepath.Join(w.claudeHome("plugins/cache/mk/guard/1.0.0"), ".claude-plugin/plugin.json")))
					continue
				}
				want = append(want, name)
			}
			got = append(got, w.trust().Files...)
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("pinned %q, want %q", got, want)
			}
			if set := w.load(); set.Trust.State != trust.Given || len(set.Problems) > 0 {
				t.Errorf("before a change: got %s %v, want %s; %s", set.Trust.State, set.Trust.Changes, trust.Given, set.Problems)
			}
			for name := range strings.FieldsSeq(strings.ReplaceAll(c.file, "PLUGIN", "")) {
				w.write(w.work(name), "#!/bin/sh\ntouch here\n")
				if set := w.load(); set.Trust.State != trust.Changed {
					t.Errorf("%s changed: got %s, want %s", name, set.Trust.State, trust.Changed)
				}
			}
		})
	}
}

// TestManagedHooksHaveNoVariablesOfAWorkspace: whichever layer imports them.
func TestManagedHooksHaveNoVariablesOfAWorkspace(t *testing.T) {
	for _, both := range []bool{false, true} {
		w := settingsWorld(t, `{"env": {"A": "project", "B": "project", "C": "project"}}`)
		want := "managed"
		if both {
			w.write(w.user("hookway.yaml"), "import: claude\n")
			w.write(w.claudeHome("settings.json"), `{"env": {"B": "user"}}`)
			want = "managed user"
		}
		w.write(filepath.Join(w.home, "managed/managed-settings.json"), `{"env": {"A": "managed"}, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo $A $B $C >&2; exit 2"}]}]}}`)
		w.trust()
		w.managed = filepath.Join(w.home, "managed")
		set := w.load()
		if out := fireFrom(t, fill(t, set), "codex", working(w.ws, shellCall("ls"))); strings.TrimSpace(out.Reason) != want {
			t.Errorf("%q, want %q; %s", out.Reason, want, set.Problems)
		}
	}
}
