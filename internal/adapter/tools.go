package adapter

import (
	"maps"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Tool is what one of an agent's tools is called here. The names, and those of
// the arguments, are Claude Code's, so that a hook written for one agent
// understands the calls of all.
type Tool struct {
	Native string
	Name   string // here

	// Input has the names of arguments that differ: native name → ours. A value
	// keeps its type, so a name stands here only if the values mean the same.
	Input map[string]string
}

// tool finds a tool by its native name.
func (a *About) tool(native string) (Tool, bool) {
	for _, t := range a.Tools {
		if t.Native == native {
			return t, true
		}
	}
	return Tool{Native: native, Name: native}, false
}

// toolIn translates a call into our names. What the table does not know stays.
func (a *About) toolIn(native string, input any) (string, any) {
	t, ok := a.tool(native)
	if !ok {
		return native, input
	}
	fields, isObject := input.(object)
	if !isObject || len(t.Input) == 0 {
		return t.Name, input
	}
	return t.Name, renamed(fields, t.Input)
}

// toolOut translates arguments back into the agent's names. before is the call as
// the agent wrote it: a name of ours that it used itself stays.
func (a *About) toolOut(native string, input, before object) object {
	t, _ := a.tool(native)
	if len(t.Input) == 0 {
		return input
	}
	back := make(map[string]string, len(t.Input))
	for theirs, ours := range t.Input {
		_, own := before[ours]
		if _, has := before[theirs]; has || !own {
			back[ours] = theirs
		}
	}
	return renamed(input, back)
}

// renamed is fields with other names. A field that has the new name already
// gives way: the tool does not read it, and a model could put a harmless value
// there for the hooks to see.
func renamed(fields object, names map[string]string) object {
	out := maps.Clone(fields)
	for from := range names {
		delete(out, from)
	}
	for from, to := range names {
		if value, ok := fields[from]; ok {
			out[to] = value
		}
	}
	return out
}

// Gist is what is left of a call's input when an agent tells of it a second time
// by an event that says less: Cursor's beforeShellExecution has the command alone,
// and its beforeReadFile the file. Where agents do no such thing it is the input.
func Gist(ev hook.AnyEvent, tool string, input map[string]any) map[string]any {
	key := map[string]string{"Bash": "command", "Read": "file_path"}[tool]
	value, ok := input[key]
	if !ok || ev.Head().Source != cursorAbout.Agent {
		return input
	}
	return object{key: value}
}

// mcpName is the name of a tool of an MCP server.
func mcpName(server, tool string) string {
	return "mcp__" + strings.TrimPrefix(server, "mcp__") + "__" + tool
}
