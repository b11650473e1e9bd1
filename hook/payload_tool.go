package hook

import (
	"encoding/json"
	"maps"
)

// ToolUse is a call of a tool: the payload of PreToolUse. Hooks may change
// ToolInput.
type ToolUse struct {
	// ToolName is the tool's name as Claude Code has it ("Bash", "Edit",
	// "mcp__server__tool"), under every agent.
	ToolName string `json:"tool_name"`

	// ToolInput holds the tool's arguments, with Claude Code's names. Numbers
	// that came as JSON are json.Number, so that no digit is lost.
	ToolInput map[string]any `json:"tool_input"`

	// ToolUseID is the same at all events of a call, if the agent gives calls
	// an id.
	ToolUseID string `json:"tool_use_id,omitempty"`

	// RecentTools has the names of earlier calls of the session, oldest first.
	RecentTools []string `json:"recent_tools,omitempty"`
}

// Text returns an argument that is a string, or "".
func (u *ToolUse) Text(key string) string {
	s, _ := u.ToolInput[key].(string)
	return s
}

// WithInput is the call with one argument replaced; the original stays as it is:
//
//	return hook.Change(ev.Payload.WithInput("timeout", 30000)), nil
func (u ToolUse) WithInput(key string, value any) ToolUse {
	input := maps.Clone(u.ToolInput)
	if input == nil {
		input = map[string]any{}
	}
	input[key] = value
	u.ToolInput = input
	return u
}

func (u *ToolUse) toolCall() (string, map[string]any) { return u.ToolName, u.ToolInput }

// ToolResult is a finished call: the payload of PostToolUse. Hooks may change
// ToolResponse.
type ToolResult struct {
	ToolUse
	ToolResponse ToolResponse `json:"tool_response"`
}

// ToolResponse is what a tool gave back. In JSON it is one object: the four
// fields, and beside them whatever else the agent reports (Extra). A response
// that is not an object, as some agents send, is read as the output.
type ToolResponse struct {
	Success    bool           `json:"success"`             // true if the agent does not say
	Output     string         `json:"output"`              // what the model gets
	ExitCode   *int           `json:"exit_code,omitempty"` // shell commands only
	DurationMS int64          `json:"duration_ms,omitempty"`
	Extra      map[string]any `json:"-"` // the agent's own fields, by their names
}

// ToolPersist is a tool's result on its way into the transcript: the payload of
// ToolResultPersist. The model has seen the response already; hooks may change or
// block what is stored, for instance to keep credentials out of files.
type ToolPersist struct {
	ToolName     string       `json:"tool_name"`
	ToolUseID    string       `json:"tool_use_id,omitempty"`
	ToolResponse ToolResponse `json:"tool_response"`
}

func (p *ToolPersist) toolCall() (string, map[string]any) { return p.ToolName, nil }

// Permission is a call that needs the user's permission: the payload of
// PermissionRequest and PermissionDenied. An allow answers the request for the user,
// a block refuses it, an ask or no opinion lets the agent show its dialog.
type Permission struct {
	ToolName  string         `json:"tool_name"`
	ToolInput map[string]any `json:"tool_input"`
	ToolUseID string         `json:"tool_use_id,omitempty"`
	Reason    string         `json:"reason,omitempty"` // PermissionDenied: why
}

func (p *Permission) toolCall() (string, map[string]any) { return p.ToolName, p.ToolInput }

// ToolFailure is a call that failed, under an agent that has an event of its own
// for that: the payload of PostToolUseFailure. See ToolResponse.Failure for the
// other agents.
type ToolFailure struct {
	ToolName   string         `json:"tool_name"`
	ToolInput  map[string]any `json:"tool_input"`
	ToolUseID  string         `json:"tool_use_id,omitempty"`
	Error      string         `json:"error"`
	DurationMS int64          `json:"duration_ms,omitempty"`
}

func (f *ToolFailure) toolCall() (string, map[string]any) { return f.ToolName, f.ToolInput }

// CallOf returns the call of a tool that an event is about, for PreToolUse,
// PostToolUse, PostToolUseFailure, PermissionRequest and PermissionDenied. It
// reports false for other events. The input is the event's: do not edit it.
func CallOf(ev AnyEvent) (call ToolCall, ok bool) {
	switch p := ev.pointer().(type) {
	case *ToolUse:
		return ToolCall{p.ToolUseID, p.ToolName, p.ToolInput}, true
	case *ToolResult:
		return ToolCall{p.ToolUseID, p.ToolName, p.ToolInput}, true
	case *Permission:
		return ToolCall{p.ToolUseID, p.ToolName, p.ToolInput}, true
	case *ToolFailure:
		return ToolCall{p.ToolUseID, p.ToolName, p.ToolInput}, true
	}
	return ToolCall{}, false
}

// toolResponseFields is ToolResponse without its methods.
type toolResponseFields ToolResponse

// MarshalJSON writes the fields and Extra as one object. The fields win, unless
// they are as they were read beside a field of the agent's with the same name.
func (r ToolResponse) MarshalJSON() ([]byte, error) {
	known, err := json.Marshal(toolResponseFields(r))
	if err != nil || len(r.Extra) == 0 {
		return known, err
	}
	all := make(map[string]any, len(r.Extra)+4)
	maps.Copy(all, r.Extra)
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(known, &fields); err != nil {
		return nil, err
	}
	for name, value := range fields {
		if _, foreign := all[name]; foreign && (name == "success" && r.Success || name == "output" && r.Output == "") {
			continue
		}
		all[name] = value
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads an object, or anything else as the output.
func (r *ToolResponse) UnmarshalJSON(data []byte) error {
	var value any
	if err := decodeExact(data, &value); err != nil {
		return err
	}
	*r = ToolResponse{Success: true}
	switch v := value.(type) {
	case nil:
	case string:
		r.Output = v
	case map[string]any:
		return r.readObject(data, v)
	default:
		r.Output = string(data)
	}
	return nil
}

// readObject reads the four fields where they have their types; everything
// else stays in Extra, also a field of the agent's with one of our names.
func (r *ToolResponse) readObject(data []byte, object map[string]any) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	for name, field := range map[string]any{"success": &r.Success, "output": &r.Output, "exit_code": &r.ExitCode, "duration_ms": &r.DurationMS} {
		if value, ok := raw[name]; ok && json.Unmarshal(value, field) == nil {
			delete(object, name)
		}
	}
	if len(object) > 0 {
		r.Extra = object
	}
	return nil
}
