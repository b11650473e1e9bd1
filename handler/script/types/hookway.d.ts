// Types of what scripts find in hookway. Written by `hookway types`; do not edit.

/** Runs a line of the system's shell. A status other than 0 rejects. Needs the grant exec. */
declare function exec(
  line: string,
  options?: { cwd?: string; env?: Record<string, string>; timeout?: number; input?: string; signal?: AbortSignal },
): Promise<{ stdout: string; stderr: string; code: number; cmd: string }>;

/** Milliseconds after which fetch gives up; 30000 unless said. */
interface RequestInit {
  timeout?: number;
}

declare module "hookway" {
  /** What a script may be granted: export const allow: Grant[] = ["net"]. */
  export type Grant = "exec" | "read" | "write" | "net";

  /** The names of events; aliases and events of your own are welcome. */
  export type EventName =
    | "GatewayStart" | "GatewayStop" | "SessionStart" | "SessionEnd" | "AgentStart" | "AgentStop" | "IterationStart" | "IterationEnd"
    | "GenerateStart" | "GenerateEnd" | "PreToolUse" | "PostToolUse" | "ToolResultPersist" | "PermissionRequest" | "PermissionDenied"
    | "PostToolUseFailure" | "MessageReceived" | "MessageSending" | "MessageSent" | "PreCompact" | "PostCompact" | "Output" | "Idle"
    | "Directive" | "Error" | "SubagentStart" | "SubagentStop" | "Notification" | (string & {});

  /** An event as it reaches a script: one flat object. */
  export interface HookEvent {
    hook_event_name: string;
    session_id: string;
    transcript_path: string;
    cwd: string;
    event_id: string;
    time: string;
    agent?: string;
    source?: string;
    metadata?: Record<string, unknown>;
    tool_name?: string;
    tool_input?: Record<string, any>;
    tool_use_id?: string;
    /** What the tool call would do. */
    facts?: Fact[];
    tool_response?: { success: boolean; output: string; exit_code?: number; duration_ms?: number; [field: string]: any };
    prompt?: string;
    text?: string;
    content?: string;
    from?: string;
    to?: string;
    namespace?: string;
    target?: string;
    body?: string;
    [field: string]: any;
  }

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

  /** An event about a tool's call. */
  export interface ToolEvent extends HookEvent {
    tool_name: string;
    tool_input: Record<string, any>;
  }

  /** The events that are about a tool's call. */
  export type ToolEventName = "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" | "PermissionDenied";

  export type Action = "continue" | "allow" | "ask" | "block" | "retry" | "skip" | "answer";

  export interface Decision {
    action?: Action;
    /** Told to the agent. */
    reason?: string;
    /** Shown to the user only. */
    user_message?: string;
    /** A merge patch (RFC 7386) of the event's payload. */
    modified?: Record<string, any>;
    /** With answer: stands in for the operation's result. */
    result?: unknown;
    retry_delay_ms?: number;
    /** Text for the agent. */
    inject?: string;
    /** For the hooks that follow. */
    metadata?: Record<string, unknown>;
  }

  export interface Context {
    readonly signal: AbortSignal;
    readonly eventName: string;
    /** What the tool call would do; event.facts, or none. */
    readonly facts: Fact[];
    readonly agentId: string;
    readonly agentName: string;
    readonly sessionId: string;
    readonly workingDir: string;
    readonly env: Record<string, string>;
    readonly metadata: Record<string, any>;
    readonly output: string[];
    readonly messages: import("agent-relay").RelayMessage[];
    readonly memory: import("agent-relay").MemoryService;
    readonly relay: import("agent-relay").RelayService;
    inject(text: string): void;
    send(to: string, text: string): Promise<void>;
    notify(channel: string, text: string): Promise<void>;
    log(...values: unknown[]): void;
  }

  export type Handler<E extends HookEvent = HookEvent> = (event: E, ctx: Context) => Decision | void | undefined | Promise<Decision | void | undefined>;

  export interface Match {
    tool?: string | string[];
    path?: string | string[];
    command?: string | string[];
    session?: string | string[];
    agent?: string | string[];
    source?: string | string[];
    namespace?: string | string[];
    target?: string | string[];
    fields?: Record<string, string | string[]>;
    /** What the call would do, as in hookway.yaml; true is any. */
    deletes?: true | string | string[];
    writes?: true | string | string[];
    reads?: true | string | string[];
    moves?: true | string | string[];
    runs?: true | string | string[];
    connects?: true | string | string[];
    sends?: true | string | string[];
    git?: true | string | string[];
    sql?: true | string | string[];
    infra?: true | string | string[];
    secret?: true | string | string[];
    unknown?: true;
    /** An expression; beside the other options also a function of the event. */
    where?: string | string[] | ((event: HookEvent) => unknown);
    any?: Match[];
    all?: Match[];
    not?: Match;
  }

  /** The fields of a match may stand beside the others. */
  export interface Options extends Match {
    id?: string;
    match?: Match;
    lane?: "transform" | "guard" | "observe";
    async?: boolean;
    priority?: number;
    /** Milliseconds, or a text such as "2s". */
    timeout?: number | string;
    maxRetries?: number;
    onFailure?: "continue" | "block";
    override?: boolean;
    description?: string;
    enabled?: boolean;
    queue?: number;
  }

  export interface HookDefinition extends Options {
    on: EventName | EventName[];
    handler: Handler;
  }

  export function on(events: ToolEventName | ToolEventName[], handler: Handler<ToolEvent>, options?: Options): void;
  export function on(events: ToolEventName | ToolEventName[], options: Options, handler: Handler<ToolEvent>): void;
  export function on(events: EventName | EventName[], handler: Handler, options?: Options): void;
  export function on(events: EventName | EventName[], options: Options, handler: Handler): void;
  export function hook(hook: HookDefinition): HookDefinition;

  /** What happens to hooks: that one is registered, asked, fails. hookType is the event, where compilr has a name for it by that. */
  export type HookEventType = "hook:registered" | "hook:unregistered" | "hook:started" | "hook:completed" | "hook:error";
  export interface HookChange {
    type: HookEventType; hookType: string; hookId: string; hookName?: string; durationMs?: number; error?: Error; event?: string; sessionId?: string;
  }
  /** The handler is never waited for, and decides nothing. What on gives ends it. */
  export const hooks: {
    on(type: HookEventType | HookEventType[], handler: (event: HookChange) => unknown): () => void;
    on(handler: (event: HookChange) => unknown): () => void;
    onEvent(handler: (event: HookChange) => unknown): () => void;
  };
  export function defineHook(hook: HookDefinition): HookDefinition;
  export function defineConfig(config: { hooks: HookDefinition[]; idleThreshold?: number; memory?: MemoryConfig }): { hooks: HookDefinition[] };

  /** Where memories are kept, and what of it happens by itself: docs/memory.md. */
  export interface MemoryConfig extends MemoryParts {
    backend?: "builtin" | "mem0" | "qdrant" | "custom";
    autoSave?: boolean;
    promptOnEnd?: boolean;
    inject?: boolean | { budget?: number };
    user?: string;
    timeout?: string;
    config?: MemoryParts;
    /** With backend "custom": answers a MemoryRequest. */
    handler?: (request: any, ctx: any) => unknown;
  }
  export interface MemoryParts {
    vectorStore?: { provider?: "qdrant"; url?: string; collection?: string; api_key_env?: string };
    embedder?: { provider: "ollama" | "openai"; model?: string; url?: string; dims?: number; prefix?: boolean; api_key_env?: string };
    mem0?: { url?: string; api_key_env?: string; infer?: boolean };
  }

  /** What may come with any answer; a text alone is the one for the user. */
  export type More = string | Pick<Decision, "user_message" | "inject" | "metadata" | "modified" | "reason">;

  export function block(reason?: string, more?: More): Decision;
  export function allow(reason?: string, more?: More): Decision;
  export function ask(reason?: string, more?: More): Decision;
  export function skip(more?: More): Decision;
  export function inject(text: string, more?: More): Decision;
  export function modify(modified: Record<string, any>, more?: More): Decision;
  export function change(modified: Record<string, any>, more?: More): Decision;
  export function answer(result: unknown, more?: More): Decision;
  export function retry(milliseconds?: number, more?: More): Decision;
  export function proceed(more?: More): Decision;
}

declare module "agent-relay" {
  export interface RelayMessage {
    id?: string;
    from: string;
    to: string;
    content: string;
    channel?: string;
    thread?: string;
    metadata?: Record<string, any>;
  }
  export type Message = RelayMessage;

  /** recent: of a search that found nothing, and gives what is the most recent. */
  export interface Memory { id: string; content: string; agent?: string; time?: string; recent?: boolean }

  export interface MemoryService {
    add(content: string, options?: { agentId?: string }): Promise<string>;
    save(content: string): Promise<string>;
    /** The list, and each memory of it, reads well in a text. Where nothing is about the query, at most five recent ones. */
    search(query: string): Promise<Memory[]>;
    list(): Promise<Memory[]>;
    delete(id: string): Promise<void>;
    forget(id: string): Promise<void>;
  }

  export interface RelayService {
    send(to: string, text: string): Promise<void>;
    broadcast(text: string): Promise<void>;
  }

  export interface HookContext {
    agentId: string;
    agentName: string;
    sessionId: string;
    workingDir: string;
    env: Record<string, string>;
    signal: AbortSignal;
    inject(text: string): void;
    send(to: string, msg: string): Promise<void>;
    notify(channel: string, text: string): Promise<void>;
    memory: MemoryService;
    relay: RelayService;
    output: string[];
    messages: Message[];
  }

  export interface HookResult { inject?: string; suppress?: boolean; stop?: boolean }
  export type Result = HookResult | import("hookway").Decision | void | undefined;
  export type PatternHandler = (target: string, message: string, context: HookContext) => Result | Promise<Result>;
  type Lifecycle = (ctx: HookContext) => Result | Promise<Result>;
  type Several<T> = T | T[];

  export interface RelayConfig {
    patterns?: Record<string, "builtin" | PatternHandler | { handler: PatternHandler }>;
    hooks?: {
      onSessionStart?: Several<Lifecycle>;
      onSessionEnd?: Several<Lifecycle>;
      onIdle?: Several<Lifecycle>;
      onOutput?: Several<(output: string, ctx: HookContext) => Result | Promise<Result>>;
      onMessageReceived?: Several<(message: RelayMessage, ctx: HookContext) => Result | Promise<Result>>;
      onToolCall?: Several<(tool: string, args: any, ctx: HookContext) => Result | Promise<Result>>;
    };
    memory?: import("hookway").MemoryConfig;
    options?: { idleThreshold?: number; [name: string]: unknown };
  }

  export class Relay {
    constructor(config?: { name?: string } & RelayConfig);
    readonly name?: string;
    pattern(namespace: string, handler: PatternHandler): this;
    on(event: "output", handler: (output: string, ctx: HookContext) => Result | Promise<Result>): this;
    on(event: "messageReceived", handler: (message: RelayMessage, ctx: HookContext) => Result | Promise<Result>): this;
    on(event: "toolCall", handler: (tool: string, args: any, ctx: HookContext) => Result | Promise<Result>): this;
    on(event: "sessionStart" | "sessionEnd" | "idle", handler: Lifecycle): this;
    /** Says which program `hookway run` runs when it is given none: a line, or its words. */
    wrap(command: string | string[] | { command: string; args?: string[] }, ...args: (string | string[] | object)[]): this;
  }
  export function defineConfig(config: RelayConfig): RelayConfig;
}

declare module "@a3s-lab/box" {
  export const HookEventType: {
    readonly PreToolUse: "pre_tool_use"; readonly PostToolUse: "post_tool_use"; readonly GenerateStart: "generate_start";
    readonly GenerateEnd: "generate_end"; readonly SessionStart: "session_start"; readonly SessionEnd: "session_end";
  };
  export type HookEventType = string;

  export interface HookConfig { priority: number; timeout_ms: number; async_execution: boolean; max_retries: number }
  export interface HookEvent { event_type: string; session_id: string; timestamp: number; payload: any }
  /** The payloads, as event.payload has them. */
  export interface PreToolUseEvent { session_id: string; tool: string; args: any; working_directory: string; recent_tools: string[] }
  export interface PostToolUseEvent {
    session_id: string; tool: string; args: any;
    result: { success: boolean; output: string; exit_code?: number; duration_ms: number };
  }
  export interface GenerateStartEvent {
    session_id: string; prompt: string; system_prompt?: string; model_provider: string; model_name: string; available_tools: string[];
  }
  export interface ToolCallInfo { name: string; args: any; [field: string]: any }
  export interface GenerateEndEvent {
    session_id: string; prompt: string; response_text: string; tool_calls: ToolCallInfo[]; duration_ms: number;
    usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  }
  export interface SessionStartEvent { session_id: string; system_prompt?: string; model_provider: string; model_name: string }
  export interface SessionEndEvent { session_id: string; total_tokens: number; total_tool_calls: number; duration_ms: number }
  export interface HookResponse { action: "Continue" | "Block" | "Retry" | "Skip"; reason?: string; modified?: object; retry_delay_ms?: number }
  export type HookResult = HookResponse;
  export interface HookHandler { handle(event: HookEvent): HookResponse | Promise<HookResponse> }

  export class HookMatcher {
    tool?: string; path_pattern?: string; command_pattern?: string; session_id?: string;
    static new(): HookMatcher;
    static tool(name: string): HookMatcher;
    static path(pattern: string): HookMatcher;
    static command(pattern: string): HookMatcher;
    static session(id: string): HookMatcher;
    with_tool(name: string): this;
    with_path(pattern: string): this;
    with_command(pattern: string): this;
    with_session(id: string): this;
  }

  export class Hook {
    id: string; event_type: HookEventType; matcher?: HookMatcher; config: HookConfig;
    static new(id: string, eventType: HookEventType): Hook;
    with_matcher(matcher: HookMatcher): this;
    with_config(config: Partial<HookConfig>): this;
  }

  export class HookEngine {
    static new(): HookEngine;
    register(hook: { id: string; event_type: HookEventType; matcher?: Partial<HookMatcher>; config?: Partial<HookConfig> }): void;
    unregister(hookId: string): Hook | null;
    register_handler(hookId: string, handler: HookHandler): void;
    unregister_handler(hookId: string): void;
    /** Asks the hooks of this engine, as an event of an agent asks them. */
    fire(event: { event_type: string; session_id?: string; timestamp?: number; payload?: any; [field: string]: any }): Promise<HookResult>;
    all_hooks(): Hook[];
    get_hook(id: string): Hook | null;
    hook_count(): number;
  }

  export const HookResponse: {
    continue_(): HookResponse;
    continue_with(modified: object): HookResponse;
    block(reason: string): HookResponse;
    retry(delayMs: number): HookResponse;
    skip(): HookResponse;
  };
}

declare module "openclaw/plugin-sdk" {
  export interface PluginHookContext {
    sessionKey: string; channel: string; senderId: string; direction: "received" | "sending" | "sent";
    runId: string; config: Record<string, any>; workspaceDir: string; agentDir: string;
    toolName: string; args: Record<string, any>; params: Record<string, any>; result: any; content: string; prompt: string;
    signal: AbortSignal; [field: string]: any;
  }
  export type PluginHookAgentContext = Pick<PluginHookContext, "runId" | "config" | "workspaceDir" | "agentDir">;
  export type PluginHookMessageContext = Pick<PluginHookContext, "sessionKey" | "channel" | "senderId" | "direction">;
  export type PluginHookToolContext = Pick<PluginHookContext, "runId" | "toolName" | "args" | "result">;
  export type PluginHookSessionContext = Pick<PluginHookContext, "sessionKey" | "channel">;
  export type PluginHookName = string;
  export type PluginHookHandler = (event: PluginHookContext, ctx: PluginHookContext) => any;
  export interface PluginHookRegistration { event: PluginHookName; handler: PluginHookHandler; priority?: number }
  export interface OpenClawPluginApi {
    id: string; name: string; config: Record<string, any>; pluginConfig: Record<string, any>;
    logger: { info(...v: unknown[]): void; warn(...v: unknown[]): void; error(...v: unknown[]): void; debug(...v: unknown[]): void };
    /** Lower priorities run first. */
    registerHook(hook: { event: string | string[]; handler: PluginHookHandler; priority?: number; name?: string }): void;
    registerHook(events: string | string[], handler: PluginHookHandler, options?: { priority?: number; name?: string }): void;
    /** Higher priorities run first. */
    on(event: string, handler: PluginHookHandler, options?: { priority?: number }): void;
    [method: string]: any;
  }
  export const definePluginEntry: <T extends { register(api: OpenClawPluginApi): void }>(entry: T) => T;
  export const defineSetupPluginEntry: <T>(plugin: T) => { plugin: T };
  export const defineChannelPluginEntry: <T>(entry: T) => T & { register(api: OpenClawPluginApi): void };
  export const defineBundledChannelEntry: typeof defineChannelPluginEntry;
  /** A schema; Zod's or one in JSON. */
  export type Schema = Record<string, any>;
  export const emptyPluginConfigSchema: () => Schema;
  export const emptyChannelConfigSchema: () => Schema;
  export const buildPluginConfigSchema: (schema: Schema) => Schema;
  export const buildJsonPluginConfigSchema: (schema: Schema) => Schema;
  export const buildChannelConfigSchema: (schema: Schema) => { schema: Schema };
  export const jsonResult: (payload: unknown) => { content: { type: "text"; text: string }[]; details: unknown };
  export const textResult: (text: string, details?: unknown) => { content: { type: "text"; text: string }[]; details: unknown };
  export const stringEnum: (values: readonly string[], options?: Record<string, any>) => Schema;
  export const optionalStringEnum: typeof stringEnum;
  export const DEFAULT_ACCOUNT_ID: string;
  export const normalizeAccountId: (id?: string) => string;
  export const createSubsystemLogger: (name: string) => OpenClawPluginApi["logger"];
  export const createPluginRuntimeStore: (message?: string) => Record<string, any>;
  export const onDiagnosticEvent: (listener: (event: any) => void) => () => void;
  export const registerContextEngine: (...v: any[]) => void;
  export const isDangerousNameMatchingEnabled: () => boolean;
  export const PluginApprovalResolutions: Record<string, string>;
  export const sleep: (ms: number) => Promise<void>;
}

declare module "@compilr-dev/agents" {
  export interface HookContext { sessionId: string; iteration: number; signal?: AbortSignal; metadata: Record<string, any> }
  export interface IterationHookContext extends HookContext { maxIterations: number; messages: any[] }
  export interface LLMHookContext extends HookContext { messages: any[]; tools: any[]; systemPrompt: string }
  export interface AfterLLMHookContext extends LLMHookContext {
    text: string; toolUses: { id: string; name: string; input: Record<string, any> }[];
    usage?: { inputTokens: number; outputTokens: number }; model?: string; durationMs: number;
  }
  export interface ToolHookContext extends HookContext { toolName: string; input: Record<string, any> }
  export interface AfterToolHookContext extends ToolHookContext { result: any; durationMs: number }
  export interface ErrorHookContext extends HookContext { error: Error; phase: "llm" | "tool" | "iteration"; toolName?: string }
  type May<T> = T | void | undefined | Promise<T | void | undefined>;
  export interface BeforeLLMHookResult { messages?: any[]; tools?: any[]; systemPrompt?: string }
  export interface BeforeToolHookResult { skip?: boolean; result?: any; input?: Record<string, any> }
  export interface AfterToolHookResult { result?: any }
  export interface ErrorHookResult { handled?: boolean; error?: Error; recovery?: any }
  export type BeforeIterationHook = (context: IterationHookContext) => May<{ skip: true }>;
  export type AfterIterationHook = (context: IterationHookContext & {
    toolCalls: { name: string; input: Record<string, any>; result: any }[]; completedWithText: boolean;
  }) => May<never>;
  export type BeforeLLMHook = (context: LLMHookContext) => May<BeforeLLMHookResult>;
  export type AfterLLMHook = (context: AfterLLMHookContext) => May<never>;
  export type BeforeToolHook = (context: ToolHookContext) => May<BeforeToolHookResult>;
  export type AfterToolHook = (context: AfterToolHookContext) => May<AfterToolHookResult>;
  export type OnErrorHook = (context: ErrorHookContext) => May<ErrorHookResult>;
  export interface HookRegistrationOptions { name?: string; priority?: number }
  export interface RegisteredHook<T = Function> extends HookRegistrationOptions { id: string; hook: T }
  type Registered<T> = (T | RegisteredHook<T>)[];
  export interface HooksConfig {
    beforeIteration?: Registered<BeforeIterationHook>;
    afterIteration?: Registered<AfterIterationHook>;
    beforeLLM?: Registered<BeforeLLMHook>;
    afterLLM?: Registered<AfterLLMHook>;
    beforeTool?: Registered<BeforeToolHook>;
    afterTool?: Registered<AfterToolHook>;
    onError?: Registered<OnErrorHook>;
    /** hookway's own place for a HookEventHandler. */
    onHookEvent?: HookEventHandler | HookEventHandler[];
  }
  export type HookEventType = "hook:registered" | "hook:unregistered" | "hook:started" | "hook:completed" | "hook:error";
  export interface HookEvent { type: HookEventType; hookType: string; hookId?: string; hookName?: string; durationMs?: number; error?: Error }
  export type HookEventHandler = (event: HookEvent) => void;
}
