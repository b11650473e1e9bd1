package adapter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// codecs are all codecs, in the order in which they are listed to people.
var codecs = []Codec{
	Claude{}, Codex{}, Gemini{},
	Antigravity{},
	Cursor{},
	Copilot{}, Copilot{Pascal: true},
	OpenCode{},
	Qwen{},
}

// All gives the codecs of all agents.
func All() []Codec { return slices.Clone(codecs) }

// Lookup finds a codec by its name. The error lists the names.
func Lookup(name string) (Codec, error) {
	var names []string
	for _, c := range codecs {
		if c.About().Name == name {
			return c, nil
		}
		names = append(names, c.About().Name)
	}
	return nil, Unknown(name, names)
}

// Unknown is the error for the name of an agent that is none of those known. People write
// the name of its program or of the product (gemini-cli, "Claude Code").
func Unknown(name string, known []string) error {
	for _, k := range known {
		if strings.HasPrefix(hook.Normal(strings.ReplaceAll(name, " ", "")), hook.Normal(k)) {
			return fmt.Errorf("the agent %q is unknown; did you mean %s? Known: %s", name, k, strings.Join(known, ", "))
		}
	}
	if near := hook.NearestWithin(2, name, known); near != "" {
		return fmt.Errorf("the agent %q is unknown; did you mean %s? Known: %s", name, near, strings.Join(known, ", "))
	}
	return fmt.Errorf("the agent %q is unknown; known: %s", name, strings.Join(known, ", "))
}

// NativeEvents lists the events of all agents that have no row in hookway's
// table: hooks may be registered for them under these names.
func NativeEvents() []string {
	var names []string
	for _, c := range codecs {
		for _, e := range slices.Concat(c.About().Events, c.About().Derived) {
			if e.Kind == nil && !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// ToolName translates an agent's name of a tool into ours. It reports false if
// no agent's tool has that name, or if several have it that are different here.
func ToolName(native string) (name string, ok bool) {
	for _, c := range codecs {
		t, known := c.About().tool(native)
		switch {
		case !known:
		case ok && t.Name != name:
			return "", false
		default:
			name, ok = t.Name, true
		}
	}
	return name, ok
}

// Recorded translates a call as an agent's own record of a session has it into our
// names, as hooks of that agent get them. What no table knows stays.
func Recorded(agent, native string, input map[string]any) (name string, translated map[string]any) {
	codec, err := Lookup(agent)
	if err != nil {
		return native, input
	}
	if text, bare := input["text"].(string); native == patchTool && bare && len(input) == 1 {
		input = object{"command": text} // the record has the patch alone
	}
	flat := object{"tool_name": native, "tool_input": input}
	if tellPatch(flat) {
		input, _ = flat["tool_input"].(object)
	}
	name, out := codec.About().toolIn(native, input)
	translated, _ = out.(object)
	return name, translated
}
