package hook

// may is the shorthand in which the events below say what their hooks may decide.
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

// only reads well in the table: May.Modify: only("tool_input").
func only(fields ...string) []string { return fields }

// Events of the daemon itself. Their hooks observe.
var (
	// GatewayStart is fired when the daemon begins to listen.
	GatewayStart = define[GatewayInfo]("GatewayStart", may(nil), false)

	// GatewayStop is fired before the daemon ends.
	GatewayStop = define[GatewayEnd]("GatewayStop", may(nil), false)
)

// Events of a session and of an agent's work on a prompt. Their names, and those
// below, follow Claude Code's; the aliases are the names that other agents and
// hook systems use.
var (
	// SessionStart is fired when a session begins or is resumed. Injected text
	// becomes part of the agent's context.
	SessionStart = define[SessionInfo]("SessionStart", may(nil, injects), false)

	// SessionEnd is fired when a session ends. A program that hookway wraps gets
	// injected text and a few seconds to answer it.
	SessionEnd = define[SessionSummary]("SessionEnd", may(nil, injects), false)

	// AgentStart is fired before an agent works on a prompt. A block keeps the
	// prompt from the model, and is followed by Error with phase "agent".
	AgentStart = define[AgentRun]("AgentStart", may(only("prompt", "system_prompt"), ActionBlock, injects), true,
		"before-agent-start", "UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt")

	// AgentStop is fired when an agent is about to stop. A block makes it go on,
	// with the reason as its next instruction: at most Engine.MaxContinues times
	// in a row.
	AgentStop = define[AgentResult]("AgentStop", may(nil, ActionBlock, injects), false,
		"Stop", "AfterAgent")
)

// Events of an agent's loop: a turn, and the call of the model in it. Agents with
// hooks of their own rarely report them; Go programs fire them with Iteration
// and Generate.
var (
	// IterationStart is fired before a turn. An answer skips the turn.
	IterationStart = define[IterationInfo]("IterationStart", may(nil, ActionAnswer), false,
		"beforeIteration", "step-start")

	// IterationEnd is fired after a turn, also after one that failed.
	IterationEnd = define[IterationResult]("IterationEnd", may(nil), false,
		"afterIteration", "step-stop")

	// GenerateStart is fired before a model is called. Hooks may change every
	// field of the request; an answer stands in for the model's.
	GenerateStart = define[Generation]("GenerateStart",
		may(only("*"), ActionBlock, ActionRetry, ActionAnswer, injects), true,
		"beforeLLM", "BeforeModel")

	// GenerateEnd is fired after a model answered. A block drops the answer.
	GenerateEnd = define[GenerationResult]("GenerateEnd", may(only("response_text"), ActionBlock, ActionRetry), true,
		"afterLLM", "AfterModel")
)

// Events of a tool call. Tools have Claude Code's names and arguments under every
// agent: "Bash" with "command", "Edit" with "file_path", "mcp__server__tool".
var (
	// PreToolUse is fired before a tool is called: the one place where every
	// agent lets a hook stop a call.
	PreToolUse = define[ToolUse]("PreToolUse",
		may(only("tool_input"), ActionAllow, ActionAsk, ActionBlock, ActionRetry, ActionAnswer, injects), true,
		"before-tool-call", "beforeTool", "tool-call-start", "tool-call")

	// PostToolUse is fired after a tool was called. A block cannot undo the call:
	// the agent gets the reason in place of the result.
	PostToolUse = define[ToolResult]("PostToolUse", may(only("tool_response"), ActionBlock, injects), false,
		"after-tool-call", "afterTool", "tool-call-end")

	// ToolResultPersist is fired before a result goes into the transcript. A
	// block keeps it out.
	ToolResultPersist = define[ToolPersist]("ToolResultPersist", may(only("tool_response"), ActionBlock), false)

	// PermissionRequest is fired when an agent would ask its user about a call.
	PermissionRequest = define[Permission]("PermissionRequest", may(nil, ActionAllow, ActionAsk, ActionBlock), true)

	// PermissionDenied is fired when a call was refused.
	PermissionDenied = define[Permission]("PermissionDenied", may(nil), false)

	// PostToolUseFailure is fired after a call that failed, by agents that report
	// failures as an event of their own. An answer is the recovery.
	PostToolUseFailure = define[ToolFailure]("PostToolUseFailure", may(nil, ActionAnswer, injects), false,
		"tool-error", "tool-call-error", "tool-use-failure")
)

// Events of messages between agents, and between an agent and its user.
var (
	// MessageReceived is fired before an agent gets a message. A block drops it.
	MessageReceived = define[Message]("MessageReceived", may(only("content"), ActionBlock, injects), true)

	// MessageSending is fired before a message is sent. A block drops it.
	MessageSending = define[Message]("MessageSending", may(only("content"), ActionBlock, injects), true)

	// MessageSent is fired after a message was sent, or could not be.
	MessageSent = define[Delivery]("MessageSent", may(nil), false)
)

// Events of the context window.
var (
	// PreCompact is fired before an agent compacts its context.
	PreCompact = define[Compaction]("PreCompact", may(nil, ActionBlock, injects), true,
		"before-compaction", "PreCompress")

	// PostCompact is fired afterwards, with the summary where the agent gives one.
	PostCompact = define[CompactionResult]("PostCompact", may(nil, injects), false,
		"after-compaction")
)

// Events of a program that hookway runs in a terminal ("hookway run"). They tell
// what was printed; the program cannot be stopped by them.
var (
	// Output is fired for finished pieces of output.
	Output = define[OutputText]("Output", may(nil, injects), false)

	// Idle is fired when the program has printed nothing for a while.
	Idle = define[Silence]("Idle", may(nil, injects), false)

	// Directive is fired for a line "@namespace:target body". A hook that wants
	// no further hook to see the directive answers with a skip.
	Directive = define[DirectiveCall]("Directive", may(nil, injects), false)
)

// Events of failures, of sub-agents, and what an agent tells its user.
var (
	// Error is fired when a tool, a model, a turn or an agent failed; Fault.Phase
	// says which. An answer is the recovery, a changed error replaces the text.
	Error = define[Fault]("Error", may(only("error"), ActionRetry, ActionAnswer), false,
		"agent-error")

	// SubagentStart is fired before a sub-agent starts. A block keeps it from
	// starting, under agents that support it.
	SubagentStart = define[Subagent]("SubagentStart", may(nil, ActionBlock, injects), false)

	// SubagentStop is fired when a sub-agent is about to stop. A block makes it
	// go on, as at AgentStop.
	SubagentStop = define[Subagent]("SubagentStop", may(nil, ActionBlock, injects), false)

	// Notification is fired when an agent tells its user something.
	Notification = define[Alert]("Notification", may(nil, injects), false)
)
