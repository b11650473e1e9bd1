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
	own := readLayers(user, filepath.Join(w.root, ".claude", "settings.json"), filepath.Join(w.root, ".claude", "settings.local.json"))
	if w.dir != w.root {
		own = append(own, readLayers(filepath.Join(w.dir, ".claude", "settings.json"), filepath.Join(w.dir, ".claude", "settings.local.json"))...)
	}
	managed := readLayers(claudeManaged(w)...)
	managed = append(managed, readLayers(beside(user, "remote-settings.json"))...)
	off := append(slices.Clone(own), managed...).says(true, "disableAllHooks")
	off = append(off, managed.says(true, "allowManagedHooksOnly")...)
	for _, l := range managed {
		if only := l.of("strictPluginOnlyCustomization"); only == true || slices.Contains(texts(only), "hooks") {
			off = append(off, l.path+" allows hooks of plugins only (strictPluginOnlyCustomization): hookway's do not run until it is changed")
		}
	}
	off = append(off, w.environment([]string{"CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"}, append(slices.Clone(own), managed...).inEnv()...)...)
	if w.scope == User && truthy(w.getenv("CLAUDE_CODE_USE_COWORK_PLUGINS")) {
		off = append(off, "the environment has CLAUDE_CODE_USE_COWORK_PLUGINS: Claude Code reads cowork_settings.json in place of "+user)
	}
	return off
}

// claudeManaged are the files in which an organisation sets what holds for all.
func claudeManaged(w *world) []string {
	dir := w.getenv("CLAUDE_CODE_MANAGED_SETTINGS_PATH")
	if dir == "" {
		dir = w.system("", "/etc/claude-code", "/Library/Application Support/ClaudeCode", `C:\Program Files\ClaudeCode`)
	}
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
	switch {
	case w.getenv("GEMINI_RESTRICTED_MODE") == "true":
		return []string{"the environment has GEMINI_RESTRICTED_MODE=true: no hook runs until you take it out"}
	case w.getenv("GEMINI_CLI_TRUST_WORKSPACE") == "false":
		return []string{"the environment has GEMINI_CLI_TRUST_WORKSPACE=false: no hook runs until you take it out"}
	case w.getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true":
		return nil
	}
	if enabled, _ := all.last("security", "folderTrust", "enabled"); enabled == false {
		return nil
	}
	file := w.getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
	if file == "" {
		file = geminiHome("trustedFolders.json")(w)
	}
	if said, _ := folderTrust(readObject(file), w.dir); said == "DO_NOT_TRUST" {
		return []string{fmt.Sprintf("%s says that %s is not trusted: no hook runs there, not even yours, until you change it", file, w.dir)}
	}
	return nil
}

// folderTrust finds what was said of a folder, or of the nearest one around it.
func folderTrust(said map[string]any, dir string) (level, folder string) {
	for d := dir; ; d = filepath.Dir(d) {
		if level, ok := said[d].(string); ok {
			return level, d
		}
		for path, level := range said { // TRUST_PARENT counts for the folder around
			if level == "TRUST_PARENT" && filepath.Dir(path) == d {
				return "TRUST_FOLDER", d
			}
		}
		if d == filepath.Dir(d) {
			return "", ""
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
	vars := all.inEnv()
	for d := w.dir; ; d = filepath.Dir(d) {
		vars = append(vars, inDotEnv(filepath.Join(d, ".qwen", ".env")), inDotEnv(filepath.Join(d, ".env")))
		if d == filepath.Dir(d) {
			break
		}
	}
	vars = append(vars, inDotEnv(beside(user, ".env")), inDotEnv(filepath.Join(w.home, ".env")))
	off := all.says(true, "disableAllHooks")
	off = append(off, w.environment([]string{"QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"}, vars...)...)
	if enabled, _ := all.last("security", "folderTrust", "enabled"); enabled == true && w.scope == Project {
		file := w.getenv("QWEN_CODE_TRUSTED_FOLDERS_PATH")
		if file == "" {
			file = beside(user, "trustedFolders.json")
		}
		if said, _ := folderTrust(readObject(file), w.dir); said == "DO_NOT_TRUST" {
			off = append(off, fmt.Sprintf("%s says that %s is not trusted: the project's hooks do not run until you change it", file, w.dir))
		}
	}
	return off
}

// offCopilot knows what keeps Copilot CLI from running hooks.
func offCopilot(a *agent, w *world) []string {
	home := filepath.Dir(filepath.Dir(a.user(w)))
	off := readLayers(w.file(a)).says(true, "disableAllHooks")
	all := readLayers(filepath.Join(home, "config.json"), filepath.Join(home, "settings.json"),
		filepath.Join(w.root, ".github", "copilot", "settings.json"), filepath.Join(w.root, ".github", "copilot", "settings.local.json"))
	return append(off, all.says(true, "disableAllHooks")...)
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
func offCodex(_ *agent, w *world) []string {
	user := filepath.Join(codexHome(w), "config.toml")
	paths := []string{w.system("", "/etc/codex/config.toml", "/etc/codex/config.toml", `C:\ProgramData\OpenAI\Codex\config.toml`), user}
	own := readTOML(user)
	if table(own.v, "projects", w.root)["trust_level"] == "trusted" {
		paths = append(paths, filepath.Join(w.root, ".codex", "config.toml"))
	}
	paths = append(paths, beside(paths[0], "managed_config.toml"))
	var all layers
	for _, path := range paths {
		all = append(all, readTOML(path))
	}
	requirements := layers{readTOML(beside(paths[0], "requirements.toml"))}
	off := requirements.says(true, "allow_managed_hooks_only")
	for _, flag := range []string{"hooks", "codex_hooks"} {
		off = append(off, append(all, requirements...).says(false, "features", flag)...)
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
