package hook

// ChatMessage is one message of a conversation with a model, with the fields that
// its provider gives it; "role" and "content" by custom. It is a map because every
// provider has fields of its own (tool calls, images, cache hints), which must pass
// unchanged. Clone a message before editing it:
//
//	request := hook.Clone(ev.Payload)
//	request.Messages[0]["content"] = "…"
type ChatMessage map[string]any

// Role is the message's role, or "".
func (m ChatMessage) Role() string {
	role, _ := m["role"].(string)
	return role
}

// ToolDefinition is a tool offered to a model, with its provider's fields; "name",
// "description" and a JSON Schema by custom.
type ToolDefinition map[string]any

// ToolCall is a call of a tool: one that a model asks for, or that an event is
// about; see CallOf.
type ToolCall struct {
	ID    string         `json:"id,omitempty"`
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

// Usage counts the tokens of one call of a model, as its provider does. A total of
// zero means that it was not reported.
type Usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
}

// Generation is a call of a model: the payload of GenerateStart. Hooks may change
// every field. If they change SystemPrompt, a system message in Messages follows.
type Generation struct {
	Messages       []ChatMessage    `json:"messages,omitempty"`
	Tools          []ToolDefinition `json:"tools,omitempty"`
	SystemPrompt   string           `json:"system_prompt,omitempty"`
	Prompt         string           `json:"prompt,omitempty"`
	ModelProvider  string           `json:"model_provider,omitempty"`
	ModelName      string           `json:"model_name,omitempty"`
	AvailableTools []string         `json:"available_tools,omitempty"`
}

// settle puts a changed system prompt into the messages too: they are what the
// model is sent. The slice is copied; a conversation without a system message
// stays without one.
func (g *Generation) settle(before *Generation) {
	if g.SystemPrompt == before.SystemPrompt || len(g.Messages) == 0 || g.Messages[0].Role() != "system" {
		return
	}
	messages := append([]ChatMessage(nil), g.Messages...)
	first := ChatMessage{}
	for k, v := range messages[0] {
		first[k] = v
	}
	first["content"] = g.SystemPrompt
	messages[0] = first
	g.Messages = messages
}

// GenerationResult is a model's answer: the payload of GenerateEnd, with the
// request it answers. Hooks may change ResponseText.
type GenerationResult struct {
	Generation
	ResponseText string     `json:"response_text"`
	ToolCalls    []ToolCall `json:"tool_calls,omitempty"`
	Usage        *Usage     `json:"usage,omitempty"`
	DurationMS   int64      `json:"duration_ms"`
}

// IterationInfo is one turn of an agent's loop: the payload of IterationStart. A
// MaxIterations of zero means that the loop has no bound, or does not tell it.
type IterationInfo struct {
	Iteration     int           `json:"iteration"` // from 1
	MaxIterations int           `json:"max_iterations,omitempty"`
	Messages      []ChatMessage `json:"messages,omitempty"`
}

// IterationResult is a finished turn: the payload of IterationEnd.
// CompletedWithText means that the model called no tool, which ends most loops.
type IterationResult struct {
	IterationInfo
	ToolCalls         []IterationCall `json:"tool_calls,omitempty"`
	CompletedWithText bool            `json:"completed_with_text"`
}

// IterationCall is a tool call made in an iteration, with its result.
type IterationCall struct {
	Name   string         `json:"name"`
	Input  map[string]any `json:"input"`
	Result ToolResponse   `json:"result"`
}
