// A tool with hooks around it: PreToolUse before it runs, PostToolUse after it.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Blocked, TooManyRetries } from "./errors.js";

const maxRetries = 10;
const methods = ["execute", "run", "call", "invoke", "handler"];

// wrap gives the tool in its own form: a function, or an object with a method.
export const wrap = (client, tool, options = {}) => {
  if (typeof tool === "function") return guarded(client, options.name ?? tool.name, tool, options);
  const method = options.method ?? methods.find((m) => typeof tool?.[m] === "function");
  if (typeof tool?.[method] !== "function") throw new TypeError(`a tool is a function, or an object with one of the methods ${methods.join(", ")}; or name it: guardTool(tool, {method})`);
  const copy = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool));
  const run = guarded(client, options.name ?? tool.name, tool[method].bind(tool), options);
  return Object.defineProperty(copy, method, { value: run, writable: true, enumerable: true, configurable: true });
};

const guarded = (client, name, run, options) => {
  if (!name) throw new TypeError("the tool has no name; give it one: guardTool(tool, {name})");
  const { ask, inject, ...fire } = options;
  const tool = { name, run, ask, inject, fire: (event, payload) => client.fire(event, payload, fire), signal: fire.signal };
  return Object.defineProperty(
    async (input, ...rest) => {
      const given = input ?? {};
      if (typeof given !== "object" || Array.isArray(given)) throw new TypeError(`the tool ${name} was called with ${typeof input}; hooks know arguments by name, so it takes one object`);
      const use = { tool_name: name, tool_input: given, tool_use_id: options.tool_use_id ?? `call_${randomUUID()}` };
      for (let n = 0; ; n++) {
        const { again, result } = await once(tool, use, rest);
        if (!again) return result;
        if (n === maxRetries) throw new TooManyRetries(again);
        await sleep(again.retry_delay_ms, undefined, { signal: tool.signal });
      }
    },
    "name",
    { value: name },
  );
};

// once is one try: its result, or the outcome that asks for another.
const once = async (tool, use, rest) => {
  const before = await tool.fire("PreToolUse", use);
  const left = { ...use, ...before.payload };
  let { action } = before;
  if (action === "ask") action = (await tool.ask?.(before)) ? "allow" : "block";
  if (action === "block" || action === "retry") {
    await after(tool, left, { success: false, output: before.reason, [action === "block" ? "blocked" : "retry"]: true });
    if (action === "block") throw new Blocked(before);
    return { again: before };
  }
  const began = performance.now();
  let result, response, failure;
  if (action === "answer") {
    result = before.result;
    response = isResponse(result) ? result : responseOf(result, began);
  } else {
    try {
      result = await tool.run(same(left.tool_input, use.tool_input) ? use.tool_input : left.tool_input, ...rest);
      response = responseOf(result, began);
    } catch (error) {
      failure = { error };
      response = { ...responseOf(message(error), began), success: false };
    }
  }
  const done = await after(tool, left, response);
  const text = [before.inject, done.inject].filter(Boolean).join("\n\n");
  if (done.action === "block") throw new Blocked(done, action !== "answer");
  if (failure) return failed(tool, failure.error, text);
  const told = done.payload?.tool_response ?? response;
  if (told.output !== response.output) result = like(result, told.output);
  return { result: injected(tool, result, text) };
};

const after = (tool, use, response) => tool.fire("PostToolUse", { ...use, tool_response: response });

// failed: hooks of Error may recover, have it tried again, or put the error into
// other words.
const failed = async (tool, error, text) => {
  const said = message(error);
  const outcome = await tool.fire("Error", { phase: "tool", tool_name: tool.name, error: said });
  if (outcome.action === "retry") return { again: outcome };
  if (outcome.action === "answer") return { result: injected(tool, outcome.result, text) };
  const changed = [outcome.payload?.error ?? said, text].filter(Boolean).join("\n\n");
  if (changed === said) throw error;
  if (error instanceof Error) {
    error.message = changed;
    throw error;
  }
  throw new Error(changed, { cause: error });
};

const message = (error) => (error instanceof Error && error.message ? error.message : String(error));

// injected hands text for the agent on.
const injected = (tool, result, text) => {
  if (!text) return result;
  if (tool.inject) tool.inject(text);
  else if (typeof result === "string") return `${result}\n\n${text}`;
  else process.emitWarning(`a hook has text for the agent, but the result of ${tool.name} is not text; give guardTool an inject: ${JSON.stringify(text)}`);
  return result;
};

const same = (a, b) => {
  const [x, y] = [a, b].map((v) => JSON.stringify(v));
  return x === y || (x.length === y.length && JSON.stringify(sorted(a)) === JSON.stringify(sorted(JSON.parse(y))));
};

// sorted is a value of JSON with its names in order: hookway writes them so.
const sorted = (v) =>
  v === null || typeof v !== "object" ? v
  : Array.isArray(v) ? v.map(sorted)
  : Object.fromEntries(Object.entries(v).map(([k, w]) => [k, sorted(w)]).sort(([a], [b]) => (a < b ? -1 : 1)));

const isResponse = (v) => v !== null && typeof v === "object" && typeof v.output === "string" && typeof v.success === "boolean";
const responseOf = (result, began) => ({ success: true, output: textOf(result), duration_ms: Math.round(performance.now() - began) });

// textOf is a result as text, as the agent is most likely told.
const textOf = (result) => {
  if (typeof result === "string") return result;
  if (result === undefined || result === null) return "";
  try {
    return JSON.stringify(result) ?? String(result);
  } catch {
    return String(result);
  }
};

// like is what hooks made of a result's text, as the kind of value that it was.
const like = (result, output) => {
  if (result === undefined || result === null || typeof result === "string" || typeof output !== "string") return output;
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
};
