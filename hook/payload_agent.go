package hook

// GatewayInfo is the payload of GatewayStart.
type GatewayInfo struct {
	Version string `json:"version,omitempty"` // of hookway
	Address string `json:"address,omitempty"` // path of its own socket

	Addresses []string `json:"addresses,omitempty"` // that, and where else it listens
}

// GatewayEnd is the payload of GatewayStop.
type GatewayEnd struct {
	Reason string `json:"reason,omitempty"` // why the daemon ends
}

// SessionInfo is the payload of SessionStart. Most agents report Source and some
// the model; a Go program fills in what it knows.
type SessionInfo struct {
	Source        string `json:"source,omitempty"`         // how it began: startup, resume, clear, …
	ModelProvider string `json:"model_provider,omitempty"` // "anthropic", "openai", …
	ModelName     string `json:"model_name,omitempty"`     // as the provider names it
	SystemPrompt  string `json:"system_prompt,omitempty"`
}

// SessionSummary is the payload of SessionEnd. Counts are zero if the source does
// not report them.
type SessionSummary struct {
	Reason         string `json:"reason,omitempty"`    // completed, cancelled, error, or the agent's own word
	ExitCode       *int   `json:"exit_code,omitempty"` // of a wrapped program; nil if there is none
	DurationMS     int64  `json:"duration_ms"`
	TotalTokens    int64  `json:"total_tokens"`
	TotalToolCalls int64  `json:"total_tool_calls"`
}

// AgentRun is a prompt that an agent is about to work on: the payload of
// AgentStart. Hooks may change Prompt and SystemPrompt, where the agent applies
// that.
type AgentRun struct {
	RunID        string `json:"run_id,omitempty"`        // the same at AgentStop
	Prompt       string `json:"prompt"`                  // as the user typed it
	SystemPrompt string `json:"system_prompt,omitempty"` // if the agent reports it
	WorkspaceDir string `json:"workspace_dir,omitempty"` // the project's folder
	AgentDir     string `json:"agent_dir,omitempty"`     // the agent's own folder
}

// AgentResult is an agent that is about to stop: the payload of AgentStop. A
// block makes it go on, with the reason as its next instruction.
type AgentResult struct {
	RunID          string `json:"run_id,omitempty"`
	LastMessage    string `json:"last_message,omitempty"`
	Success        bool   `json:"success"`
	Error          string `json:"error,omitempty"`
	StopHookActive bool   `json:"stop_hook_active"` // it is at work because a hook made it go on
	DurationMS     int64  `json:"duration_ms,omitempty"`
}

// Subagent is the payload of SubagentStart and SubagentStop. A block of the first
// keeps the sub-agent from starting, where its agent can do that; a block of the
// second makes it go on, with the reason as its next instruction. Its id is in the
// envelope: see Envelope.Subagent.
type Subagent struct {
	AgentType   string `json:"agent_type,omitempty"`   // as the agent names it, "Explore"
	LastMessage string `json:"last_message,omitempty"` // SubagentStop: what it answers its agent
}

// Alert is the payload of Notification: a text that the agent shows its user.
type Alert struct {
	Message string `json:"message"`
}

// Compaction is the payload of PreCompact. Counts are of the context before it is
// compacted, and zero if the agent does not report them.
type Compaction struct {
	Trigger      string `json:"trigger,omitempty"` // manual or auto
	MessageCount int64  `json:"message_count,omitempty"`
	TokenCount   int64  `json:"token_count,omitempty"`
}

// CompactionResult is the payload of PostCompact, with the text that stands in for
// the compacted messages.
type CompactionResult struct {
	Compaction
	Summary string `json:"summary,omitempty"`
}

// Fault is an error in an agent's work: the payload of Error. An answer is the
// recovery: it stands in for the failed result. A retry has the operation tried
// again, and a changed Error replaces the text that the agent gets. ToolName is
// set in the phase "tool" only.
type Fault struct {
	Phase    string `json:"phase"` // llm, tool, iteration or agent
	Error    string `json:"error"`
	ToolName string `json:"tool_name,omitempty"`
}

func (f *Fault) toolCall() (string, map[string]any) { return f.ToolName, nil }
