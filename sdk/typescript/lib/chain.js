// One event through the hooks of a file, as hookway takes it through those of a
// workspace.

import { Context } from "./hooks.js";
import { canonical, normal } from "./names.js";
import { report } from "./failure.js";
import { Mistake } from "./mistake.js";

// choose gives the hooks that want an event, in the order of their lanes and
// priorities. That none is for its name is a mistake in the configuration.
const choose = (hooks, name) => {
  const wanted = normal(name);
  const named = hooks.filter((h) => h.events.some((e) => e === "*" || normal(canonical(e)) === wanted));
  if (named.length === 0) {
    const known = [...new Set(hooks.flatMap((h) => h.events.map(canonical)))].sort();
    throw new Mistake(`no hook of this file is for ${name}; it has hooks for ${known.join(", ") || "nothing"}`);
  }
  return named.sort((a, b) => a.order - b.order || (a.options.priority ?? 100) - (b.options.priority ?? 100));
};

// judge gives the answer of a file's hooks to an event.
export const judge = async (hooks, event, given, signal) => {
  const name = canonical(given);
  const chosen = choose(hooks, name);
  const deciders = chosen.filter((h) => h.order < 2);
  const ctx = new Context(event, name, signal);
  const all = { answer: {}, seen: event, ended: -1, final: false };
  if (chosen.length === 1 && deciders.length === 1) {
    return deciders[0].wants(event) ? ctx.complete(allowed(deciders[0], await ask(deciders[0], event, ctx))) : {};
  }
  for (const hook of deciders) {
    if (!all.final && hook.order > all.ended && hook.wants(all.seen)) take(all, hook, await ask(hook, all.seen, ctx));
  }
  if (all.seen !== event) all.answer.modified = difference(event, all.seen);
  const said = ctx.complete(all.answer); // who observes has no say
  for (const hook of chosen.slice(deciders.length)) await observe(hook, all.seen, ctx, hooks, deciders.length > 0);
  return said;
};

// observe tells a hook what has been decided on. Beside hooks that decide, its
// failure is for the log.
const observe = async (hook, event, ctx, hooks, beside) => {
  try {
    if (hook.wants(event)) await ask(hook, event, ctx);
  } catch (error) {
    if (!beside) throw error;
    const { stack, line } = report(error, hooks);
    process.stderr.write(`${stack}${line}\n`);
  }
};

// allowed refuses what the lane of a hook does not allow.
const allowed = (hook, answer) => {
  if (hook.order === 1 && answer.modified !== undefined && answer.modified !== null) {
    throw new Mistake(`${hook.where}: a guard may not change the event; give it the lane transform`);
  }
  if (hook.order === 1 && answer.action === "skip") throw new Mistake(`${hook.where}: a guard cannot skip other guards`);
  return answer;
};

const ask = async (hook, event, ctx) => {
  const answer = await hook.handler(event, ctx);
  if (answer === undefined) return {};
  if (answer === null || typeof answer !== "object" || Array.isArray(answer)) {
    throw new Mistake(`${hook.where}: it returned ${short(answer)}; return block(), allow(), another answer, or nothing`);
  }
  return answer;
};

const short = (value) => {
  const text = typeof value === "function" ? "a function" : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

const fields = new Set(["action", "reason", "user_message", "modified", "result", "retry_delay_ms", "inject", "metadata"]);
const strength = { continue: 0, modify: 0, skip: 0.5, allow: 1, ask: 2, answer: 3, retry: 4, block: 5, deny: 5 };

// take merges one answer into the others.
const take = (all, hook, given) => {
  const foreign = Object.keys(given).find((name) => !fields.has(name));
  if (foreign !== undefined) {
    throw new Mistake(`${hook.where}: "${foreign}" cannot be joined with the answers of other hooks of the file; use block(), allow(), modify() and so on, or a file of its own`);
  }
  allowed(hook, given);
  const { answer } = all;
  if (given.inject) answer.inject = answer.inject ? `${answer.inject}\n\n${given.inject}` : given.inject;
  if (given.user_message) answer.user_message = answer.user_message ? `${answer.user_message}\n${given.user_message}` : given.user_message;
  if (given.metadata) answer.metadata = { ...answer.metadata, ...given.metadata };
  const action = given.action ?? "continue";
  if (answer.action === undefined || (strength[action] ?? 9) > (strength[answer.action] ?? 9)) {
    for (const name of ["action", "reason", "result", "retry_delay_ms"]) {
      delete answer[name];
      if (given[name] !== undefined) answer[name] = given[name];
    }
  }
  if (given.modified !== undefined && given.modified !== null) {
    if (typeof given.modified !== "object" || Array.isArray(given.modified)) {
      throw new Mistake(`${hook.where}: modified is ${short(given.modified)}; it must be an object, the changes to the event`);
    }
    all.seen = patched(all.seen, given.modified);
  }
  if (action === "skip") all.ended = hook.order;
  all.final = ["block", "deny", "retry", "answer"].includes(action);
};

const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

// patched is a merge patch applied (RFC 7386). The target stays as it is.
export const patched = (target, patch) => {
  if (!isObject(patch)) return patch;
  const out = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) out.delete(name);
    else if (value !== undefined) out.set(name, patched(out.get(name), value));
  }
  return Object.fromEntries(out);
};

// difference is the merge patch that leads from one to the other.
const difference = (before, after) => {
  const patch = Object.keys(before).filter((name) => !Object.hasOwn(after, name)).map((name) => [name, null]);
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (isObject(value) && isObject(old)) {
      const inner = difference(old, value);
      if (Object.keys(inner).length) patch.push([name, inner]);
    } else if (value !== old && JSON.stringify(value) !== JSON.stringify(old)) {
      patch.push([name, value]);
    }
  }
  return Object.fromEntries(patch);
};
