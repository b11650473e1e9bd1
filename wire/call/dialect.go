package call

// class says what an event is for, as far as the answer goes when hookway fails.
type class byte

const (
	unknown    class = iota // no event that we know: it may gate something
	passes                  // nothing waits for a yes
	tool                    // before a tool runs
	permission              // instead of asking the user
	prompt                  // before the model gets a prompt
	worktree                // the agent wants a path, and takes any text for one
)

// dialect is how one codec says no.
type dialect struct {
	name string

	// The agent's own names of events, each between spaces, by what they are for.
	tool, permission, prompt, worktree, passes string

	// no writes the refusal of a gating event, and of an unknown one.
	no func(c class, event, reason string) Reply
	// yes is what lets an event pass that needs a word for it.
	yes func(c class) string
}

// dialects are those of all codecs, in the order in which they are listed.
var dialects = [...]dialect{
	{
		name: "claude", no: refuseClaude,
		tool: " PreToolUse ", permission: " PermissionRequest ", prompt: " UserPromptSubmit UserPromptExpansion ", worktree: " WorktreeCreate ",
		passes: " SessionStart Setup InstructionsLoaded PermissionDenied PostToolUse PostToolUseFailure PostToolBatch MessageDisplay" +
			" Stop SubagentStop StopFailure SubagentStart PreCompact PostCompact PreModelSwitch PostModelSwitch Notification TeammateIdle" +
			" TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange CwdChanged FileChanged DirectoryAdded WorktreeRemove SessionEnd ",
	},
	{
		name: "codex", no: refuseClaude, // the same words, and no other
		tool: " PreToolUse ", permission: " PermissionRequest ", prompt: " UserPromptSubmit ",
		passes: " SessionStart PreModelRequest PostModelRequest PostToolUse PreCompact PostCompact SubagentStart SubagentStop Stop" +
			" Interrupt SessionEnd ",
	},
	{
		name: "gemini", no: refuseGemini,
		tool: " BeforeTool ", prompt: " BeforeAgent ",
		passes: " SessionStart SessionEnd BeforeModel BeforeToolSelection AfterModel AfterTool AfterAgent PreCompress Notification ",
	},
	{
		name: "antigravity", no: refuseAntigravity, yes: allowAntigravity,
		tool:   " PreToolUse ",
		passes: " PreInvocation PostInvocation PostToolUse Stop ",
	},
	{
		name: "cursor", no: refuseCursor,
		tool: " preToolUse beforeShellExecution beforeMCPExecution beforeReadFile beforeTabFileRead ", prompt: " beforeSubmitPrompt ",
		passes: " sessionStart sessionEnd afterShellExecution afterMCPExecution afterFileEdit afterTabFileEdit postToolUse" +
			" postToolUseFailure afterAgentResponse afterAgentThought stop subagentStart subagentStop preCompact workspaceOpen ",
	},
	{
		name: "copilot", no: refuseCopilot,
		tool: " preToolUse preMcpToolCall ", permission: " permissionRequest ", prompt: " userPromptSubmitted ",
		passes: " sessionStart userPromptTransformed postToolUse postToolUseFailure agentStop subagentStart subagentStop" +
			" errorOccurred preCompact notification sessionEnd ",
	},
	{
		name: "copilot-pascal", no: refuseCopilotPascal,
		tool: " PreToolUse ", permission: " PermissionRequest ", prompt: " UserPromptSubmit ",
		passes: " SessionStart PostToolUse PostToolUseFailure Stop SubagentStart SubagentStop ErrorOccurred PreCompact" +
			" Notification SessionEnd ",
	},
	{
		name: "opencode", no: refuseOpenCode,
		tool: " tool.execute.before ", permission: " permission.ask ", prompt: " chat.message command.execute.before ",
		passes: " chat.params chat.headers tool.execute.after shell.env tool.definition experimental.chat.messages.transform" +
			" experimental.chat.system.transform experimental.session.compacting experimental.compaction.autocontinue" +
			" experimental.text.complete config dispose event session.created session.idle session.error session.compacted" +
			" permission.asked permission.replied file.edited ",
	},
	{
		name: "qwen", no: refuseClaude,
		tool: " PreToolUse ", permission: " PermissionRequest ", prompt: " UserPromptSubmit UserPromptExpansion ",
		passes: " PostToolUse PostToolUseFailure PostToolBatch SessionStart SessionEnd SessionDelete MessageDisplay Stop StopFailure" +
			" SubagentStart SubagentStop PreCompact PostCompact Notification PermissionDenied TodoCreated TodoCompleted InstructionsLoaded ",
	},
}

func dialectOf(agent string) *dialect {
	for i := range dialects {
		if dialects[i].name == agent {
			return &dialects[i]
		}
	}
	return nil
}

// refuseClaude is for those who nest their answer. Codex reads no key that it
// does not know, and no empty reason.
func refuseClaude(c class, event, reason string) Reply {
	switch c {
	case tool:
		return answer(`{"hookSpecificOutput":{"hookEventName":`, quote(event),
			`,"permissionDecision":"deny","permissionDecisionReason":`, quote(reason), `}}`)
	case permission:
		return answer(`{"hookSpecificOutput":{"hookEventName":`, quote(event),
			`,"decision":{"behavior":"deny","message":`, quote(reason), `}}}`)
	case prompt:
		return answer(`{"decision":"block","reason":`, quote(reason), `}`)
	case worktree: // stdout would be taken for the path
		return Reply{Stderr: []byte(reason + "\n"), ExitCode: 1}
	}
	return everywhere(event, reason)
}

func refuseGemini(c class, event, reason string) Reply {
	if c == unknown {
		return everywhere(event, reason)
	}
	return answer(`{"decision":"deny","reason":`, quote(reason), `}`)
}

func refuseAntigravity(c class, _, reason string) Reply {
	return loud(c, reason, answer(`{"decision":"deny","reason":`, quote(reason), `}`))
}

// allowAntigravity: an answer without a decision denies there.
func allowAntigravity(c class) string {
	if c == tool || c == unknown {
		return `{"decision":"allow"}`
	}
	return "{}"
}

func refuseCursor(c class, event, reason string) Reply {
	switch {
	case c == prompt:
		return answer(`{"continue":false,"user_message":`, quote(reason), `}`)
	case event == "beforeReadFile" || event == "beforeTabFileRead":
		return answer(`{"permission":"deny","user_message":`, quote(reason), `}`)
	case c == unknown:
		return loud(c, reason, answer(`{"permission":"deny","continue":false,"user_message":`, quote(reason),
			`,"agent_message":`, quote(reason), `}`))
	}
	return answer(`{"permission":"deny","user_message":`, quote(reason), `,"agent_message":`, quote(reason), `}`)
}

func refuseCopilot(c class, event, reason string) Reply {
	switch {
	case event == "preMcpToolCall": // its answer is not written down; it may listen to one of these
		return everywhere(event, reason)
	case c == tool:
		return answer(`{"permissionDecision":"deny","permissionDecisionReason":`, quote(reason), `}`)
	case c == permission:
		return answer(`{"behavior":"deny","message":`, quote(reason), `}`)
	case c == prompt:
		return answer(`{"decision":"block","reason":`, quote(reason), `}`)
	}
	return everywhere(event, reason)
}

// refuseCopilotPascal: a permission is asked for in the words of the other
// casing, so it is refused in both, and by the exit code.
func refuseCopilotPascal(c class, event, reason string) Reply {
	if c != permission {
		return refuseClaude(c, event, reason)
	}
	return loud(unknown, reason, answer(`{"behavior":"deny","message":`, quote(reason),
		`,"hookSpecificOutput":{"hookEventName":`, quote(event), `,"decision":{"behavior":"deny","message":`, quote(reason), `}}}`))
}

// refuseOpenCode speaks to our own plugin there.
func refuseOpenCode(c class, _, reason string) Reply {
	return loud(c, reason, answer(`{"action":"block","reason":`, quote(reason), `}`))
}

// everywhere is the one answer that was seen to deny under every agent that can
// be told by exit codes: three dialects, stderr and exit code 2.
func everywhere(event, reason string) Reply {
	if event == "" {
		event = "PreToolUse"
	}
	q := quote(reason)
	return loud(unknown, reason, answer(`{"decision":"block","reason":`, q, `,"hookSpecificOutput":{"hookEventName":`, quote(event),
		`,"permissionDecision":"deny","permissionDecisionReason":`, q, `},"permissionDecision":"deny","permissionDecisionReason":`, q, `}`))
}

// loud says no by the exit code too, if the listener is unknown.
func loud(c class, reason string, r Reply) Reply {
	if c == unknown {
		r.Stderr, r.ExitCode = []byte(reason+"\n"), 2
	}
	return r
}

func answer(parts ...string) Reply {
	size := 1
	for _, p := range parts {
		size += len(p)
	}
	out := make([]byte, 0, size)
	for _, p := range parts {
		out = append(out, p...)
	}
	return Reply{Stdout: append(out, '\n')}
}
