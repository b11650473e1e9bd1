package client

import (
	"fmt"
	"path/filepath"
)

// Key is what the agents send as their API key. Claude Code asks before it uses
// a key that its user has not approved, by its last 20 characters.
const Key = "dummy-key-for-the-scripted-model"

// Client is one published program.
type Client struct {
	Name     string // as hookway install knows it
	Variable string // of the environment, which names the program
	// Argv is its command line for one turn without a terminal; the prompt comes
	// after it.
	Argv []string
	// Settle gives the settings that it needs, whatever hooks it.
	Settle func(World) Settings
}

// World is where an agent is to live.
type World struct {
	Home    string // of its user
	Project string // that it works in
	URL     string // of the model, without a path
}

// Settings are files by their paths, and variables of the environment.
type Settings struct {
	Files map[string]string
	Env   []string
}

// All are all agents that can be run.
var All = []*Client{Claude, Codex, Gemini, Qwen, Copilot, OpenCode}

// Claude is Claude Code.
var Claude = &Client{
	Name: "claude", Variable: "HOOKWAY_E2E_CLAUDE",
	Argv: []string{"--allowedTools", "Bash,Read,Edit,Write", "-p"},
	Settle: func(w World) Settings {
		return Settings{map[string]string{
			filepath.Join(w.Home, ".claude.json"): fmt.Sprintf(
				`{"hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": [%q]}, "projects": {%q: {"hasTrustDialogAccepted": true}}}`,
				Key[len(Key)-20:], w.Project),
			filepath.Join(w.Project, ".claude", "settings.json"): "{\n  \"env\": {\"OF_THE_USER\": \"1\"}\n}\n",
		}, []string{
			"ANTHROPIC_BASE_URL=" + w.URL, "ANTHROPIC_API_KEY=" + Key,
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_TELEMETRY=1",
		}}
	},
}

// Codex is Codex CLI.
var Codex = &Client{
	Name: "codex", Variable: "HOOKWAY_E2E_CODEX",
	Argv: []string{"exec", "--skip-git-repo-check"},
	Settle: func(w World) Settings {
		return Settings{map[string]string{filepath.Join(w.Home, ".codex", "config.toml"): fmt.Sprintf(`# of the user
model = "scripted"
model_provider = "scripted"
model_context_window = 100000
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false

[analytics]
enabled = false

[projects.%q]
trust_level = "trusted"
`, w.URL, w.Project)}, []string{"SCRIPTED_API_KEY=" + Key}}
	},
}

// Gemini is Gemini CLI.
var Gemini = &Client{
	Name: "gemini", Variable: "HOOKWAY_E2E_GEMINI",
	Argv: []string{"--approval-mode", "yolo", "-p"},
	Settle: func(w World) Settings {
		return Settings{map[string]string{filepath.Join(w.Home, ".gemini", "settings.json"): `{
  // of the user
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": {"enableAutoUpdate": false},
  "model": {"name": "gemini-2.5-pro"},
  "privacy": {"usageStatisticsEnabled": false}
}
`}, []string{
			"GEMINI_API_KEY=" + Key, "GOOGLE_GEMINI_BASE_URL=" + w.URL,
			"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true",
		}}
	},
}

// Qwen is Qwen Code.
var Qwen = &Client{
	Name: "qwen", Variable: "HOOKWAY_E2E_QWEN",
	Argv: []string{"--auth-type", "openai", "--approval-mode", "yolo", "-p"},
	Settle: func(w World) Settings {
		return Settings{map[string]string{filepath.Join(w.Home, ".qwen", "settings.json"): `{
  "general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false}
}
`}, []string{"OPENAI_API_KEY=" + Key, "OPENAI_BASE_URL=" + w.URL + "/v1", "OPENAI_MODEL=scripted"}}
	},
}

// Copilot is GitHub Copilot CLI.
var Copilot = &Client{
	Name: "copilot", Variable: "HOOKWAY_E2E_COPILOT",
	Argv: []string{"--allow-all-tools", "-p"},
	Settle: func(w World) Settings {
		return Settings{map[string]string{
			filepath.Join(w.Home, ".copilot", "config.json"): fmt.Sprintf(`{"trusted_folders": [%q]}`+"\n", w.Project),
		}, []string{
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_MODEL=scripted",
			"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL=" + w.URL + "/v1", "COPILOT_PROVIDER_API_KEY=" + Key,
			"GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true",
		}}
	},
}

// OpenCode is OpenCode.
var OpenCode = &Client{
	Name: "opencode", Variable: "HOOKWAY_E2E_OPENCODE",
	Argv: []string{"run", "--model", "scripted/scripted"},
	Settle: func(w World) Settings {
		return Settings{map[string]string{filepath.Join(w.Home, ".config", "opencode", "opencode.json"): fmt.Sprintf(`{
  "autoupdate": false, "share": "disabled", "enabled_providers": ["scripted"],
  "provider": {"scripted": {
    "npm": "@ai-sdk/openai-compatible", "name": "scripted",
    "options": {"baseURL": "%s/v1", "apiKey": "%s"},
    "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 100000, "output": 8000}}}
  }}
}
`, w.URL, Key)}, []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}}
	},
}
