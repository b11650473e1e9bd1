package adapter

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Codex speaks Codex CLI's hook protocol, as version 0.169 reads it. It looks
// like Claude Code's, but an answer with one word too many is dropped whole, and
// then the tool runs.
type Codex struct{}

// About describes Codex CLI.
func (Codex) About() *About { return &codexAbout }

// codexPatch is the tool that changes files. Its input is a patch of any number of them.
const codexPatch = "apply_patch"

// Decode reads what Codex writes to a hook's stdin.
func (Codex) Decode(c Call, find Find) (hook.AnyEvent, error) {
	native, err := readNative(&codexAbout, c)
	if err != nil {
		return nil, err
	}
	name, err := eventName(&codexAbout, c, native, "hook_event_name")
	if err != nil {
		return nil, err
	}
	flat := withoutNulls(native)
	switch name {
	case "PreToolUse", "PermissionRequest", "PostToolUse":
		codexTool(flat)
	case "PreModelRequest", "PostModelRequest":
		codexModel(flat)
	case "Stop":
		flat["success"] = true
	}
	return build(&codexAbout, name, native, flat, find)
}

// withoutNulls is an object without the fields that say nothing.
func withoutNulls(native object) object {
	flat := maps.Clone(native)
	maps.DeleteFunc(flat, func(_ string, value any) bool { return value == nil })
	return flat
}

// codexTool tells which files a patch is about, and what became of a call.
func codexTool(flat object) {
	input, _ := flat["tool_input"].(object)
	patch, isPatch := input["command"].(string)
	isPatch = isPatch && flat["tool_name"] == codexPatch
	if isPatch {
		if files := patchedFiles(patch); len(files) > 0 {
			input = maps.Clone(input)
			input["file_path"], input["file_paths"] = files[0], files
			flat["tool_input"] = input
		}
	}
	switch response := flat["tool_response"].(type) {
	case string:
		if code, ok := codexExitCode(response); ok && isPatch {
			flat["tool_response"] = object{"success": code == 0, "exit_code": code, "output": response}
		}
	case object:
		flat["tool_response"] = contentResponse(response)
	}
}

// patchedFiles lists the files that a patch touches, in its order. Codex takes
// headers that are indented, so these count as well.
func patchedFiles(patch string) []any {
	var files []any
	for line := range strings.Lines(patch) {
		line = strings.TrimSpace(line)
		for _, header := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			file, ok := strings.CutPrefix(line, header)
			if file = strings.TrimSpace(file); ok && file != "" && !slices.Contains(files, any(file)) {
				files = append(files, file)
			}
		}
	}
	return files
}

// codexExitCode reads the first line of a patch's result.
func codexExitCode(text string) (code int, ok bool) {
	digits, ok := strings.CutPrefix(text, "Exit code: ")
	digits, _, _ = strings.Cut(digits, "\n")
	code, err := strconv.Atoi(strings.TrimSpace(digits))
	return code, ok && err == nil
}

// contentResponse is the result of an MCP tool with what can be read of it as
// its output.
func contentResponse(response object) object {
	parts, ok := response["content"].([]any)
	if !ok {
		return response
	}
	var texts []string
	for _, part := range parts {
		in, _ := part.(object)
		if text, ok := in["text"].(string); ok {
			texts = append(texts, text)
		}
	}
	response = maps.Clone(response)
	if _, taken := response["output"]; !taken {
		response["output"] = strings.Join(texts, "\n")
	}
	if _, taken := response["success"]; !taken {
		response["success"] = response["isError"] != true
	}
	return response
}

func codexModel(flat object) {
	takeText(flat, "model_name", flat, "model")
	usage, _ := flat["token_usage"].(object)
	if usage == nil {
		return
	}
	flat["usage"] = usageOf(usage, "input_tokens", "output_tokens", "total_tokens")
}

// usageOf counts tokens under our names. What is no whole number counts nothing.
func usageOf(native object, prompt, completion, total string) object {
	usage := object{}
	for ours, theirs := range map[string]string{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total} {
		n, _ := whole(native[theirs])
		usage[ours] = json.Number(strconv.FormatInt(n, 10))
	}
	return usage
}

// Encode writes an outcome as Codex reads it: JSON of the words that the event
// has, and exit code 0.
func (Codex) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := codexAnswer{newAnswer(ev, out)}
	if out.UserMessage != "" {
		a.top["systemMessage"] = out.UserMessage
	}
	switch a.event {
	case "PreToolUse":
		a.preToolUse()
	case "PermissionRequest":
		a.permissionRequest()
	case "PostToolUse":
		a.postToolUse()
	case "PreCompact":
		if out.Action == hook.ActionBlock {
			a.top["continue"], a.top["stopReason"] = false, a.reason()
		}
	case "UserPromptSubmit", "Stop", "SubagentStop":
		a.blocked()
	}
	if out.Inject != "" && codexAbout.Event(a.event).Can&Inject != 0 {
		a.nested["additionalContext"] = out.Inject
	}
	a.stop()
	return a.reply()
}

// codexAnswer is an answer in Codex's words.
type codexAnswer struct{ *answer }

// reason is never blank: with a blank one, Codex drops the refusal.
func (a *answer) reason() string {
	if strings.TrimSpace(a.out.Reason) == "" {
		return "A hook decided so"
	}
	return a.out.Reason
}

func (a codexAnswer) blocked() {
	if a.out.Action == hook.ActionBlock {
		a.top["decision"], a.top["reason"] = "block", a.reason()
	}
}

func (a codexAnswer) deny(reason string) {
	a.nested["permissionDecision"], a.nested["permissionDecisionReason"] = "deny", reason
}

func (a codexAnswer) preToolUse() {
	if a.out.Action == hook.ActionBlock {
		a.deny(a.reason())
		return
	}
	input := a.changedInput(&codexAbout, a.ev)
	if input == nil {
		return
	}
	use, _ := a.out.Payload.(hook.ToolUse)
	if nativeTool(a.ev, use.ToolName) == codexPatch {
		before := nativeInput(a.ev)
		input = maps.Clone(input)
		delete(input, "file_path")
		delete(input, "file_paths")
		if asText(input) == asText(before) { // only the names of the files were changed
			a.deny("A hook changed which files this patch is for, which Codex cannot apply; change the patch itself")
			return
		}
	}
	// Codex takes a changed input only with this word, which there is no approval:
	// the call goes on to whatever would ask the user. By itself it is an error.
	a.nested["permissionDecision"], a.nested["updatedInput"] = "allow", input
}

// asText is a value for comparing; numbers keep their digits.
func asText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

func (a codexAnswer) permissionRequest() {
	switch a.out.Action {
	case hook.ActionAllow:
		a.nested["decision"] = object{"behavior": "allow"}
	case hook.ActionBlock:
		a.nested["decision"] = object{"behavior": "deny", "message": a.reason()}
	} // an ask needs no words: Codex is about to ask
}

// postToolUse: the reason of a block is what the model is given as the result.
// That is the only way in which a result can be changed.
func (a codexAnswer) postToolUse() {
	a.blocked()
	if text, ok := a.changedOutput(); ok && a.out.Action != hook.ActionBlock {
		if strings.TrimSpace(text) == "" {
			text = "(a hook removed the output)"
		}
		a.top["decision"], a.top["reason"] = "block", text
	}
}

// stop hands on that a hook written for Claude Code wants the turn to end, at the
// events at which Codex ends it.
func (a codexAnswer) stop() {
	if a.out.Metadata["claude.continue"] != false || a.out.Action == hook.ActionBlock {
		return
	}
	switch a.event {
	case "SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SubagentStop":
		a.top["continue"] = false
		if why, ok := a.out.Metadata["claude.stopReason"].(string); ok {
			a.top["stopReason"] = why
		}
	default:
		a.warn("Codex cannot end the turn at %s: continue was left out", a.event)
	}
}
