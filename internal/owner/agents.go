package owner

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/process"
)

// marks are variables that agents set for what they run, and hookway for what it runs.
// Variables by which people configure agents are not among them.
var marks = []string{
	"HOOKWAY_SESSION", "HOOKWAY_AGENT", "HOOKWAY_DEPTH", "HOOKWAY_EVENT", "HOOKWAY_WORKER", "HOOKWAY_SESSION_ID",
	"CLAUDECODE", "CLAUDE_CODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID",
	"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI",
	"GEMINI_CLI", "GEMINI_SESSION_ID", "QWEN_CODE", "QWEN_CODE_SESSION_ID", "ANTIGRAVITY_AGENT",
	"COPILOT_CLI", "CURSOR_AGENT", "OPENCODE", "OPENCODE_CLIENT", "AUGMENT_AGENT", "GOOSE_TERMINAL", "CLINE_ACTIVE",
	"AI_AGENT", "AGENT_SESSION_ID",
}

// agents are programs of agents.
var agents = []string{
	"claude", "codex", "gemini", "agy", "cursor-agent", "copilot", "qwen", "opencode",
	"goose", "aider", "amp", "crush", "droid", "kiro-cli", "kiro-cli-chat", "cline", "auggie", "devin", "kimi", "vibe", "junie",
	"openhands", "openclaw", "grok", "kilo", "kilocode", "plandex", "gptme", "iflow", "codebuff", "trae-cli",
}

// packages are the folders below node_modules that have the programs of agents.
var packages = []string{"claude-code", "codex", "gemini-cli", "copilot", "qwen-code", "opencode-ai", "amp", "cline", "auggie", "kilocode"}

// machines are programs that start others when no person is there.
var machines = []string{"cron", "CRON", "crond", "fcron", "anacron", "incrond", "atd", "at", "batch", "atrun"}

// tools are programs that a script can have a terminal made by. What versions add to their
// names is left out. One that runs in no terminal itself makes none of a person.
var tools = []string{
	"script", "scriptlive", "expect", "expectk", "unbuffer", "empty", "faketty", "socat", "sshpass", "rlwrap", "asciinema", "ttyrec", "systemd-run", "setsid", "nohup",
	"sh", "ash", "bash", "dash", "zsh", "ksh", "mksh", "yash", "osh", "csh", "tcsh", "fish", "nu", "elvish", "xonsh", "pwsh", "busybox", "toybox",
	"perl", "raku", "ruby", "irb", "node", "nodejs", "bun", "deno", "php", "lua", "luajit", "tclsh", "wish", "python", "pypy", "ipython",
	"awk", "gawk", "mawk", "guile", "racket", "sbcl", "clisp", "ecl", "erl", "beam.smp", "elixir", "julia", "R", "Rscript", "octave", "gdb", "ld.so", // which runs what it is given
}

// editors make terminals in their windows, and run scripts that press keys there.
var editors = []string{"vi", "vim", "vim.basic", "vim.tiny", "gvim", "nvim", "emacs", "emacs-gtk", "emacs-nox", "kak", "hx"}

// helpers run other programs, and have nothing to do with people themselves.
var helpers = []string{
	"timeout", "env", "nice", "ionice", "chrt", "taskset", "stdbuf", "xargs", "parallel", "find", "fd", "make", "ninja", "just", "git", "tar", "sed", "ed", "watch",
	"entr", "flock", "time", "strace", "ltrace", "perf", "unshare", "nsenter", "chroot", "prlimit", "catchsegv", "valgrind", "rsync", "less", "man", "sqlite3", "psql", "cpulimit", "daemonize", "start-stop-daemon",
	"dbus-run-session", "dbus-launch", "xvfb-run", "su", "runuser", "setpriv", "sudo", "doas", "gosu", "su-exec", "ssh-agent", "gpg-agent", "firejail", "bwrap", "proot",
	"fakeroot", "faketime", "systemd-inhibit", "systemd-cat", "setarch", "numactl", "rr", "torsocks", "proxychains4", "eatmydata", "chpst", "choom",
}

// inits are first processes of machines.
var inits = []string{"systemd", "init", "openrc-init", "runit", "s6-svscan", "dinit", "launchd", "procd", "shepherd"}

// blind are programs that keep terminals for people who come and go, and that anything can
// have typed into without a person: they do not tell.
var blind = []string{"screen", "SCREEN", "zellij", "dtach", "abduco", "dvtm", "shpool", "tmate", "atch"}

// written are terminals that are scripts themselves. bootstrap-fork is that of editors
// which run on a server.
var written = []string{"terminator", "guake", "kitty", "tilda", "ulauncher", "deepin-terminal", "bootstrap-fork"}

// version is what versions and kinds of a build add to the name of an interpreter.
var version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[-_.]?[0-9][0-9.]*[a-z]?(-dbg|-debug|-full)?$`) })

// base is the name of a program without what versions and systems add to it.
func base(file string) string {
	name := path.Base(strings.TrimSuffix(strings.ReplaceAll(file, `\`, "/"), " (deleted)"))
	name = strings.TrimPrefix(name, "-") // a login shell
	for _, end := range []string{".exe", ".js", ".mjs", ".py"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// names are those under which a process may be known.
func names(p *process.Process) []string {
	var list []string
	if len(p.Args) > 0 {
		first, _, _ := strings.Cut(p.Args[0], ": ") // "tmux: server", "sshd: anna"
		list = append(list, base(first))
	}
	if p.Exe != "" {
		list = append(list, base(p.Exe))
	}
	if script := scriptOf(p); script != "" {
		list = append(list, base(script))
	}
	return list
}

// scriptOf is the script that an interpreter runs, or "".
func scriptOf(p *process.Process) string {
	if script := p.Script(); script != "" {
		return script
	}
	if len(p.Args) > 1 && (strings.HasPrefix(base(p.Args[0]), "python") || strings.HasPrefix(base(p.Exe), "python") || is(p, tools)) {
		if i := slices.IndexFunc(p.Args[1:], func(arg string) bool { return !strings.HasPrefix(arg, "-") }); i >= 0 && !slices.Contains(p.Args[1:1+i], "-c") {
			return p.Args[1+i]
		}
	}
	return ""
}

// is reports whether a program is one of these.
func is(p *process.Process, list []string) bool {
	for _, file := range []string{first(p.Args), p.Exe} {
		name := base(strings.TrimSuffix(file, ":"))
		if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
			name = "ld.so"
		}
		if slices.Contains(list, name) || slices.Contains(list, version().ReplaceAllString(name, "")) {
			return true
		}
	}
	return false
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// agentOf is the agent that a process is, or "".
func agentOf(p *process.Process) string {
	for _, name := range names(p) {
		if slices.Contains(agents, name) {
			return name
		}
	}
	for _, file := range []string{p.Exe, scriptOf(p), first(p.Args)} {
		if strings.Contains(file, "/share/claude/versions/") {
			return "claude"
		}
		if _, below, ok := strings.Cut(file, "/node_modules/"); ok {
			parts := strings.Split(below, "/")
			if strings.HasPrefix(parts[0], "@") {
				parts = parts[1:]
			}
			if len(parts) > 0 && slices.Contains(packages, parts[0]) {
				return parts[0]
			}
		}
	}
	return ""
}

// markOf is the variable by which an environment shows that an agent, or hookway, gave
// it; "" if none does.
func markOf(environ []string) string {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains(marks, name) && value != "" && (name != "HOOKWAY_DEPTH" || value != "0") {
			return name
		}
	}
	return ""
}

// variable is the value of a variable, or "".
func variable(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
