package install

import (
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/wire/call"
)

// agents are those that hookway can be installed for, in the order in which they
// are listed to people.
var agents = []*agent{claude, codex, gemini, antigravity, cursor, copilot, opencode, qwen}

// Agents lists the names of the agents that hookway can be installed for.
func Agents() []string {
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.name
	}
	return names
}

func find(name string) (*agent, error) {
	for _, a := range agents {
		if a.name == name {
			return a, nil
		}
	}
	return nil, adapter.Unknown(name, Agents())
}

// below gives a file of a project.
func below(name ...string) func(string) string {
	return func(root string) string { return filepath.Join(append([]string{root}, name...)...) }
}

// claude is Claude Code. Its files may also be read by other agents, which is why
// hookway's answers differ by the command line.
var claude = &agent{
	name: "claude", title: "Claude Code", program: "claude",
	user:    under("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
	project: below(".claude", "settings.json"),
	keys:    []string{"hooks"},
	entry: func(e event, c caller) object {
		h := append(append(object{{"type", "command"}}, c.command("command", "command")...), member{"timeout", e.seconds()})
		switch {
		case e.gates:
			h = append(h, member{"onFailure", "block"})
		case e.tells:
			h = append(h, member{"async", true})
		}
		return inGroup(h)
	},
	// A version that does not know args starts the program without any, and
	// hookway-hook then takes the caller for Claude Code.
	direct: func(*world) bool { return true },
	leave:  leaveClaude,
	off:    offClaude,
	strict: true,
	review: reviewClaude,
}

// gemini is Gemini CLI, which counts in milliseconds. Where an answer may change
// something, hooks run one after the other: in parallel, the last to end wins.
var gemini = &agent{
	name: "gemini", title: "Gemini CLI", program: "gemini", packaged: true,
	user:    geminiHome("settings.json"),
	project: below(".gemini", "settings.json"),
	keys:    []string{"hooks"},
	entry: func(e event, c caller) object {
		h := object{{"type", "command"}, {"name", "hookway"}, {"command", c.line()}, {"timeout", int(e.timeout.Milliseconds())}}
		if e.changes {
			return inGroup(h, member{"sequential", true})
		}
		return inGroup(h)
	},
	review: reviewGemini,
	off:    offGemini,
}

// antigravity is Antigravity CLI. Each program has an object of its own in the
// file; only the events of tools have groups.
var antigravity = &agent{
	name: "antigravity", title: "Antigravity CLI", program: "agy",
	user:    geminiHome("config", "hooks.json"),
	project: below(".agents", "hooks.json"),
	keys:    []string{"hookway"},
	entry: func(e event, c caller) object {
		h := object{{"type", "command"}, {"command", c.line()}, {"timeout", e.seconds()}}
		if e.name == "PreToolUse" || e.name == "PostToolUse" {
			return inGroup(h, member{"matcher", "*"})
		}
		return h
	},
	off: offAntigravity,
}

// cursor is Cursor, which reads nothing from a file that has one event it does
// not know.
var cursor = &agent{
	name: "cursor", title: "Cursor", program: "cursor-agent",
	user:    under("", ".cursor", "hooks.json"),
	project: below(".cursor", "hooks.json"),
	keys:    []string{"hooks"},
	fresh:   object{{"version", 1}},
	entry: func(e event, c caller) object {
		h := object{{"command", c.line()}, {"timeout", e.seconds()}}
		if e.gates {
			h = append(h, member{"failClosed", true})
		}
		return h
	},
	review: reviewCursor,
}

// copilot is GitHub Copilot CLI, which reads every file of a folder: hookway has
// one of its own.
var copilot = &agent{
	name: "copilot", title: "GitHub Copilot CLI", program: "copilot", packaged: true,
	user:    under("COPILOT_HOME", ".copilot", "hooks", "hookway.json"),
	project: below(".github", "hooks", "hookway.json"),
	keys:    []string{"hooks"},
	fresh:   object{{"version", 1}},
	entry: func(e event, c caller) object {
		h := append(append(object{{"type", "command"}}, c.command("command", "exec")...), member{"timeoutSec", e.seconds()})
		if name, value, _ := strings.Cut(call.OneThread, "="); c.direct && runtime.GOOS != "windows" {
			h = append(h, member{"env", object{{name, value}}})
		}
		return h
	},
	direct: directCopilot,
	review: reviewCopilot,
	off:    offCopilot,
	strict: true,
}

// qwen is Qwen Code, which has Claude Code's form.
var qwen = &agent{
	name: "qwen", title: "Qwen Code", program: "qwen",
	user:    under("QWEN_HOME", ".qwen", "settings.json"),
	project: below(".qwen", "settings.json"),
	keys:    []string{"hooks"},
	entry: func(e event, c caller) object {
		h := object{{"type", "command"}, {"name", "hookway"}, {"command", c.line()}, {"timeout", e.seconds()}}
		if e.tells {
			h = append(h, member{"async", true})
		}
		return inGroup(h)
	},
	wait: func(string) time.Duration { return time.Minute }, // it waits no longer, whatever its settings say
	off:  offQwen,
}

// geminiHome is a file in the folder of Gemini CLI, which Antigravity shares.
func geminiHome(name ...string) func(*world) string {
	return func(w *world) string {
		home := w.getenv("GEMINI_CLI_HOME")
		if home == "" {
			home = w.home
		}
		return w.path(append([]string{home, ".gemini"}, name...)...)
	}
}
