// The module "@a3s-lab/box": HookEngine, Hook, HookMatcher, HookResponse.
import { add, atEnd, nearly, note, only, remove, underWay, within, without } from "hookway:hooks";
import { later } from "hookway:runtime";

export const HookEventType = Object.freeze({
  PreToolUse: "pre_tool_use", PostToolUse: "post_tool_use", GenerateStart: "generate_start",
  GenerateEnd: "generate_end", SessionStart: "session_start", SessionEnd: "session_end",
});

const defaults = { priority: 100, timeout_ms: 30000, async_execution: false, max_retries: 0 };

export class Hook {
  constructor(id, eventType) {
    this.id = id;
    this.event_type = eventType;
    this.matcher = undefined;
    this.config = { ...defaults };
  }
  static new(id, eventType) { return new Hook(id, eventType); }
  with_matcher(matcher) { this.matcher = matcher; return this; }
  with_config(config) { this.config = { ...this.config, ...config }; return this; }
}

export class HookMatcher {
  static new() { return new HookMatcher(); }
  static tool(name) { return new HookMatcher().with_tool(name); }
  static path(pattern) { return new HookMatcher().with_path(pattern); }
  static command(pattern) { return new HookMatcher().with_command(pattern); }
  static session(id) { return new HookMatcher().with_session(id); }
  with_tool(name) { this.tool = name; return this; }
  with_path(pattern) { this.path_pattern = pattern; return this; }
  with_command(pattern) { this.command_pattern = pattern; return this; }
  with_session(id) { this.session_id = id; return this; }
}

export const HookResponse = Object.freeze({
  continue_: () => ({ action: "Continue" }),
  continue_with: (modified) => ({ action: "Continue", modified }),
  block: (reason) => ({ action: "Block", reason }),
  retry: (delayMs) => ({ action: "Retry", retry_delay_ms: delayMs }),
  skip: () => ({ action: "Skip" }),
});

// payloadOf is the event under the names that A3S has.
const payloadOf = (ev) => ({
  ...ev, tool: ev.tool_name, args: ev.tool_input, result: ev.tool_response, working_directory: ev.cwd,
  recent_tools: ev.recent_tools ?? [], available_tools: ev.available_tools ?? [], tool_calls: ev.tool_calls ?? [],
  usage: ev.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
});

// checked refuses what a hook does not have: a filter that is not applied would make it
// a hook of everything.
const checked = (hook) => {
  if (!hook || typeof hook.id !== "string" || hook.id === "") throw new TypeError("a hook needs an id");
  nearly(`the hook ${hook.id}`, hook, ["id", "event_type", "matcher", "config"]);
  if (typeof hook.event_type !== "string") throw new TypeError(`the hook ${hook.id} needs an event_type: ${Object.values(HookEventType).join(", ")}`);
  for (const part of ["matcher", "config"]) if (typeof (hook[part] ?? {}) !== "object") throw new TypeError(`the ${part} of ${hook.id} must be an object, not ${JSON.stringify(hook[part])}`);
  only(`the matcher of ${hook.id}`, hook.matcher, ["tool", "path_pattern", "command_pattern", "session_id"]);
  only(`the config of ${hook.id}`, hook.config, Object.keys(defaults));
  const config = { ...defaults };
  for (const [key, value] of Object.entries(hook.config ?? {})) {
    if (value === undefined) continue;
    if (typeof value !== typeof defaults[key]) throw new TypeError(`the config of ${hook.id}: ${key} must be a ${typeof defaults[key]}, as in ${key}: ${defaults[key]}; it is ${JSON.stringify(value)}`);
    config[key] = value;
  }
  return { ...hook, config };
};

const matchOf = (m) => {
  const out = {};
  if (m?.tool !== undefined) out.tool = m.tool;
  if (m?.path_pattern !== undefined) out.path = m.path_pattern;
  if (m?.command_pattern !== undefined) out.command = m.command_pattern;
  if (m?.session_id !== undefined) out.session = m.session_id;
  return out;
};

// optionsOf are a hook's as they are in hookway.yaml.
const optionsOf = (h) => {
  const options = { id: h.id, on: h.event_type, priority: h.config.priority, timeout: `${h.config.timeout_ms}ms`, max_retries: h.config.max_retries };
  const match = matchOf(h.matcher);
  if (Object.keys(match).length) options.match = match;
  if (h.config.async_execution) options.async = true;
  return options;
};

const placeOf = (handler) => (typeof handler === "function" ? handler : handler?.handle);

// firedOf is an event that the script fired, as its handlers get it.
const firedOf = (h, ev) => ({ event_type: h.event_type, session_id: ev.session_id, timestamp: ev.timestamp ?? Date.parse(ev.time), payload: payloadOf(ev) });

const earlier = []; // what engines were, whose functions may still be asked
let engines = 0;

export class HookEngine {
  #number = ++engines;
  #version = 0;
  #now;
  #hooks = new Map();
  #handlers = new Map();
  #registered = new Map(); // by id, once the file is read: what remove takes
  #earlier = new Map(); // by event, what the handlers were when it was fired: a firing sees none of their changes
  #live = false;
  constructor() {
    atEnd(() => {
      this.#live = true;
      for (const h of this.#hooks.values()) this.#enter(h);
      for (const id of this.#handlers.keys()) if (!this.#hooks.has(id)) note(`the handler of ${id} is never called: no hook ${id} is registered; register it with engine.register`);
    });
  }
  static new() { return new HookEngine(); }
  // register and unregister count from the next event on, never for one that has begun.
  register(hook) {
    const h = checked(hook);
    if (this.#live) {
      this.#leave(hook.id);
      this.#enter(h); // which throws if it is wrong
    }
    this.#hooks.set(hook.id, h);
    this.#version++;
  }
  unregister(id) {
    const h = this.#hooks.get(id) ?? null;
    this.#hooks.delete(id);
    this.#version++;
    this.#leave(id);
    return h;
  }
  register_handler(id, handler) {
    if (typeof handler !== "function" && typeof handler?.handle !== "function") throw new TypeError(`the handler of ${id} has no handle(event); it must be a function, or {handle: (event) => …}`);
    this.#keep(id);
    this.#handlers.set(id, handler);
    this.#version++;
  }
  unregister_handler(id) { this.#keep(id); this.#handlers.delete(id); this.#version++; }
  #leave(id) {
    const known = this.#registered.get(id);
    if (known !== undefined) remove(known);
    this.#registered.delete(id);
  }
  #keep(id) {
    for (const event of underWay()) {
      const then = this.#earlier.get(event) ?? new Map();
      if (!then.has(id)) then.set(id, this.#handlers.get(id));
      this.#earlier.set(event, then);
    }
    for (const event of this.#earlier.keys()) {
      if (this.#earlier.size <= 100) break;
      this.#earlier.delete(event);
    }
  }
  all_hooks() { return [...this.#hooks.values()]; }
  get_hook(id) { return this.#hooks.get(id) ?? null; }
  hook_count() { return this.#hooks.size; }

  // A hook without a handler has no opinion.
  #handle(id, event, of) {
    const then = this.#earlier.get(of);
    const handler = then?.has(id) ? then.get(id) : this.#handlers.get(id);
    if (handler === undefined) return undefined;
    return typeof handler === "function" ? handler(event) : handler.handle(event);
  }

  // fire asks this engine's own hooks of an event, as an agent's event asks them: what
  // they are now, in order, with their matchers, timeouts and retries. Nothing else of
  // hookway is asked.
  async fire(event) {
    const name = event?.event_type ?? event?.hook_event_name;
    if (typeof name !== "string") throw new TypeError("fire needs an event: {event_type, session_id, payload}");
    const { event_type, payload, ...rest } = event;
    const fields = payload !== null && typeof payload === "object" && !Array.isArray(payload) ? { ...rest, ...payload } : rest;
    const now = this.#current();
    now.users++;
    try {
      return await later("fire", this.#number, now.version, now.hooks, { ...fields, hook_event_name: name });
    } finally {
      now.users--;
    }
  }

  // current are the hooks and handlers as they are now, for fire.
  #current() {
    if (this.#now?.version === this.#version) return this.#now;
    const now = { version: this.#version, users: 0, hooks: [], slots: [] };
    for (const h of this.#hooks.values()) {
      const handler = this.#handlers.get(h.id);
      if (handler === undefined) continue; // it has no opinion
      const run = typeof handler === "function" ? handler : (event) => handler.handle(event);
      const slot = within((ev) => run(firedOf(h, ev)), placeOf(handler));
      now.slots.push(slot);
      now.hooks.push({ slot, ...optionsOf(h) });
    }
    let at = 0;
    while (earlier.length - at >= 100) {
      const old = earlier[at];
      if (old.users > 0) { at++; continue; }
      old.slots.forEach(without);
      earlier.splice(at, 1);
    }
    earlier.push(now);
    return (this.#now = now);
  }

  #enter(h) {
    const run = (ev) => this.#handle(h.id, { event_type: h.event_type, session_id: ev.session_id, timestamp: Date.parse(ev.time), payload: payloadOf(ev) }, ev.event_id);
    this.#registered.set(h.id, add({ profile: "a3s", ...optionsOf(h) }, run, placeOf(this.#handlers.get(h.id))));
  }
}
