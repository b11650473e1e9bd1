// The module "hookway": hooks as hookway itself has them.
import { add, expressions, form, options as named, optionsOf, remembers, set, unknown } from "hookway:hooks";

export { hooks } from "hookway:compilr"; // what happens to hooks

// said reads what comes after a reason: the text for the user, or several things.
const said = (more) => (typeof more === "string" ? { user_message: more } : more);

export const block = (reason, more) => ({ action: "block", reason, ...said(more) });
export const allow = (reason, more) => ({ action: "allow", reason, ...said(more) });
export const ask = (reason, more) => ({ action: "ask", reason, ...said(more) });
export const skip = (more) => ({ action: "skip", ...said(more) });
export const inject = (text, more) => ({ inject: text, ...said(more) });
export const change = (modified, more) => ({ action: "continue", modified, ...said(more) });
export const modify = change;
export const answer = (result, more) => ({ action: "answer", result, ...said(more) });
export const retry = (ms, more) => ({ action: "retry", retry_delay_ms: ms, ...said(more) });
export const proceed = (more) => ({ action: "continue", ...said(more) });

let count = 0;

// on registers a handler for events. The options may stand before the handler.
export const on = (events, second, third = {}) => {
  const [handler, given] = typeof second === "function" ? [second, third] : [third, second ?? {}];
  const [options, where] = asked(given);
  count++;
  add({ id: `${[events].flat()[0]}-${count}`, generated: options.id === undefined, on: events, ...matching(options) }, where ? (event, ctx) => (where(event) ? handler(event, ctx) : undefined) : handler);
};

const matches = [
  "tool", "path", "command", "session", "agent", "source", "namespace", "target", "fields",
  "deletes", "writes", "reads", "moves", "runs", "connects", "sends", "git", "sql", "infra", "secret", "unknown", "where",
  "any", "all", "not",
];

// asked takes a where that is a function out of the options: hookway asks expressions,
// the script its functions.
const asked = (options) => {
  const tests = [options.where, options.match?.where].filter((w) => typeof w === "function");
  const without = (m) => (typeof m?.where === "function" ? (({ where, ...rest }) => rest)(m) : m);
  const rest = without(options.match ? { ...options, match: without(options.match) } : options);
  return [rest, tests.length ? (event) => tests.every((test) => test(event)) : undefined];
};

// others are the keys of a hook that are no options: of the form with one object,
// and of the package for Node.
const others = ["handler", "needs"];

// matching are options in which the fields of a match may stand beside the others.
const matching = (options) => {
  const wrong = unknown(options, [...matches, ...others]);
  if (wrong !== undefined) throw new TypeError(`a hook has no option ${wrong}; it may have ${[...named, ...matches].filter((name) => name !== "on").join(", ")}`);
  const own = Object.fromEntries(matches.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
  const out = optionsOf(options);
  if (Object.keys(own).length) out.match = out.match ? { all: [expressions(own), out.match] } : expressions(own);
  return out;
};

const registered = new WeakSet(); // by hook(), so that a default export is no second one

export const hook = (definition) => {
  const { on: events, handler, ...options } = definition;
  on(events, handler, options);
  registered.add(definition);
  return definition;
};

export const defineHook = (hook) => hook;
export const defineConfig = (config) => config;

const isHook = (v) => v && typeof v === "object" && typeof v.handler === "function" && v.on !== undefined;

form((value) => {
  const list = Array.isArray(value) ? value : isHook(value) ? [value] : value && typeof value === "object" && Array.isArray(value.hooks) ? value.hooks : null;
  if (!list) return false;
  list.forEach((h, i) => {
    if (!isHook(h)) throw new TypeError(`hook ${i + 1} of the default export is no {on, handler}`);
    if (!registered.has(h)) on(h.on, h.handler, h);
  });
  remembers(value.memory);
  if (typeof value.idleThreshold === "number") set({ idle_threshold_ms: value.idleThreshold });
  return true;
});
