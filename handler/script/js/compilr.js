// compilr's HooksConfig.
import { add, form } from "hookway:hooks";

const base = (ev, ctx) => ({ sessionId: ev.session_id, iteration: ev.iteration ?? ctx.metadata.iteration ?? 0, signal: ctx.signal, metadata: ctx.metadata });
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

form((value) => {
  if (!value || typeof value !== "object" || Array.isArray(value)) return false;
  const config = Object.keys(value).some((k) => k in contexts) ? value : value.hooks && typeof value.hooks === "object" && Object.keys(value.hooks).some((k) => k in contexts) ? value.hooks : null;
  if (!config) return false;
  for (const [name, list] of Object.entries(config)) {
    const context = contexts[name];
    if (!context) throw new TypeError(`compilr has no hook ${name}; it has ${Object.keys(contexts).join(", ")}`);
    [list].flat().forEach((entry, i) => {
      const fn = typeof entry === "function" ? entry : entry?.hook;
      if (typeof fn !== "function") throw new TypeError(`${name}[${i}] is no function`);
      const shown = typeof entry === "object" && entry.name ? String(entry.name) : "";
      const options = { id: entry.id ?? (shown || `${name}-${i + 1}`), generated: !entry.id, on: name === "onError" ? "Error" : name, profile: "compilr" };
      if (shown) options.description = shown;
      if (typeof entry.priority === "number") options.priority = entry.priority;
      add(options, (ev, ctx) => {
        const r = fn(context(ev, ctx));
        return r && typeof r.then === "function" ? r.then(plain) : plain(r);
      }, fn);
    });
  }
  return true;
});
