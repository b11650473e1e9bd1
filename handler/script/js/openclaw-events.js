// OpenClaw's events: which of ours they are, what a handler is given at each, and
// what its answer means.

// plain is a name as names are compared.
export const plain = (name) => String(name).toLowerCase().replace(/[-_]/g, "").replace(/^on(?=.)/, "");

// Each typed hook: the events, and whether it only tells: then nobody waits for what
// its handler answers. Never says why nothing of the kind happens here.
const typed = {
  gatewaystart: { on: "GatewayStart", tells: true }, gatewaystop: { on: "GatewayStop", tells: true },
  sessionstart: { on: "SessionStart", tells: true }, sessionend: { on: "SessionEnd", tells: true },
  beforereset: { on: "SessionEnd", tells: true, only: (ev) => /^(clear|new|reset)$/.test(ev.reason) },
  beforeagentstart: { on: "AgentStart" }, beforepromptbuild: { on: "AgentStart" }, agentturnprepare: { on: "AgentStart" },
  beforeagentrun: { on: "AgentStart" }, beforeagentreply: { on: "AgentStart" }, beforemodelresolve: { on: "AgentStart" },
  beforedispatch: { on: "AgentStart" }, beforeagentfinalize: { on: "AgentStop" }, agentend: { on: "AgentStop", tells: true },
  llminput: { on: "GenerateStart", tells: true }, llmoutput: { on: "GenerateEnd", tells: true },
  modelcallstarted: { on: "GenerateStart", tells: true }, modelcallended: { on: "GenerateEnd", tells: true },
  beforetoolcall: { on: "PreToolUse" }, aftertoolcall: { on: ["PostToolUse", "PostToolUseFailure"], tells: true },
  toolresultpersist: { on: ["ToolResultPersist", "PostToolUse"], only: (ev) => ev.hook_event_name !== "PostToolUse" || native(ev) },
  beforemessagewrite: { on: ["ToolResultPersist", "PostToolUse"], only: (ev) => ev.hook_event_name !== "PostToolUse" || native(ev) },
  messagereceived: { on: ["MessageReceived", "AgentStart"], only: (ev) => heard(ev) }, inboundclaim: { on: ["MessageReceived", "AgentStart"], only: (ev) => heard(ev) },
  messagesending: { on: "MessageSending" }, messagesent: { on: ["MessageSent", "AgentStop"], tells: true, only: (ev) => ev.hook_event_name === "MessageSent" || (native(ev) && !!ev.last_message) },
  beforecompaction: { on: "PreCompact", tells: true }, aftercompaction: { on: "PostCompact", tells: true },
  subagentspawning: { on: "SubagentStart", tells: true }, subagentspawned: { on: "SubagentStart", tells: true }, subagentended: { on: "SubagentStop", tells: true },
  subagentdeliverytarget: { never: "hookway delivers nothing of sub-agents" }, cronchanged: { never: "hookway has no cron" },
  heartbeatpromptcontribution: { never: "hookway has no heartbeat" }, beforeinstall: { never: "hookway installs no plugins" },
  replydispatch: { never: "the agent itself shows what it answers" }, commandinvoked: { never: "the agent has its own commands" },
  messagepreauth: { never: "hookway has no channels" }, resolveexecenv: { never: "the agent runs its tools itself" },
};

// The events of HOOK.md: type:action.
const ended = (ev) => /^(clear|new|reset)$/.test(ev.reason);
const internal = {
  command: { on: "SessionEnd", only: ended, as: (ev) => ["command", ev.reason === "reset" ? "reset" : "new"] },
  "command:new": { on: "SessionEnd", only: (ev) => ended(ev) && ev.reason !== "reset" }, "command:reset": { on: "SessionEnd", only: ended },
  "command:stop": { never: "an agent that is stopped does not say so" },
  session: { on: ["SessionStart", "SessionEnd", "PreCompact", "PostCompact"], as: (ev) => ["session", { SessionStart: "start", SessionEnd: "end", PreCompact: "compact:before" }[ev.hook_event_name] ?? "compact:after"] },
  "session:start": { on: "SessionStart" }, "session:end": { on: "SessionEnd" },
  "session:compact:before": { on: "PreCompact" }, "session:compact:after": { on: "PostCompact" }, "session:patch": { never: "sessions are not patched" },
  agent: { on: "SessionStart", as: () => ["agent", "bootstrap"] }, "agent:bootstrap": { on: "SessionStart" },
  gateway: { on: ["GatewayStart", "GatewayStop"], tells: true, as: (ev) => ["gateway", ev.hook_event_name === "GatewayStart" ? "startup" : "shutdown"] },
  "gateway:startup": { on: "GatewayStart", tells: true }, "gateway:shutdown": { on: "GatewayStop", tells: true }, "gateway:pre-restart": { never: "the daemon does not restart itself" },
  message: { on: ["MessageReceived", "MessageSent", "AgentStart", "AgentStop"], only: (ev) => (/Received|Start/.test(ev.hook_event_name) ? heard(ev) : typed.messagesent.only(ev)), as: (ev) => ["message", /Received|Start/.test(ev.hook_event_name) ? "received" : "sent"] },
  "message:received": typed.messagereceived, "message:preprocessed": typed.messagereceived, "message:sent": typed.messagesent,
  "message:transcribed": { never: "hookway hears no audio" },
};

// native reports whether an event comes from an agent of its own, which has no message
// bus and keeps its transcript itself.
const native = (ev) => !/^(|go|run|cli|daemon|gateway|api|http|grpc|bench)$/.test(ev.hookway_envelope?.source ?? ev.source ?? "");

// heard reports whether a prompt is a message of its own: not one that came over the
// bus and was typed.
const inbox = new Map();
const heard = (ev) => {
  if (ev.hook_event_name === "MessageReceived") { inbox.set(ev.session_id, ev.content); return true; }
  if (!native(ev)) return false;
  const last = inbox.get(ev.session_id);
  return !(last && ev.prompt?.includes(last));
};

// find gives what is known of an event, under its own name.
export const find = (name) => (Object.hasOwn(internal, name) ? { ...internal[name], name, internal: true } : Object.hasOwn(typed, plain(name)) ? { ...typed[plain(name)], name: plain(name) } : undefined);

export const known = [...Object.keys(typed), ...Object.keys(internal)];

const directions = { messagereceived: "received", messagesending: "sending", messagesent: "sent" };

// channelOf is where an event comes from. At SessionStart, source says how it began.
const channelOf = (ev) => ev.channel ?? ev.hookway_envelope?.source ?? ev.source ?? "";

// What OpenClaw calls the tools of agents, and their arguments: for plugins as they
// are published. What a handler changes goes back under the agent's names.
const tools = { Bash: "exec", Read: "read", Write: "write", Edit: "edit", MultiEdit: "edit", WebFetch: "web_fetch", WebSearch: "web_search", Grep: "grep", Glob: "find", LS: "ls", Task: "sessions_spawn", Agent: "sessions_spawn" };
const toolOf = (name, theirs) => (theirs && Object.hasOwn(tools, name ?? "") ? tools[name] : name);
const argumentsOf = (input, theirs) => (theirs && input && input.file_path !== undefined && input.path === undefined ? { ...input, path: input.file_path } : input);
const argumentsBack = (params, input) => {
  if (!params || !input || input.file_path === undefined || input.path !== undefined || params.path === undefined) return params;
  const { path, ...rest } = params;
  return path === input.file_path ? rest : { ...rest, file_path: path };
};

const homes = { claude: [".claude", "CLAUDE_CONFIG_DIR"], codex: [".codex", "CODEX_HOME"], gemini: [".gemini"], cursor: [".cursor"], copilot: [".copilot"], opencode: [".config/opencode"], antigravity: [".gemini/antigravity"] };
const dirs = new Map();
const agentDirOf = (ev, plugin) => {
  if (ev.agent_dir) return ev.agent_dir;
  const agent = ev.hookway_envelope?.source ?? ev.agent ?? "";
  let dir = dirs.get(agent);
  if (dir === undefined) {
    const [name, variable] = homes[agent] ?? [`.openclaw/agents/${ev.agent || "main"}/agent`];
    dirs.set(agent, dir = (variable && process.env[variable]) || `${plugin.home()}/${name}`);
  }
  return dir;
};

const textOf = (content) => (typeof content === "string" ? content : Array.isArray(content) ? content.filter((c) => c && typeof c.text === "string").map((c) => c.text).join("\n") : undefined);

// messageOf is a tool's result as it stands in OpenClaw's transcript.
const messageOf = (ev, theirs) => {
  const { success, output, ...details } = ev.tool_response ?? {};
  return { role: "toolResult", toolCallId: ev.tool_use_id, toolName: toolOf(ev.tool_name, theirs), content: [{ type: "text", text: output ?? "" }], isError: success === false, details, timestamp: Date.parse(ev.time) };
};

const prompts = new Map(); // by session: the last prompt, for what is told of its answer
const turnOf = (ev) => {
  const said = [];
  const prompt = prompts.get(ev.session_id);
  if (prompt) said.push({ role: "user", content: prompt });
  if (ev.last_message) said.push({ role: "assistant", content: [{ type: "text", text: ev.last_message }] });
  return said;
};

// contextOf is what a handler is given: the event's fields, and those that OpenClaw
// has in its events and contexts.
export const contextOf = (name, ev, ctx, plugin) => {
  const session = ev.session_id, theirs = plugin.theirs;
  if (ev.hook_event_name === "AgentStart" || ev.prompt !== undefined && ev.hook_event_name === "UserPromptSubmit") prompts.set(session, ev.prompt);
  const run = ev.run_id || ev.turn_id || session;
  const c = {
    ...ev, sessionKey: session, sessionId: session, channel: channelOf(ev), channelId: channelOf(ev), messageProvider: channelOf(ev),
    senderId: ev.from ?? "", direction: directions[name] ?? ev.direction, timestamp: Date.parse(ev.time),
    runId: run, agentId: ev.agent ?? "", config: plugin.config, workspaceDir: ev.workspace_dir ?? ev.cwd, agentDir: agentDirOf(ev, plugin),
    toolName: toolOf(ev.tool_name, theirs), toolCallId: ev.tool_use_id, args: ev.tool_input, params: argumentsOf(ev.tool_input, theirs), result: ev.tool_response,
    durationMs: ev.duration_ms ?? ev.tool_response?.duration_ms, context: plugin.context,
  };
  Object.defineProperty(c, "signal", { get: () => ctx.signal, configurable: true });
  more[name]?.(c, ev, theirs);
  return c;
};

// more are the fields of single events.
const more = {
  beforetoolcall: (c) => { c.derivedPaths = c.params?.path ? [c.params.path] : undefined; },
  aftertoolcall: (c, ev) => { c.error = ev.error ?? (ev.tool_response?.success === false ? ev.tool_response.output : undefined); c.result = ev.tool_response?.output ?? ev.tool_response; },
  toolresultpersist: (c, ev, theirs) => { c.message = messageOf(ev, theirs); },
  beforemessagewrite: (c, ev, theirs) => { c.message = messageOf(ev, theirs); },
  messagereceived: (c, ev) => { c.content = ev.content ?? ev.prompt ?? ""; c.from = ev.from ?? "user"; c.senderId ||= "user"; c.messageId = ev.id ?? ev.event_id; c.metadata ??= {}; },
  inboundclaim: (c, ev) => { c.content = ev.content ?? ev.prompt ?? ""; c.from = ev.from ?? "user"; c.senderId ||= "user"; c.isGroup = false; },
  beforedispatch: (c, ev) => { c.content = ev.prompt ?? ""; c.body = c.content; },
  messagesent: (c, ev) => { c.content = ev.content ?? ev.last_message ?? ""; c.to = ev.to ?? "user"; c.success = ev.success ?? true; c.messageId = ev.id ?? ev.event_id; },
  beforeagentreply: (c, ev) => { c.cleanedBody = ev.prompt ?? ""; },
  agentend: (c, ev) => { c.messages = ev.messages ?? turnOf(ev); c.success = ev.success ?? !ev.error; },
  beforeagentfinalize: (c, ev) => { c.stopHookActive = ev.stop_hook_active === true; c.lastAssistantMessage = ev.last_message; c.messages = turnOf(ev); c.transcriptPath = ev.transcript_path; },
  sessionstart: (c, ev) => { c.resumedFrom = ev.source === "resume" ? ev.session_id : undefined; },
  sessionend: (c, ev) => { c.messageCount = ev.message_count ?? 0; c.sessionFile = ev.transcript_path; },
  beforereset: (c, ev) => { c.sessionFile = ev.transcript_path; c.messages = []; },
  beforecompaction: (c, ev) => { c.messageCount = ev.message_count ?? 0; c.tokenCount = ev.token_count; c.sessionFile = ev.transcript_path; },
  aftercompaction: (c, ev) => { c.messageCount = ev.message_count ?? 0; c.tokenCount = ev.token_count; c.compactedCount = 0; c.sessionFile = ev.transcript_path; },
  llminput: (c, ev) => { c.provider = ev.model_provider ?? ""; c.model = ev.model_name ?? ""; c.systemPrompt = ev.system_prompt; c.historyMessages = ev.messages ?? []; c.imagesCount = 0; c.prompt ??= ""; },
  llmoutput: (c, ev) => { c.provider = ev.model_provider ?? ""; c.model = ev.model_name ?? ""; c.assistantTexts = ev.response_text ? [ev.response_text] : []; c.usage = { input: ev.usage?.prompt_tokens, output: ev.usage?.completion_tokens, total: ev.usage?.total_tokens }; },
  subagentspawned: (c, ev) => { c.childSessionKey = ev.agent_id ?? session(ev); c.agentId = ev.agent_type ?? c.agentId; },
  subagentended: (c, ev) => { c.targetSessionKey = ev.agent_id ?? session(ev); c.agentId = ev.agent_type ?? c.agentId; c.outcome = "ok"; },
  gatewaystart: (c) => { c.port = 0; },
};
const session = (ev) => ev.session_id;
for (const name of ["beforeagentstart", "beforepromptbuild", "agentturnprepare", "beforeagentrun"]) more[name] = (c, ev) => { c.prompt = ev.prompt ?? ""; c.messages = ev.messages ?? []; };

// internalOf is the event of a HOOK.md handler.
export const internalOf = (at, ev, c) => {
  const [type, ...action] = at.as ? at.as(ev) : at.name.split(":");
  return {
    ...c, type, action: action.join(":"), sessionKey: c.sessionKey, timestamp: new Date(ev.time), messages: [],
    context: {
      ...c.context, sessionId: c.sessionId, sessionKey: c.sessionKey, workspaceDir: c.workspaceDir, agentDir: c.agentDir, agentId: c.agentId, cfg: c.config, commandSource: c.channel, senderId: c.senderId || "user", bootstrapFiles: [],
      from: ev.from ?? "user", to: ev.to ?? "user", content: ev.content ?? ev.prompt ?? ev.last_message, bodyForAgent: ev.prompt, channelId: c.channelId, success: ev.success ?? true, messageCount: ev.message_count ?? 0, tokenCount: ev.token_count,
    },
  };
};

// internalAnswer carries out what a HOOK.md handler did to its event.
export const internalAnswer = (event) => {
  const out = {};
  const files = event.context.bootstrapFiles;
  const texts = Array.isArray(files) ? files.filter((f) => f && typeof f.content === "string" && f.content !== "").map((f) => (f.name ? `# ${f.name}\n\n${f.content}` : f.content)) : [];
  if (texts.length) out.inject = texts.join("\n\n");
  if (Array.isArray(event.messages) && event.messages.length) out.user_message = event.messages.map(String).join("\n");
  return Object.keys(out).length ? out : undefined;
};

const refused = new Set();
const refuse = (name, why) => {
  if (refused.has(name)) return;
  refused.add(name);
  console.warn(`${name} is not carried out: ${why}`);
};

const approvalOf = (asked) => {
  const { onResolution, ...rest } = asked;
  return rest;
};

// answerOf is what a handler's answer means here. What it does not know it leaves as
// it is, so that it is told.
export const answerOf = (at, value, c, ev, plugin) => {
  if (value === null || value === undefined || at.tells) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) return value;
  return (answers[at.name] ?? ((v) => v))(value, c, ev, plugin);
};

const prompting = (value) => {
  const { modelOverride, providerOverride, ...rest } = value;
  if (modelOverride !== undefined || providerOverride !== undefined) refuse("modelOverride", "the agent chooses its model itself");
  return Object.keys(rest).length || modelOverride === undefined && providerOverride === undefined ? rest : undefined;
};

const claimed = (value) => {
  const { handled, reply, text, ...rest } = value;
  if (handled === undefined) return value;
  return handled ? { ...rest, action: "block", reason: reply?.text ?? text ?? value.reason ?? "a plugin has answered this" } : undefined;
};

const persisted = (value, c, ev) => {
  const { message, ...rest } = value;
  if (message === undefined) return value;
  if (message === null || typeof message !== "object") throw new TypeError("message must be the message, changed");
  const text = textOf(message.content), was = ev.tool_response ?? {};
  if (text === undefined) throw new TypeError("message.content must be a text, or a list of {type: \"text\", text}");
  const change = {};
  if (text !== (was.output ?? "")) change.output = text;
  if (typeof message.isError === "boolean" && message.isError !== (was.success === false)) change.success = !message.isError;
  return Object.keys(change).length ? { ...rest, modified: { tool_response: change } } : Object.keys(rest).length ? rest : undefined;
};

const received = (value, c, ev) => {
  if (value.handled !== undefined) return claimed(value);
  if (value.content === undefined || ev.prompt === undefined) return value;
  const { content, ...rest } = value;
  return content === ev.prompt ? rest : { ...rest, modified: { prompt: content } };
};

const revised = new Map();
const answers = {
  beforeagentstart: prompting, beforepromptbuild: prompting, agentturnprepare: prompting, beforemodelresolve: prompting,
  beforeagentreply: claimed, beforedispatch: claimed, inboundclaim: received, messagereceived: received,
  toolresultpersist: persisted, beforemessagewrite: persisted,
  beforeagentrun: (value) => {
    if (value.outcome === "pass") return undefined;
    if (value.outcome === "block") return { action: "block", reason: value.message ?? value.reason };
    return prompting(value);
  },
  beforeagentfinalize: (value, c, ev) => {
    if (value.action === undefined || value.action === "continue" || value.action === "finalize") return undefined;
    if (value.action !== "revise") return value;
    const key = `${ev.session_id} ${value.retry?.idempotencyKey ?? ""}`, times = ev.stop_hook_active ? (revised.get(key) ?? 0) + 1 : 1;
    revised.set(key, times);
    if (times > (value.retry?.maxAttempts ?? Infinity)) return undefined;
    return { action: "block", reason: [value.reason, value.retry?.instruction].filter(Boolean).join("\n\n") || "look at your answer once more" };
  },
  beforetoolcall: (value, c, ev, plugin) => {
    const out = value.params === undefined ? { ...value } : { ...value, params: argumentsBack(value.params, plugin.theirs ? ev.tool_input : undefined) };
    if (value.requireApproval && typeof value.requireApproval === "object") {
      if (value.block !== true && typeof value.requireApproval.onResolution === "function") plugin.resolves(ev, value.requireApproval.onResolution);
      const { timeoutMs, timeoutBehavior = "deny" } = value.requireApproval; // refused where nobody can be asked: that is deny
      if (timeoutMs !== undefined || timeoutBehavior !== "deny") refuse("requireApproval's timeout", "the agent asks its user, and waits as long as its question stands; where nobody can be asked, the call is refused");
      out.requireApproval = approvalOf(value.requireApproval);
    }
    return out;
  },
};
