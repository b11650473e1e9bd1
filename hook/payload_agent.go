package hook

// GatewayInfo is the payload of GatewayStart.
type GatewayInfo struct {
	Version string `json:"version,omitempty"`
	Address string `json:"address,omitempty"` // its own socket

	Addresses []string `json:"addresses,omitempty"` // that, and where else it listens
}

// GatewayEnd is the payload of GatewayStop.
type GatewayEnd struct {
	Reason string `json:"reason,omitempty"`
}

// SessionInfo is the payload of SessionStart.
type SessionInfo struct {
	Source        string `json:"source,omitempty"` // how it began: startup, resume, clear, …
	ModelProvider string `json:"model_provider,omitempty"`
	ModelName     string `json:"model_name,omitempty"`
	SystemPrompt  string `json:"system_prompt,omitempty"`
}

// SessionSummary is the payload of SessionEnd.
type SessionSummary struct {
	Reason         string `json:"reason,omitempty"`
	ExitCode       *int   `json:"exit_code,omitempty"`
	DurationMS     int64  `json:"duration_ms"`
	TotalTokens    int64  `json:"total_tokens"`
	TotalToolCalls int64  `json:"total_tool_calls"`
}

// AgentRun is a prompt that an agent is about to work on: the payload of AgentStart.
type AgentRun struct {
	RunID        string `json:"run_id,omitempty"`
	Prompt       string `json:"prompt"`
	SystemPrompt string `json:"system_prompt,omitempty"`
	WorkspaceDir string `json:"workspace_dir,omitempty"`
	AgentDir     string `json:"agent_dir,omitempty"`
}

// AgentResult is an agent that is about to stop: the payload of AgentStop. A
// block makes it go on, with the reason as its next instruction.
type AgentResult struct {
	RunID          string `json:"run_id,omitempty"`
	LastMessage    string `json:"last_message,omitempty"`
	Success        bool   `json:"success"`
	Error          string `json:"error,omitempty"`
	StopHookActive bool   `json:"stop_hook_active"` // it goes on already because of a hook
	DurationMS     int64  `json:"duration_ms,omitempty"`
}

// Subagent is the payload of SubagentStart and SubagentStop. A block of the first
// keeps the sub-agent from starting, where its agent can do that; a block of the
// second makes it go on, with the reason as its next instruction.
type Subagent struct {
	AgentType   string `json:"agent_type,omitempty"`
	LastMessage string `json:"last_message,omitempty"`
}

// Alert is the payload of Notification.
type Alert struct {
	Message string `json:"message"`
}

// Compaction is the payload of PreCompact.
type Compaction struct {
	Trigger      string `json:"trigger,omitempty"` // manual or auto
	MessageCount int64  `json:"message_count,omitempty"`
	TokenCount   int64  `json:"token_count,omitempty"`
}

// CompactionResult is the payload of PostCompact.
type CompactionResult struct {
	Compaction
	Summary string `json:"summary,omitempty"`
}

// Fault is an error in an agent's work: the payload of Error. An answer is the
// recovery: it stands in for the failed result.
type Fault struct {
	Phase    string `json:"phase"` // llm, tool, iteration or agent
	Error    string `json:"error"`
	ToolName string `json:"tool_name,omitempty"`
}

func (f *Fault) toolCall() (string, map[string]any) { return f.ToolName, nil }
