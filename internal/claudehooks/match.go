// Package claudehooks reads the hooks of Claude Code, and runs them as Claude Code does,
// under every agent.
//
// [Import] reads settings files and plugins of all scopes, by way of matchers and permission
// rules ([Match], [Rule]), and gives each [Hook] in hookway's terms. Handlers are wrapped so
// that hooks find what they expect: [PerFile] asks once for each file of a patch, [OwnResult]
// names results as Claude Code does, [InBackground] keeps for a session what a hook says for
// which nothing waits, and [Server] limits what headers of a server may name.
package claudehooks

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/wire"
)

// toolName is the field that matchers of tool events look at.
const toolName = "tool_name"

// matchedField says which field of an event its matcher looks at. For events that
// are not here, Claude Code looks at no matcher.
var matchedField = map[string]string{
	"PreToolUse": toolName, "PostToolUse": toolName, "PostToolUseFailure": toolName, "PermissionRequest": toolName, "PermissionDenied": toolName,
	"UserPromptExpansion": "command_name", "SessionStart": "source", "ConfigChange": "source", "DirectoryAdded": "source",
	"PreCompact": "trigger", "PostCompact": "trigger", "Setup": "trigger", "Notification": "notification_type", "SessionEnd": "reason",
	"StopFailure": "error", "SubagentStart": "agent_type", "SubagentStop": "agent_type", "Elicitation": "mcp_server_name",
	"ElicitationResult": "mcp_server_name", "InstructionsLoaded": "load_reason", "FileChanged": "file_path", "PreModelSwitch": "to_model",
	"PostModelSwitch": "to_model",
}

// OfTools reports whether matchers of an event look at its tool.
func OfTools(event string) bool { return matchedField[event] == toolName }

var (
	plainMatcher = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_|, ]+$`) })
	plainPiece   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\^?(?:[A-Za-z0-9_ -]|\.\*)+\$?$`) })
)

// Match reads a matcher as Claude Code does, as tools or as a filter: nothing or "*" is every event,
// names between | or commas are just these, and all else is a regular expression
// that holds anywhere in the field.
func Match(event, matcher string) (tools []string, f Filter, err error) {
	field := matchedField[event]
	if field == "" || matcher == "" || matcher == "*" {
		return nil, Filter{}, nil
	}
	if plainMatcher().MatchString(matcher) {
		names := strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' })
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		if field == toolName {
			return withOldNames(names), Filter{}, nil
		}
		for i := range names {
			names[i] = regexp.QuoteMeta(names[i])
		}
		matcher = "^(?:" + strings.Join(names, "|") + ")$"
	}
	if inner, rest, ok := leadingNot(matcher); ok {
		f = Filter{field: field, never: "^(?:" + inner + ")", pattern: rest}
		_, err := NewFiltered(f, nil)
		return nil, f, err
	}
	re, err := regexp.Compile(matcher)
	if err != nil {
		return nil, Filter{}, err
	}
	if globs, ok := asGlobs(matcher); ok && field == toolName {
		for _, old := range oldNames {
			if re.MatchString(old.name) || re.MatchString(old.now) {
				globs = append(globs, old.name, old.now)
			}
		}
		return globs, Filter{}, nil
	}
	return nil, Filter{field: field, pattern: re.String()}, nil
}

// leadingNot takes a matcher apart that begins with ^(?!…), which Go's expressions
// do not have: what must not stand at the beginning, and what must.
func leadingNot(matcher string) (not, rest string, ok bool) {
	inner, ok := strings.CutPrefix(matcher, "^(?!")
	if !ok {
		return "", "", false
	}
	depth := 1
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '\\':
			i++
		case '[':
			return "", "", false // brackets may hide parentheses
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				rest = inner[i+1:]
				return inner[:i], "^(?:" + rest + ")", !strings.Contains(rest, "|")
			}
		}
	}
	return "", "", false
}

// oldNames are names that tools of Claude Code had, which mean the same in matchers.
var oldNames = []struct{ name, now string }{
	{"Task", "Agent"}, {"KillShell", "TaskStop"}, {"KillBash", "TaskStop"}, {"ListMcpResources", "ListMcpResourcesTool"},
	{"ReadMcpResource", "ReadMcpResourceTool"},
}

// withOldNames adds to the names of tools those that mean the same.
func withOldNames(names []string) []string {
	for _, old := range oldNames {
		was, is := slices.Contains(names, old.name), slices.Contains(names, old.now)
		if was && !is {
			names = append(names, old.now)
		} else if is && !was {
			names = append(names, old.name)
		}
	}
	return names
}

// namesOf are the names under which a matcher's expression may find a tool.
func namesOf(tool string) []string {
	names := []string{tool}
	for _, old := range oldNames {
		if tool == old.now {
			names = append(names, old.name)
		} else if tool == old.name {
			names = append(names, old.now)
		}
	}
	return names
}

// asGlobs writes a simple regular expression as globs, which the engine can look
// up faster, and listings can show.
func asGlobs(matcher string) ([]string, bool) {
	if inner, ok := strings.CutPrefix(matcher, "^("); ok && strings.HasSuffix(inner, ")$") {
		matcher = "^" + strings.ReplaceAll(inner[:len(inner)-2], "|", "$|^") + "$"
	}
	var globs []string
	for piece := range strings.SplitSeq(matcher, "|") {
		if !plainPiece().MatchString(piece) {
			return nil, false
		}
		glob := "*" + piece + "*"
		if rest, ok := strings.CutPrefix(piece, "^"); ok {
			glob = rest + "*"
		}
		if rest, ok := strings.CutSuffix(glob, "$*"); ok {
			glob = rest
		}
		glob = strings.ReplaceAll(glob, ".*", "*")
		for strings.Contains(glob, "**") {
			glob = strings.ReplaceAll(glob, "**", "*")
		}
		globs = append(globs, glob)
	}
	return globs, true
}

// fileTools are the tools that the permission rules Edit and Read speak of.
var fileTools = map[string][]string{
	"Edit": {"Edit", "Write", "MultiEdit", "NotebookEdit"}, "Write": {"Edit", "Write", "MultiEdit", "NotebookEdit"}, "NotebookEdit": {"NotebookEdit"},
	"MultiEdit": {"MultiEdit"}, "Read": {"Read", "Grep", "Glob"}, "Grep": {"Grep"}, "Glob": {"Glob"},
}

// Rule reads a permission rule: Tool, or Tool(pattern) of a shell's commands
// and of files. What it does not understand matches too much rather than too
// little, and it says so.
func Rule(rule string) (more []hook.Match, why string) {
	tool, rest, inside := strings.Cut(strings.TrimSpace(rule), "(")
	pattern, closed := strings.CutSuffix(rest, ")")
	tool = strings.TrimSpace(tool)
	switch {
	case tool == "" || inside && !closed:
		return nil, "it is not a permission rule such as Bash(git *); the hook runs for every call"
	case !inside || pattern == "" || pattern == "*":
		return []hook.Match{{Tool: toolsOf(tool)}}, ""
	case tool == "Bash":
		return []hook.Match{{Tool: []string{"Bash"}}, {Command: []string{commandPattern(pattern)}}}, ""
	case fileTools[tool] != nil:
		m := hook.Match{Path: []string{filePattern(pattern)}}
		if m.Check() == nil {
			return []hook.Match{{Tool: toolsOf(tool)}, m}, ""
		}
	}
	return []hook.Match{{Tool: toolsOf(tool)}}, "what stands in the brackets is not understood here; the hook runs for every call of " + strict.Clip(tool)
}

func toolsOf(tool string) []string {
	if tools := fileTools[tool]; tools != nil {
		return tools
	}
	if strings.HasPrefix(tool, "mcp__") && strings.Count(tool, "__") == 1 { // a whole server
		return []string{tool, tool + "__*"}
	}
	return withOldNames([]string{tool})
}

// commandPattern writes the pattern of a Bash rule as a regular expression that
// holds for a command line with such a command anywhere in it.
func commandPattern(pattern string) string {
	open := ""
	if rest, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern, open = rest, `(?:\s.*)?`
	} else if rest, ok := strings.CutSuffix(pattern, " *"); ok {
		pattern, open = rest, `(?:\s.*)?`
	}
	quoted := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(pattern)), `\*`, `.*`)
	return "(?s)(?:^|[;&|\\n({`])\\s*(?:[A-Za-z_][A-Za-z_0-9]*=\\S*\\s+)*" + quoted + open + "\\s*(?:$|[;&|\\n)}`])"
}

// filePattern writes the pattern of a file rule as ours: // is the root of the
// file system there, and / the project.
func filePattern(pattern string) string {
	switch {
	case strings.HasPrefix(pattern, "//"):
		return pattern[1:]
	case strings.HasPrefix(pattern, "/"):
		if rest := pattern[1:]; strings.Contains(rest, "/") {
			return rest
		}
		return "./" + pattern[1:]
	}
	return pattern
}

// Filter is what an imported hook asks of an event besides its matcher.
type Filter struct {
	field   string // of the event as JSON
	pattern string // must be found in it
	never   string // must not be found in it
	Once    bool   // at most once in each session
}

func (f Filter) Empty() bool { return f == Filter{} }

// filtered runs a hook for the events that its filter lets pass.
type filtered struct {
	Filter
	re   *regexp.Regexp
	not  *regexp.Regexp // nil: nothing
	next hook.Handler

	mu   sync.Mutex
	past map[string]bool // sessions in which it ran
}

func NewFiltered(f Filter, next hook.Handler) (*filtered, error) {
	re, err := regexp.Compile(f.pattern)
	if err != nil {
		return nil, err
	}
	out := &filtered{Filter: f, re: re, next: next, past: map[string]bool{}}
	if f.never != "" {
		out.not, err = regexp.Compile(f.never)
	}
	if files, ok := next.(PerFile); ok && f.field == toolName {
		files.Finds = out.finds
		out.next = files
	}
	return out, err
}

// Handle runs the hook if the event is one of its own.
func (f *filtered) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if f.field != "" && !(f.field == toolName && isPatch(ev)) { // each file of a patch is a call of its own
		value, err := fieldOf(ev, f.field)
		if err != nil {
			return hook.Decision{}, err
		}
		names := []string{value}
		if f.field == toolName {
			names = namesOf(value)
		}
		if !slices.ContainsFunc(names, f.finds) {
			return hook.Decision{}, nil
		}
	}
	if f.Once && !f.first(ev.Head().Session) {
		return hook.Decision{}, nil
	}
	return f.next.Handle(ctx, ev)
}

func (f *filtered) finds(name string) bool {
	return f.re.MatchString(name) && (f.not == nil || !f.not.MatchString(name))
}

// maxPast bounds how many sessions are remembered.
const maxPast = 4096

func (f *filtered) first(session string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.past[session] {
		return false
	}
	if len(f.past) >= maxPast {
		clear(f.past)
	}
	f.past[session] = true
	return true
}

// fieldOf reads a field of an event as a hook is given it, "" if there is none.
func fieldOf(ev hook.AnyEvent, field string) (string, error) {
	encoded, err := wire.Encode(ev)
	if err != nil {
		return "", fmt.Errorf("the event cannot be written as JSON: %w", err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(encoded.Bytes(), &all); err != nil {
		return "", fmt.Errorf("the event cannot be read: %w", err)
	}
	var text string
	if json.Unmarshal(all[field], &text) != nil {
		return "", nil
	}
	switch {
	case field == "file_path":
		text = path.Base(text)
	case field == "notification_type" && text == "ToolPermission": // Gemini CLI's word
		text = "permission_prompt"
	}
	return text, nil
}
