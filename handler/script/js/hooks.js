// The hooks of a script, and the calls of them.
import { ask, done, fail, files, have, later, part, requires, settle, parse, stringify, apply, promises, resolved, then } from "hookway:runtime";

const hooks = []; // what the script registers, in order
let main = null; // its default export, if that is a function
let settings = {};
let late = []; // asked when the script has been read: what else it registers

const most = 1000; // hooks of one script
let read = false; // the file, to its end: what is registered now is asked at the next event
let removed = []; // hooks that a firing which has begun may still ask

// add registers a hook, at any time: its options as they are in hookway.yaml, and
// run(event, ctx). It gives what remove takes.
export const add = (options, run, place = run) => {
  if (typeof run !== "function") throw new TypeError(`the hook ${options.id ?? ""} has no handler; it must be a function`);
  const hook = { options, run, place, gone: false };
  if (++count > most) { count--; throw new RangeError(`it registers more than ${most} hooks; one hook may take many events, and register once what it needs`); }
  hooks.push(hook);
  if (read) {
    try {
      ask("register", hooks.length - 1, { ...options, place: placed(place) });
    } catch (e) {
      remove(hook);
      throw e;
    }
  }
  return hook;
};
// within takes a function for events that the script fires itself, and gives its slot.
const slots = new Map();
let slot = 1e9; // beyond every hook
export const within = (run, place) => { slots.set(++slot, { run, place }); return slot; };
export const without = (n) => { slots.delete(n); };

let count = 0;
add.count = () => count;

// note tells what does nothing here; noted what is kept, for a listing.
const notes = [], kept = [];
export const note = (line) => { if (read || notes.length >= 100) console.warn(line); else if (!notes.includes(line)) notes.push(line); };
export const noted = (line) => { kept.push(line); };

// only refuses a key of an object that means nothing there: what is not applied would
// make another hook of it. nearly does so only for one that was meant for a known key;
// it gives the others, which are the author's own.
const strange = (value, known) => Object.keys(value ?? {}).filter((key) => value[key] !== undefined && !known.includes(key));
export const only = (what, value, known) => {
  nearly(what, value, known);
  const [wrong] = strange(value, known);
  if (wrong !== undefined) throw new TypeError(`${what} has no ${wrong}; it has ${known.join(", ")}`);
};
export const nearly = (what, value, known) => {
  const others = strange(value, known);
  for (const key of others) {
    const near = ask("near", key, known);
    if (near) throw new TypeError(`${what} has no ${key}; did you mean ${near}?`);
  }
  return others;
};

// remove takes a hook out, at any time, from the next event on.
export const remove = (hook) => {
  const index = hooks.indexOf(hook);
  if (index < 0 || hook.gone) return false;
  hook.gone = true;
  count--;
  removed.push(index);
  if (removed.length > 100) hooks[removed.shift()] = null;
  if (read) ask("unregister", index);
  return true;
};
export const atEnd = (fn) => { if (read) fn(); else late.push(fn); };
export const set = (more) => { Object.assign(settings, more); };

// remembers takes what a configuration says of memory. A handler of its own for the
// end of a session asks for itself what is worth keeping.
export const remembers = (config, asksItself) => {
  if (!config || typeof config !== "object") return;
  const { handler, ...memory } = config;
  if (asksItself) memory.promptOnEnd = false;
  if (typeof handler === "function") {
    add({ id: "memory", generated: true, on: "MemoryRequest" }, async (ev, ctx) => {
      const result = await handler(ev, ctx);
      return result === undefined ? undefined : { action: "answer", result };
    }, handler);
  } else if (handler !== undefined) memory.handler = handler;
  set({ memory });
};

const calls = Object.create(null); // by number: the calls under way

// Context is what a handler is given beside its event.
export class Context {
  #call;
  #controller;
  #about;
  constructor(call) { this.#call = call; }
  get #session() { return (this.#about ??= ask("session")); }
  get signal() {
    if (!this.#controller) {
      this.#controller = new AbortController();
      this.#call.abort = (reason) => this.#controller.abort(reason);
    }
    return this.#controller.signal;
  }
  get eventName() { return this.#call.event.hook_event_name; }
  get facts() { return this.#call.event.facts ?? []; }
  get agentId() { return this.#session.agent; }
  get agentName() { return this.#session.agent; }
  get sessionId() { return this.#session.id; }
  get workingDir() { return this.#session.dir; }
  get env() { return ask("environ"); }
  get metadata() { return (this.#call.metadata ??= structuredClone(this.#call.event.metadata ?? {})); }
  get output() { return ask("output"); }
  get messages() { return ask("messages"); }
  // What is injected at a session's end goes with the answer: then the program is
  // given time for it, and it is no failure that there is none any more.
  inject(text) {
    const call = this.#call, last = call.event.hook_event_name === "SessionEnd" && !call.over;
    if (last || !ask("inject", String(text))) call.injected += (call.injected && "\n\n") + text;
  }
  send(to, text) { return later("send", String(to), String(text)); }
  notify(channel, text) { console.log(`[${channel}] ${text}`); return Promise.resolve(); }
  log(...args) { console.log(...args); }
  get relay() { return relay; }
  get memory() { return memory; }
}

const relay = {
  send: (to, text) => later("send", String(to), String(text)),
  broadcast: (text) => later("send", "*", String(text)),
};

const memory = {
  add: (text, more) => later("remember", String(text), more ?? {}),
  save: (text, more) => later("remember", String(text), more ?? {}),
  search: async (query) => remembered(await later("search", String(query))),
  list: async () => remembered(await later("recall")),
  delete: (id) => later("forget", String(id)),
  forget: (id) => later("forget", String(id)),
};

// remembered makes memories that read well in a text.
const remembered = (list) => {
  const about = list[0]?.recent ? "(nothing that is remembered is about this; the most recent:)\n" : "";
  const lines = { value: () => about + list.map((m) => `- ${m.content}`).join("\n"), enumerable: false };
  for (const m of list) Object.defineProperty(m, "toString", { value: () => m.content, enumerable: false });
  return Object.defineProperty(list, "toString", lines);
};

// answered writes down what a handler answered. No answer is no text.
const answered = (call, value) => {
  if (typeof value === "function" || typeof value === "symbol") throw new TypeError(`the answer is a ${typeof value}; answer with an object such as {action: "block"}, or not at all`);
  const metadata = call.metadata && stringify(call.metadata) !== stringify(call.event.metadata ?? {}) ? call.metadata : undefined;
  if (call.injected || metadata) {
    if (value === undefined) value = {};
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      value = { ...value };
      if (call.injected) value.inject = call.injected + (value.inject ? "\n\n" + value.inject : "");
      if (metadata) value.metadata = { ...metadata, ...value.metadata };
    }
  }
  return value === undefined ? "" : stringify(value);
};

const Failure = Error;
const isError = (e) => e instanceof Failure || (e !== null && typeof e === "object" && "message" in e);

// full reports whether there was no memory left: the engine throws null when there is none for an error.
const Inner = globalThis.InternalError;
const full = (why) => why === null || (why instanceof Inner && why.message === "out of memory");

const unshown = "it threw something that cannot be shown";

// shown is an error as it is told: its text and its stack. It throws only when there
// is no memory left.
const shown = (e) => {
  let text = unshown, stack = "";
  try { if (isError(e)) stack = `${e.stack ?? ""}`; } catch { /* then the place is not known */ }
  try { text = isError(e) ? `${e.name ?? "Error"}: ${e.message}` : threw(e); } catch (why) { if (full(why)) throw why; } // else nothing more is known
  return { text, stack };
};
const threw = (e) => `it threw ${typeof e === "string" ? e : stringify(e) ?? String(e)}`;

// told ends a call that failed. What has no place in the script is told at its
// handler. When there is no room to tell it, that is what is told.
const told = (id, e, handler) => {
  if (!calls[id]) return;
  delete calls[id];
  try {
    const { text, stack } = shown(e);
    const { line, column } = placed(handler);
    fail(id, text, `${stack}\nat handler (:${line}:${column})`);
  } catch {
    fail(id, "InternalError: out of memory", "");
  }
};

// end answers a call.
const end = (id, handler, value) => {
  const it = calls[id];
  if (!it) return "";
  try {
    const answer = answered(it, value);
    it.over = true;
    delete calls[id];
    return answer;
  } catch (e) {
    told(id, e, handler);
    return null;
  }
};

// promised is the promise of a handler: its own, or one of what it gave in place of one.
const promised = (value, next) => (value instanceof promises ? resolved(value) : new promises((resolve, reject) => {
  apply(next, value, [(v) => (v === value ? reject(new TypeError("its promise comes to itself")) : resolve(v)), reject]);
}));

const habits = []; // other systems' ways to call a default function: that of -2 first
export const habit = (run) => { habits.push(run); };

// defaultOf is the default function as it is called.
const defaultOf = (index) => (index === -1 || !main ? main : (ev, ctx) => habits[-2 - index](main, ev, ctx));

// call begins a call. It gives the answer, or null if that comes later.
const call = (id, index, text) => {
  const it = { event: parse(text), injected: "", metadata: undefined, abort: undefined, over: false };
  const { run, place } = index < 0 ? { run: defaultOf(index), place: main } : slots.get(index) ?? hooks[index] ?? {};
  if (!run) throw new TypeError("there is no such function");
  calls[id] = it;
  try {
    const value = run(it.event, new Context(it));
    const next = (typeof value === "object" && value !== null) || typeof value === "function" ? value.then : undefined;
    if (typeof next !== "function") return end(id, place, value);
    apply(then, promised(value, next), [(v) => {
      const answer = end(id, place, v);
      if (answer !== null) done(id, answer);
    }, (e) => told(id, e, place)]);
  } catch (e) {
    told(id, e, place);
  }
  return null;
};

// underWay are the ids of the events that are being answered.
export const underWay = () => Object.values(calls).map((it) => it.event.event_id);

const abort = (id, reason) => {
  const it = calls[id];
  delete calls[id];
  it?.abort?.(new DOMException(reason, reason.includes("time") ? "TimeoutError" : "AbortError"));
};

// options of a hook that are written as named exports beside it.
const named = ["id", "on", "match", "lane", "async", "priority", "timeout", "max_retries", "on_failure", "profile", "override", "description", "enabled", "queue"];
const spellings = { maxRetries: "max_retries", onFailure: "on_failure", timeoutMs: "timeout", timeout_ms: "timeout" };

// unknown gives the first key that is no option, of a hook that may have others besides.
export const unknown = (from, others) => Object.keys(from).find((key) => ![...named, ...others].includes(spellings[key] ?? key));
export const options = named;

export const optionsOf = (from) => {
  const out = {};
  for (const key of Object.keys(from)) {
    const name = spellings[key] ?? key;
    if (!named.includes(name) || from[key] === undefined) continue;
    out[name] = name === "timeout" && typeof from[key] === "number" ? `${from[key]}ms` : name === "match" ? expressions(from[key]) : from[key];
  }
  return out;
};

// expressions refuses functions in a match, which hookway cannot ask.
export const expressions = (match) => {
  for (const [name, value] of Object.entries(match ?? {})) {
    if (typeof value === "function") throw new TypeError(`${name} is a function, which a match has only beside the options of on; write an expression`);
    if (name === "any" || name === "all" || name === "not") [value].flat().forEach(expressions);
  }
  return match;
};

let exported = []; // beside a default function that is a hook: its options, and others

const forms = []; // the systems' own forms of a default export, and the keys by which they are known
const formKeys = [];
export const form = (reads, keys = []) => { forms.push(reads); formKeys.push(...keys); };

// load reads what the script exports.
export const load = (entry, base, about) => {
  const value = entry.default;
  const taken = forms.some((reads) => reads(value, entry, base, about));
  if (!taken && typeof value === "function") {
    main = value;
    const options = optionsOf(entry);
    if (options.on) {
      add({ id: base, ...options }, value);
      exported = Object.keys(entry).filter((key) => typeof entry[key] !== "function");
    }
  } else if (!taken && value && typeof value === "object" && count === 0) nearly("the default export", value, formKeys);
  for (const fn of late) fn(base);
  late = [];
  read = true;
};

// later runs a script whose top level awaits. Its end is told as that of call 0.
const pending = (run) => {
  apply(then, run(), [() => done(0, ""), (e) => {
    const { text, stack } = shown(e);
    fail(0, text, stack);
  }]);
};

// close ends what goes on for as long as the script is held.
const closing = [];
export const atClose = (fn) => { closing.push(fn); };
const close = () => {
  let left = closing.length;
  const end = () => { if (--left <= 0) ask("stopped"); };
  if (!left) end();
  for (const fn of closing) apply(then, new promises((resolve) => { resolve(fn()); }), [end, end]);
};

const placed = (fn) => (typeof fn === "function" ? { line: fn.lineNumber ?? 0, column: fn.columnNumber ?? 0 } : {});
const describe = () => stringify({
  hooks: hooks.map((h) => (h === null || h.gone ? null : { ...h.options, place: placed(h.place) })), slots: hooks.length, main: main !== null, place: placed(main), settings, notes, kept,
  exported, named: [...named, ...Object.keys(spellings), "default", "allow"],
});

// What is put there would be in every event and every answer, of other hooks too.
Object.preventExtensions(Object.prototype);

Object.defineProperty(globalThis, "__hookway", { value: { call, settle, abort, describe, close, load, later: pending, part, have, ...files }, configurable: true });
