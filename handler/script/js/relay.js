// The module "agent-relay": relay.config.ts, and the class Relay.
import { add, form, nearly, note, only, remembers, set } from "hookway:hooks";
import { ask } from "hookway:runtime";

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
    if (typeof fn !== "function") throw new TypeError(`the hook ${name} is no function, and no list of them`);
    add({ id: "on" + event, generated: true, on: event }, (ev, ctx) => fn(...args(ev, ctx)), fn);
  }
};

const pattern = (namespace, handler) => {
  if (handler === "builtin") { // hookway's own serves it
    if (!builtins.includes(namespace)) throw new TypeError(`there is no built-in pattern ${namespace}; there is ${builtins.join(", ")}`);
    return;
  }
  const fn = typeof handler === "function" ? handler : handler?.handler;
  if (typeof fn !== "function") throw new TypeError(`the pattern ${namespace} has no handler; it must be a function, {handler}, or "builtin"`);
  const options = { id: "@" + namespace, generated: true, on: "Directive", match: { namespace } };
  if (builtins.includes(namespace)) options.override = true;
  add(options, (ev, ctx) => fn(ev.target, ev.body, ctx), fn);
};

const parts = ["patterns", "hooks", "options", "memory"];

// map refuses what is no object where names lead to something.
const map = (name, value) => {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new TypeError(`${name} must be an object, as in ${name}: {…}`);
  return value;
};

const read = (config) => {
  set({ configures: true });
  for (const [namespace, handler] of Object.entries(map("patterns", config.patterns))) pattern(namespace, handler);
  for (const [name, handler] of Object.entries(map("hooks", config.hooks))) if (handler) lifecycle(name, handler);
  remembers(map("memory", config.memory), config.hooks?.onSessionEnd);
  only("options", map("options", config.options), ["idleThreshold"]);
  const idle = config.options?.idleThreshold;
  if (idle === undefined) return;
  if (typeof idle !== "number" || !(idle > 0 && idle < Infinity)) throw new TypeError(`options.idleThreshold must be a number of milliseconds above 0, as in idleThreshold: 60000; it is ${JSON.stringify(idle)}`);
  set({ idle_threshold_ms: idle });
};

form((value) => {
  if (!value || typeof value !== "object" || Array.isArray(value)) return false;
  if (value instanceof Relay) return true; // it has registered what it has
  const hooks = value.hooks, is = (part) => part && typeof part === "object";
  const ours = (is(hooks) && !Array.isArray(hooks) && Object.keys(hooks).every((k) => /^on[A-Z]/.test(k))) ||
    is(value.patterns) || (("memory" in value || "options" in value) && !hooks && !Object.values(value).some((part) => typeof part === "function"));
  if (!ours) return false;
  for (const other of nearly("the configuration", value, parts)) note(`${other} means nothing here; a configuration of agent-relay has ${parts.join(", ")}`);
  read(value);
  return true;
}, parts);

// Relay is the same as a program. The session itself is begun by hookway run, to which
// it says a name and the program: a line, its words, or {command, args}. What else is
// in an object is not for us.
export class Relay {
  constructor(config = {}) {
    nearly("new Relay", config, ["name", ...parts]);
    this.name = config.name;
    if (this.name !== undefined && typeof this.name !== "string") throw new TypeError(`the name of a Relay must be text, as in new Relay({ name: 'MyAgent' }); it is ${JSON.stringify(this.name)}`);
    if (this.name !== undefined) set({ name: this.name });
    if (config.hooks || config.patterns || config.options || config.memory) read(config);
  }
  pattern(namespace, handler) { pattern(namespace, handler); return this; }
  on(event, handler) { lifecycle(event, handler); return this; }
  wrap(command, ...more) {
    if (ask("program").runs) throw new TypeError("relay.wrap starts nothing in a program; run this file with hookway run -c FILE, or name it relay.config.ts and run hookway run");
    const words = [command, ...more].flat().flatMap((w) => (w && typeof w === "object" ? [w.command ?? [], w.args ?? []].flat() : w ?? [])).map(String);
    if (!words[0]?.trim()) throw new TypeError("relay.wrap names no program; say one, as in relay.wrap('claude')");
    set({ wrap: words });
    return this;
  }
}

export const defineConfig = (config) => config;
