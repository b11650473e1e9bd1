//go:build unix

package e2e

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/model"
)

// Words by which it is seen who is told what.
const (
	wordA = "E2E-WORD-A"
	wordB = "E2E-WORD-B"
)

// claudeHooks are hooks of one event in the settings of Claude Code.
type claudeHooks struct {
	event, matcher string
	commands       []string
	more           object // beside each command
	settings       object // beside the hooks
	plugin         bool   // they are a plugin's
	asks           object // what the plugin asks its user for
	told           object // what its user says
	server         *answering
}

// answering is how a server answers that a hook of the type http asks.
type answering struct {
	status int
	body   string
	header string // without which it says nothing
}

// asking is a hook that asks a server.
func asking(event string, status int, body string) claudeHooks {
	return claudeHooks{event: event, server: &answering{status: status, body: body}}
}

// saying is an answer in Claude Code's own form.
func saying(event, fields string) string {
	return `{"hookSpecificOutput": {"hookEventName": "` + event + `", ` + fields + `}}`
}

const denies = `"permissionDecision": "deny", "permissionDecisionReason": "` + wordA + `"`

// prints is a command that prints a text.
func prints(text string) string { return "printf '%s' '" + text + "'" }

// before are hooks on calls of the shell.
func before(commands ...string) claudeHooks {
	return claudeHooks{event: "PreToolUse", matcher: "Bash", commands: commands}
}

func on(event string, commands ...string) claudeHooks {
	return claudeHooks{event: event, commands: commands}
}

// matching are hooks that refuse what they match.
func matching(matcher string) claudeHooks {
	return claudeHooks{event: "PreToolUse", matcher: matcher, commands: []string{"echo " + wordA + " >&2; exit 2"}}
}

func (h claudeHooks) with(more object) claudeHooks { h.more = more; return h }

// nested is an answer in Claude Code's own form.
func nested(event, fields string) string {
	return prints(`{"hookSpecificOutput": {"hookEventName": "` + event + `", ` + fields + `}}`)
}

const once = `grep -q '"stop_hook_active": *true' && exit 0; `

// settingsCases are settings of Claude Code. They mean the same to it as to hookway.
var settingsCases = map[string]claudeHooks{
	"code 2": matching("Bash"), "another tool": matching("Write"), "a list": matching("Write|Bash"), "an expression": matching("B.*"),
	"an expression inside": matching("^(Read|Ba)"), "other letters": matching("bash"), "no matcher": matching(""), "a star": matching("*"),
	"a list with blanks": matching("Write, Bash"), "not": matching("^(?!Bash)"),
	"code 1": before("echo " + wordA + " >&2; exit 1"), "code 3 and text": before("echo " + wordA + "; exit 3"), "text": before("echo " + wordA),
	"block":            before(prints(`{"decision": "block", "reason": "` + wordA + `"}`)),
	"block, code 1":    before(prints(`{"decision": "block", "reason": "`+wordA+`"}`) + "; exit 1"),
	"deny":             before(nested("PreToolUse", `"permissionDecision": "deny", "permissionDecisionReason": "\ud83d\ude00 `+wordA+`"`)),
	"ask":              before(nested("PreToolUse", `"permissionDecision": "ask", "permissionDecisionReason": "`+wordA+`"`)),
	"allow":            before(nested("PreToolUse", `"permissionDecision": "allow"`)),
	"another event":    before(nested("PostToolUse", `"updatedInput": {"command": "echo tamed > tamed"}`)),
	"changed, allowed": before(nested("PreToolUse", `"permissionDecision": "allow", "updatedInput": {"command": "echo tamed > tamed"}`)),
	"changed":          before(nested("PreToolUse", `"updatedInput": {"command": "echo tamed > tamed"}`)),
	"context":          before(nested("PreToolUse", `"additionalContext": "`+wordA+`"`)),
	"an unknown word":  before(prints(`{"decision": "maybe", "reason": "` + wordA + `"}`)),
	"an unknown key":   before(prints(`{"other": 1}`)), "an empty object": before(prints(`{}`)),
	"no JSON":                 before(prints(`{no JSON ` + wordA)),
	"code 1, closed":          before("exit 1").with(object{"onFailure": "block"}),
	"a prompt, JSON and text": on("UserPromptSubmit", prints(`{"other": 1} `+wordA)),
	"no JSON, code 2":         before(prints(`{no JSON`) + "; echo " + wordA + " >&2; exit 2"),
	"text, then JSON":         before("echo Hello; " + prints(`{"decision": "block", "reason": "`+wordA+`"}`)),
	"JSON, then text":         before("echo '{\"decision\": \"block\", \"reason\": \"" + wordA + "\"}'; echo Bye"),
	"JSON over lines":         before("printf '{\\n\"decision\":\\n \"block\", \"reason\": \"" + wordA + "\"\\n}\\n'"),
	"one of two refuses":      before("echo "+wordA+" >&2; exit 2", "cat > /dev/null; echo seen > seen"),
	"one refuses, one allows": before(nested("PreToolUse", `"permissionDecision": "allow"`),
		nested("PreToolUse", `"permissionDecision": "deny", "permissionDecisionReason": "`+wordA+`"`)),
	"two tell": before(nested("PreToolUse", `"additionalContext": "`+wordA+`"`), nested("PreToolUse", `"additionalContext": "`+wordB+`"`)),
	"if":       matching("Bash").with(object{"if": "Bash(rm *)"}), "if not": matching("Bash").with(object{"if": "Bash(git *)"}),
	"switched off":       {event: "PreToolUse", matcher: "Bash", commands: []string{"echo " + wordA + " >&2; exit 2"}, settings: object{"disableAllHooks": true}},
	"a plugin":           {event: "PreToolUse", matcher: "Bash", commands: []string{`sh "$CLAUDE_PLUGIN_ROOT/refuse.sh"`}, plugin: true},
	"a plugin's braces":  {event: "PreToolUse", matcher: "Bash", commands: []string{`sh ${CLAUDE_PLUGIN_ROOT}/refuse.sh`}, plugin: true},
	"a prompt, text":     on("UserPromptSubmit", "echo "+wordA),
	"a prompt, no JSON":  on("UserPromptSubmit", prints(`{no JSON `+wordA)),
	"a prompt, JSON":     on("UserPromptSubmit", nested("UserPromptSubmit", `"additionalContext": "`+wordA+`"`)),
	"a prompt, code 2":   on("UserPromptSubmit", "echo "+wordA+" >&2; exit 2"),
	"a prompt, code 1":   on("UserPromptSubmit", "echo "+wordA+"; exit 1"),
	"a prompt, a number": on("UserPromptSubmit", "echo 42 "+wordA),
	"a session, text":    on("SessionStart", "echo "+wordA),
	"a session, no JSON": on("SessionStart", prints(`{no JSON `+wordA)),
	"a session, a list":  on("SessionStart", prints(`["`+wordA+`"]`)),
	"a session, JSON":    on("SessionStart", nested("SessionStart", `"additionalContext": "`+wordA+`"`)),
	"a result, code 2":   on("PostToolUse", "echo "+wordA+" >&2; exit 2"),
	"a result, block":    on("PostToolUse", prints(`{"decision": "block", "reason": "`+wordA+`"}`)),
	"a result, context":  on("PostToolUse", nested("PostToolUse", `"additionalContext": "`+wordA+`"`)),
	"a result, no JSON":  on("PostToolUse", prints(`{no JSON `+wordA)),
	"an end, code 2":     on("Stop", once+"echo "+wordA+" >&2; exit 2"),
	"an end, block":      on("Stop", once+prints(`{"decision": "block", "reason": "`+wordA+`"}`)),
	"an end, text":       on("Stop", "echo "+wordA),
	"an end, no JSON":    on("Stop", prints(`{no JSON `+wordA)),

	"a server denies":         asking("PreToolUse", 200, saying("PreToolUse", denies)),
	"a server denies, 201":    asking("PreToolUse", 201, saying("PreToolUse", denies)),
	"a server, 403":           asking("PreToolUse", 403, saying("PreToolUse", denies)),
	"a server, 500, closed":   asking("PreToolUse", 500, "").with(object{"onFailure": "block"}),
	"a server, a redirect":    asking("PreToolUse", 302, ""),
	"a server, text":          asking("PreToolUse", 200, wordA),
	"a server, text, closed":  asking("PreToolUse", 200, "fine").with(object{"onFailure": "block"}),
	"a server, no JSON":       asking("PreToolUse", 200, "{no JSON "+wordA),
	"a server, nothing":       asking("PreToolUse", 200, ""),
	"a server changes":        asking("PreToolUse", 200, saying("PreToolUse", `"permissionDecision": "allow", "updatedInput": {"command": "echo tamed > tamed"}`)),
	"a server tells":          asking("PreToolUse", 200, saying("PreToolUse", `"additionalContext": "`+wordA+`"`)),
	"a server at a prompt":    asking("UserPromptSubmit", 200, saying("UserPromptSubmit", `"additionalContext": "`+wordA+`"`)),
	"a prompt's server, text": asking("UserPromptSubmit", 200, wordA),
	"a prompt's server, {":    asking("UserPromptSubmit", 200, "{no JSON "+wordA),
	"a server at a session":   asking("SessionStart", 200, saying("SessionStart", `"additionalContext": "`+wordA+`"`)),
	"a server at a result":    asking("PostToolUse", 200, `{"decision": "block", "reason": "`+wordA+`"}`),
	"a server not allowed":    {event: "PreToolUse", server: &answering{status: 200, body: saying("PreToolUse", denies)}, settings: object{"allowedHttpHookUrls": []string{"https://*.example.com/*"}}},
	"a server allowed":        {event: "PreToolUse", server: &answering{status: 200, body: saying("PreToolUse", denies)}, settings: object{"allowedHttpHookUrls": []string{"http://127.0.0.1:*/*"}}},
	"a server's header": {event: "PreToolUse", server: &answering{200, saying("PreToolUse", denies), "Bearer " + wordB + "--"}, settings: object{"env": object{"TEAM": wordB, "OTHER": "x"}},
		more: object{"headers": object{"X-Team": "Bearer ${TEAM}-$OTHER-$UNSET"}, "allowedEnvVars": []string{"TEAM", "UNSET"}}},
	"a server's header, limited": {event: "PreToolUse", server: &answering{200, saying("PreToolUse", denies), "Bearer --"}, settings: object{"env": object{"TEAM": wordB}, "httpHookAllowedEnvVars": []string{"OTHER"}},
		more: object{"headers": object{"X-Team": "Bearer ${TEAM}-$OTHER-$UNSET"}, "allowedEnvVars": []string{"TEAM", "UNSET"}}},
	"a variable of the settings": {event: "PreToolUse", matcher: "Bash", commands: []string{"echo $TEAM >&2; exit 2"}, settings: object{"env": object{"TEAM": wordA}}},
	"a plugin's option": {event: "PreToolUse", matcher: "Bash", commands: []string{`echo $CLAUDE_PLUGIN_OPTION_WORD >&2; exit 2`}, plugin: true,
		asks: object{"word": object{"type": "string", "title": "word", "description": "what it says"}}, told: object{"word": wordA}},
	"a plugin's option that is not set": {event: "PreToolUse", matcher: "Bash", commands: []string{"sh"}, plugin: true, more: object{"args": []string{"-c", "exit 2", "x", "${user_config.word}"}},
		asks: object{"word": object{"type": "string", "title": "word", "description": "what it says", "default": wordA}}},
	"a plugin's option in a word": {event: "PreToolUse", matcher: "Bash", commands: []string{"sh"}, plugin: true, more: object{"args": []string{"-c", "echo $1 >&2; exit 2", "x", "${user_config.word}"}},
		asks: object{"word": object{"type": "string", "title": "word", "description": "what it says"}}, told: object{"word": wordA}},
	"a plugin's option in a line": {event: "PreToolUse", matcher: "Bash", commands: []string{"echo ${user_config.word} >&2; exit 2"}, plugin: true,
		asks: object{"word": object{"type": "string", "title": "word", "description": "what it says"}}, told: object{"word": wordA}},
}

// TestSettingsOfClaudeCodeMeanTheSame: what hooks in settings of Claude Code do to
// Claude Code itself, without hookway, they do to Codex through hookway.
func TestSettingsOfClaudeCodeMeanTheSame(t *testing.T) {
	if !slices.Contains(asked(), claude) || !slices.Contains(asked(), codex) {
		t.Skip("it is about Claude Code and Codex")
	}
	if os.Getenv("HOOKWAY_E2E_SETTINGS") == "" { // it takes two minutes
		t.Skip("HOOKWAY_E2E_SETTINGS=1 runs it, as make proof does")
	}
	t.Run("all", func(t *testing.T) {
		for name, h := range settingsCases {
			t.Run(name, func(t *testing.T) {
				t.Parallel() // an agent mostly waits
				native := h.under(t, claude)
				if through := h.under(t, codex); through != native {
					t.Errorf("natively:\n%s\nthrough hookway:\n%s", native, through)
				}
			})
		}
	})
	proves(t, "%d settings of Claude Code do to Codex what they do natively", len(settingsCases))
}

// under runs an agent with the hooks, and says what came of it.
func (h claudeHooks) under(t *testing.T, a *agent) string {
	t.Helper()
	w := untrustedWorld(t, a, "import: claude\n", model.Turn{Shell: a.destroy})
	h.settle(t, w)
	if a != claude {
		w.hookway(t, "trust", "--yes")
		w.install(t)
	}
	r := w.run(t, append([]string{os.Getenv(a.program)}, a.argv...)...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s said:\n%s\n%s", a.name, r.stdout, r.stderr)
		}
	})
	return w.outcome(t)
}

// settle writes the hooks into the world's settings.
func (h claudeHooks) settle(t *testing.T, w *world) {
	t.Helper()
	var all []any
	for _, command := range h.commands {
		hook := object{"type": "command", "command": command}
		for key, value := range h.more {
			hook[key] = value
		}
		all = append(all, hook)
	}
	if h.server != nil {
		all = append(all, h.ask(t))
	}
	group := object{"hooks": all}
	if h.matcher != "" {
		group["matcher"] = h.matcher
	}
	hooks := object{"hooks": object{h.event: []any{group}}}
	if !h.plugin {
		for key, value := range h.settings {
			hooks[key] = value
		}
		w.writeJSON(t, filepath.Join(w.project, ".claude/settings.json"), hooks)
		return
	}
	market := filepath.Join(w.root, "market")
	w.writeJSON(t, filepath.Join(market, ".claude-plugin/marketplace.json"), object{
		"name": "m", "owner": object{"name": "A"}, "plugins": []any{object{"name": "p", "source": "./p", "description": "refuses"}},
	})
	says := object{"name": "p", "version": "1.0.0", "description": "refuses"}
	if h.asks != nil {
		says["userConfig"] = h.asks
	}
	w.writeJSON(t, filepath.Join(market, "p/.claude-plugin/plugin.json"), says)
	w.writeJSON(t, filepath.Join(market, "p/hooks/hooks.json"), hooks)
	w.write(t, filepath.Join(market, "p/refuse.sh"), "echo "+wordA+" >&2; exit 2\n")
	if h.told != nil {
		w.writeJSON(t, filepath.Join(w.home, ".claude/settings.json"), object{"pluginConfigs": object{"p@m": object{"options": h.told}}})
	}
	for _, args := range [][]string{{"marketplace", "add", market}, {"install", "--scope", "project", "p@m"}} {
		if r := w.run(t, append([]string{os.Getenv(claude.program), "plugin"}, args...)...); r.code != 0 {
			t.Fatalf("claude plugin %q: %s%s", args, r.stdout, r.stderr)
		}
	}
}

// ask starts the hook's server, and gives the hook.
func (h claudeHooks) ask(t *testing.T) object {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.server.header != "" && r.Header.Get("X-Team") != h.server.header {
			return
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(h.server.status)
		_, _ = io.WriteString(w, h.server.body)
	}))
	t.Cleanup(server.Close)
	hook := object{"type": "http", "url": server.URL}
	for key, value := range h.more {
		hook[key] = value
	}
	return hook
}

func (w *world) writeJSON(t *testing.T, file string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	check(t, err)
	w.write(t, file, string(text))
}

// outcome is what there is to be seen after a run: which files there are, how often
// the model was asked, and which words it read.
func (w *world) outcome(t *testing.T) string {
	t.Helper()
	var lines []string
	check(t, filepath.WalkDir(w.project, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(w.project, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && name != "hookway.yaml":
			lines = append(lines, "there is "+name)
		}
		return nil
	}))
	asked := w.model.Requests()
	if len(asked) == 0 {
		lines = append(lines, "the model is not asked")
	}
	for i, q := range asked {
		for _, word := range []string{wordA, wordB} {
			if q.Says(word) && (i == 0 || !asked[i-1].Says(word)) {
				lines = append(lines, "the model is told "+word)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
