package adapter

import (
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
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

// Encode writes an outcome as Gemini CLI reads it: JSON and exit code 0. Stdout
// is never empty: stderr would then be read as the answer.
func (Gemini) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := geminiAnswer{newAnswer(ev, out)}
	a.tellUser()
	switch a.event {
	case "BeforeTool":
		a.beforeTool()
	case "AfterTool":
		a.afterTool()
	case "BeforeModel":
		a.beforeModel()
	case "AfterModel":
		a.afterModel()
	case "BeforeAgent", "AfterAgent":
		a.blocked()
	}
	if out.Inject != "" && geminiAbout.Event(a.event).Can&Inject != 0 && !(a.event == "AfterTool" && a.top["decision"] != nil) {
		a.nested["additionalContext"] = out.Inject
	}
	a.handOn()
	return a.reply()
}

// geminiAnswer is an answer in Gemini CLI's words.
type geminiAnswer struct{ *answer }

func (a geminiAnswer) deny(reason string) { a.top["decision"], a.top["reason"] = "deny", reason }

func (a geminiAnswer) blocked() {
	if a.out.Action == hook.ActionBlock {
		a.deny(a.reason())
	}
}

func (a geminiAnswer) beforeTool() {
	a.blocked()
	if a.out.Action == hook.ActionAsk {
		a.top["decision"], a.top["reason"] = "ask", a.reason()
	}
	if input := a.changedInput(&geminiAbout, a.ev); input != nil {
		a.nested["tool_input"] = input // replaces the whole input
	}
}

// afterTool: a deny puts its reason in place of the result, and nothing else
// reaches the model then.
func (a geminiAnswer) afterTool() {
	switch text, changed := a.changedOutput(); {
	case a.out.Action == hook.ActionBlock:
		a.deny(visible.Join("\n\n", a.reason(), a.out.Inject))
	case changed && strings.TrimSpace(text) == "":
		a.deny(visible.Join("\n\n", "(a hook removed the output)", a.out.Inject))
	case changed:
		a.deny(visible.Join("\n\n", text, a.out.Inject))
	}
}

// beforeModel changes the parts of a request that were changed: what is not
// said stays, also what hooks were not shown.
func (a geminiAnswer) beforeModel() {
	switch a.out.Action {
	case hook.ActionBlock:
		a.deny(a.reason())
		return
	case hook.ActionAnswer: // the answer counts only beside a deny
		a.deny("A hook answered in the model's place")
		a.nested["llm_response"] = geminiSays(resultText(a.out.Result))
		return
	}
	after, ok := a.out.Payload.(hook.Generation)
	if !ok || !a.out.Changed {
		return
	}
	before, _ := a.ev.Body().(hook.Generation)
	request := object{}
	if after.ModelName != before.ModelName {
		request["model"] = after.ModelName
	}
	if !reflect.DeepEqual(after.Messages, before.Messages) {
		request["messages"] = after.Messages
	}
	if len(request) > 0 {
		a.nested["llm_request"] = request
	}
	after.ModelName, after.Messages = before.ModelName, before.Messages
	if after.SystemPrompt != before.SystemPrompt && request["messages"] != nil && len(before.Messages) > 0 && before.Messages[0].Role() == "system" {
		after.SystemPrompt = before.SystemPrompt // it is the first message
	}
	if !reflect.DeepEqual(after, before) {
		a.warn("Gemini CLI takes a changed model and messages only at BeforeModel: what else hook %s changed is lost", lastChange(a.out))
	}
}

// afterModel: the event comes for each piece of a response. A denied one is
// replaced as well, so that what it says is not shown.
func (a geminiAnswer) afterModel() {
	if a.out.Action == hook.ActionBlock {
		a.deny(a.reason())
		a.nested["llm_response"] = geminiSays(a.reason())
		return
	}
	after, ok := a.out.Payload.(hook.GenerationResult)
	if !ok || !a.out.Changed {
		return
	}
	response := geminiSays(after.ResponseText)
	native, _ := a.ev.Head().Metadata[metaNative].(object)
	before := inner(native, "llm_response")
	if usage := before["usageMetadata"]; usage != nil {
		response["usageMetadata"] = usage
	}
	candidates, _ := before["candidates"].([]any)
	if len(candidates) > 0 {
		old, _ := candidates[0].(object)
		says, _ := response["candidates"].([]any)
		candidate, _ := says[0].(object)
		delete(candidate, "finishReason") // a piece in the middle has none
		for name, value := range old {
			if name != "content" && value != nil {
				candidate[name] = value
			}
		}
	}
	a.nested["llm_response"] = response
}

// geminiSays is a response of a model.
func geminiSays(text string) object {
	return object{
		"text": text,
		"candidates": []any{object{
			"content":      object{"role": "model", "parts": []any{text}},
			"finishReason": "STOP",
		}},
	}
}

// geminiOwn are fields that only Gemini CLI knows; hooks give them in the
// metadata of a decision, as "gemini." and the name.
var geminiOwn = []struct {
	name, event string
	fits        func(any) bool
}{
	{"toolConfig", "BeforeToolSelection", is[object]},
	{"tailToolCallRequest", "AfterTool", is[object]},
	{"clearContext", "AfterAgent", is[bool]},
}

// handOn passes through what has no meaning here.
func (a geminiAnswer) handOn() {
	for _, own := range geminiOwn {
		switch value, ok := a.out.Metadata["gemini."+own.name]; {
		case !ok:
		case own.event == a.event && own.fits(value):
			a.nested[own.name] = value
		default:
			a.warn("Gemini CLI takes no such %s at %s: it was left out", own.name, a.event)
		}
	}
	a.endTurn("Gemini CLI", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeTool", "AfterTool")
}

// geminiWait is how long Gemini CLI waits for any hook.
const geminiWait = time.Minute

// geminiAbout is Gemini CLI 0.61 as it was seen to behave.
var geminiAbout = About{
	Name: "gemini", Agent: "gemini", Title: "Gemini CLI", Repeats: true, Waits: geminiWaits,
	Events: []Event{
		{Name: "SessionStart", Kind: hook.SessionStart.Info(), Can: Inject, Wait: geminiWait},
		{Name: "SessionEnd", Kind: hook.SessionEnd.Info(), Wait: geminiWait, Note: "comes twice when the terminal interface ends"},
		{Name: "BeforeAgent", Kind: hook.AgentStart.Info(), Can: Block | Inject, Wait: geminiWait},
		{Name: "BeforeModel", Kind: hook.GenerateStart.Info(), Can: Block | ChangeInput | Answer, Wait: geminiWait,
			Note: "the messages have texts only; the model and the messages can be changed, other settings cannot"},
		{Name: "BeforeToolSelection", Wait: geminiWait,
			Note: "comes beside BeforeModel; a hook may give a toolConfig as gemini.toolConfig in the metadata of its decision"},
		{Name: "AfterModel", Kind: hook.GenerateEnd.Info(), Can: Block | ChangeInput, Wait: geminiWait,
			Note: "comes for each piece of a response, with that piece only"},
		{Name: "BeforeTool", Kind: hook.PreToolUse.Info(), Can: Block | Ask | ChangeInput, HangsOnAsk: true, Wait: geminiWait,
			Note: "an ask hangs where no user can be asked (gemini -p), so there it is a block; calls have no id, and sub-agents' no mark"},
		{Name: "AfterTool", Kind: hook.PostToolUse.Info(), Can: Block | ChangeOutput | Inject, Wait: geminiWait,
			Note: "the reason of a block replaces the result, and so does a changed result; calls that failed come here too"},
		{Name: "AfterAgent", Kind: hook.AgentStop.Info(), Can: GoOn, Wait: geminiWait,
			Note: "Gemini CLI itself has no limit to how often it goes on; hookway's counts"},
		{Name: "PreCompress", Kind: hook.PreCompact.Info(), Wait: geminiWait,
			Note: "comes before every call of the model, also if nothing is compressed"},
		{Name: "Notification", Kind: hook.Notification.Info(), Wait: geminiWait,
			Note: "of the type ToolPermission: the user is about to be asked; it cannot be answered"},
	},
	Tools: []Tool{
		{Native: "run_shell_command", Name: "Bash"},
		{Native: "read_file", Name: "Read"},
		{Native: "write_file", Name: "Write"},
		{Native: "replace", Name: "Edit"},
		{Native: "grep_search", Name: "Grep", Input: geminiFolder},
		{Native: "search_file_content", Name: "Grep", Input: geminiFolder},
		{Native: "glob", Name: "Glob", Input: geminiFolder},
		{Native: "list_directory", Name: "LS", Input: geminiFolder},
		{Native: "web_fetch", Name: "WebFetch"},
		{Native: "google_web_search", Name: "WebSearch"},
		{Native: "invoke_agent", Name: "Agent", Input: map[string]string{"agent_name": "subagent_type"}},
		{Native: "write_todos", Name: "TodoWrite"},
	},
	Blind: []string{
		"Calls by sub-agents carry no id of the sub-agent.",
		"A hook that times out lets the tool run; so does one that exits with code 1, or with 2 and nothing on stderr.",
		"Gemini CLI waits for everything that holds a hook's stdout, also beyond the hook's timeout.",
		"Whether anybody can be asked is found out on Linux only; elsewhere an ask is a block.",
	},
}

var geminiFolder = map[string]string{"dir_path": "path"}
