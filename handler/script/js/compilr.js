// compilr's HooksConfig.
import { add, form, only, remove } from "hookway:hooks";

const base = (ev, ctx) => ({ sessionId: ev.session_id, iteration: ev.iteration ?? ctx.metadata.iteration ?? 1, signal: ctx.signal, metadata: ctx.metadata });
const llm = (ev, ctx) => ({ ...base(ev, ctx), messages: ev.messages ?? [], tools: ev.tools ?? [], systemPrompt: ev.system_prompt ?? "" });
const tool = (ev, ctx) => ({ ...base(ev, ctx), toolName: ev.tool_name, input: ev.tool_input ?? {} });
const iteration = (ev, ctx) => ({ ...base(ev, ctx), maxIterations: ev.max_iterations ?? 0, messages: ev.messages ?? [] });

const contexts = {
  beforeIteration: iteration,
  afterIteration: (ev, ctx) => ({ ...iteration(ev, ctx), toolCalls: ev.tool_calls ?? [], completedWithText: !!ev.completed_with_text }),
  beforeLLM: llm,
  afterLLM: (ev, ctx) => ({
    ...llm(ev, ctx), text: ev.response_text ?? "", toolUses: ev.tool_calls ?? [], model: ev.model_name, durationMs: ev.duration_ms ?? 0,
    usage: ev.usage && { inputTokens: ev.usage.prompt_tokens, outputTokens: ev.usage.completion_tokens },
  }),
  beforeTool: tool,
  afterTool: (ev, ctx) => ({ ...tool(ev, ctx), result: ev.tool_response, durationMs: ev.tool_response?.duration_ms ?? 0 }),
  onError: (ev, ctx) => ({ ...base(ev, ctx), error: new Error(ev.error), phase: ev.phase, toolName: ev.tool_name }),
};

// plain takes the Error out of what onError answers: the event has its text.
const plain = (r) => (r && r.error instanceof Error ? { ...r, error: r.error.message } : r);

// ---- what happens to hooks

const kinds = ["hook:registered", "hook:unregistered", "hook:started", "hook:completed", "hook:error"];
const types = {
  IterationStart: "beforeIteration", IterationEnd: "afterIteration", GenerateStart: "beforeLLM", GenerateEnd: "afterLLM",
  PreToolUse: "beforeTool", PostToolUse: "afterTool", Error: "onError",
};

// changeOf is an event as compilr tells of hooks, with the name of the event beside it.
const changeOf = (ev) => {
  const about = ev.event ?? ev.events?.[0];
  return {
    type: kinds.find((k) => k.replace(":", "") === ev.hook_event_name.toLowerCase()), hookType: types[about] ?? about, hookId: ev.hook_id, hookName: ev.hook_name,
    durationMs: ev.duration_ms, error: ev.error === undefined ? undefined : new Error(ev.error), event: ev.event, sessionId: ev.session_id,
  };
};

// hears registers a handler of what happens to hooks; what it gives ends that.
let hearing = 0;
const hears = (on, handler, id) => {
  if (typeof handler !== "function") throw new TypeError("hooks.on needs a handler: a function of the event");
  for (const kind of on) if (!kinds.includes(kind)) throw new TypeError(`there is no ${kind}; there is ${kinds.join(", ")}`);
  const hook = add({ id: id ?? `hook-events-${++hearing}`, generated: true, on, lane: "observe" }, (ev) => { const r = handler(changeOf(ev)); return r && typeof r.then === "function" ? r.then(() => undefined) : undefined; }, handler);
  return () => { remove(hook); };
};

// hooks tells what happens to hooks, as compilr names it.
export const hooks = {
  on: (type, handler) => (typeof type === "function" ? hears(kinds, type) : hears([type].flat(), handler)),
  onEvent: (handler) => hears(kinds, handler),
};

form((value) => {
  if (!value || typeof value !== "object" || Array.isArray(value)) return false;
  const config = Object.keys(value).some((k) => k in contexts) ? value : value.hooks && typeof value.hooks === "object" && Object.keys(value.hooks).some((k) => k in contexts) ? value.hooks : null;
  if (!config) return false;
  for (const [name, list] of Object.entries(config)) {
    if (name === "onHookEvent") {
      for (const handler of [list].flat()) hears(kinds, handler);
      continue;
    }
    const context = contexts[name];
    if (!context) throw new TypeError(`compilr has no hook ${name}; it has ${Object.keys(contexts).join(", ")}`);
    [list].flat().forEach((entry, i) => {
      const fn = typeof entry === "function" ? entry : entry?.hook;
      if (entry && typeof entry === "object") only(`${name}[${i}]`, entry, ["hook", "id", "name", "priority"]);
      if (typeof fn !== "function") throw new TypeError(`${name}[${i}] is no function, and no {hook, name, priority}`);
      const shown = typeof entry === "object" && entry.name ? String(entry.name) : "";
      const options = { id: entry.id ?? (shown || `${name}-${i + 1}`), generated: !entry.id, on: name === "onError" ? "Error" : name, profile: "compilr" };
      if (shown) options.description = shown;
      if (entry.priority !== undefined) options.priority = entry.priority;
      add(options, (ev, ctx) => {
        const r = fn(context(ev, ctx));
        return r && typeof r.then === "function" ? r.then(plain) : plain(r);
      }, fn);
    });
  }
  return true;
}, Object.keys(contexts));
