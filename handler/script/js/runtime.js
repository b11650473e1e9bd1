// What a script finds in the global scope, and how hookway calls it. The host's
// functions are taken out of the global scope before the script is read.
const taken = (name) => {
  const fn = globalThis["__hookway_" + name];
  delete globalThis["__hookway_" + name];
  return fn;
};
const [done, fail, log, timer, clear, start, sync, read, print, aside] = ["done", "fail", "log", "timer", "clear", "start", "sync", "part", "print", "apart"].map(taken);

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

// ---- parts: modules that are read when they are first asked for

const parts = Object.create(null);
export const have = (name, value) => {
  for (const key of Object.getOwnPropertyNames(value)) { // a name that is taken where it was bundled
    const own = Object.getOwnPropertyDescriptor(value, key).value;
    if (typeof own === "function" && own.name === key + "2") defineProperty(own, "name", { value: key, configurable: true });
  }
  parts[name] = value;
};
export const part = (name) => {
  if (!(name in parts)) read(name);
  return parts[name];
};

// requires is the function require of a file: for what is not bundled, because its
// name is computed.
const required = new Map();
export const requires = (from) => {
  const require = (name) => {
    const found = ask("require", String(name), from);
    if (found.error) throw assign(new Failure(found.error), found.code ? { code: found.code, requireStack: [from] } : {});
    if (found.part) return part(found.part);
    const known = required.get(found.file);
    if (known) return known.exports;
    const module = { exports: {}, id: found.file, filename: found.file, loaded: false, children: [], paths: [] };
    required.set(found.file, module);
    try {
      if (found.json !== undefined) module.exports = parse(found.json);
      else apply((0, eval)(found.code), module.exports, [module, module.exports, requires(found.file), found.file, found.folder]);
    } catch (e) {
      required.delete(found.file);
      throw e;
    }
    module.loaded = true;
    return module.exports;
  };
  return assign(require, {
    resolve: (name) => { const found = ask("require", String(name), from, true); if (found.error) throw assign(new Failure(found.error), { code: found.code }); return found.file ?? String(name); },
    cache: {}, extensions: {}, main: entered,
  });
};
let entered; // the module of the program itself
const meta = (rel) => {
  const [filename, dirname] = ask("place", rel);
  const url = part("url").pathToFileURL(filename).href;
  return { url, filename, dirname, main: rel === "", resolve: (name) => { const to = requires(filename).resolve(name); return /^\//.test(to) ? part("url").pathToFileURL(to).href : to; } };
};
const mainOf = (module, rel) => {
  if (module) entered = assign(module, { id: ".", filename: ask("place", rel)[0], loaded: false, children: [], paths: [], parent: null });
  return entered;
};
export const files = {
  place: (rel) => ask("place", rel), meta, main: mainOf, requires: (rel) => requires(ask("place", rel)[0]),
  find: (rel) => async (name) => {
    const value = requires(ask("place", rel)[0])(String(name).startsWith("file:") ? part("url").fileURLToPath(String(name)) : name);
    return value !== null && typeof value === "object" && value.__esModule ? value : assign(Object.create(null), typeof value === "object" ? value : {}, { default: value });
  },
};

// ---- work that the host does meanwhile

const open = Object.create(null); // by number: how its promise is settled

// begun has the host begin work. An error of it has the place where it was begun.
const begun = (resolve, reject, what, args) => {
  const id = start(what, stringify(args));
  open[id] = { resolve, reject, error: new Failure() };
  return id;
};

export const later = (what, ...args) => new promises((resolve, reject) => { begun(resolve, reject, what, args); });

// held is work that tells of itself as it goes on, until an empty text.
export const held = (what, args, event) => {
  const got = ask(what, ...args);
  open[got.id] = { event };
  return { ...got, close: () => { if (forgotten(got.id)) clear(got.id); }, ref: () => ask("ref", got.id, true), unref: () => ask("ref", got.id, false) };
};
export const forget = (id) => { if (forgotten(id)) clear(id); };

// apart has a function run as work of the script itself, which is of no event and goes
// on when the one is over in which it was begun.
export const apart = (fn) => { open[aside()] = { tick: fn }; };

// crashes says what ends a program when something is thrown that nobody catches.
let crash = null;
export const crashes = (fn) => { crash = fn; };

const settle = (id, failed, text) => {
  if (!crash) return settled(id, failed, text);
  try { settled(id, failed, text); } catch (e) { crash(e); }
};
const settled = (id, failed, text) => {
  const op = open[id];
  if (!op) return;
  if (op.event && !failed && text !== "") return op.event(parse(text));
  delete open[id];
  if (op.event) return;
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
  if (crash) return; // a program hears of it by itself
  if (value !== null && typeof value === "object" && typeof value.then === "function") value.then(undefined, (e) => console.error("nobody handled this rejection:", e));
};

// ---- timers

const wait = (fn, ms, args, again) => {
  if (typeof fn !== "function") throw new TypeError("a timer needs a function");
  ms = Math.max(0, Math.min(Number(ms) || 0, 2 ** 31 - 1));
  const handle = { id: 0, unref: () => { handle.held = false; ask("ref", handle.id, false); return handle; }, ref: () => { handle.held = true; ask("ref", handle.id, true); return handle; }, hasRef: () => handle.held, refresh: () => { stop(handle); arm(); return handle; }, held: true, close: () => stop(handle), [Symbol.toPrimitive]: () => handle.id };
  const arm = () => {
    handle.id = timer(ms);
    if (!handle.held) ask("ref", handle.id, false);
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

const prints = (level) => (...args) => { log(level, written(args)); };
const clocks = new Map();
const counts = new Map();
globalThis.console = {
  log: prints("log"), info: prints("info"), debug: prints("debug"), warn: prints("warn"), error: prints("error"), trace: prints("debug"),
  dir: (v) => { log("log", seen(v, 0, [])); }, table: (v) => { log("log", seen(v, 0, [])); },
  assert: (ok, ...args) => { if (!ok) log("error", "Assertion failed" + (args.length ? ": " + written(args) : "")); },
  group: prints("log"), groupCollapsed: prints("log"), groupEnd: () => {},
  time: (name = "default") => { clocks.set(name, Date.now()); },
  timeEnd: (name = "default") => { log("log", `${name}: ${Date.now() - (clocks.get(name) ?? Date.now())}ms`); clocks.delete(name); },
  timeLog: (name = "default") => { log("log", `${name}: ${Date.now() - (clocks.get(name) ?? Date.now())}ms`); },
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
    if (["utf-16le", "latin1", "iso-8859-1", "windows-1252", "ascii", "us-ascii"].includes(this.encoding)) return;
    if (this.encoding !== "utf-8") throw new RangeError(`the encoding ${label} is not known here; only utf-8 is`);
    this.fatal = !!options.fatal;
    this.ignoreBOM = !!options.ignoreBOM;
  }
  decode(data) {
    if (this.encoding !== "utf-8") return part("buffer").Buffer.from(bytesOf(data)).toString(this.encoding === "utf-16le" ? "utf16le" : "latin1");
    const text = ask("utf8", base64(bytesOf(data)), this.fatal);
    if (text === null) throw new TypeError("the bytes are not UTF-8");
    return !this.ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}

export const base64 = (bytes) => Uint8Array.prototype.toBase64.call(bytes);
export const decoded = (bytes) => ask("utf8", base64(bytes), false);
export const unbase64 = (text) => {
  text = String(text).replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
  if (/[^A-Za-z0-9+/]/.test(text) || text.length % 4 === 1) throw new DOMException("the text is not base64", "InvalidCharacterError");
  return Uint8Array.fromBase64(text.padEnd(Math.ceil(text.length / 4) * 4, "="));
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
  queueMicrotask: (fn) => { apply(then, resolved(), [() => { try { floating(fn()); } catch (e) { crash ? crash(e) : console.error(e); } }]); },
  Event, EventTarget, DOMException, AbortSignal, AbortController, TextEncoder, TextDecoder,
  global: globalThis, self: globalThis,
});
const began = Date.now();
const marks = [];
globalThis.performance ??= {
  now: () => ask("nanos") / 1e6, timeOrigin: began, toJSON: () => ({ timeOrigin: began }), getEntries: () => [...marks], getEntriesByName: (name) => marks.filter((m) => m.name === name), getEntriesByType: (type) => marks.filter((m) => m.entryType === type),
  mark: (name) => { const m = { name, entryType: "mark", startTime: performance.now(), duration: 0 }; marks.push(m); return m; }, clearMarks: () => { marks.length = 0; }, clearMeasures: () => {},
  measure: (name, from, to) => { const at = (n, or) => marks.findLast((m) => m.name === n)?.startTime ?? or; const a = at(from, 0), m = { name, entryType: "measure", startTime: a, duration: at(to, performance.now()) - a }; marks.push(m); return m; },
  timerify: (fn) => fn, eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
};
globalThis.crypto = {
  randomUUID: () => ask("uuid"),
  getRandomValues: (into) => { bytesOf(into).set(unbase64(ask("random", into.byteLength))); return into; },
};

const given = {}; // variables that the script sets; null: it takes them away
export const variables = () => given;
const environ = new Proxy({}, {
  get: (own, name) => (typeof name !== "string" ? undefined : Object.hasOwn(given, name) ? given[name] ?? undefined : ask("getenv", name) ?? undefined),
  has: (own, name) => typeof name === "string" && environ[name] !== undefined,
  deleteProperty: (own, name) => { given[name] = null; return true; },
  defineProperty: (own, name, d) => { given[name] = String(d.value); return true; },
  ownKeys: () => [...new Set([...Object.keys(ask("environ")), ...Object.keys(given)])].filter((name) => given[name] !== null),
  getOwnPropertyDescriptor: (own, name) => {
    const value = environ[name];
    return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
  },
  set: (own, name, value) => { given[name] = String(value); return true; },
});
globalThis.process = {
  env: environ, argv: ["node"], argv0: "node", execArgv: [], execPath: "node", arch: "x64", platform: ask("platform"), version: "v22.12.0", versions: { node: "22.12.0" }, release: { name: "node" }, pid: 0, ppid: 0, title: "hookway",
  emit: () => false, off: () => globalThis.process, removeListener: () => globalThis.process, listenerCount: () => 0, emitWarning: (w) => log("warn", `${w?.message ?? w}`), uptime: () => (Date.now() - began) / 1000,
  memoryUsage: () => ({ rss: 5e7, heapTotal: 2e7, heapUsed: 1e7, external: 0, arrayBuffers: 0 }), umask: () => 0o22, getuid: () => 0, exitCode: undefined,
  cwd: () => ask("cwd"),
  on: () => globalThis.process, once: () => globalThis.process, off: () => globalThis.process,
  nextTick: (fn, ...args) => queueMicrotask(() => fn(...args)),
  hrtime: Object.assign((from) => { const n = ask("nanos"), at = [Math.floor(n / 1e9), n % 1e9]; return !from ? at : at[1] < from[1] ? [at[0] - from[0] - 1, at[1] - from[1] + 1e9] : [at[0] - from[0], at[1] - from[1]]; }, { bigint: () => BigInt(ask("nanos")) }),
  stdout: { write: (text) => { log("log", String(text)); return true; }, isTTY: false },
  stderr: { write: (text) => { log("error", String(text)); return true; }, isTTY: false },
  exit: () => { throw new Error("process.exit is not there in a hook; return a decision"); },
};

// exec runs a line of the system's shell. A status other than 0 rejects, as in
// Node's promisified exec.
globalThis.exec = (line, options = {}) => cancellable(options.signal, "exec", String(line), {
  cwd: options.cwd ?? "", env: options.env ?? null, timeout: options.timeout ?? 0, input: options.input ?? "",
});

// print writes to what a program has as its stdout or stderr.
export const write = (fd, data) => { typeof data === "string" ? print(fd, 0, data) : print(fd, 1, base64(bytesOf(data))); };

const lazily = (name, from) => Object.defineProperty(globalThis, name, {
  configurable: true, enumerable: false, get: () => { const value = part(from)[name]; put(name, value); return value; }, set: (value) => put(name, value),
});
const put = (name, value) => defineProperty(globalThis, name, { value, configurable: true, enumerable: false, writable: true });
lazily("Buffer", "buffer");
for (const name of ["Blob", "File", "FormData", "ReadableStream", "WritableStream", "TransformStream", "TextDecoderStream", "TextEncoderStream", "MessageChannel", "MessagePort"]) lazily(name, "web");

export { ask, begun, settle, named, done, fail, log, bytesOf };
