// What a call would do: matchers over the facts that hookway gives with an event.
// hookway itself also follows the links of the folder that a pattern names.

import { homedir } from "node:os";
import path from "node:path";
import { alternatives, nameTest, places, walk } from "./glob.js";

const open = "…"; // what shows only when the call runs

const files = { deletes: ["delete", "move", "git"], writes: ["write"], reads: ["read"], moves: ["move"] };

const forms = {
  runs: (f) => [f.program, f.sub && `${f.program} ${f.sub}`, f.args?.length && [f.program, ...f.args].join(" ")],
  connects: (f) => [f.host || open, f.port && `${f.host || open}:${f.port}`, f.class],
  git: (f) => [f.verb, ...["force", "deletes", "uncommitted"].filter((w) => f[w]).flatMap((w) => [w, `${f.verb} ${w}`])],
  sql: (f) => [f.verb, `${f.verb} ${f.object ?? ""}`],
  infra: (f) => [f.system, `${f.system} ${f.verb}`, `${f.system} ${f.verb} ${f.object ?? ""}`],
  secret: (f) => [f.kind],
};
const kinds = { runs: "run", connects: "connect", git: "git", sql: "sql", infra: "infra", secret: "secret" };

export const FACTS = ["deletes", "writes", "reads", "moves", "runs", "connects", "sends", "git", "sql", "infra", "secret", "unknown"];

// factTest gives the test of one key; without patterns it is for any. careful is of
// what a guard lets pass: all of it must be listed.
export const factTest = (name, patterns, careful) => {
  const [does, { holds, sure }] = tests(name, patterns);
  const about = (f) => does.includes(f.does) && (f.does !== "git" || !files[name] || f.path);
  if (!careful) return (event) => (event.facts ?? []).some((f) => about(f) && !f.dry && holds(f, event));
  return (event) => {
    const facts = event.facts ?? [];
    const asked = facts.filter(about);
    return asked.length > 0 && facts.every((f) => f.does !== "unknown") && asked.every((f) => sure(f, event));
  };
};

const tests = (name, patterns) => {
  if (files[name]) return [files[name], fileTests(patterns ?? ["**"])];
  if (name === "sends") return [["connect"], sendTests(patterns ?? ["*"])];
  if (name === "unknown") return [["unknown"], { holds: () => true, sure: () => true }];
  return [[kinds[name]], wordTests(patterns ?? ["*"], (f) => forms[name](f).filter(Boolean).map((s) => s.toLowerCase()))];
};

const wordTests = (patterns, formsOf) => {
  const lowered = patterns.map((p) => p.toLowerCase());
  const test = nameTest(lowered);
  const signs = lowered.flatMap((p) => alternatives(p).map((a) => globSigns(a, true)));
  return {
    holds: (f) => formsOf(f).some((form) => test(form) || (form.includes(open) && signs.some((s) => meet(s, nameSigns(form, true))))),
    sure: (f) => formsOf(f).some((form) => !form.includes(open) && test(form)),
  };
};

const sendTests = (patterns) => {
  const isFile = (p) => p.startsWith("file:") && p !== "file:*";
  const named = patterns.filter(isFile).map((p) => p.slice("file:".length));
  const file = named.length ? fileTests(named) : { holds: () => false, sure: () => false };
  const other = nameTest(patterns.filter((p) => !isFile(p)));
  const sent = (text, test, event) => other(text) || (text.startsWith("file:") && test({ path: text.slice("file:".length) }, event));
  return {
    holds: (f, event) => (f.sends ?? []).some((text) => sent(text, file.holds, event)),
    sure: (f, event) => (f.sends ?? []).every((text) => sent(text, file.sure, event)),
  };
};

const fileTests = (patterns) => {
  const wanted = patterns.flatMap((p) => places(p, slashed(homedir())));
  const at = (event) => {
    const root = partsOf(rootOf(event));
    const tests = root.map((part) => ({ test: (s) => s === part }));
    const signs = segmentSigns(root.map(escaped));
    return wanted.map((w) => (w.below ? { ...w, parts: [...tests, ...w.parts], signs: [...signs, ...segmentSigns(w.segments)] } : { ...w, signs: segmentSigns(w.segments) }));
  };
  const holds = (f, event) => {
    const whole = f.recursive || f.does === "move"; // a folder goes with all that is in it
    return [f.path, f.real].filter(Boolean).some((name) => {
      const parts = partsOf(name);
      const isOpen = f.glob || name.includes(open);
      return at(event).some(
        (w) =>
          (!isOpen && walk(w.parts, parts)) ||
          (whole && w.free && holdsRoot(parts, f.glob, event)) ||
          ((isOpen || (whole && !w.free)) && meet(w.signs, pathSigns(parts, f.glob, whole && !w.free))),
      );
    });
  };
  const sure = (f, event) => {
    const names = [f.path, f.real].filter(Boolean);
    if (!f.path || f.glob || names.some((n) => n.includes(open))) return false;
    return names.every((n) => at(event).some((w) => walk(w.parts, partsOf(n))));
  };
  return { holds, sure };
};

const slashed = (p) => (path.sep === "\\" ? p.replaceAll("\\", "/") : p);
const rootOf = (event) => slashed(process.env.HOOKWAY_PROJECT_DIR || event.cwd || "");
const partsOf = (name) => path.posix.normalize(`/${name}`).split("/").filter(Boolean);
const escaped = (s) => s.replace(/[\\*?[]/g, "\\$&");

const holdsRoot = (folder, glob, event) => {
  let parts = folder;
  while (glob && /^\*+$/.test(parts.at(-1) ?? "")) parts = parts.slice(0, -1);
  const root = partsOf(rootOf(event));
  return rootOf(event) !== "" && parts.every((part, i) => root[i] === part);
};

// A pattern and a path of which a part is open, as signs: a character, or one of
// these: one character, any number, any number with slashes, and a slash that may be
// missing with the run after it.
const [any, run, deep, skip] = [0, 1, 2, 3];
const folders = [skip, deep];
const most = 1 << 18;

const segmentSigns = (segments) => segments.flatMap((s) => (s === "**" ? folders : ["/", ...globSigns(s, false)]));

const globSigns = (text, flat) => {
  const out = [];
  const chars = [...text];
  for (let i = 0; i < chars.length; i++) {
    if (chars[i] === "*") out.push(flat ? deep : run);
    else if (chars[i] === "?") out.push(any);
    else if (chars[i] === "[") {
      i = chars.indexOf("]", i + 2);
      out.push(any);
    } else {
      if (chars[i] === "\\") i++;
      out.push(flat && chars[i] === "/" ? "\0" : chars[i]);
    }
  }
  return out;
};

const nameSigns = (name, flat = false) => [...name].map((c) => (c === open ? deep : flat && c === "/" ? "\0" : c));

const pathSigns = (parts, glob, below) => {
  const out = parts.flatMap((part, i) => {
    if (glob && part === "**") return folders;
    const first = i > 0 || !part.startsWith(open) ? ["/"] : [];
    const odd = glob ? /^(.*?)[@!+]*[*?[\]()](?:.*[*?[\]()])?(.*)$/su.exec(part) : null;
    if (!odd) return [...first, ...nameSigns(part)];
    return [...first, ...nameSigns(odd[1]), part.includes(open) ? deep : run, ...nameSigns(odd[2])];
  });
  return below ? [...out, ...folders] : out;
};

const isRun = (s) => s === run || s === deep;

// meet says whether there is a text that both may be.
const meet = (a, b) => {
  if (a.length * b.length > most) return true;
  const seen = new Set();
  const todo = [];
  const go = (i, j) => {
    const at = i * (b.length + 1) + j;
    if (seen.has(at)) return;
    seen.add(at);
    todo.push([i, j]);
  };
  go(0, 0);
  while (todo.length) {
    const [i, j] = todo.pop();
    if (i === a.length && j === b.length) return true;
    if (isRun(a[i])) go(i + 1, j);
    else if (a[i] === skip) go(i + 2, j);
    if (isRun(b[j])) go(i, j + 1);
    else if (b[j] === skip) go(i, j + 2);
    if (i >= a.length || j >= b.length || !may(a[i], b[j]) || (isRun(a[i]) && isRun(b[j]))) continue;
    go(i + (isRun(a[i]) ? 0 : 1), j + (isRun(b[j]) ? 0 : 1));
  }
  return false;
};

const may = (x, y) => {
  const [p, q] = [x, y].map((s) => (s === skip ? "/" : s));
  if (p === deep || q === deep) return true;
  if (p === run || p === any) return q !== "/";
  if (q === run || q === any) return p !== "/";
  return p === q;
};
