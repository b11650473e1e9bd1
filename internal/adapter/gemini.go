package adapter

import (
	"maps"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Gemini speaks Gemini CLI's hook protocol, as version 0.61 reads it.
type Gemini struct{}

// About describes Gemini CLI.
func (Gemini) About() *About { return &geminiAbout }

// Decode reads what Gemini CLI writes to a hook's stdin.
func (Gemini) Decode(c Call, find Find) (hook.AnyEvent, error) {
	native, name, err := readNamed(&geminiAbout, c, "hook_event_name")
	if err != nil {
		return nil, err
	}
	flat := withoutNulls(native)
	switch name {
	case "BeforeTool", "AfterTool":
		takeText(flat, "tool_use_id", native, "tool_call_id")
		if response, ok := native["tool_response"].(object); ok {
			flat["tool_response"] = llmContent(response)
		}
	case "AfterAgent":
		takeText(flat, "last_message", native, "prompt_response")
		flat["success"] = true
	case "BeforeModel":
		geminiRequest(flat, inner(native, "llm_request"))
	case "AfterModel":
		geminiRequest(flat, inner(native, "llm_request"))
		geminiResponse(flat, inner(native, "llm_response"))
	}
	if geminiAbout.Event(name).Kind != nil { // what a model is asked is said once, not in each form
		delete(flat, "llm_request")
		delete(flat, "llm_response")
	}
	ev, err := build(&geminiAbout, name, native, flat, find)
	if err != nil {
		return nil, err
	}
	return geminiMCP(ev, native)
}

// llmContent is a tool's result with what the model is given of it as its
// output. Gemini CLI and Qwen Code report results in this form.
func llmContent(response object) object {
	response = maps.Clone(response)
	if content, ok := response["llmContent"]; ok && !is[string](response["output"]) {
		response["output"] = partsText(content)
	}
	if _, taken := response["success"]; !taken {
		response["success"] = response["error"] == nil
	}
	return response
}

// partsText reads a text, a part with a text, or a list of these.
func partsText(content any) string {
	switch c := content.(type) {
	case string:
		return c
	case object:
		text, _ := c["text"].(string)
		return text
	case []any:
		var text strings.Builder
		for _, part := range c {
			if _, nested := part.([]any); !nested {
				text.WriteString(partsText(part))
			}
		}
		return text.String()
	}
	return ""
}

// geminiRequest tells what a model is asked. What is not a list of messages stays
// where only native has it.
func geminiRequest(flat, request object) {
	flat["model_provider"] = "google"
	takeText(flat, "model_name", request, "model")
	messages, _ := request["messages"].([]any)
	for _, m := range messages {
		if !is[object](m) {
			return
		}
	}
	flat["messages"] = messages
	if len(messages) > 0 {
		first, _ := messages[0].(object)
		if text, ok := first["content"].(string); ok && first["role"] == "system" {
			flat["system_prompt"] = text
		}
	}
}

func geminiResponse(flat, response object) {
	flat["response_text"] = geminiText(response)
	if usage := inner(response, "usageMetadata"); usage != nil {
		flat["usage"] = usageOf(usage, "promptTokenCount", "candidatesTokenCount", "totalTokenCount")
	}
}

// geminiText is the text of a response: of the candidate that is shown.
func geminiText(response object) string {
	if text, ok := response["text"].(string); ok {
		return text
	}
	candidates, _ := response["candidates"].([]any)
	if len(candidates) == 0 {
		return ""
	}
	first, _ := candidates[0].(object)
	return partsText(inner(first, "content")["parts"])
}

// geminiMCP gives a tool of an MCP server its full name. In Gemini CLI's own, the
// server's and the tool's cannot be told apart.
func geminiMCP(ev hook.AnyEvent, native object) (hook.AnyEvent, error) {
	mcp := inner(native, "mcp_context")
	server, _ := mcp["server_name"].(string)
	tool, _ := mcp["tool_name"].(string)
	if server == "" || tool == "" {
		return ev, nil
	}
	env := *ev.Head()
	env.Metadata = maps.Clone(env.Metadata)
	env.Metadata[metaTool] = native["tool_name"]
	switch p := ev.Body().(type) {
	case hook.ToolUse:
		p.ToolName = mcpName(server, tool)
		return ev.Info().New(env, p)
	case hook.ToolResult:
		p.ToolName = mcpName(server, tool)
		return ev.Info().New(env, p)
	}
	return ev, nil
}
