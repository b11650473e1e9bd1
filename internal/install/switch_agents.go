package install

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/disk"
)

// offClaude knows what keeps Claude Code from running the hooks of settings files.
func offClaude(a *agent, w *world) []string {
	user := a.user(w)
	var off []string
	if l := readLayers(w.file(a))[0]; claudeDrops(l) != "" {
		off = append(off, l.path+": Claude Code reads nothing of it, since "+claudeDrops(l)+"; no hook runs until you mend that")
	}
	own := readLayers(user, filepath.Join(w.root, ".claude", "settings.json"), filepath.Join(w.root, ".claude", "settings.local.json"))
	if w.dir != w.root {
		own = append(own, readLayers(filepath.Join(w.dir, ".claude", "settings.json"), filepath.Join(w.dir, ".claude", "settings.local.json"))...)
	}
	own = slices.DeleteFunc(own, func(l layer) bool { return claudeDrops(l) != "" })
	managed := readLayers(append([]string{beside(user, "remote-settings.json")}, claudeManaged(w)...)...)
	off = append(off, append(slices.Clone(own), managed...).says(true, "disableAllHooks")...)
	off = append(off, managed.says(true, "allowManagedHooksOnly")...)
	for _, l := range managed {
		if only := l.of("strictPluginOnlyCustomization"); only == true || slices.Contains(texts(only), "hooks") {
			off = append(off, l.path+" allows hooks of plugins only (strictPluginOnlyCustomization): hookway's do not run until it is changed")
		}
	}
	// What a project sets in env does not count for these.
	off = append(off, w.environment([]string{"CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"}, append(readLayers(user), managed...).inEnv()...)...)
	if w.scope == User && truthy(w.getenv("CLAUDE_CODE_USE_COWORK_PLUGINS")) {
		off = append(off, "the environment has CLAUDE_CODE_USE_COWORK_PLUGINS: Claude Code reads cowork_settings.json in place of "+user)
	}
	return off
}

// claudeDrops says why Claude Code reads nothing of a settings file: one value of
// another kind is enough. "" if none is known.
func claudeDrops(l layer) string {
	for key, value := range l.v {
		kind, known := "", true
		switch key {
		case "disableAllHooks", "allowManagedHooksOnly":
			_, known = value.(bool)
			kind = "true or false"
		case "permissions", "env", "hooks":
			_, known = value.(map[string]any)
			kind = "an object"
		}
		if !known {
			return key + " is not " + kind
		}
	}
	for event, value := range table(l.v, "hooks") {
		groups, ok := value.([]any)
		for _, g := range groups {
			group, is := g.(map[string]any)
			_, has := group["hooks"].([]any)
			ok = ok && (has || !is) // an entry of another kind is left out by itself
		}
		if !ok {
			return "hooks." + event + " is not a list of groups with hooks"
		}
	}
	return ""
}

// claudeManaged are the files in which an organisation sets what holds for all.
func claudeManaged(w *world) []string {
	dir := w.system("", "/etc/claude-code", "/Library/Application Support/ClaudeCode", `C:\Program Files\ClaudeCode`)
	files := []string{filepath.Join(dir, "managed-settings.json")}
	more, _ := os.ReadDir(filepath.Join(dir, "managed-settings.d")) // sorted, as Claude Code reads them
	for _, e := range more {
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(dir, "managed-settings.d", e.Name()))
		}
	}
	return files
}

// offGemini knows what keeps Gemini CLI from running hooks.
func offGemini(a *agent, w *world) []string {
	system := w.system("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/etc/gemini-cli/settings.json",
		"/Library/Application Support/GeminiCli/settings.json", `C:\ProgramData\gemini-cli\settings.json`)
	defaults := w.getenv("GEMINI_CLI_SYSTEM_DEFAULTS_PATH")
	if defaults == "" {
		defaults = beside(system, "system-defaults.json")
	}
	all := readLayers(defaults, a.user(w), filepath.Join(w.dir, ".gemini", "settings.json"), system)
	all = slices.DeleteFunc(all, func(l layer) bool { // Gemini CLI takes nothing from a machine's file that others can write
		return (l.path == system || l.path == defaults) && !rootsOnly(l.path)
	})
	off := all.says(false, "hooksConfig", "enabled")
	for _, l := range all { // these lists are put together
		for _, name := range texts(l.of("hooksConfig", "disabled")) {
			if name == "hookway" {
				off = append(off, l.path+" has hookway in hooksConfig.disabled: it is not asked until you take it out")
			}
		}
	}
	return append(off, offGeminiFolder(w, all)...)
}

// offGeminiFolder says whether the folder is one in which Gemini CLI runs no hooks,
// not even those of its user.
func offGeminiFolder(w *world, all layers) []string {
	vars := append([]variables{{"the environment", w.Getenv}}, w.dotEnv(".gemini")...)
	for _, at := range vars {
		for _, bad := range [][2]string{{"GEMINI_RESTRICTED_MODE", "true"}, {"GEMINI_CLI_TRUST_WORKSPACE", "false"}} {
			if at.get(bad[0]) == bad[1] {
				return []string{at.where + " has " + bad[0] + "=" + bad[1] + ": no hook runs until you take it out"}
			}
		}
	}
	if w.getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
		return nil
	}
	if enabled, _ := all.last("security", "folderTrust", "enabled"); enabled == false {
		return nil
	}
	file := w.getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
	if file == "" {
		file = geminiHome("trustedFolders.json")(w)
	}
	if said := folderTrust(readObject(file), w.dir); said == "DO_NOT_TRUST" {
		return []string{fmt.Sprintf("%s says that %s is not trusted: no hook runs there, not even yours, until you change it", file, w.dir)}
	}
	return nil
}

// folderTrust finds what was said of a folder, or of the nearest one around it.
func folderTrust(said map[string]any, dir string) (level string) {
	for d := dir; ; d = filepath.Dir(d) {
		if level, ok := said[d].(string); ok {
			return level
		}
		for path, level := range said { // TRUST_PARENT counts for the folder around
			if level == "TRUST_PARENT" && filepath.Dir(path) == d {
				return "TRUST_FOLDER"
			}
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}

// offQwen knows what keeps Qwen Code from running hooks.
func offQwen(a *agent, w *world) []string {
	system := w.system("QWEN_CODE_SYSTEM_SETTINGS_PATH", "/etc/qwen-code/settings.json",
		"/Library/Application Support/QwenCode/settings.json", `C:\ProgramData\qwen-code\settings.json`)
	defaults := w.getenv("QWEN_CODE_SYSTEM_DEFAULTS_PATH")
	if defaults == "" {
		defaults = beside(system, "system-defaults.json")
	}
	user := a.user(w)
	all := readLayers(defaults, user, filepath.Join(w.dir, ".qwen", "settings.json"), system)
	vars := append(all.inEnv(), w.dotEnv(".qwen")...)
	off := all.says(true, "disableAllHooks")
	off = append(off, w.environment([]string{"QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"}, vars...)...)
	if enabled, _ := all.last("security", "folderTrust", "enabled"); enabled == true && w.scope == Project {
		file := w.getenv("QWEN_CODE_TRUSTED_FOLDERS_PATH")
		if file == "" {
			file = beside(user, "trustedFolders.json")
		}
		if said := folderTrust(readObject(file), w.dir); said == "DO_NOT_TRUST" {
			off = append(off, fmt.Sprintf("%s says that %s is not trusted: the project's hooks do not run until you change it", file, w.dir))
		}
	}
	return off
}

// offCopilot knows what keeps Copilot CLI from running hooks. The same setting of its
// user does not, at least with -p; see reviewCopilot.
func offCopilot(a *agent, w *world) []string {
	own := readLayers(w.file(a))
	off := own.says(true, "disableAllHooks")
	if version := own[0].of("version"); version != nil && version != float64(1) {
		off = append(off, fmt.Sprintf("%s has version %v: Copilot CLI reads nothing of it until that is 1", own[0].path, version))
	}
	var all layers
	for _, folder := range []string{".claude", filepath.Join(".github", "copilot")} {
		all = append(all, readLayers(filepath.Join(w.root, folder, "settings.json"), filepath.Join(w.root, folder, "settings.local.json"))...)
	}
	for _, l := range all {
		off = append(off, layers{l}.says(true, "disableAllHooks")...)
	}
	if w.scope == Project && w.getenv("GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS") != "true" && !copilotTrusts(a, w) {
		off = append(off, "Copilot CLI was not told to trust "+w.root+": the project's hooks do not run until you start it there and say yes")
	}
	return off
}

// copilotTrusts reports whether the project, or a folder around it, is one that the
// user trusts.
func copilotTrusts(a *agent, w *world) bool {
	home := filepath.Dir(filepath.Dir(a.user(w)))
	for _, l := range readLayers(filepath.Join(home, "config.json"), filepath.Join(home, "settings.json")) {
		for _, folder := range append(texts(l.of("trusted_folders")), texts(l.of("trustedFolders"))...) {
			if rest, ok := strings.CutPrefix(w.root, filepath.Clean(folder)); ok && (rest == "" || rest[0] == filepath.Separator || folder == "/") {
				return true
			}
		}
	}
	return false
}

// offOpenCode knows what keeps OpenCode from loading plugins.
func offOpenCode(_ *agent, w *world) []string {
	off := w.environment([]string{"OPENCODE_PURE"})
	if w.scope == Project && truthy(w.getenv("OPENCODE_DISABLE_PROJECT_CONFIG")) {
		off = append(off, "the environment has OPENCODE_DISABLE_PROJECT_CONFIG: what is installed for the project is not loaded until you take it out")
	}
	return off
}

// offAntigravity knows what keeps Antigravity CLI from running ours.
func offAntigravity(a *agent, w *world) []string {
	return readLayers(w.file(a)).says(false, "hookway", "enabled")
}

// offCodex knows what keeps Codex from running hooks that are approved.
func offCodex(a *agent, w *world) []string {
	user := readTOML(filepath.Join(codexHome(w), "config.toml"))
	machine := w.system("", "/etc/codex/config.toml", "/etc/codex/config.toml", `C:\ProgramData\OpenAI\Codex\config.toml`)
	all := layers{readTOML(machine), user}
	trusted := table(user.v, "projects", w.root)["trust_level"] == "trusted"
	if trusted {
		all = append(all, readTOML(filepath.Join(w.root, ".codex", "config.toml")))
	}
	all = append(all, readTOML(beside(machine, "managed_config.toml")))
	requirements := layers{readTOML(beside(machine, "requirements.toml"))}
	off := requirements.says(true, "allow_managed_hooks_only")
	for _, flag := range []string{"hooks", "codex_hooks"} {
		off = append(off, append(slices.Clone(all), requirements...).says(false, "features", flag)...)
	}
	for key := range readObject(w.file(a)) {
		if key != "hooks" && key != "description" {
			off = append(off, w.file(a)+": Codex reads nothing of it, since it has "+key+" beside hooks; no hook runs until you take that out")
		}
	}
	if hooks, err := readFile(codexFile(w)); err == nil {
		var events []string
		for _, a := range ourApprovals(w, hooks) {
			if table(user.v, "hooks", "state", a.key)["enabled"] == false {
				events = append(events, a.event)
			}
		}
		if len(events) > 0 {
			off = append(off, user.path+" has enabled = false for hookway's hooks of "+strings.Join(events, ", ")+": they do not run until you take it out")
		}
	}
	if w.scope == Project && !trusted {
		off = append(off, user.path+" does not say that "+w.root+" is trusted: the project's hooks do not run until you start codex there and say yes")
	}
	return off
}

// readTOML reads a file of TOML; it is empty if it cannot be read.
func readTOML(path string) layer {
	text, err := disk.Read(path, maxConfig)
	if err != nil {
		return layer{path: path}
	}
	v, _ := parseTOML(bytes.TrimPrefix(text, bom))
	return layer{path, v}
}
