package adapter

import (
	"encoding/json"
	"maps"
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

// Decode reads what Codex writes to a hook's stdin.
func (Codex) Decode(c Call, find Find) (hook.AnyEvent, error) {
	native, name, err := readNamed(&codexAbout, c, "hook_event_name")
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
	isPatch := tellPatch(flat)
	switch response := flat["tool_response"].(type) {
	case string:
		if code, ok := codexExitCode(response); ok && isPatch {
			flat["tool_response"] = object{"success": code == 0, "exit_code": code, "output": response}
		}
	case object:
		flat["tool_response"] = contentResponse(response)
	}
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

// usageOf counts tokens under our names. What is not a whole number counts nothing.
func usageOf(native object, prompt, completion, total string) object {
	usage := object{}
	for ours, theirs := range map[string]string{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total} {
		n, _ := whole(native[theirs])
		usage[ours] = json.Number(strconv.FormatInt(n, 10))
	}
	return usage
}
