package config

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// importedEvent is an event by Claude Code's name and ours.
type importedEvent struct {
	name string
	info *hook.EventInfo
}

// Timeouts that Claude Code has where a hook says none.
const claudeTimeout = 600 * time.Second

var claudeTimeouts = map[string]time.Duration{"UserPromptSubmit": 30 * time.Second, "SessionEnd": 1500 * time.Millisecond,
	"PreModelSwitch": 30 * time.Second, "PostModelSwitch": 30 * time.Second, "MessageDisplay": 10 * time.Second}

// alwaysOpen are the events for which Claude Code ignores onFailure.
var alwaysOpen = []string{"Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"}

// claudeEntry is one hook of settings.json as it is written.
type claudeEntry struct {
	kind    string
	command *strict.Entry
	args    []strict.Entry
	exec    bool // args is there: no shell
	rule    *strict.Entry
	shell   string
	timeout *time.Duration
	blocks  bool
	async   bool
	once    bool
	wakes   bool
	about   string
	url     *strict.Entry
	server  claudehooks.Server
}

// entry reads a hook, and makes one of ours of it unless it cannot run here.
func (s *settings) entry(n *yaml.Node, event importedEvent, matcher *yaml.Node) {
	before := len(s.Problems)
	e := s.fields(n)
	if len(s.Problems) > before {
		return
	}
	switch {
	case e.kind == "prompt" || e.kind == "agent" || e.kind == "mcp_tool":
		s.warn(n, "hooks of the type "+e.kind+" are not run here", "Claude Code alone runs it; write a command to have it under every agent")
		return
	case e.kind == "http" && e.url == nil:
		s.Fail(n, "", "the hook has no url")
		return
	case e.kind == "http" && slices.Contains(claudehooks.NoServers, event.name):
		s.warn(n, "hooks of the type http are not asked at "+event.name+", as in Claude Code", "write a command")
		return
	case e.kind == "http":
	case e.kind != "command":
		s.Fail(n, "", "the type %q of a hook is unknown; it is command, http, prompt, agent or mcp_tool", strict.Clip(e.kind))
		return
	case e.command == nil:
		s.Fail(n, "", "the hook has no command")
		return
	case e.ours():
		return // hookway itself: it would ask itself
	}
	h := s.spec(e, n, event)
	if !s.match(h, event, matcher, e.rule) || e.kind == "http" && !s.server(h, e, n) {
		return
	}
	f := &found{spec: h, source: s.source, file: s.File}
	s.withOptions(f, e)
	if e.kind == "command" {
		f.command = h.command(s.source.dir)
	}
	if s.plugin != nil {
		f.plugin, h.env = s.plugin.id, s.plugin.environ()
		f.data = s.plugin.data
	}
	s.found = append(s.found, f)
}

// fields reads the keys of a hook that mean something here.
func (s *settings) fields(n *yaml.Node) claudeEntry {
	e := claudeEntry{server: claudehooks.Server{Headers: map[string]string{}}}
	for _, p := range s.object(n, "a hook") {
		switch p.Key.Value {
		case "type":
			e.kind, _ = s.Text(p.Value, "type")
		case "command":
			e.command = s.entryText(p.Value, "command")
		case "args":
			e.exec = true
			for _, a := range s.items(p.Value, "args") {
				if strict.IsText(a) {
					e.args = append(e.args, strict.Entry{Text: a.Value, Node: a})
				} else {
					s.Fail(a, "", "an argument must be text, not %s", strict.Describe(a))
				}
			}
		case "url":
			e.url = s.entryText(p.Value, "url")
		case "headers":
			e.server.Headers = s.serverHeaders(p.Value)
		case "allowedEnvVars":
			e.server.Allowed = s.texts(p.Value, "allowedEnvVars")
		case "if":
			e.rule = s.entryText(p.Value, "if")
		case "shell":
			e.shell, _ = s.Choice(p.Value, "shell", "bash", "powershell")
		case "timeout":
			e.timeout = s.seconds(p.Value)
		case "onFailure":
			word, _ := s.Choice(p.Value, "onFailure", "continue", "block")
			e.blocks = word == "block"
		case "async":
			v, _ := s.Boolean(p.Value, "async")
			e.async = e.async || v
		case "asyncRewake":
			e.wakes, _ = s.Boolean(p.Value, "asyncRewake")
			e.async = e.async || e.wakes
		case "rewakeMessage":
			e.about, _ = s.Text(p.Value, "rewakeMessage")
		case "once":
			e.once, _ = s.Boolean(p.Value, "once")
		}
	}
	return e
}

func (s *settings) entryText(n *yaml.Node, what string) *strict.Entry {
	if text, ok := s.Text(n, what); ok {
		return &strict.Entry{Text: text, Node: n}
	}
	return nil
}

// seconds reads a timeout.
func (s *settings) seconds(n *yaml.Node) *time.Duration {
	var v float64
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && n.ShortTag() != "!!float" || n.Decode(&v) != nil ||
		math.IsNaN(v) || v <= 0 || v > hook.MaxTimeout.Seconds() {
		s.Fail(n, "write seconds, as 30", "timeout must be a number of seconds of at most a day, not %s", strict.Describe(n))
		return nil
	}
	d := time.Duration(v * float64(time.Second))
	return &d
}

// ours reports whether a hook calls hookway: hookway would fire the event that it
// is asked about.
func (e *claudeEntry) ours() bool {
	words := []string{e.command.Text}
	for _, a := range e.args {
		words = append(words, a.Text)
	}
	if !e.exec {
		words = lineWords(e.command.Text)
	}
	return callsHookway(words, 0)
}

// lineWords are the words of a shell line, without their quotes.
func lineWords(line string) []string {
	var words []string
	for _, w := range shellWords(line) {
		words = append(words, unquote(line[w.start:w.end]))
	}
	return words
}

// maxQuotes bounds shell lines inside shell lines.
const maxQuotes = 5

// beforeCode are the flags before a line that is run: sh -c, bash -lc, env -S.
var beforeCode = regexp.MustCompile(`^(-[A-Za-z]*[cS]|eval)$`)

// callsHookway reports whether hookway, as agents call it, is among the words of a
// command, or of a line that it runs.
func callsHookway(words []string, depth int) bool {
	for i, w := range words {
		switch base := strings.TrimSuffix(filepath.Base(filepath.ToSlash(w)), ".exe"); {
		case base == "hookway-hook":
			return true
		case base == "hookway" && firstArgument(words[i+1:]) == "hook":
			return true
		case i > 0 && beforeCode.MatchString(words[i-1]) && depth < maxQuotes && callsHookway(lineWords(w), depth+1):
			return true
		}
	}
	return false
}

// firstArgument is the first of hookway's arguments that is no flag.
func firstArgument(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-C" || args[i] == "--dir": // the flags of hookway with a value
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// spec is the hook in our terms, but for what it matches.
func (s *settings) spec(e claudeEntry, n *yaml.Node, event importedEvent) *hookSpec {
	profile := hook.ProfileClaude
	h := &hookSpec{
		node: n, id: s.Hook, events: []*hook.EventInfo{event.info}, profile: &profile, onFail: hook.FailOpen, handler: handlerSpec{kind: "command"},
	}
	if event.name != event.info.Name {
		h.told = map[string]string{event.info.Name: event.name}
	}
	if e.blocks && !slices.Contains(alwaysOpen, event.name) && (!e.async || e.kind == "http") {
		h.onFail = hook.FailClosed
	}
	if e.async && e.kind == "command" {
		h.lane, h.wakes, h.about = hook.Observe, e.wakes, e.about
	}
	timeout := claudeTimeout
	if own, ok := claudeTimeouts[event.name]; ok {
		timeout = own
	}
	if e.timeout != nil {
		timeout = *e.timeout
	}
	h.timeout = &timeout
	h.filter.Once = e.once
	if e.rule != nil {
		h.rule = e.rule.Text
	}
	switch {
	case e.kind == "http":
		return h
	case !e.exec && e.shell == "powershell":
		for _, word := range []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command"} {
			h.handler.argv = append(h.handler.argv, strict.Entry{Text: word, Node: e.command.Node})
		}
		h.handler.argv = append(h.handler.argv, *e.command)
		return h
	case !e.exec:
		h.handler.shell = e.command
		return h
	}
	h.handler.argv = append([]strict.Entry{*e.command}, e.args...)
	for i := range h.handler.argv {
		h.handler.argv[i].Text = s.placed(h.handler.argv[i].Text)
	}
	return h
}

// placed writes the project's folder for its placeholder: there is no shell that would.
func (s *settings) placed(word string) string {
	if s.plugin != nil {
		word = strings.NewReplacer("${CLAUDE_PLUGIN_ROOT}", s.plugin.root, "${CLAUDE_PLUGIN_DATA}", s.plugin.data).Replace(word)
	}
	if s.loader.workspace == "" {
		return word
	}
	return strings.ReplaceAll(word, "${CLAUDE_PROJECT_DIR}", s.loader.workspace)
}

// match sets what a hook matches. It reports false if that cannot be told here.
func (s *settings) match(h *hookSpec, event importedEvent, matcher *yaml.Node, rule *strict.Entry) bool {
	h.match.Not = &hook.Match{Source: claudeReaders}
	if matcher != nil {
		if !strict.IsText(matcher) {
			s.Fail(matcher, "", "matcher must be text, not %s", strict.Describe(matcher))
			return false
		}
		tools, filter, err := claudehooks.Match(event.name, matcher.Value)
		filter.Once = h.filter.Once
		h.match.Tool, h.filter = tools, filter
		for _, name := range h.match.Tool {
			s.tools = append(s.tools, strict.Word{Entry: strict.Entry{Text: name, Node: matcher}, Hook: s.Hook})
		}
		h.tools, h.match.Tool = h.match.Tool, claudehooks.WithPatches(h.match.Tool)
		if err != nil {
			s.warn(matcher, fmt.Sprintf("the matcher %q cannot be used here, and its hook is left out: %v", strict.Clip(matcher.Value), err),
				"write it without look-around and back-references")
			return false
		}
	}
	if rule == nil {
		return true
	}
	if !claudehooks.OfTools(event.name) {
		s.warn(rule.Node, "\"if\" counts for events of tools only", "")
		return true
	}
	more, why := claudehooks.Rule(rule.Text)
	h.match.All = append(h.match.All, more...)
	if why != "" {
		s.warn(rule.Node, fmt.Sprintf("\"if\": %q: %s", strict.Clip(rule.Text), why), "the hook itself can look at the call")
	}
	return true
}
