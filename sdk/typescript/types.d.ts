// The types of events, decisions and outcomes. Made from docs/schema by `make schema`; do not edit.

/** The events that hookway knows. */
export type KnownEvent =
  | "GatewayStart"
  | "GatewayStop"
  | "SessionStart"
  | "SessionEnd"
  | "AgentStart"
  | "AgentStop"
  | "IterationStart"
  | "IterationEnd"
  | "GenerateStart"
  | "GenerateEnd"
  | "PreToolUse"
  | "PostToolUse"
  | "ToolResultPersist"
  | "PermissionRequest"
  | "PermissionDenied"
  | "PostToolUseFailure"
  | "MessageReceived"
  | "MessageSending"
  | "MessageSent"
  | "PreCompact"
  | "PostCompact"
  | "Output"
  | "Idle"
  | "Directive"
  | "Error"
  | "SubagentStart"
  | "SubagentStop"
  | "Notification";

/** The names of events; aliases and events of your own are welcome. */
export type EventName = KnownEvent | (string & {});

export type Action = "continue" | "allow" | "ask" | "block" | "retry" | "skip" | "answer";

export type Lane = "transform" | "guard" | "observe";

/** One thing that a tool call would do; docs/guards.md has the members. */
export interface Fact {
  approved?: boolean;
  args?: string[] | null;
  at?: {
    from: number;
    to: number;
  };
  because?: string;
  bounded?: boolean;
  bulk?: boolean;
  by?: string;
  class?: string;
  creates?: boolean;
  deletes?: boolean;
  dialect?: string;
  does: string;
  dry?: boolean;
  elevated?: boolean;
  force?: boolean;
  from?: string;
  glob?: boolean;
  global?: boolean;
  host?: string;
  inside?: string;
  kind?: string;
  language?: string;
  link?: string;
  manager?: string;
  many?: boolean;
  method?: string;
  name?: string;
  object?: string;
  path?: string;
  port?: number;
  program?: string;
  real?: string;
  receives?: string[] | null;
  recursive?: boolean;
  ref?: string;
  remote?: string;
  scheme?: string;
  scope?: string;
  scripts?: boolean;
  secret?: string;
  sends?: string[] | null;
  source?: string;
  sub?: string;
  sure: boolean;
  system?: string;
  uncommitted?: boolean;
  verb?: string;
  what?: string;
  where?: string;
}

/** What a hook answers. An empty one has no opinion. */
export interface Decision {
  /** What to do. continue has no opinion and is never an approval. */
  action?: Action;
  /** Text for the agent; it may come with any action. */
  inject?: string;
  /** Merged into the event's metadata for the hooks that follow. */
  metadata?: Record<string, any>;
  /** Changes to the payload: an RFC 7386 merge patch. */
  modified?: Record<string, any>;
  /** Told to the agent. */
  reason?: string;
  /** With answer: stands in for the operation's own. */
  result?: any;
  /** With retry: how long to wait; 1000 if it is left out. */
  retry_delay_ms?: number;
  /** Shown to the user, never to the agent. */
  user_message?: string;
}

/** One hook's part in an outcome. */
export interface Step {
  action: Action;
  changed?: boolean;
  duration_ms: number;
  error?: string;
  hook: string;
  injected?: boolean;
  lane: Lane;
  note?: string;
  reason: string;
  rule?: string;
  would?: {
    action: string;
    change?: boolean;
    reason: string;
    rule?: string;
  } | null;
}

/** What all hooks of one event answered together, with a step for each call. */
export interface Outcome {
  action: Action;
  by: string;
  event: string;
  facts?: Fact[];
  inject: string;
  metadata?: Record<string, any>;
  payload: any;
  reason: string;
  result: any;
  retry_delay_ms: number;
  rule?: string;
  steps: Step[];
  user_message?: string;
}

/** The payload of AgentStop. */
export interface AgentResult {
  duration_ms?: number;
  error?: string;
  /** The same as last_message, under Claude Code's name. */
  last_assistant_message?: string;
  last_message?: string;
  run_id?: string;
  stop_hook_active: boolean;
  success: boolean;
}

/** The payload of AgentStart. */
export interface AgentRun {
  agent_dir?: string;
  prompt: string;
  run_id?: string;
  system_prompt?: string;
  workspace_dir?: string;
}

/** The payload of Notification. */
export interface Alert {
  message: string;
}

/** The payload of PreCompact. */
export interface Compaction {
  message_count?: number;
  token_count?: number;
  trigger?: string;
}

/** The payload of PostCompact. */
export interface CompactionResult {
  /** The same as summary, under Claude Code's name. */
  compact_summary?: string;
  message_count?: number;
  summary?: string;
  token_count?: number;
  trigger?: string;
}

/** The payload of MessageSent. */
export interface Delivery {
  attachments?: {
    name: string;
    path?: string;
    sha256?: string;
    size: number;
  }[] | null;
  channel?: string;
  content: string;
  direction?: string;
  error?: string;
  from?: string;
  id?: string;
  metadata?: Record<string, any>;
  priority?: string;
  reply_to?: string;
  success: boolean;
  thread?: string;
  to?: string;
}

/** The payload of Directive. */
export interface DirectiveCall {
  body: string;
  line?: string;
  namespace: string;
  target: string;
}

/** The payload of Error. */
export interface Fault {
  error: string;
  phase: string;
  tool_name?: string;
}

/** The payload of GatewayStop. */
export interface GatewayEnd {
  reason?: string;
}

/** The payload of GatewayStart. */
export interface GatewayInfo {
  address?: string;
  addresses?: string[] | null;
  version?: string;
}

/** The payload of GenerateStart. */
export interface Generation {
  available_tools?: string[] | null;
  messages?: Record<string, any>[] | null;
  model_name?: string;
  model_provider?: string;
  prompt?: string;
  system_prompt?: string;
  tools?: Record<string, any>[] | null;
}

/** The payload of GenerateEnd. */
export interface GenerationResult {
  available_tools?: string[] | null;
  duration_ms: number;
  messages?: Record<string, any>[] | null;
  model_name?: string;
  model_provider?: string;
  prompt?: string;
  response_text: string;
  system_prompt?: string;
  tool_calls?: {
    id?: string;
    input: Record<string, any>;
    name: string;
  }[] | null;
  tools?: Record<string, any>[] | null;
  usage?: {
    completion_tokens: number;
    prompt_tokens: number;
    total_tokens: number;
  } | null;
}

/** The payload of IterationStart. */
export interface IterationInfo {
  iteration: number;
  max_iterations?: number;
  messages?: Record<string, any>[] | null;
}

/** The payload of IterationEnd. */
export interface IterationResult {
  completed_with_text: boolean;
  iteration: number;
  max_iterations?: number;
  messages?: Record<string, any>[] | null;
  tool_calls?: ({
    input: Record<string, any>;
    name: string;
    result: {
      duration_ms?: number;
      exit_code?: number | null;
      output: string;
      success: boolean;
    };
  })[] | null;
}

/** The payload of MessageReceived, MessageSending. */
export interface Message {
  attachments?: {
    name: string;
    path?: string;
    sha256?: string;
    size: number;
  }[] | null;
  channel?: string;
  content: string;
  direction?: string;
  from?: string;
  id?: string;
  metadata?: Record<string, any>;
  priority?: string;
  reply_to?: string;
  thread?: string;
  to?: string;
}

/** The payload of Output. */
export interface OutputText {
  complete: boolean;
  raw?: string;
  text: string;
}

/** The payload of PermissionRequest, PermissionDenied. */
export interface Permission {
  reason?: string;
  tool_input: Record<string, any>;
  tool_name: string;
  tool_use_id?: string;
}

/** The payload of SessionStart. */
export interface SessionInfo {
  /** The same as model_name, under Claude Code's name. */
  model?: string;
  model_name?: string;
  model_provider?: string;
  source?: string;
  system_prompt?: string;
}

/** The payload of SessionEnd. */
export interface SessionSummary {
  duration_ms: number;
  exit_code?: number | null;
  reason?: string;
  total_tokens: number;
  total_tool_calls: number;
}

/** The payload of Idle. */
export interface Silence {
  count: number;
  idle_ms: number;
}

/** The payload of SubagentStart, SubagentStop. */
export interface Subagent {
  agent_type?: string;
  /** The same as last_message, under Claude Code's name. */
  last_assistant_message?: string;
  last_message?: string;
}

/** The payload of PostToolUseFailure. */
export interface ToolFailure {
  duration_ms?: number;
  error: string;
  tool_input: Record<string, any>;
  tool_name: string;
  tool_use_id?: string;
}

/** The payload of ToolResultPersist. */
export interface ToolPersist {
  tool_name: string;
  tool_response: {
    duration_ms?: number;
    exit_code?: number | null;
    output: string;
    success: boolean;
  };
  tool_use_id?: string;
}

/** The payload of PostToolUse. */
export interface ToolResult {
  recent_tools?: string[] | null;
  tool_input: Record<string, any>;
  tool_name: string;
  tool_response: {
    duration_ms?: number;
    exit_code?: number | null;
    output: string;
    success: boolean;
  };
  tool_use_id?: string;
}

/** The payload of PreToolUse. */
export interface ToolUse {
  recent_tools?: string[] | null;
  tool_input: Record<string, any>;
  tool_name: string;
  tool_use_id?: string;
}

/** What a hook is given: one flat object, a superset of what Claude Code gives its hooks. */
export interface Envelope {
  /** The agent's name. */
  agent?: string;
  /** The agent's working directory. */
  cwd: string;
  /** Names this event; the same for all hooks that are told of it. */
  event_id: string;
  /** What the tool call would do, as hookway found it: written, never read. */
  facts?: Fact[];
  /** The event's name, or the alias under which the hook was registered. */
  hook_event_name: string;
  /** What the event's envelope has under names that its payload has taken. */
  hookway_envelope?: Record<string, any>;
  /** What hooks before this one, or the source, say about the event. */
  metadata?: Record<string, any>;
  /** The agent's session. */
  session_id: string;
  /** Who reported it, unless the payload has a source of its own. */
  source?: string;
  /** When it was fired. */
  time: string;
  /** File with the agent's transcript, or empty. */
  transcript_path: string;
}

/** The payloads by event. */
export interface Payloads {
  GatewayStart: GatewayInfo;
  GatewayStop: GatewayEnd;
  SessionStart: SessionInfo;
  SessionEnd: SessionSummary;
  AgentStart: AgentRun;
  AgentStop: AgentResult;
  IterationStart: IterationInfo;
  IterationEnd: IterationResult;
  GenerateStart: Generation;
  GenerateEnd: GenerationResult;
  PreToolUse: ToolUse;
  PostToolUse: ToolResult;
  ToolResultPersist: ToolPersist;
  PermissionRequest: Permission;
  PermissionDenied: Permission;
  PostToolUseFailure: ToolFailure;
  MessageReceived: Message;
  MessageSending: Message;
  MessageSent: Delivery;
  PreCompact: Compaction;
  PostCompact: CompactionResult;
  Output: OutputText;
  Idle: Silence;
  Directive: DirectiveCall;
  Error: Fault;
  SubagentStart: Subagent;
  SubagentStop: Subagent;
  Notification: Alert;
}

/** What hooks are given, by every name of an event. */
export interface Events {
  /** A hook may observe. */
  GatewayStart: Envelope & GatewayInfo;
  /** A hook may observe. */
  GatewayStop: Envelope & GatewayEnd;
  /** A hook may inject. */
  SessionStart: Envelope & SessionInfo;
  /** A hook may inject. */
  SessionEnd: Envelope & SessionSummary;
  /** A hook may change prompt and system_prompt, block, inject. */
  AgentStart: Envelope & AgentRun;
  "before-agent-start": Envelope & AgentRun;
  UserPromptSubmit: Envelope & AgentRun;
  BeforeAgent: Envelope & AgentRun;
  beforeSubmitPrompt: Envelope & AgentRun;
  /** A hook may block, inject. */
  AgentStop: Envelope & AgentResult;
  Stop: Envelope & AgentResult;
  AfterAgent: Envelope & AgentResult;
  /** A hook may answer. */
  IterationStart: Envelope & IterationInfo;
  beforeIteration: Envelope & IterationInfo;
  "step-start": Envelope & IterationInfo;
  /** A hook may observe. */
  IterationEnd: Envelope & IterationResult;
  afterIteration: Envelope & IterationResult;
  "step-stop": Envelope & IterationResult;
  /** A hook may change *, block, retry, answer, inject. */
  GenerateStart: Envelope & Generation;
  beforeLLM: Envelope & Generation;
  BeforeModel: Envelope & Generation;
  /** A hook may change response_text, block, retry. */
  GenerateEnd: Envelope & GenerationResult;
  afterLLM: Envelope & GenerationResult;
  AfterModel: Envelope & GenerationResult;
  /** A hook may change tool_input, allow, ask, block, retry, answer, inject. */
  PreToolUse: Envelope & ToolUse;
  "before-tool-call": Envelope & ToolUse;
  beforeTool: Envelope & ToolUse;
  "tool-call-start": Envelope & ToolUse;
  "tool-call": Envelope & ToolUse;
  /** A hook may change tool_response, block, inject. */
  PostToolUse: Envelope & ToolResult;
  "after-tool-call": Envelope & ToolResult;
  afterTool: Envelope & ToolResult;
  "tool-call-end": Envelope & ToolResult;
  /** A hook may change tool_response, block. */
  ToolResultPersist: Envelope & ToolPersist;
  /** A hook may allow, ask, block. */
  PermissionRequest: Envelope & Permission;
  /** A hook may observe. */
  PermissionDenied: Envelope & Permission;
  /** A hook may answer, inject. */
  PostToolUseFailure: Envelope & ToolFailure;
  "tool-error": Envelope & ToolFailure;
  "tool-call-error": Envelope & ToolFailure;
  "tool-use-failure": Envelope & ToolFailure;
  /** A hook may change content, block, inject. */
  MessageReceived: Envelope & Message;
  /** A hook may change content, block, inject. */
  MessageSending: Envelope & Message;
  /** A hook may observe. */
  MessageSent: Envelope & Delivery;
  /** A hook may block, inject. */
  PreCompact: Envelope & Compaction;
  "before-compaction": Envelope & Compaction;
  PreCompress: Envelope & Compaction;
  /** A hook may inject. */
  PostCompact: Envelope & CompactionResult;
  "after-compaction": Envelope & CompactionResult;
  /** A hook may inject. */
  Output: Envelope & OutputText;
  /** A hook may inject. */
  Idle: Envelope & Silence;
  /** A hook may inject. */
  Directive: Envelope & DirectiveCall;
  /** A hook may change error, retry, answer. */
  Error: Envelope & Fault;
  "agent-error": Envelope & Fault;
  /** A hook may block, inject. */
  SubagentStart: Envelope & Subagent;
  /** A hook may block, inject. */
  SubagentStop: Envelope & Subagent;
  /** A hook may inject. */
  Notification: Envelope & Alert;
}
