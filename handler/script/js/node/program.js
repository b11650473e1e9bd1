// A script that was written as a program: what Node's process is to it. This is
// read before such a script, and makes the global scope its own.
import { ask, begun, crashes, forget, requires, write } from "hookway:runtime";
import EventEmitter from "node:events";

const about = ask("program");
const lazy = (of, name, make) => Object.defineProperty(of, name, { configurable: true, enumerable: true, get() { const value = make(); Object.defineProperty(of, name, { value, configurable: true, enumerable: true, writable: true }); return value; }, set(value) { Object.defineProperty(of, name, { value, configurable: true, enumerable: true, writable: true }); } });
const shown = () => __hookway.part("inspect");

// ---- errors: a stack begins with what it is of, and names the script's own files

const stacked = (e, head) => {
  const raw = Object.getOwnPropertyDescriptor(e, "stack")?.value;
  if (typeof raw !== "string") return;
  let text;
  Object.defineProperty(e, "stack", {
    configurable: true, enumerable: false, get: () => (text ??= `${head}\n${ask("stack", raw)}`.trimEnd()),
    set(value) { Object.defineProperty(e, "stack", { value, configurable: true, enumerable: false, writable: true }); },
  });
};
const headOf = (e) => { const name = e.name === undefined ? "Error" : String(e.name), message = e.message === undefined ? "" : String(e.message); return message ? `${name}: ${message}` : name; };
const made = new Map();
for (const name of ["Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError", "AggregateError"]) {
  const type = globalThis[name];
  const construct = (target, args, as) => {
    const e = Reflect.construct(target, args, as);
    stacked(e, headOf(e));
    return e;
  };
  const proxy = new Proxy(type, { construct, apply: (target, self, args) => construct(target, args, target) });
  made.set(type, proxy);
  globalThis[name] = proxy;
  Object.defineProperty(type.prototype, "constructor", { value: proxy, writable: true, configurable: true });
  if (name !== "Error") Object.setPrototypeOf(type, made.get(Object.getPrototypeOf(type)) ?? Object.getPrototypeOf(type));
}
globalThis.Error.captureStackTrace = (of) => {
  if (Object.hasOwn(of, "stack") && of instanceof globalThis.Error) return;
  const raw = new (Object.getPrototypeOf(Object.getPrototypeOf([]).constructor) && globalThis.Error)(of.message ?? "").stack;
  Object.defineProperty(of, "stack", { value: raw.replace(/^.*\n?/, headOf(of) + "\n"), configurable: true, writable: true, enumerable: false });
};
globalThis.Error.stackTraceLimit = 10;

// ---- JSON.parse says what V8 says

const { parse } = JSON;
const scan = (text) => {
  const token = /\s*(?:([[\]{},:])|("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;
  const stack = [];
  let want = "value", at = 0;
  for (;;) {
    token.lastIndex = at;
    const rest = /\s*/y;
    rest.lastIndex = at;
    rest.exec(text);
    const here = rest.lastIndex;
    if (here >= text.length) return want === "end" ? null : { at: text.length, want };
    const m = token.exec(text);
    const bad = { at: here, want };
    if (want === "end") return bad;
    if (!m) {
      if (text[here] === '"') { let i = here + 1; while (i < text.length && text[i] !== '"') { if (text[i] === "\\") { if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(i, i + 6))) return { at: i + 1, want: "escape" }; i++; } else if (text.charCodeAt(i) < 32) return { at: i, want: "control" }; i++; } return { at: text.length, want: "string" }; }
      const word = ["true", "false", "null"].find((w) => w[0] === text[here]);
      if (word && want === "value") { let i = 0; while (text[here + i] === word[i]) i++; return { at: here + i, want: "value" }; }
      if (text[here] === "-" && want === "value") return { at: here + 1, want: "number" };
      return bad;
    }
    const [, mark, string] = m;
    if (want === "value" || want === "value or ]") {
      if (mark === "{") { stack.push("{"); want = "key or }"; }
      else if (mark === "[") { stack.push("["); want = "value or ]"; }
      else if (mark === "]" && want === "value or ]") { stack.pop(); want = stack.length ? ", or " + (stack.at(-1) === "[" ? "]" : "}") : "end"; }
      else if (mark) return bad;
      else want = stack.length ? ", or " + (stack.at(-1) === "[" ? "]" : "}") : "end";
    } else if (want === "key or }" || want === "key") {
      if (mark === "}" && want === "key or }") { stack.pop(); want = stack.length ? ", or " + (stack.at(-1) === "[" ? "]" : "}") : "end"; }
      else if (string) want = ":";
      else return bad;
    } else if (want === ":") {
      if (mark !== ":") return bad;
      want = "value";
    } else {
      if (mark === ",") want = stack.at(-1) === "[" ? "value" : "key";
      else if (mark === want.at(-1)) { stack.pop(); want = stack.length ? ", or " + (stack.at(-1) === "[" ? "]" : "}") : "end"; }
      else return bad;
    }
    at = token.lastIndex;
  }
};
const complaint = (text) => {
  const bad = scan(text);
  if (!bad) return null;
  const { at, want } = bad;
  if (at >= text.length) {
    if (want === "string") return `Unterminated string in JSON at position ${at}`;
    if (want === "key or }") return `Expected property name or '}' in JSON at position ${at}`;
    if (want === "key") return `Expected double-quoted property name in JSON at position ${at}`;
    if (want === ", or }") return `Expected ',' or '}' after property value in JSON at position ${at}`;
    if (want === ", or ]") return `Expected ',' or ']' after array element in JSON at position ${at}`;
    if (want === ":") return `Expected ':' after property name in JSON at position ${at}`;
    if (want === "number") return `No number after minus sign in JSON at position ${at}`;
    return "Unexpected end of JSON input";
  }
  switch (want) {
    case "key or }": return `Expected property name or '}' in JSON at position ${at}`;
    case "key": return `Expected double-quoted property name in JSON at position ${at}`;
    case ", or }": return `Expected ',' or '}' after property value in JSON at position ${at}`;
    case ", or ]": return `Expected ',' or ']' after array element in JSON at position ${at}`;
    case ":": return `Expected ':' after property name in JSON at position ${at}`;
    case "escape": return `Bad escaped character in JSON at position ${at}`;
    case "control": return `Bad control character in string literal in JSON at position ${at}`;
    case "number": return `No number after minus sign in JSON at position ${at}`;
    case "end": return `Unexpected non-whitespace character after JSON at position ${at}`;
  }
  const from = Math.max(0, at - 10), to = Math.min(text.length, at + 10);
  const source = text.length <= 40 ? `"${text}"` : `${from > 0 ? "..." : ""}"${text.slice(from, to)}"${to < text.length ? "..." : ""}`;
  return `Unexpected token '${String.fromCodePoint(text.codePointAt(at))}', ${source} is not valid JSON`;
};
JSON.parse = function (text, reviver) {
  try {
    return reviver === undefined ? parse(text) : parse(text, reviver);
  } catch (e) {
    if (!(e instanceof globalThis.SyntaxError)) throw e;
    const words = String(text);
    const said = text === undefined ? '"undefined" is not valid JSON' : typeof text === "object" && text !== null && words.startsWith("[object") ? `"${words}" is not valid JSON` : complaint(words);
    throw new globalThis.SyntaxError(said ?? e.message);
  }
};

// ---- promises: a rejection that nobody handles ends a program

const Native = Promise;
let lost = [];
const rejected = new WeakMap();
class Watched extends Native {
  constructor(run) {
    let mine;
    super((resolve, reject) => {
      run(resolve, (reason) => {
        reject(reason);
        if (mine === "heard") return;
        const note = { reason };
        if (mine instanceof Native) { if (!rejected.has(mine)) { rejected.set(mine, note); lost.push([mine, note]); } }
        else mine = note;
      });
    });
    if (mine && mine !== "heard") { rejected.set(this, mine); lost.push([this, mine]); }
    mine = this;
    heard.set(this, () => { mine = "heard"; });
  }
  then(done, failed) {
    heard.get(this)?.();
    const note = rejected.get(this);
    if (note) note.heard = true;
    else rejected.set(this, { heard: true });
    return super.then(done, failed);
  }
}
const heard = new WeakMap();
Object.defineProperty(Watched, "name", { value: "Promise" });
globalThis.Promise = Watched;

// ---- the process

const { env, platform, hrtime } = process;
const self = Object.assign(Object.create(EventEmitter.prototype), {
  env, platform, hrtime, title: "node", argv: about.argv, argv0: "node", execArgv: [], execPath: about.execPath, pid: about.pid, ppid: about.ppid, arch: about.arch,
  version: "v22.12.0", versions: { node: "22.12.0", v8: "12.4.254.21-node.21", uv: "1.49.1", modules: "127", hookway: about.version }, release: { name: "node", lts: "Jod" }, config: { variables: {} }, features: { inspector: false, typescript: "transform" }, report: {}, debugPort: 9229, exitCode: undefined, connected: false,
  cwd: () => ask("cwd"), chdir: (to) => { const failed = ask("chdir", String(to)); if (failed) throw Object.assign(new Error(failed.message), failed); },
  nextTick: (fn, ...args) => { if (typeof fn !== "function") throw Object.assign(new TypeError(`The "callback" argument must be of type function. Received ${fn === null ? "null" : typeof fn}`), { code: "ERR_INVALID_ARG_TYPE" }); queueMicrotask(() => fn(...args)); },
  uptime: () => (Date.now() - began) / 1000, memoryUsage: Object.assign(() => ({ rss: 5e7, heapTotal: 2e7, heapUsed: 1e7, external: 1e6, arrayBuffers: 1e5 }), { rss: () => 5e7 }), resourceUsage: () => ({ userCPUTime: 0, systemCPUTime: 0, maxRSS: 50000 }), cpuUsage: () => ({ user: 0, system: 0 }), constrainedMemory: () => 0, availableMemory: () => 1e9,
  umask: () => 0o22, getuid: () => about.uid, geteuid: () => about.uid, getgid: () => about.gid, getegid: () => about.gid, getgroups: () => [about.gid],
  emitWarning: (w) => { write(2, `(node:${about.pid}) ${w?.name ?? "Warning"}: ${w?.message ?? w}\n`); }, binding: () => { throw new Error("No such module"); },
  kill: (pid, signal = "SIGTERM") => { const failed = ask("kill", pid, String(signal)); if (failed) throw Object.assign(new Error(failed.message), failed); return true; },
  abort: () => self.reallyExit(134), setUncaughtExceptionCaptureCallback: () => {}, hasUncaughtExceptionCaptureCallback: () => false, setSourceMapsEnabled: () => {}, getActiveResourcesInfo: () => [],
  getBuiltinModule: (name) => { try { return builtin(name); } catch { return undefined; } }, loadEnvFile: () => {}, allowedNodeEnvironmentFlags: new Set(),
  reallyExit: (code) => ask("exit", code),
  exit(code) {
    if (code !== undefined && code !== null) self.exitCode = code;
    ended();
    ask("exit", codeOf());
  },
});
Object.defineProperty(self, Symbol.toStringTag, { value: "process", configurable: true });
const began = Date.now();
const builtin = (name) => requires("/")(String(name));
const codeOf = () => { const n = Number(self.exitCode ?? 0); return Number.isInteger(n) ? n & 255 : 0; };
let told = false;
const ended = () => { if (told) return; told = true; self.emit("exit", codeOf()); };

const sink = (fd, more) => {
  const s = Object.assign(Object.create(EventEmitter.prototype), {
    fd, writable: true, writableLength: 0, writableHighWaterMark: 16384, writableNeedDrain: false, destroyed: false, _isStdio: true, _writes: false,
    write(chunk, encoding, done) {
      if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
      if (typeof chunk === "string") encoding && !/^utf-?8$/i.test(encoding) ? write(fd, __hookway.part("buffer").Buffer.from(chunk, encoding)) : write(fd, chunk);
      else if (ArrayBuffer.isView(chunk)) write(fd, chunk);
      else throw Object.assign(new TypeError(`The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${chunk === null ? "null" : chunk === undefined ? "undefined" : typeof chunk === "object" ? `an instance of ${chunk.constructor?.name}` : `type ${typeof chunk} (${String(chunk)})`}`), { code: "ERR_INVALID_ARG_TYPE" });
      if (done) self.nextTick(done);
      return true;
    },
    end(chunk, encoding, done) {
      if (typeof chunk === "function") [chunk, done] = [undefined, chunk];
      if (typeof encoding === "function") done = encoding;
      if (chunk !== undefined && chunk !== null) s.write(chunk, typeof encoding === "string" ? encoding : undefined);
      if (done) self.nextTick(done);
      self.nextTick(() => s.emit("finish"));
      return s;
    },
    cork() {}, uncork() {}, destroy() { return s; }, setDefaultEncoding() { return s; }, ref() { return s; }, unref() { return s; }, getColorDepth: () => 1, hasColors: () => false, getWindowSize: () => [80, 24], ...more,
  });
  return s;
};
lazy(self, "stdout", () => sink(1, about.tty[1] ? { isTTY: true, columns: 80, rows: 24 } : {}));
lazy(self, "stderr", () => sink(2, about.tty[2] ? { isTTY: true, columns: 80, rows: 24 } : {}));
lazy(self, "stdin", () => {
  const { Readable } = __hookway.part("stream"), { Buffer } = __hookway.part("buffer");
  let id = 0;
  const held = (on) => { if (id) ask("ref", id, on); };
  const stdin = new Readable({ highWaterMark: 65536, read() {
    id = begun((got) => { id = 0; stdin.push(got === "" ? null : Buffer.from(got, "base64")); }, (e) => { id = 0; stdin.destroy(e); }, "stdin", [65536]);
    if (stdin._flowing === false && !stdin._readable) held(false);
  }, destroy(e, done) { if (id) { const was = id; id = 0; forget(was); } done(e); } });
  Object.assign(stdin, { fd: 0, setRawMode: () => stdin, ref: () => { held(true); return stdin; }, unref: () => { held(false); return stdin; }, ...(about.tty[0] ? { isTTY: true } : {}) });
  stdin.on("pause", () => held(false));
  stdin.on("resume", () => held(true));
  return stdin;
});
globalThis.process = self;

// ---- the console

let indent = "";
const counts = new Map(), clocks = new Map();
const prints = (fd) => (...args) => {
  let text = args.length === 1 && typeof args[0] === "string" ? args[0] : shown().formatWith({}, ...args);
  if (indent) text = indent + text.replaceAll("\n", "\n" + indent);
  write(fd, text + "\n");
};
const out = prints(1), err = prints(2);
const took = (name) => { const ms = Date.now() - (clocks.get(name) ?? Date.now()); return ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${ms}ms`; };
const table = (data, columns) => {
  if (data === null || typeof data !== "object") return out(data);
  const show = (v) => shown().inspect(v, { depth: 0, breakLength: Infinity });
  const rows = data instanceof Map ? [...data].map(([k, v], i) => [String(i), v, k]) : Object.keys(data).map((k) => [k, data[k]]);
  const keys = [], plain = rows.some(([, v]) => v === null || typeof v !== "object");
  for (const [, v] of rows) if (v !== null && typeof v === "object") for (const k of Object.keys(v)) if (!keys.includes(k)) keys.push(k);
  const chosen = columns ?? keys, head = ["(index)", ...chosen, ...(plain && !columns ? ["Values"] : [])];
  const body = rows.map(([i, v]) => [i, ...chosen.map((k) => (v !== null && typeof v === "object" && Object.hasOwn(v, k) ? show(v[k]) : "")), ...(plain && !columns ? [v === null || typeof v !== "object" ? show(v) : ""] : [])]);
  const widths = head.map((h, i) => Math.max(h.length, ...body.map((r) => r[i].length)) + 2);
  const line = (l, m, r) => l + widths.map((w) => "─".repeat(w)).join(m) + r;
  const cells = (r) => "│" + r.map((c, i) => " " + c + " ".repeat(widths[i] - c.length - 1)).join("│") + "│";
  out([line("┌", "┬", "┐"), cells(head), line("├", "┼", "┤"), ...body.map(cells), line("└", "┴", "┘")].join("\n"));
};
class Console {
  constructor(a, b) { const to = a?.stdout ?? a, errors = a?.stderr ?? b ?? to; const p = (s) => (...args) => s.write(shown().formatWith({}, ...args) + "\n"); Object.assign(this, { log: p(to), info: p(to), debug: p(to), error: p(errors), warn: p(errors), trace: p(errors) }); }
}
globalThis.console = {
  log: out, info: out, debug: out, error: err, warn: err, table, Console,
  trace: (...args) => err(`Trace${args.length ? ": " + shown().formatWith({}, ...args) : ""}`), dir: (v, o) => out(shown().inspect(v, { customInspect: false, ...o })), dirxml: out,
  assert: (ok, ...args) => { if (!ok) { if (typeof args[0] === "string") err(`Assertion failed: ${args[0]}`, ...args.slice(1)); else err("Assertion failed" + (args.length ? ":" : ""), ...args); } },
  group: (...args) => { if (args.length) out(...args); indent += "  "; }, groupCollapsed: (...args) => globalThis.console.group(...args), groupEnd: () => { indent = indent.slice(2); },
  time: (name = "default") => { clocks.set(name, Date.now()); }, timeEnd: (name = "default") => { out(`${name}: ${took(name)}`); clocks.delete(name); }, timeLog: (name = "default", ...more) => out(`${name}: ${took(name)}`, ...more),
  count: (name = "default") => { counts.set(name, (counts.get(name) ?? 0) + 1); out(`${name}: ${counts.get(name)}`); }, countReset: (name = "default") => { counts.delete(name); }, clear: () => {}, profile() {}, profileEnd() {}, timeStamp() {},
};

// ---- how it ends

const text = (e) => {
  if (!(e instanceof globalThis.Error)) return `Uncaught:\n${shown().inspect(e)}`;
  return shown().inspect(e);
};
const crash = (e, kind = "uncaughtException") => {
  if (self.listenerCount("uncaughtException")) {
    try { self.emit("uncaughtException", e, kind); return; } catch (worse) { e = worse; }
  }
  const raw = e instanceof globalThis.Error && typeof e.stack === "string" ? e.stack : "";
  const at = /(?:\(|at )([^()\s]+:\d+):\d+\)?/.exec(/^\s*at /m.test(raw) && !/^\s*at /.test(raw) ? raw : ask("stack", raw))?.[1];
  write(2, `${at ? `${at}\n\n` : ""}${plain(e)}\n\nNode.js ${self.version} (hookway)\n`);
  self.exitCode = kind === "unsettled" ? 13 : self.exitCode && told ? self.exitCode : 1;
  try { ended(); } catch { /* a listener of exit that fails changes nothing */ }
  ask("exit", codeOf() || 1);
};
const plain = (e) => {
  if (!(e instanceof globalThis.Error)) return text(e);
  const own = Object.getOwnPropertyDescriptor(e, "stack")?.value;
  if (typeof own === "string" && /^\s*at /.test(own)) stacked(e, headOf(e)); // the engine's own errors
  return text(e);
};

let settled = true;
crashes((e) => crash(e));
Atomics.wait = (array, at, value, ms = Infinity) => { if (Atomics.load(array, at) !== value) return "not-equal"; ask("sleep", Math.min(ms, 2 ** 31)); return "timed-out"; };
__hookway.program = {
  crash,
  // run is the script itself.
  run: (main) => { try { main(); } catch (e) { crash(e); } },
  later: (main) => { settled = false; main().then(() => { settled = true; }, (e) => { settled = true; crash(e); }); },
  // drained is asked after each piece of work: what was rejected and not heard of.
  drained: () => {
    const list = lost;
    lost = [];
    for (const [promise, note] of list) {
      if (note.heard) continue;
      note.heard = true;
      if (self.listenerCount("unhandledRejection")) { self.emit("unhandledRejection", note.reason, promise); continue; }
      const e = note.reason;
      if (e instanceof globalThis.Error) crash(e, "unhandledRejection");
      else crash(Object.assign(new Error(`This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "${typeof e === "string" ? e : shown().inspect(e)}".`), { code: "ERR_UNHANDLED_REJECTION" }), "unhandledRejection");
    }
  },
  // idle is asked when nothing is under way any more; it gives the exit code.
  idle: () => { if (!settled) return -1; self.emit("beforeExit", codeOf()); return -1; },
  end: () => {
    if (!settled && self.exitCode === undefined) { write(2, `Warning: Detected unsettled top-level await at ${about.argv[1]}\n`); self.exitCode = 13; }
    ended();
    return codeOf();
  },
};
export default {};
