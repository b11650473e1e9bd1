package hook

// may is the shorthand in which the table below is written.
func may(change []string, actions ...Action) May {
	m := May{Change: change}
	for _, a := range actions {
		switch a {
		case ActionAllow:
			m.Allow = true
		case ActionAsk:
			m.Ask = true
		case ActionBlock:
			m.Block = true
		case ActionRetry:
			m.Retry = true
		case ActionAnswer:
			m.Answer = true
		case injects:
			m.Inject = true
		}
	}
	return m
}

// injects stands in the table's action lists for May.Inject.
const injects Action = 255

func only(fields ...string) []string { return fields }

// The events. Their names follow Claude Code's; the aliases are the names that
// other agents and hook systems use.
var (
	GatewayStart = define[GatewayInfo]("GatewayStart", may(nil), false)
	GatewayStop  = define[GatewayEnd]("GatewayStop", may(nil), false)

	SessionStart = define[SessionInfo]("SessionStart", may(nil, injects), false)
	SessionEnd   = define[SessionSummary]("SessionEnd", may(nil, injects), false)

	AgentStart = define[AgentRun]("AgentStart", may(only("prompt", "system_prompt"), ActionBlock, injects), true,
		"before-agent-start", "UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt")
	AgentStop = define[AgentResult]("AgentStop", may(nil, ActionBlock, injects), false,
		"Stop", "AfterAgent")

	IterationStart = define[IterationInfo]("IterationStart", may(nil, ActionAnswer), false,
		"beforeIteration", "step-start")
	IterationEnd = define[IterationResult]("IterationEnd", may(nil), false,
		"afterIteration", "step-stop")

	GenerateStart = define[Generation]("GenerateStart",
		may(only("*"), ActionBlock, ActionRetry, ActionAnswer, injects), true,
		"beforeLLM", "BeforeModel")
	GenerateEnd = define[GenerationResult]("GenerateEnd", may(only("response_text"), ActionBlock, ActionRetry), true,
		"afterLLM", "AfterModel")

	PreToolUse = define[ToolUse]("PreToolUse",
		may(only("tool_input"), ActionAllow, ActionAsk, ActionBlock, ActionRetry, ActionAnswer, injects), true,
		"before-tool-call", "beforeTool", "tool-call-start", "tool-call")
	PostToolUse = define[ToolResult]("PostToolUse", may(only("tool_response"), ActionBlock, injects), false,
		"after-tool-call", "afterTool", "tool-call-end")
	ToolResultPersist  = define[ToolPersist]("ToolResultPersist", may(only("tool_response"), ActionBlock), false)
	PermissionRequest  = define[Permission]("PermissionRequest", may(nil, ActionAllow, ActionAsk, ActionBlock), true)
	PermissionDenied   = define[Permission]("PermissionDenied", may(nil), false)
	PostToolUseFailure = define[ToolFailure]("PostToolUseFailure", may(nil, ActionAnswer, injects), false,
		"tool-error", "tool-call-error", "tool-use-failure")

	MessageReceived = define[Message]("MessageReceived", may(only("content"), ActionBlock, injects), true)
	MessageSending  = define[Message]("MessageSending", may(only("content"), ActionBlock, injects), true)
	MessageSent     = define[Delivery]("MessageSent", may(nil), false)

	PreCompact = define[Compaction]("PreCompact", may(nil, ActionBlock, injects), true,
		"before-compaction", "PreCompress")
	PostCompact = define[CompactionResult]("PostCompact", may(nil, injects), false,
		"after-compaction")

	Output    = define[OutputText]("Output", may(nil, injects), false)
	Idle      = define[Silence]("Idle", may(nil, injects), false)
	Directive = define[DirectiveCall]("Directive", may(nil, injects), false)

	Error = define[Fault]("Error", may(only("error"), ActionRetry, ActionAnswer), false,
		"agent-error")

	SubagentStart = define[Subagent]("SubagentStart", may(nil, ActionBlock, injects), false)
	SubagentStop  = define[Subagent]("SubagentStop", may(nil, ActionBlock, injects), false)
	Notification  = define[Alert]("Notification", may(nil, injects), false)
)
