// The module "agent-relay": relay.config.ts, and the class Relay.
import { add, form, remembers, set } from "hookway:hooks";

// What a lifecycle handler is called with.
const given = {
  SessionStart: (ev, ctx) => [ctx], SessionEnd: (ev, ctx) => [ctx], Idle: (ev, ctx) => [ctx],
  Output: (ev, ctx) => [ev.text, ctx],
  MessageReceived: (ev, ctx) => [ev, ctx],
  ToolCall: (ev, ctx) => [ev.tool_name, ev.tool_input, ctx],
};

const builtins = ["relay", "memory", "broadcast"];

const lifecycle = (name, handler) => {
  const plain = name.replace(/^on(?=[A-Z])/, "");
  const event = plain[0].toUpperCase() + plain.slice(1);
  const args = given[event] ?? ((ev, ctx) => [ev, ctx]);
  for (const fn of [handler].flat()) {
    add({ id: "on" + event, generated: true, on: event }, (ev, ctx) => fn(...args(ev, ctx)), fn);
  }
};

const pattern = (namespace, handler) => {
  if (handler === "builtin") return; // hookway's own serves it
  const fn = typeof handler === "function" ? handler : handler?.handler;
  if (typeof fn !== "function") throw new TypeError(`the pattern ${namespace} has no handler; it must be a function, {handler}, or "builtin"`);
  const options = { id: "@" + namespace, generated: true, on: "Directive", match: { namespace } };
  if (builtins.includes(namespace)) options.override = true;
  add(options, (ev, ctx) => fn(ev.target, ev.body, ctx), fn);
};

const read = (config) => {
  for (const [namespace, handler] of Object.entries(config.patterns ?? {})) pattern(namespace, handler);
  for (const [name, handler] of Object.entries(config.hooks ?? {})) if (handler) lifecycle(name, handler);
  remembers(config.memory, config.hooks?.onSessionEnd);
  const idle = config.options?.idleThreshold;
  if (typeof idle === "number") set({ idle_threshold_ms: idle });
};

form((value) => {
  if (!value || typeof value !== "object" || Array.isArray(value)) return false;
  if (value instanceof Relay) return true; // it has registered what it has
  const hooks = value.hooks;
  const ours = (hooks && typeof hooks === "object" && !Array.isArray(hooks) && Object.keys(hooks).every((k) => /^on[A-Z]/.test(k))) ||
    (value.patterns && typeof value.patterns === "object") || (value.memory && typeof value.memory === "object" && !hooks);
  if (ours) read(value);
  return !!ours;
});

// Relay is the same as a program. The session itself is begun by hookway run, to which
// it says a name and the program: a line, its words, or {command, args}. What else is
// in an object is not for us.
export class Relay {
  constructor(config = {}) {
    this.name = config.name;
    if (this.name !== undefined) set({ name: String(this.name) });
    if (config.hooks || config.patterns || config.options || config.memory) read(config);
  }
  pattern(namespace, handler) { pattern(namespace, handler); return this; }
  on(event, handler) { lifecycle(event, handler); return this; }
  wrap(command, ...more) {
    const words = [command, ...more].flat().flatMap((w) => (w && typeof w === "object" ? [w.command ?? [], w.args ?? []].flat() : w ?? [])).map(String);
    if (!words[0]?.trim()) throw new TypeError("relay.wrap names no program; say one, as in relay.wrap('claude')");
    set({ wrap: words });
    return this;
  }
}

export const defineConfig = (config) => config;
