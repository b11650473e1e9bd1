// What a script finds in the global scope, and how hookway calls it. The host's
// functions are taken out of the global scope before the script is read.
const taken = (name) => {
  const fn = globalThis["__hookway_" + name];
  delete globalThis["__hookway_" + name];
  return fn;
};
const [done, fail, log, timer, clear, start, sync] = ["done", "fail", "log", "timer", "clear", "start", "sync"].map(taken);

// What the script does to the built-in objects is not to fool hookway: what it
// needs for its calls is taken before.
export const { parse, stringify } = JSON;
export const { apply } = Reflect;
export const promises = Promise;
export const { then } = Promise.prototype;
export const resolved = Promise.resolve.bind(Promise);
const { assign, defineProperty } = Object;
const Failure = Error;

const ask = (what, ...args) => parse(sync(what, stringify(args)));

// ---- work that the host does meanwhile

const open = Object.create(null); // by number: how its promise is settled

// begun has the host begin work. An error of it has the place where it was begun.
const begun = (resolve, reject, what, args) => {
  const id = start(what, stringify(args));
  open[id] = { resolve, reject, error: new Failure() };
  return id;
};

export const later = (what, ...args) => new promises((resolve, reject) => { begun(resolve, reject, what, args); });

const settle = (id, failed, text) => {
  const op = open[id];
  if (!op) return;
  delete open[id];
  if (op.tick) return failed ? undefined : op.tick(); // a timer fails when its call is over
  if (!failed) return op.resolve(text === "" ? undefined : parse(text));
  const { name, message, ...rest } = parse(text);
  defineProperty(op.error, "message", { value: message, configurable: true, writable: true });
  op.reject(assign(named(op.error, name), rest));
};

const named = (error, name) => {
  if (name) defineProperty(error, "name", { value: name, configurable: true, writable: true });
  return error;
};

// floating takes what a function gave that nobody awaits: a rejection is logged.
const floating = (value) => {
  if (value !== null && typeof value === "object" && typeof value.then === "function") value.then(undefined, (e) => console.error("nobody handled this rejection:", e));
};

// ---- timers

const wait = (fn, ms, args, again) => {
  if (typeof fn !== "function") throw new TypeError("a timer needs a function");
  ms = Math.max(0, Math.min(Number(ms) || 0, 2 ** 31 - 1));
  const handle = { id: 0, unref: () => handle, ref: () => handle, hasRef: () => true, [Symbol.toPrimitive]: () => handle.id };
  const arm = () => {
    handle.id = timer(ms);
    open[handle.id] = { tick: () => {
      if (again) arm();
      floating(fn(...args));
    } };
  };
  arm();
  return handle;
};

const forgotten = (id) => id in open && delete open[id];

const stop = (handle) => {
  const id = typeof handle === "object" && handle ? handle.id : Number(handle);
  if (forgotten(id)) clear(id);
};

// ---- console

const seen = (value, depth, above) => {
  switch (typeof value) {
    case "string": return depth ? JSON.stringify(value) : value;
    case "bigint": return `${value}n`;
    case "symbol": return value.toString();
    case "function": return `[function ${value.name || "(anonymous)"}]`;
    case "object": break;
    default: return String(value);
  }
  if (value === null) return "null";
  if (value instanceof Error) return depth ? `${value.name}: ${value.message}` : `${value.name}: ${value.message}\n${value.stack ?? ""}`.trimEnd();
  if (above.includes(value)) return "[circular]";
  if (depth > 4) return Array.isArray(value) ? "[…]" : "{…}";
  const inner = [...above, value];
  const show = (v) => seen(v, depth + 1, inner);
  if (Array.isArray(value)) return `[${value.slice(0, 100).map(show).join(", ")}${value.length > 100 ? ", …" : ""}]`;
  if (value instanceof Map) return `Map {${[...value].map(([k, v]) => `${show(k)} => ${show(v)}`).join(", ")}}`;
  if (value instanceof Set) return `Set {${[...value].map(show).join(", ")}}`;
  if (value instanceof Date) return isNaN(value) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  return `{${Object.entries(value).slice(0, 100).map(([k, v]) => `${k}: ${show(v)}`).join(", ")}}`;
};

const written = (args) => {
  let rest = args;
  let text = "";
  if (typeof args[0] === "string" && args[0].includes("%")) {
    let i = 1;
    text = args[0].replace(/%[sdifjoOc%]/g, (m) => {
      if (m === "%%") return "%";
      if (i >= args.length) return m;
      const a = args[i++];
      if (m === "%c") return "";
      if (m === "%s") return seen(a, 0, []);
      if (m === "%d" || m === "%f") return String(Number(a));
      if (m === "%i") return String(Math.trunc(Number(a)));
      return seen(a, 1, []);
    });
    rest = args.slice(i);
    if (rest.length) text += " ";
  }
  return text + rest.map((a) => seen(a, 0, [])).join(" ");
};

const prints = (level) => (...args) => log(level, written(args));
const clocks = new Map();
const counts = new Map();
globalThis.console = {
  log: prints("log"), info: prints("info"), debug: prints("debug"), warn: prints("warn"), error: prints("error"), trace: prints("debug"),
  dir: (v) => log("log", seen(v, 0, [])), table: (v) => log("log", seen(v, 0, [])),
  assert: (ok, ...args) => { if (!ok) log("error", "Assertion failed" + (args.length ? ": " + written(args) : "")); },
  group: prints("log"), groupCollapsed: prints("log"), groupEnd: () => {},
  time: (name = "default") => { clocks.set(name, Date.now()); },
  timeEnd: (name = "default") => { log("log", `${name}: ${Date.now() - (clocks.get(name) ?? Date.now())}ms`); clocks.delete(name); },
  timeLog: (name = "default") => log("log", `${name}: ${Date.now() - (clocks.get(name) ?? Date.now())}ms`),
  count: (name = "default") => { counts.set(name, (counts.get(name) ?? 0) + 1); log("log", `${name}: ${counts.get(name)}`); },
};

// ---- events and signals

class Event {
  constructor(type, init = {}) { Object.assign(this, { type: String(type), target: null, defaultPrevented: false, cancelable: !!init.cancelable, timeStamp: Date.now() }); }
  preventDefault() { if (this.cancelable) this.defaultPrevented = true; }
  stopPropagation() {}
  stopImmediatePropagation() { this.stopped = true; }
}

class EventTarget {
  #listeners = new Map();
  addEventListener(type, listener, options) {
    if (!listener) return;
    const list = this.#listeners.get(type) ?? [];
    if (list.some((l) => l.listener === listener)) return;
    list.push({ listener, once: !!(options && typeof options === "object" && options.once) });
    this.#listeners.set(type, list);
  }
  removeEventListener(type, listener) {
    this.#listeners.set(type, (this.#listeners.get(type) ?? []).filter((l) => l.listener !== listener));
  }
  dispatchEvent(event) {
    event.target = event.currentTarget = this;
    const own = this["on" + event.type];
    for (const l of [...(typeof own === "function" ? [{ listener: own }] : []), ...(this.#listeners.get(event.type) ?? [])]) {
      if (event.stopped) break;
      if (l.once) this.removeEventListener(event.type, l.listener);
      try {
        floating(typeof l.listener === "function" ? l.listener.call(this, event) : l.listener.handleEvent(event));
      } catch (e) {
        console.error(e);
      }
    }
    return !event.defaultPrevented;
  }
}

class DOMException extends Error {
  constructor(message = "", name = "Error") { super(message); named(this, name); }
  get code() { return { AbortError: 20, TimeoutError: 23, DataCloneError: 25 }[this.name] ?? 0; }
}

class AbortSignal extends EventTarget {
  aborted = false;
  reason = undefined;
  onabort = null;
  throwIfAborted() { if (this.aborted) throw this.reason; }
  static abort(reason) { const c = new AbortController(); c.abort(reason); return c.signal; }
  static timeout(ms) {
    const c = new AbortController();
    setTimeout(() => c.abort(new DOMException("The operation timed out", "TimeoutError")), ms);
    return c.signal;
  }
  static any(signals) {
    const c = new AbortController();
    for (const s of signals) {
      if (s.aborted) { c.abort(s.reason); break; }
      s.addEventListener("abort", () => c.abort(s.reason), { once: true });
    }
    return c.signal;
  }
}

class AbortController {
  signal = new AbortSignal();
  abort(reason) {
    if (this.signal.aborted) return;
    this.signal.aborted = true;
    this.signal.reason = reason === undefined ? new DOMException("The operation was aborted", "AbortError") : reason;
    this.signal.dispatchEvent(new Event("abort"));
  }
}

// cancellable is work of the host that a signal ends.
export const cancellable = (signal, what, ...args) => {
  if (!signal) return later(what, ...args);
  signal.throwIfAborted();
  return new promises((resolve, reject) => {
    const aborted = () => { if (forgotten(id)) { clear(id); reject(signal.reason); } };
    const over = (then) => (value) => { signal.removeEventListener("abort", aborted); then(value); };
    const id = begun(over(resolve), over(reject), what, args);
    signal.addEventListener("abort", aborted, { once: true });
  });
};

// ---- text and bytes

class TextEncoder {
  encoding = "utf-8";
  encode(text = "") {
    text = String(text);
    const out = [];
    for (let i = 0; i < text.length; i++) {
      let c = text.codePointAt(i);
      if (c > 0xffff) i++;
      else if (c >= 0xd800 && c <= 0xdfff) c = 0xfffd;
      if (c < 0x80) out.push(c);
      else if (c < 0x800) out.push(0xc0 | (c >> 6), 0x80 | (c & 63));
      else if (c < 0x10000) out.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
      else out.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
    }
    return new Uint8Array(out);
  }
  encodeInto(text, into) {
    const bytes = this.encode(text).subarray(0, into.length);
    into.set(bytes);
    return { read: String(text).length, written: bytes.length };
  }
}

const bytesOf = (data) => {
  if (data === undefined) return new Uint8Array(0);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw new TypeError("not an ArrayBuffer or a view of one");
};

class TextDecoder {
  constructor(label = "utf-8", options = {}) {
    this.encoding = String(label).toLowerCase() === "utf8" ? "utf-8" : String(label).toLowerCase();
    if (this.encoding !== "utf-8") throw new RangeError(`the encoding ${label} is not known here; only utf-8 is`);
    this.fatal = !!options.fatal;
    this.ignoreBOM = !!options.ignoreBOM;
  }
  decode(data) {
    const text = ask("utf8", base64(bytesOf(data)), this.fatal);
    if (text === null) throw new TypeError("the bytes are not UTF-8");
    return !this.ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
export const base64 = (bytes) => {
  const out = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const n = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    out.push(alphabet[n >> 18], alphabet[(n >> 12) & 63], i + 1 < bytes.length ? alphabet[(n >> 6) & 63] : "=", i + 2 < bytes.length ? alphabet[n & 63] : "=");
  }
  return out.join("");
};
export const unbase64 = (text) => {
  text = String(text).replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
  if (/[^A-Za-z0-9+/]/.test(text) || text.length % 4 === 1) throw new DOMException("the text is not base64", "InvalidCharacterError");
  const out = new Uint8Array(Math.floor(text.length * 3 / 4));
  let bits = 0, have = 0, at = 0;
  for (const c of text) {
    bits = (bits << 6) | alphabet.indexOf(c);
    have += 6;
    if (have >= 8) { have -= 8; out[at++] = (bits >> have) & 255; }
  }
  return out;
};

globalThis.btoa = (text) => base64(Uint8Array.from(String(text), (c) => {
  if (c.charCodeAt(0) > 255) throw new DOMException("the text has characters beyond Latin-1", "InvalidCharacterError");
  return c.charCodeAt(0);
}));
globalThis.atob = (text) => Array.from(unbase64(text), (b) => String.fromCharCode(b)).join("");

// ---- structuredClone

const cloned = (value, copies) => {
  if (typeof value === "function" || typeof value === "symbol") throw new DOMException(`${String(value)} cannot be cloned`, "DataCloneError");
  if (typeof value !== "object" || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  const put = (copy) => { copies.set(value, copy); return copy; };
  if (value instanceof Date) return put(new Date(value));
  if (value instanceof RegExp) return put(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return put(value.slice(0));
  if (ArrayBuffer.isView(value)) {
    const buffer = cloned(value.buffer, copies);
    return put(value instanceof DataView ? new DataView(buffer, value.byteOffset, value.byteLength) : new value.constructor(buffer, value.byteOffset, value.length));
  }
  if (value instanceof Map) { const m = put(new Map()); for (const [k, v] of value) m.set(cloned(k, copies), cloned(v, copies)); return m; }
  if (value instanceof Set) { const s = put(new Set()); for (const v of value) s.add(cloned(v, copies)); return s; }
  if (value instanceof Error) { const e = put(named(new Error(value.message), value.name)); e.stack = value.stack; return e; }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) throw new DOMException(`a ${value.constructor.name} cannot be cloned`, "DataCloneError");
  const copy = put(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) copy[key] = cloned(value[key], copies);
  return copy;
};
globalThis.structuredClone = (value) => cloned(value, new Map());

// ---- the rest of the global scope

Object.assign(globalThis, {
  setTimeout: (fn, ms, ...args) => wait(fn, ms, args, false),
  setInterval: (fn, ms, ...args) => wait(fn, Math.max(1, ms || 0), args, true),
  setImmediate: (fn, ...args) => wait(fn, 0, args, false),
  clearTimeout: stop, clearInterval: stop, clearImmediate: stop,
  queueMicrotask: (fn) => { Promise.resolve().then(fn).catch((e) => console.error(e)); },
  Event, EventTarget, DOMException, AbortSignal, AbortController, TextEncoder, TextDecoder,
  global: globalThis, self: globalThis,
});
const began = Date.now();
globalThis.performance ??= { now: () => Date.now() - began, timeOrigin: began };
globalThis.crypto = {
  randomUUID: () => ask("uuid"),
  getRandomValues: (into) => { bytesOf(into).set(unbase64(ask("random", into.byteLength))); return into; },
};

const environ = new Proxy({}, {
  get: (own, name) => (typeof name !== "string" ? undefined : Object.hasOwn(own, name) ? own[name] : ask("getenv", name) ?? undefined),
  has: (own, name) => typeof name === "string" && (Object.hasOwn(own, name) || ask("getenv", name) !== null),
  ownKeys: (own) => [...new Set([...Object.keys(own), ...Object.keys(ask("environ"))])],
  getOwnPropertyDescriptor: (own, name) => {
    const value = environ[name];
    return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
  },
  set: (own, name, value) => { own[name] = String(value); return true; },
});
globalThis.process = {
  env: environ, argv: [], platform: ask("platform"), version: "", versions: {}, pid: 0, title: "hookway",
  cwd: () => ask("cwd"),
  on: () => globalThis.process, once: () => globalThis.process, off: () => globalThis.process,
  nextTick: (fn, ...args) => queueMicrotask(() => fn(...args)),
  hrtime: Object.assign(() => { const ms = Date.now(); return [Math.floor(ms / 1000), (ms % 1000) * 1e6]; }, { bigint: () => BigInt(Date.now()) * 1000000n }),
  stdout: { write: (text) => { log("log", String(text)); return true; }, isTTY: false },
  stderr: { write: (text) => { log("error", String(text)); return true; }, isTTY: false },
  exit: () => { throw new Error("process.exit is not there in a hook; return a decision"); },
};

// exec runs a line of the system's shell. A status other than 0 rejects, as in
// Node's promisified exec.
globalThis.exec = (line, options = {}) => cancellable(options.signal, "exec", String(line), {
  cwd: options.cwd ?? "", env: options.env ?? null, timeout: options.timeout ?? 0, input: options.input ?? "",
});

export { ask, settle, named, done, fail, log, bytesOf };
