package install

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/tailscale/hujson"
)

// claudeKnown is the version whose events are those of the table, all seen.
const claudeKnown = "2.1.329"

// claudeSince says which version first had an event. One that is not listed may
// be as new as claudeKnown. Older versions read nothing from a file that has an
// event they do not know.
var claudeSince = map[string]string{
	"PreToolUse": "1.0.38", "PostToolUse": "1.0.38", "Notification": "1.0.38", "Stop": "1.0.38", "SubagentStop": "1.0.41",
	"PreCompact": "1.0.48", "UserPromptSubmit": "1.0.54", "SessionStart": "1.0.62", "SessionEnd": "1.0.85",
	"SubagentStart": "2.0.43", "PermissionRequest": "2.0.45",
}

// leaveClaude leaves out what would break something.
func leaveClaude(event, version string) string {
	if event == "WorktreeCreate" {
		return "its hook must make the worktree"
	}
	if version == "" || !older(version, claudeKnown) {
		return ""
	}
	since, known := claudeSince[event]
	if !known {
		since = claudeKnown
	}
	if older(version, since) {
		return "Claude Code " + version + " may not know it; install again after an update"
	}
	return ""
}

// older compares versions of the form 1.2.3.
func older(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, err1 := strconv.Atoi(x[i])
		n, err2 := strconv.Atoi(y[i])
		if err1 != nil || err2 != nil || m != n {
			return err1 == nil && err2 == nil && m < n
		}
	}
	return false
}

// copilotDirect is the first version that is known to start programs without a
// shell. Another one may drop a file that has such a hook, and with it the guard.
const copilotDirect = "1.0.102"

// directCopilot: the file of a project is also read by the programs of others.
func directCopilot(w *world) bool {
	return w.scope == User && w.Version != "" && !older(w.Version, copilotDirect)
}

func (c *Change) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// reviewClaude tells what keeps Claude Code from running the hooks.
func reviewClaude(w *world, c *Change) error {
	if w.scope == Project {
		c.note("Claude Code runs the hooks of a project once you said in it that you trust the folder")
		c.note("the path of hookway-hook in %s is that of this machine; others run hookway install themselves", filepath.Base(c.Files[0].Path))
	}
	return nil
}

// reviewGemini tells what keeps Gemini CLI from running the hooks.
func reviewGemini(w *world, c *Change) error {
	if w.scope != Project || w.getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
		return nil
	}
	trusted := lookup(read(geminiHome("trustedFolders.json")(w)), w.root)
	if trusted != `"TRUST_FOLDER"` {
		c.note("Gemini CLI runs the hooks of a project only in a trusted folder; it asks when you start it in %s", w.root)
	}
	return nil
}

// reviewCursor holds to what makes Cursor drop a whole file.
func reviewCursor(w *world, c *Change) error {
	if strings.Contains(string(c.Files[0].After), "://") {
		c.note("%s has a command with :// in it, for which Cursor drops the whole file; take the address out", c.Files[0].Path)
	}
	c.note("cursor-agent -p runs the hooks of tools and of the start only")
	return nil
}

// reviewCopilot tells what else Copilot CLI says of hooks.
func reviewCopilot(w *world, c *Change) error {
	home := filepath.Dir(filepath.Dir(under("COPILOT_HOME", ".copilot", "hooks", "hookway.json")(w)))
	all := readLayers(filepath.Join(home, "config.json"), filepath.Join(home, "settings.json"))
	if off, path := all.last("disableAllHooks"); off == true {
		c.note("%s has disableAllHooks true, which by Copilot CLI's word switches hooks off; copilot -p ran them all the same", path)
	}
	return nil
}

// read gives the content of a file, nothing if it cannot be read.
func read(path string) []byte {
	text, _ := disk.Read(path, maxConfig)
	return text
}

// lookup finds a value in a JSON file by its keys, and gives its text; "" if it
// is not there.
func lookup(text []byte, keys ...string) string {
	text, err := hujson.Standardize(ended(text))
	for _, key := range keys {
		var o map[string]json.RawMessage
		if err != nil || json.Unmarshal(text, &o) != nil {
			return ""
		}
		text = o[key]
	}
	return string(text)
}

// atMost bounds the timeout of some events.
func atMost(most time.Duration, events ...string) func(string) time.Duration {
	return func(name string) time.Duration {
		for _, e := range events {
			if e == name {
				return most
			}
		}
		return 0
	}
}
