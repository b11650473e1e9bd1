//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/e2e/model"
)

// These agents are run only if they are named: see docs/e2e.md.

var gemini = &agent{
	name:    "gemini",
	program: "HOOKWAY_E2E_GEMINI",
	destroy: "rm -rf ./victim",
	settle: func(t *testing.T, w *world) []string {
		w.write(t, filepath.Join(w.home, ".gemini", "settings.json"), `{
  // of the user
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": {"enableAutoUpdate": false},
  "model": {"name": "gemini-2.5-pro"},
  "privacy": {"usageStatisticsEnabled": false}
}
`)
		return []string{
			"GEMINI_API_KEY=" + key, "GOOGLE_GEMINI_BASE_URL=" + w.model.URL(),
			"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true",
		}
	},
	argv:   []string{"--approval-mode", "yolo", "-p", prompt},
	screen: &screen{ready: "Type your message", slow: true},
	kept:   []string{"home/.gemini/settings.json", "project/.gemini/settings.json"},
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "write_file", Input: object{"file_path": file, "content": "new\n"}},
			"Edit":  {Tool: "replace", Input: object{"file_path": file, "instruction": "change it", "old_string": "old", "new_string": "new"}},
			"Read":  {Tool: "read_file", Input: object{"file_path": file}},
		}
	},
}

var qwen = &agent{
	name:    "qwen",
	program: "HOOKWAY_E2E_QWEN",
	destroy: "rm -rf ./victim",
	settle: func(t *testing.T, w *world) []string {
		w.write(t, filepath.Join(w.home, ".qwen", "settings.json"), `{
  "general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false}
}
`)
		return []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + w.model.URL() + "/v1", "OPENAI_MODEL=scripted"}
	},
	argv:        []string{"--auth-type", "openai", "--approval-mode", "yolo", "-p", prompt},
	screen:      &screen{argv: []string{"--auth-type", "openai"}, ready: "Type your message"},
	kept:        []string{"home/.qwen/settings.json", "project/.qwen/settings.json"},
	keepsInput:  true,
	endsUnasked: true,
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "write_file", Input: object{"file_path": file, "content": "new\n"}},
			"Edit":  {Tool: "edit", Input: object{"file_path": file, "old_string": "old", "new_string": "new"}},
			"Read":  {Tool: "read_file", Input: object{"file_path": file}},
		}
	},
}

var copilot = &agent{
	name:    "copilot",
	program: "HOOKWAY_E2E_COPILOT",
	destroy: "rm -rf ./victim",
	settle: func(t *testing.T, w *world) []string {
		w.write(t, filepath.Join(w.home, ".copilot", "config.json"), fmt.Sprintf(`{"trusted_folders": [%q]}`+"\n", w.project))
		return []string{
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_MODEL=scripted",
			"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL=" + w.model.URL() + "/v1", "COPILOT_PROVIDER_API_KEY=" + key,
			"GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true",
		}
	},
	argv:   []string{"--allow-all-tools", "-p", prompt},
	screen: &screen{ready: "? help"},
	kept:   []string{"home/.copilot/hooks/hookway.json", "project/.github/hooks/hookway.json"},
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "create", Input: object{"path": file, "file_text": "new\n"}},
			"Edit":  {Tool: "edit", Input: object{"path": file, "old_str": "old", "new_str": "new"}},
			"Read":  {Tool: "view", Input: object{"path": file}},
		}
	},
}

var opencode = &agent{
	name:    "opencode",
	program: "HOOKWAY_E2E_OPENCODE",
	destroy: "rm -rf ./victim",
	settle: func(t *testing.T, w *world) []string {
		w.write(t, filepath.Join(w.home, ".config", "opencode", "opencode.json"), fmt.Sprintf(`{
  "autoupdate": false, "share": "disabled", "enabled_providers": ["scripted"],
  "provider": {"scripted": {
    "npm": "@ai-sdk/openai-compatible", "name": "scripted",
    "options": {"baseURL": "%s/v1", "apiKey": "%s"},
    "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 100000, "output": 8000}}}
  }}
}
`, w.model.URL(), key))
		return []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}
	},
	argv:    []string{"run", "--model", "scripted/scripted", prompt},
	screen:  &screen{argv: []string{"--model", "scripted/scripted"}, ready: "Ask anything"},
	kept:    []string{"home/.config/opencode/opencode.json", "home/.config/opencode/plugin/hookway.js", "project/.opencode/plugin/hookway.js"},
	mayStop: true,
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "write", Input: object{"filePath": file, "content": "new\n"}},
			"Edit":  {Tool: "edit", Input: object{"filePath": file, "oldString": "old", "newString": "new"}},
			"Read":  {Tool: "read", Input: object{"filePath": file}},
		}
	},
}
