//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// TestAPatchReachesImportedHooksFileByFile: Codex changes files by one tool, whose
// calls hooks of Claude Code see as a Write or an Edit of each file.
func TestAPatchReachesImportedHooksFileByFile(t *testing.T) {
	if !slices.Contains(asked(), codex) {
		t.Skip("it is about Codex")
	}
	const patch = "*** Begin Patch\n*** Add File: made.txt\n+plain\n*** Update File: victim/file.txt\n@@\n-precious\n+other\n*** End Patch\n"
	for name, c := range map[string]struct{ settings, made, victim string }{
		"allowed": {`"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]`, "plain\n", "other\n"},
		"protected": {`"matcher": "Edit", "hooks": [{"type": "command", "command": "grep -q '\"file_path\":\"[^\"]*/victim/file.txt\"' && { echo '` + reason + `' >&2; exit 2; }; exit 0"}]`,
			"", "precious\n"},
		"changed": {`"matcher": "Write", "hooks": [{"type": "command", "command": "sh .claude/change.sh"}]`,
			"changed\n", "other\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := untrustedWorld(t, codex, "import: claude\n", model.Turn{Call: model.Call{Tool: "apply_patch", Input: object{"patch": patch}}})
			config := filepath.Join(w.home, ".codex", "config.toml") // a model that Codex gives this tool to
			text, err := os.ReadFile(config)
			check(t, err)
			check(t, os.WriteFile(config, []byte(strings.Replace(string(text), `model = "scripted"`, `model = "gpt-5.5"`, 1)), 0o600))
			w.write(t, filepath.Join(w.project, ".claude/settings.json"), `{"hooks": {"PreToolUse": [{`+c.settings+`}]}}`)
			w.write(t, filepath.Join(w.project, ".claude/change.sh"), `cat >> writes
printf '%s' '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"file_path": "'"$PWD"'/made.txt", "content": "changed\n"}}}'
`)
			w.hookway(t, "trust", "--yes")
			w.install(t)
			w.runAgent(t)
			for file, want := range map[string]string{"made.txt": c.made, "victim/file.txt": c.victim} {
				if text, _ := os.ReadFile(filepath.Join(w.project, file)); string(text) != want {
					t.Errorf("%s holds %q, want %q", file, text, want)
				}
			}
			last := w.model.Requests()[len(w.model.Requests())-1]
			if last.Says(reason) != (name == "protected") {
				t.Errorf("the model is told: %q", last.Results)
			}
			if told, _ := os.ReadFile(filepath.Join(w.project, "writes")); name == "changed" && (!strings.Contains(string(told), `"tool_name":"Write"`) || strings.Count(string(told), "\n") != 1) {
				t.Errorf("the hook was told %s", told)
			}
		})
	}
}
