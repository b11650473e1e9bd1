package facts

import (
	"path"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// hookway tells what a call of hookway itself would change. Commands that only show
// something are no fact of this kind, so that an agent may always look.
func (c *call) hookway() values {
	verb, rest := ownVerb(c.args)
	if c.st.vars["HOOKWAY_TRUST"].anyText() && verb != "test" { // a daemon that this starts would trust every folder
		c.tell(hook.Fact{Does: "self", What: "trust", Object: "HOOKWAY_TRUST", Verb: verb, At: c.at, Sure: true})
	}
	if verb == "run" {
		return c.wrapped(behindOptions(rest, "nc"))
	}
	if fact, changes := ownChange(c.args); changes && (!c.asText || namesACall(c.args)) {
		fact.At = c.at
		c.tell(fact)
	}
	return anything()
}

// ownVerb is the sub-command of words for hookway, and what stands behind it.
func ownVerb(args []field) (string, []field) {
	for i, f := range args {
		if !strings.HasPrefix(f.text, "-") && (i == 0 || !slices.Contains([]string{"-C", "--dir", "--config", "-c"}, args[i-1].text)) {
			return f.text, args[i+1:]
		}
	}
	return "", nil
}

// ownChanges are sub-commands of hookway that change what it does, or answer for a person.
var ownChanges = map[string]string{"stop": "daemon", "serve": "daemon", "trust": "trust", "untrust": "trust", "allow": "approval", "daemon": "", "uninstall": "", "install": "", "mint": "", "pin": ""}

// answering are words of "hookway approvals" that a person alone may say.
var answering = []string{"allow", "deny", "revoke", "pin", "mint"}

// ownChange says what words for hookway would change; false if they only show something.
func ownChange(args []field) (hook.Fact, bool) {
	verb, _ := ownVerb(args)
	if n := len(args); n > 1 && (args[n-1].text == "--help" || args[n-1].text == "-h") && !strings.HasPrefix(args[n-2].text, "-") {
		return hook.Fact{}, false
	}
	fact := hook.Fact{Does: "self", What: ownChanges[verb], Object: "hookway " + verb, Verb: verb, Sure: true}
	_, changes := ownChanges[verb]
	switch verb {
	case "attach": // to type there
		fact.What, changes = "session", true
	case "suggest":
		fact.What, fact.Verb = "guards", "apply"
		changes = slices.ContainsFunc(args, func(f field) bool { return strings.HasPrefix(f.text, "--apply") })
	case "ui":
		fact.What = "page"
		changes = !slices.ContainsFunc(args, func(f field) bool { return f.text == "sessions" })
	case "guards", "approvals":
		words := []string{}
		for _, f := range args {
			if !strings.HasPrefix(f.text, "-") {
				words = append(words, f.text)
			}
		}
		// What takes an answer counts wherever it stands: a word before it may belong to a flag.
		if i := slices.IndexFunc(words, func(word string) bool { return slices.Contains(answering, word) }); i > 1 && words[0] == "approvals" {
			words = []string{words[0], words[i]}
		}
		if changes = len(words) > 1 && !slices.Contains([]string{"preview", "test", "list", "show", "wait", "watch"}, words[1]); changes {
			fact.What, fact.Object, fact.Verb = words[0], strings.Join(words, " "), words[1]
		}
	}
	return fact, changes
}

// behindOptions are the words behind a program's own options. valued are the letters of
// those that take a value.
func behindOptions(words []field, valued string) []field {
	for i := 0; i < len(words); i++ {
		switch t := words[i].text; {
		case t == "--":
			return words[i+1:]
		case len(t) < 2 || t[0] != '-':
			return words[i:]
		case t[1] != '-' && strings.IndexAny(t[1:], valued) == len(t)-2, t == "--name", t == "--config":
			i++
		}
	}
	return nil
}

// agentSettings are files, by the end of their path, in which agents keep their hooks,
// permissions and instructions about both.
var agentSettings = []string{
	"/.claude/settings.json", "/.claude/settings.local.json", "/.claude.json", "/.codex/config.toml", "/.codex/hooks.json", "/.gemini/settings.json", "/.qwen/settings.json",
	"/.copilot/config.json", "/.github/hooks", "/.copilot/hooks", "/.cursor/hooks.json", "/.cursor/mcp.json", "/.cursor/permissions.json", "/opencode.json", "/.opencode/plugin", "/.opencode/plugins", "/.config/opencode",
	"/.antigravity", "/.mcp.json", "/.claude/hooks", "/.claude/plugins", "/managed-settings.json", "/.factory/settings.json", "/.codeium/windsurf/hooks.json", "/.windsurf/hooks.json",
}

// selfPath says what of hookway, or of an agent's own settings, lies at a path.
func (sh *shell) selfPath(name string) string {
	for _, s := range agentSettings {
		if i := strings.Index(name, s); i >= 0 && (len(name) == i+len(s) || name[i+len(s)] == '/') {
			return "an agent's settings"
		}
	}
	base := path.Base(name)
	switch {
	case base == "hookway.yaml" || base == "hookway.yml" || base == ".hookway" || base == "hookway.config.ts" || strings.Contains(name, "/.hookway/"):
		return "files"
	case (strings.Contains(name, "/hookway/") || strings.HasSuffix(name, "/hookway")) && !under(name, sh.world.project()) && (under(name, sh.world.Home) || strings.HasPrefix(name, "/run/") || strings.HasPrefix(name, "/tmp/")):
		return "files"
	case base == "hookway" || base == "hookway-hook":
		if !under(name, sh.world.project()) {
			return "files"
		}
	}
	return ""
}

// agentFlags are options with which an agent is started without its permissions.
var agentFlags = map[string][]string{
	"claude": {"--dangerously-skip-permissions", "--permission-mode=bypassPermissions", "bypassPermissions", "--bare", "--setting-sources"},
	"codex":  {"--dangerously-bypass-approvals-and-sandbox", "--yolo", "danger-full-access"},
	"gemini": {"--yolo", "-y", "--approval-mode=yolo", "yolo"}, "qwen": {"--yolo", "-y", "--approval-mode=yolo", "yolo"},
	"copilot": {"--allow-all-tools", "--allow-all", "--yolo"}, "cursor-agent": {"--force", "-f", "--yolo"}, "amp": {"--dangerously-allow-all"}, "aider": {"--yes-always"},
	"droid": {"--skip-permissions-unsafe"}, "goose": {}, "opencode": {},
}

// agentVariables make an agent read other settings than its user's, or none: then it may
// not ask hookway. HOOKWAY_HOME and the home are among them for every agent.
var agentVariables = map[string][]string{
	"claude": {"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_USE_COWORK_PLUGINS"},
	"codex":  {"CODEX_HOME"}, "gemini": {"GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"},
	"qwen":    {"QWEN_HOME", "QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE", "QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH"},
	"copilot": {"COPILOT_HOME"}, "opencode": {"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "XDG_CONFIG_HOME"},
}

// agent tells that another agent is started without permissions, or where it may not ask
// hookway.
func (c *call) agent() values {
	for _, name := range append([]string{"HOME", "HOOKWAY_HOME", "HOOKWAY_TRUST"}, agentVariables[c.name]...) {
		if c.st.remote == "" && c.st.vars[name].anyText() {
			c.tell(hook.Fact{Does: "self", What: "an agent without permissions", Object: c.name + ", with another " + name + ",", At: c.at, Sure: true})
		}
	}
	if len(c.args) > 2 && c.args[0].text == "config" && (c.args[1].text == "set" || c.args[1].text == "remove" || c.args[1].text == "add") {
		c.tell(hook.Fact{Does: "self", What: "an agent's settings", Object: shownWords(c.args), At: c.at, Sure: true})
	}
	if e := programs()[c.name]; e != nil { // another program has that name, too
		e.run(c)
	}
	for _, f := range c.args {
		if strings.Contains(f.text, "disableAllHooks") || strings.Contains(f.text, "features.hooks") || strings.Contains(f.text, "features.codex_hooks") {
			c.tell(hook.Fact{Does: "self", What: "hooks", Object: visible(f.text), At: f.at, Sure: true})
		}
		if slices.Contains(agentFlags[c.name], f.text) {
			c.tell(hook.Fact{Does: "self", What: "an agent without permissions", Object: c.name, At: f.at, Sure: true})
		}
	}
	return anything()
}

// systemFile says what of the machine changes when a file is written: the start of
// shells, timed jobs, who may log in, who may become root.
func systemFile(name, home string) string {
	base, dir := path.Base(name), path.Dir(name)
	if strings.HasSuffix(base, "_profile.ps1") || base == "profile.ps1" {
		return "shell-rc"
	}
	switch base {
	case ".bashrc", ".zshrc", ".profile", ".bash_profile", ".bash_login", ".bash_logout", ".zprofile", ".zshenv", ".zlogin", ".kshrc", "config.fish", ".inputrc", ".xprofile", ".xinitrc", ".pam_environment":
		return "shell-rc"
	case "authorized_keys", "authorized_keys2", "sudoers", ".rhosts", ".shosts", "hosts.equiv", "sshd_config":
		return "permissions"
	case ".gitconfig":
		return "git-config"
	case "crontab":
		return "cron"
	}
	switch {
	case strings.HasPrefix(name, "/etc/sudoers.d/"), strings.HasPrefix(name, "/etc/pam.d/"):
		return "permissions"
	case strings.HasPrefix(dir, "/etc/cron"), strings.HasPrefix(name, "/var/spool/cron/"), strings.HasPrefix(name, "/etc/anacrontab"):
		return "cron"
	case strings.HasPrefix(name, "/etc/systemd/"), strings.HasPrefix(name, "/etc/init.d/"), strings.HasPrefix(name, "/lib/systemd/"), strings.HasPrefix(name, "/usr/lib/systemd/"),
		home != "" && strings.HasPrefix(name, home+"/.config/systemd/"), home != "" && strings.HasPrefix(name, home+"/.config/autostart/"), strings.Contains(name, "/LaunchAgents/"), strings.Contains(name, "/LaunchDaemons/"):
		return "service"
	case strings.HasPrefix(name, "/etc/profile"), strings.HasPrefix(name, "/etc/bash.bashrc"), strings.HasPrefix(name, "/etc/zsh"), name == "/etc/environment", name == "/etc/ld.so.preload":
		return "shell-rc"
	case strings.HasPrefix(name, "/boot/"), name == "/etc/fstab", strings.HasPrefix(name, "/etc/default/grub"):
		return "boot"
	case strings.HasPrefix(name, "/proc/sys"), strings.HasPrefix(name, "/sys/"), name == "/proc/sysrq-trigger":
		return "kernel"
	case strings.HasPrefix(name, "/dev/") && !harmlessDevice(name):
		return "device"
	}
	return ""
}
