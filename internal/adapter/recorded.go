package adapter

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
