package claudehooks

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/shell"
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

// Hook is a hook of the settings in hookway's terms.
type Hook struct {
	ID         string
	Name       string // of its event, in the settings
	Event      *hook.EventInfo
	Kind       string         // command or http
	Shell      *strict.Entry  // the command as a line
	Argv       []strict.Entry // the command as words
	URL        string         // of a server
	Server     *Server
	Match      hook.Match
	Filter     Filter
	Tools      []string // those that its matcher names
	Rule       string   // its if
	Timeout    time.Duration
	OnFailure  hook.Failure
	Background bool     // nobody waits for it
	Wakes      bool     // in the background: code 2 is for the agent
	About      string   // what goes before what it says then
	Own        []string // variables of its plugin
	Env        []string // those of the settings and its own
	Data       string   // a folder that is there when it runs
	Plugin     string   // from which it comes
	Managed    bool     // an organisation's settings have it, or enable its plugin
	Broken     error    // it cannot be asked

	File string
	Node *yaml.Node
	At   *yaml.Node // the place of its url

	Off   bool // settings switch it off
	Twice bool // it is in the user's settings, too

	workspace bool
}

// Mark tells apart what two hooks do beside their commands, servers and matches.
func (h *Hook) Mark() string {
	if h == nil {
		return ""
	}
	return fmt.Sprint(h.Filter, h.Wakes, h.About, h.Server)
}

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
	server  Server
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
	case e.kind == "http" && slices.Contains(NoServers, event.name):
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
	s.withOptions(h, e)
	if s.plugin != nil {
		h.Plugin, h.Data, h.Own = s.plugin.id, s.plugin.data, s.plugin.environ()
	}
	h.Env = h.Own
	s.source.Hooks = append(s.source.Hooks, h)
}

// fields reads the keys of a hook that mean something here.
func (s *settings) fields(n *yaml.Node) claudeEntry {
	e := claudeEntry{server: Server{Headers: map[string]string{}}}
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
			e.server.Allowed = s.list(p.Value, "allowedEnvVars")
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
		words = shell.Split(e.command.Text)
	}
	return callsHookway(words, 0)
}

// maxQuotes bounds shell lines inside shell lines.
const maxQuotes = 5

// beforeCode are the flags before a line that is run: sh -c, bash -lc, env -S.
var beforeCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(-[A-Za-z]*[cS]|eval)$`) })

// callsHookway reports whether hookway, as agents call it, is among the words of a
// command, or of a line that it runs.
func callsHookway(words []string, depth int) bool {
	for i, w := range words {
		switch base := strings.TrimSuffix(filepath.Base(filepath.ToSlash(w)), ".exe"); {
		case base == "hookway-hook":
			return true
		case base == "hookway" && firstArgument(words[i+1:]) == "hook":
			return true
		case i > 0 && beforeCode().MatchString(words[i-1]) && depth < maxQuotes && callsHookway(shell.Split(w), depth+1):
			return true
		}
	}
	return false
}

// firstArgument is the first of hookway's arguments that is not a flag.
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
func (s *settings) spec(e claudeEntry, n *yaml.Node, event importedEvent) *Hook {
	h := &Hook{
		ID: s.Hook, Name: event.name, Event: event.info, Kind: e.kind, Timeout: claudeTimeout, OnFailure: hook.FailOpen,
		File: s.File, Node: n, Managed: s.source.Managed, workspace: s.source.workspace,
	}
	if e.blocks && !slices.Contains(alwaysOpen, event.name) && (!e.async || e.kind == "http") {
		h.OnFailure = hook.FailClosed
	}
	if e.async && e.kind == "command" {
		h.Background, h.Wakes, h.About = true, e.wakes, e.about
	}
	if own, ok := claudeTimeouts[event.name]; ok {
		h.Timeout = own
	}
	if e.timeout != nil {
		h.Timeout = *e.timeout
	}
	h.Filter.Once = e.once
	if e.rule != nil {
		h.Rule = e.rule.Text
	}
	switch {
	case e.kind == "http":
		return h
	case !e.exec && e.shell == "powershell":
		for _, word := range []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command"} {
			h.Argv = append(h.Argv, strict.Entry{Text: word, Node: e.command.Node})
		}
		h.Argv = append(h.Argv, *e.command)
		return h
	case !e.exec:
		h.Shell = e.command
		return h
	}
	h.Argv = append([]strict.Entry{*e.command}, e.args...)
	for i := range h.Argv {
		h.Argv[i].Text = s.placed(h.Argv[i].Text)
	}
	return h
}

// placed writes the project's folder for its placeholder: there is no shell that would.
func (s *settings) placed(word string) string {
	if s.plugin != nil {
		word = strings.NewReplacer("${CLAUDE_PLUGIN_ROOT}", s.plugin.root, "${CLAUDE_PLUGIN_DATA}", s.plugin.data).Replace(word)
	}
	if s.in.Workspace == "" {
		return word
	}
	return strings.ReplaceAll(word, "${CLAUDE_PROJECT_DIR}", s.in.Workspace)
}

// match sets what a hook matches. It reports false if that cannot be told here.
func (s *settings) match(h *Hook, event importedEvent, matcher *yaml.Node, rule *strict.Entry) bool {
	h.Match.Not = &hook.Match{Source: Readers}
	if matcher != nil {
		if !strict.IsText(matcher) {
			s.Fail(matcher, "", "matcher must be text, not %s", strict.Describe(matcher))
			return false
		}
		tools, filter, err := Match(event.name, matcher.Value)
		filter.Once = h.Filter.Once
		h.Match.Tool, h.Filter = tools, filter
		for _, name := range h.Match.Tool {
			s.tools = append(s.tools, strict.Word{Entry: strict.Entry{Text: name, Node: matcher}, Hook: s.Hook})
		}
		h.Tools, h.Match.Tool = h.Match.Tool, WithPatches(h.Match.Tool)
		if err != nil {
			s.warn(matcher, fmt.Sprintf("the matcher %q cannot be used here, and its hook is left out: %v", strict.Clip(matcher.Value), err),
				"write it without look-around and back-references")
			return false
		}
	}
	if rule == nil {
		return true
	}
	if !OfTools(event.name) {
		s.warn(rule.Node, "\"if\" counts for events of tools only", "")
		return true
	}
	more, why := Rule(rule.Text)
	h.Match.All = append(h.Match.All, more...)
	if why != "" {
		s.warn(rule.Node, fmt.Sprintf("\"if\": %q: %s", strict.Clip(rule.Text), why), "the hook itself can look at the call")
	}
	return true
}

// serverHeaders reads the headers of a server, as they are before their variables.
func (s *settings) serverHeaders(n *yaml.Node) map[string]string {
	out := map[string]string{}
	for _, p := range s.object(n, "headers") {
		value, ok := s.Text(p.Value, "headers."+strict.Clip(p.Key.Value))
		switch name := strings.ToLower(strings.TrimSpace(p.Key.Value)); {
		case !ok:
		case name == "content-length" || name == "transfer-encoding":
			s.warn(p.Key, "the header "+name+" is left out, as in Claude Code: the length is that of the body", "")
		case name == "content-type":
		default:
			out[p.Key.Value] = value
		}
	}
	return out
}

// list reads a list of texts.
func (s *settings) list(n *yaml.Node, what string) []string {
	out := []string{}
	for _, item := range s.items(n, what) {
		if text, ok := s.Text(item, what); ok {
			out = append(out, text)
		}
	}
	return out
}

// server makes the hook ask a server. It reports false if it cannot.
func (s *settings) server(h *Hook, e claudeEntry, n *yaml.Node) bool {
	h.URL, h.Server, h.At = e.url.Text, &e.server, e.url.Node
	if u, err := url.Parse(h.URL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		SignIn(h.Server.Headers, "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
		u.User = nil
		h.URL = u.String()
	}
	before := len(s.Problems)
	s.FailErr(n, "http: ", s.in.Check(h.URL, h.Server.Headers))
	return len(s.Problems) == before
}
