// Hooks as functions: what a file registers, and what the functions are given.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { compile, MATCHES } from "./match.js";
import { Mistake } from "./mistake.js";

export const hooks = []; // what the program has registered, in order

const OPTIONS = ["id", "match", "lane", "async", "priority", "timeout", "max_retries", "on_failure", "needs", "profile", "override", "description", "enabled", "queue"];
const spellings = { maxRetries: "max_retries", onFailure: "on_failure", timeout_ms: "timeout", timeoutMs: "timeout" };
const lanes = ["transform", "guard", "observe"];

// on registers a handler for events. The options may stand before the handler.
export const on = (events, second, third = {}) => {
  const [handler, options] = typeof second === "function" ? [second, third] : [third, second];
  register(events, handler, options ?? {}, callers());
};

const registered = new WeakSet(); // by hook(), so that a default export is not a second one

// hook registers a hook that is written as one object, and gives it back.
export const hook = (definition) => {
  const { on: events, handler, ...options } = definition ?? {};
  register(events, handler, options, callers());
  registered.add(definition);
  return definition;
};

export const isHook = (v) => v !== null && typeof v === "object" && typeof v.handler === "function" && v.on !== undefined;

// fromDefault registers what a file exports, in the forms that hookway's own
// runtime knows as well.
export const fromDefault = (exported, file) => {
  const value = exported.default;
  const list = Array.isArray(value) ? value : isHook(value) ? [value] : Array.isArray(value?.hooks) ? value.hooks : undefined;
  if (list) {
    list.forEach((h, i) => {
      if (!isHook(h)) throw new TypeError(`hook ${i + 1} of the default export is no {on, handler}`);
      const { on: events, handler, ...options } = h;
      if (!registered.has(h)) register(events, handler, options, [file]);
    });
  } else if (typeof value === "function") {
    const known = Object.entries(exported).filter(([name]) => OPTIONS.includes(name) || name in spellings);
    register(exported.on ?? "*", value, Object.fromEntries(known), [file]);
  }
};

const register = (events, handler, options, [file, line]) => {
  const names = [events].flat();
  if (names.length === 0 || !names.every((e) => typeof e === "string" && e !== "")) {
    throw new TypeError('a hook names its events: on("PreToolUse", handler)');
  }
  if (typeof handler !== "function") throw new TypeError(`the hook of ${names[0]} has no handler; it must be a function`);
  const where = line ? `${path.basename(file)}:${line}` : path.basename(file ?? names[0]);
  const own = { match: {} };
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const name = spellings[key] ?? key;
    if (MATCHES.includes(name)) own.match[name] = value;
    else if (name === "match") own.whole = value;
    else if (OPTIONS.includes(name)) own[name] = value;
    else throw new Mistake(`${where}: a hook has no option ${key}; it may have ${[...OPTIONS, ...MATCHES].join(", ")}`);
  }
  if (own.enabled === false) return;
  if (own.whole) own.match = Object.keys(own.match).length ? { all: [own.match, own.whole] } : own.whole;
  if (own.async) own.lane ??= "observe";
  if (own.lane !== undefined && !lanes.includes(own.lane)) throw new Mistake(`${where}: there is no lane ${own.lane}; use transform, guard or observe`);
  let wants;
  try {
    wants = compile(own.match, { guard: own.lane === "guard" });
  } catch (error) {
    throw new Mistake(`${where}: ${error.message}`);
  }
  hooks.push({ events: names, handler, options: own, wants, where, file, order: lanes.indexOf(own.lane ?? "transform") });
};

const here = path.dirname(fileURLToPath(import.meta.url));

// frames are the places of a stack, those of this package and of Node left out.
export const frames = (stack) => {
  const out = [];
  for (const line of String(stack ?? "").split("\n")) {
    const at = /^\s+at (?:.*?\()?((?:file:\/\/)?[^()\s][^()]*?):(\d+):(\d+)\)?$/.exec(line);
    if (!at || at[1].startsWith("node:")) continue;
    const file = at[1].startsWith("file:") ? fileURLToPath(at[1]) : at[1];
    const folder = path.dirname(file);
    if (folder !== here && !(folder === path.dirname(here) && /^(index|client)\.js$/.test(path.basename(file)))) out.push([file, Number(at[2])]);
  }
  return out;
};

const callers = () => frames(new Error().stack)[0] ?? [];

// Context is what a function is given beside its event.
export class Context {
  #event;
  #metadata;
  #injected = [];
  constructor(event, name, signal) {
    this.#event = event;
    this.eventName = name; // canonical, whatever the hook was registered as
    this.signal = signal;
  }
  get sessionId() { return this.#event.session_id ?? ""; }
  get facts() { return this.#event.facts ?? []; }
  get agentId() { return this.#event.agent ?? ""; }
  get agentName() { return this.#event.agent ?? ""; }
  get workingDir() { return this.#event.cwd ?? ""; }
  get projectDir() { return process.env.HOOKWAY_PROJECT_DIR ?? ""; }
  get env() { return process.env; }
  get metadata() { return (this.#metadata ??= structuredClone(this.#event.metadata ?? {})); }
  inject(text) { this.#injected.push(String(text)); }
  log(...values) { console.log(...values); }
  notify(channel, text) { console.log(`[${channel}] ${text}`); return Promise.resolve(); }

  // complete adds to an answer what was said through the context.
  complete(answer) {
    const changed = this.#metadata && JSON.stringify(this.#metadata) !== JSON.stringify(this.#event.metadata ?? {});
    if (!changed && this.#injected.length === 0) return answer;
    const out = { ...answer };
    if (this.#injected.length) out.inject = [...this.#injected, ...(out.inject ? [out.inject] : [])].join("\n\n");
    if (changed) out.metadata = { ...this.#metadata, ...out.metadata };
    return out;
  }
}
