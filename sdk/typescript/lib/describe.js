// What a file in a folder of hooks says of itself.

import { Mistake } from "./mistake.js";

// describe gives the description. hookway runs a file as one hook, so hooks that
// want different lanes and so on cannot be in one file there.
export const describe = (hooks) => {
  const out = { events: [...new Set(hooks.flatMap((h) => h.events))], mode: "worker" };
  for (const name of ["lane", "priority", "timeout", "max_retries", "on_failure", "needs", "profile"]) {
    const value = agreed(hooks, name);
    if (value !== undefined) out[name === "timeout" && typeof value === "number" ? "timeout_ms" : name] = value;
  }
  const text = hooks.map((h) => h.options.description).filter(Boolean).join("; ");
  if (text) out.description = text;
  const matches = hooks.map((h) => told(h.options.match));
  if (matches.every((m) => Object.keys(m).length)) out.match = matches.length === 1 ? matches[0] : { any: matches };
  return out;
};

// told is a matcher without what only the file can ask: where, and so what is not where.
const told = (match) => {
  const out = {};
  for (const [name, wanted] of Object.entries(match)) {
    if (name === "where" || (name === "not" && hasWhere(wanted))) continue;
    if (name !== "any" && name !== "all") {
      out[name] = wanted;
      continue;
    }
    const each = [wanted].flat().map(told);
    const left = each.filter((m) => Object.keys(m).length);
    if (left.length && (name === "all" || left.length === each.length)) out[name] = left;
  }
  return out;
};

const hasWhere = (match) =>
  Object.entries(match).some(([name, wanted]) => name === "where" || (["any", "all", "not"].includes(name) && [wanted].flat().some(hasWhere)));

const agreed = (hooks, name) => {
  const [first, ...rest] = hooks.filter((h) => name === "lane" || h.options[name] !== undefined);
  for (const other of rest) {
    if (JSON.stringify(first.options[name]) !== JSON.stringify(other.options[name])) {
      throw new Mistake(
        `${other.where}: its ${name} is ${said(other, name)}, but that of ${first.where} is ${said(first, name)}; ` +
          "hookway runs a file as one hook, so give them files of their own",
      );
    }
  }
  return first?.options[name];
};

const said = (hook, name) => JSON.stringify(hook.options[name]) ?? "the default, transform";
