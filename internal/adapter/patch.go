package adapter

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hookway/hookway/hook"
)

// patchTool is the tool with which models of some makers change files, under
// every agent that offers it to them. Its input is a patch of any number of files;
// hooks see it as Edit, with these files as file_path and file_paths.
const patchTool = "apply_patch"

// tellPatch tells which files a call of the patch tool is about. What the model
// itself says of that does not count. It reports false if the call is another.
func tellPatch(flat object) bool {
	if flat["tool_name"] != patchTool {
		return false
	}
	input, ok := flat["tool_input"].(object)
	if text, plain := flat["tool_input"].(string); plain { // Copilot CLI writes the bare patch
		input, ok = object{"command": text}, true
	}
	if !ok {
		return false
	}
	input = withoutFiles(input)
	var files []any
	for _, name := range slices.Sorted(maps.Keys(input)) { // which of the texts is the patch differs
		if text, ok := input[name].(string); ok {
			files = patchedFiles(files, text)
		}
	}
	if len(files) > 0 {
		input["file_path"], input["file_paths"] = files[0], files
	}
	flat["tool_input"] = input
	return true
}

// patchedFiles adds the files that a patch touches, in its order.
func patchedFiles(files []any, patch string) []any {
	for _, p := range hook.PatchedFiles(patch) {
		if !slices.Contains(files, any(p.Name)) {
			files = append(files, p.Name)
		}
	}
	return files
}

// withoutFiles is a patch tool's input without what tellPatch adds.
func withoutFiles(input object) object {
	input = maps.Clone(input)
	delete(input, "file_path")
	delete(input, "file_paths")
	return input
}

// changedPatch is the new input of a call of the patch tool without what tellPatch
// added. It reports false if that does not say what the hook wants: the files that
// a patch is for stand in the patch itself, and it is not known how an agent that
// writes a bare patch takes one back.
func (a *answer) changedPatch(input object) (object, bool) {
	before, _ := a.ev.Body().(hook.ToolUse)
	after, _ := a.out.Payload.(hook.ToolUse)
	same := asText(withoutFiles(before.ToolInput)) == asText(withoutFiles(after.ToolInput))
	return withoutFiles(input), !same && nativeInput(a.ev) != nil
}

// noPatch is why a hook's change of a patch became a refusal.
const noPatch = "A hook changed which files this patch is for, or the patch in a way that cannot be applied; change the patch itself"

// asText is a value for comparing; numbers keep their digits.
func asText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}
