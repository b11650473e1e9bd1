// Which events a hook wants, by the matchers of hookway.yaml. hookway itself looks
// at more forms of a path, for guards: a file that lies in a folder of hooks has it
// look first.

import { homedir } from "node:os";
import path from "node:path";
import { FACTS, factTest } from "./facts.js";
import { nameTest, pathTest } from "./glob.js";

export const MATCHES = ["tool", "path", "command", "session", "agent", "source", "namespace", "target", "fields", ...FACTS, "where", "any", "all", "not"];

// compile makes a test of an event. What is wrong with a pattern is a TypeError
// with its place. A guard lets nothing pass of which it is not sure.
export const compile = (match, { at = "", guard = false, negated = false } = {}) => {
  const tests = [];
  for (const [name, wanted] of Object.entries(match)) {
    if (wanted === undefined) continue;
    const make = makers[name];
    if (!make) throw new TypeError(`a match has no ${at}${name}; it may have ${MATCHES.join(", ")}`);
    tests.push(make(wanted, `${at}${name}`, { guard, negated }));
  }
  return (event) => tests.every((test) => test(event));
};

const list = (wanted, at) => {
  const out = [wanted].flat();
  for (const one of out) {
    if (typeof one !== "string") throw new TypeError(`${at} is ${JSON.stringify(one)}; it must be a text, or a list of texts`);
    if (/\p{Cc}/u.test(one)) throw new TypeError(`${at}: ${JSON.stringify(one)} holds a control character; double its backslashes`);
  }
  return out;
};

const placed = (at, make) => {
  try {
    return make();
  } catch (error) {
    throw new TypeError(`${at}: ${error.message}`);
  }
};

const text = (value) => (typeof value === "string" ? value : "");
const names = (value, split = (s) => [s]) => (wanted, at) => {
  const patterns = list(wanted, at).flatMap(split);
  const test = placed(at, () => nameTest(patterns));
  return (event) => {
    const got = value(event);
    return got !== "" && test(got);
  };
};

const compileAll = (wanted, at, how) => [wanted].flat().map((m, i) => compile(m, { ...how, at: `${at}[${i}].` }));

// asks makes the test of a key about facts.
const asks = (name) => (wanted, at, { guard, negated }) => {
  if (name === "unknown" && wanted !== true) throw new TypeError(`${at} is ${JSON.stringify(wanted)}; it can only be true`);
  const patterns = wanted === true ? undefined : list(wanted, at);
  return placed(at, () => factTest(name, patterns, guard && negated));
};

const makers = {
  tool: names((e) => text(e.tool_name), (s) => s.split("|")),
  agent: names((e) => text(e.agent)),
  source: names((e) => text(e.hookway_envelope?.source ?? e.source)), // the payload's own source is another thing
  namespace: names((e) => text(e.namespace)),
  target: names((e) => text(e.target)),
  session: (wanted, at) => {
    const set = new Set(list(wanted, at));
    return (e) => text(e.session_id) !== "" && set.has(e.session_id);
  },
  fields: (wanted, at) => {
    const each = Object.entries(wanted).map(([field, values]) => {
      const test = placed(`${at}.${field}`, () => nameTest(list(values, `${at}.${field}`)));
      return (e) => fieldTexts(e, field).some(test);
    });
    return (e) => each.every((test) => test(e));
  },
  path: (wanted, at) => {
    const tests = list(wanted, at).map((p) => placed(at, () => pathTest(p, slashed(homedir()))));
    return (e) => files(e).some((f) => tests.some((test) => test(f)));
  },
  command: (wanted, at) => {
    const expressions = list(wanted, at).map((p) => placed(at, () => expression(p)));
    return (e) => commands(e).some((line) => expressions.some((x) => x.test(line)));
  },
  ...Object.fromEntries(FACTS.map((name) => [name, asks(name)])),
  where: (wanted, at) => {
    if (typeof wanted !== "function") throw new TypeError(`${at} is ${JSON.stringify(wanted)}; in a file of hooks it is a function of the event`);
    return (e) => Boolean(wanted(e));
  },
  any: (wanted, at, how) => {
    const tests = compileAll(wanted, at, how);
    return (e) => tests.some((test) => test(e));
  },
  all: (wanted, at, how) => {
    const tests = compileAll(wanted, at, how);
    return (e) => tests.every((test) => test(e));
  },
  not: (wanted, at, { guard, negated }) => {
    const test = compile(wanted, { at: `${at}.`, guard, negated: !negated });
    return (e) => !test(e);
  },
};

// expression reads a regular expression of hookway, which has flags in front.
const expression = (pattern) => {
  const [, flags = "", rest = pattern] = /^\(\?([ims]+)\)([^]*)$/.exec(pattern) ?? [];
  return new RegExp(rest.replaceAll("\\A", "^").replaceAll("\\z", "$"), flags);
};

const fieldTexts = (event, name) => {
  let value = event;
  for (const part of name.split(".")) {
    if (value === null || typeof value !== "object" || Array.isArray(value) || !Object.hasOwn(value, part)) return [];
    value = value[part];
  }
  return [value].flat().filter((v) => v !== null && typeof v !== "object").map(String);
};

const shellTools = new Set([
  "bash", "shell", "sh", "zsh", "powershell", "pwsh", "cmd", "run_shell_command", "exec_command", "execute_command",
  "execute", "exec", "local_shell", "run_command", "run_terminal_cmd", "terminal", "unified_exec", "shell_command",
  "run_in_terminal",
]);

const commands = (event) => {
  if (!shellTools.has(text(event.tool_name).toLowerCase())) return [];
  const lines = ["command", "cmd", "script"].map((key) => event.tool_input?.[key]);
  return lines.map((l) => (Array.isArray(l) ? l.join(" ") : text(l))).filter((l) => l !== "");
};

const slashed = (p) => (path.sep === "\\" ? p.replaceAll("\\", "/") : p);

const files = (event) => {
  const input = event.tool_input ?? {};
  const named = ["file_path", "path", "notebook_path"].map((key) => text(input[key]) || text(event[key]));
  if (Array.isArray(input.file_paths)) named.push(...input.file_paths.map(text));
  const forms = new Set();
  for (const name of named) {
    const trimmed = name.trim();
    for (const form of [name, trimmed, /^~[/\\]/.test(trimmed) ? homedir() + trimmed.slice(1) : ""]) if (form !== "") forms.add(form);
  }
  return [...forms].map((form) => resolved(form, text(event.cwd)));
};

const resolved = (name, cwd) => {
  const root = process.env.HOOKWAY_PROJECT_DIR || cwd;
  const full = cwd ? path.resolve(cwd, name) : path.normalize(name);
  const abs = slashed(full);
  if (!path.isAbsolute(full)) return { rel: abs, abs };
  const rel = root ? slashed(path.relative(root, full)) : "";
  return { rel: rel === ".." || rel.startsWith("../") || path.isAbsolute(rel) ? "" : rel || ".", abs };
};
