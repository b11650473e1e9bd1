//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/e2e/model"
)

// key is what the agents send as their API key. Claude Code asks before it uses
// a key that its user has not approved, by its last 20 characters.
const key = "dummy-key-for-the-scripted-model"

// agent is one published program, and how it is made to talk to the model.
type agent struct {
	name    string // as hookway install knows it
	program string // the variable that names the program
	destroy string // a command line that takes the folder victim away
	// settle writes the settings that the agent needs, whoever hooks it, into the
	// world, and returns variables for its environment.
	settle func(t *testing.T, w *world) []string
	// argv is its command line for one headless turn, without the program.
	argv []string
	// kept are the files of the user that hookway must leave as they were.
	kept []string
	// files are calls of the agent's own tools on a file, by our name of the tool.
	files func(file string) map[string]model.Call

	// screen is how it is in a terminal; nil: it is not tried there.
	screen *screen

	attaches    bool // hookway run gives it the hooks
	keepsInput  bool // it runs its own input, whatever hooks say: a change is a block
	endsUnasked bool // its turn ends, in place of the call, if hooks cannot judge
	mayStop     bool // its stop cannot be refused
}

// object is a JSON object.
type object = map[string]any

// agents are all that can be run.
var agents = []*agent{claude, codex, gemini, qwen, copilot, opencode}

var claude = &agent{
	name:    "claude",
	program: "HOOKWAY_E2E_CLAUDE",
	destroy: "rm -rf ./victim",
	settle: func(t *testing.T, w *world) []string {
		w.write(t, filepath.Join(w.home, ".claude.json"), fmt.Sprintf(
			`{"hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": [%q]}, "projects": {%q: {"hasTrustDialogAccepted": true}}}`,
			key[len(key)-20:], w.project))
		w.write(t, filepath.Join(w.project, ".claude", "settings.json"), "{\n  \"env\": {\"OF_THE_USER\": \"1\"}\n}\n")
		return []string{
			"ANTHROPIC_BASE_URL=" + w.model.URL(), "ANTHROPIC_API_KEY=" + key,
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_TELEMETRY=1",
		}
	},
	argv: []string{"--allowedTools", "Bash,Read,Edit,Write", "-p", prompt},
	screen: &screen{
		ready:  "Claude Code v",
		freely: []string{"--allowedTools", "Bash"}, resume: []string{"--continue"},
		asking: []string{"--permission-mode", "default"}, call: model.Turn{Shell: "touch ./made"}, question: "Do you want to proceed?",
	},
	kept:     []string{"project/.claude/settings.json", "project/.claude/settings.local.json", "home/.claude/settings.json"},
	attaches: true,
	files: func(file string) map[string]model.Call {
		return map[string]model.Call{
			"Write": {Tool: "Write", Input: object{"file_path": file, "content": "new\n"}},
			"Edit":  {Tool: "Edit", Input: object{"file_path": file, "old_string": "old", "new_string": "new"}},
			"Read":  {Tool: "Read", Input: object{"file_path": file}},
		}
	},
}

var codex = &agent{
	name:    "codex",
	program: "HOOKWAY_E2E_CODEX",
	destroy: "rm -r ./victim", // rm -f it refuses by itself where it cannot ask
	settle: func(t *testing.T, w *world) []string {
		w.write(t, filepath.Join(w.home, ".codex", "config.toml"), fmt.Sprintf(`# of the user
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
`, w.model.URL(), w.project))
		return []string{"SCRIPTED_API_KEY=" + key}
	},
	argv: []string{"exec", "--skip-git-repo-check", prompt},
	screen: &screen{
		argv: []string{"--no-daemon"}, ready: "Ask Codex to do anything",
		asking: []string{"--no-daemon", "--ask-for-approval", "on-request", "--sandbox", "read-only"},
		call: model.Turn{Call: model.Call{Tool: "exec_command", Input: object{
			"cmd": "touch ./made", "sandbox_permissions": "require_escalated", "justification": "A file is needed",
		}}},
		question: "Would you like to run",
	},
	attaches: true,
	kept:     []string{"home/.codex/config.toml", "home/.codex/hooks.json", "project/.codex/hooks.json", "project/.codex/config.toml"},
}

// eachAgent runs a test with every agent whose program is named.
func eachAgent(t *testing.T, test func(*testing.T, *agent)) {
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			if os.Getenv(a.program) == "" {
				t.Skipf("%s names no program; make e2e installs one", a.program)
			}
			test(t, a)
		})
	}
}
