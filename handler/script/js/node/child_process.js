// node:child_process, within the grant exec.
import { ask, held, later, variables } from "hookway:runtime";
import EventEmitter from "node:events";
import stream from "node:stream";
import buffer from "node:buffer";
import os from "node:os";

const { Buffer } = buffer;
const own = Symbol.for("nodejs.util.promisify.custom");
const signalName = (s) => (typeof s === "number" ? Object.keys(os.constants.signals).find((k) => os.constants.signals[k] === s) : s) ?? "SIGTERM";
const invalid = (name, value) => Object.assign(new TypeError(`The "${name}" argument must be of type string. Received ${value === undefined ? "undefined" : value === null ? "null" : typeof value === "object" ? `an instance of ${value.constructor?.name ?? "Object"}` : `type ${typeof value} (${String(value)})`}`), { code: "ERR_INVALID_ARG_TYPE" });

const three = (stdio) => {
  const list = typeof stdio === "string" ? [stdio, stdio, stdio] : stdio ?? [];
  return [0, 1, 2].map((i) => {
    const s = list[i];
    if (s === undefined || s === null || s === "overlapped") return "pipe";
    if (typeof s === "number") return s <= 2 ? `fd${s}` : `file${s}`;
    if (typeof s === "object") return typeof s.fd === "number" ? (s.fd <= 2 ? `fd${s.fd}` : `file${s.fd}`) : "pipe";
    return s === "inherit" ? `fd${i}` : s === "ipc" ? "ignore" : s;
  });
};
const specOf = (file, args, o, stdio) => ({
  file: String(file), args: args.map(String), shell: o.shell ? String(o.shell) : "", cwd: o.cwd ? (o.cwd instanceof URL ? decodeURIComponent(o.cwd.pathname) : String(o.cwd)) : "",
  env: o.env ? Object.fromEntries(Object.entries(o.env).filter(([, v]) => v !== undefined).map(([k, v]) => [k, String(v)])) : null, own: variables(),
  timeout: Number(o.timeout) || 0, signal: signalName(o.killSignal), most: o.maxBuffer === Infinity ? 0 : o.maxBuffer ?? 0, detached: !!o.detached, argv0: o.argv0 ?? "", stdio,
});
const parted = (args, options) => {
  if (Array.isArray(args)) return [args, options ?? {}];
  return [[], (args !== null && typeof args === "object" ? args : options) ?? {}];
};
const bytes = (data, encoding) => (data === undefined || data === null ? null : typeof data === "string" ? Buffer.from(data, encoding && encoding !== "buffer" ? encoding : "utf8") : Buffer.from(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength)).toString("base64");
const named = (got, file, args, verb) => Object.assign(new Error(got.grant ? got.message : `${verb} ${file} ${got.code}`), { errno: got.errno, code: got.code, syscall: `${verb} ${file}`, path: file, spawnargs: args });

const sync = (file, args, o, stdio) => {
  const got = ask("spawnSync", { ...specOf(file, args, o, stdio ?? three(o.stdio)), input: o.input === undefined || o.input === null ? null : bytes(o.input, o.encoding) });
  const text = (b) => (b === null ? null : o.encoding && o.encoding !== "buffer" ? Buffer.from(b, "base64").toString(o.encoding) : Buffer.from(b, "base64"));
  const out = { pid: got.pid, output: [null, text(got.stdout), text(got.stderr)], stdout: text(got.stdout), stderr: text(got.stderr), status: got.status, signal: got.signal };
  if (got.error) {
    if (got.error.grant) throw new Error(got.error.message);
    out.error = named(got.error, file, args, "spawnSync");
    if (got.error.code === "ENOENT") Object.assign(out, { output: null, stdout: null, stderr: null, status: null });
  }
  return out;
};
const spawnSync = (file, args, options) => {
  if (typeof file !== "string") throw invalid("file", file);
  const [list, o] = parted(args, options);
  return sync(file, list, o);
};
const checked = (r, o, command) => {
  if (r.stderr && r.stderr.length && o.stdio === undefined) process.stderr.write(r.stderr);
  if (r.error) throw Object.assign(r.error, r);
  if (r.status !== 0) {
    const said = r.stderr && r.stderr.length ? `\n${r.stderr.toString()}` : "";
    throw Object.assign(new Error(`Command failed: ${command}${said}`), r);
  }
  return r.stdout;
};
const execFileSync = (file, args, options) => {
  if (typeof file !== "string") throw invalid("file", file);
  const [list, o] = parted(args, options);
  return checked(sync(file, list, o), o, [file, ...list].join(" "));
};
const execSync = (command, o = {}) => {
  if (typeof command !== "string") throw invalid("command", command);
  const r = sync(command, [], { ...o, shell: o.shell ?? true });
  if (r.error) r.error.message = r.error.message.replace(/^spawnSync .* (?=\w+$)/, `spawnSync ${process.platform === "win32" ? "cmd.exe" : typeof o.shell === "string" ? o.shell : "/bin/sh"} `);
  return checked(r, o, command);
};

class ChildProcess extends EventEmitter {
  constructor() { super(); Object.assign(this, { pid: undefined, exitCode: null, signalCode: null, killed: false, connected: false, stdin: null, stdout: null, stderr: null, stdio: [null, null, null], spawnargs: [], spawnfile: "" }); }
  _begin(file, args, o) {
    Object.assign(this, { spawnfile: file, spawnargs: [file, ...args] });
    const stdio = three(o.stdio);
    const out = (i) => (stdio[i] === "pipe" ? new stream.Readable({ read() {} }) : null);
    this.stdout = out(1);
    this.stderr = out(2);
    if (stdio[0] === "pipe") this.stdin = new stream.Writable({
      write: (chunk, encoding, done) => { later("feed", this._link.id, chunk.toString("base64")).then(() => done(), (e) => done(Object.assign(e, { code: "EPIPE", syscall: "write" }))); },
      final: (done) => { later("fed", this._link.id).then(() => done(), () => done()); },
    });
    this.stdio = [this.stdin, this.stdout, this.stderr];
    let status;
    let left = (this.stdout ? 1 : 0) + (this.stderr ? 1 : 0);
    const last = () => { if (status && left === 0) { const s = status; left = -1; process.nextTick(() => this.emit("close", s.code, s.signal)); } };
    for (const s of [this.stdout, this.stderr]) s?.once("close", () => { left--; last(); });
    this._link = held("spawn", [specOf(file, args, o, stdio)], (event) => {
      switch (event.what) {
        case "open": this.pid = event.pid; this.emit("spawn"); break;
        case "stdout": case "stderr": this[event.what]?.push(Buffer.from(event.base64, "base64")); break;
        case "end": this[event.of]?.push(null); break;
        case "fail": {
          const e = named(event, file, args, "spawn");
          this.exitCode = event.errno ?? -2;
          this.emit("error", e);
          for (const s of [this.stdout, this.stderr]) s?.push(null);
          this.stdin?.destroy();
          status = { code: this.exitCode, signal: null };
          for (const s of [this.stdout, this.stderr]) if (s && !s._flowing) s.resume();
          last();
          break;
        }
        case "exit":
          this.exitCode = event.signal ? null : event.code;
          this.signalCode = event.signal || null;
          status = { code: this.exitCode, signal: this.signalCode };
          this.stdin?.destroy();
          this.emit("exit", this.exitCode, this.signalCode);
          for (const s of [this.stdout, this.stderr]) if (s && s._flowing === null && !s._readable) s.resume();
          last();
      }
    });
    this.pid = this._link.pid;
    if (o.signal) {
      const abort = () => { this.kill(o.killSignal); this.emit("error", Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR", cause: o.signal.reason })); };
      o.signal.aborted ? process.nextTick(abort) : o.signal.addEventListener("abort", abort, { once: true });
    }
    if (o.timeout > 0) { const t = setTimeout(() => this.kill(o.killSignal), o.timeout); t.unref(); this.once("exit", () => clearTimeout(t)); }
    return this;
  }
  kill(signal) {
    if (this.exitCode !== null || this.signalCode !== null) return false;
    this.killed = true;
    return ask("signal", this._link.id, signalName(signal ?? "SIGTERM"));
  }
  ref() { this._link.ref(); return this; }
  unref() { this._link.unref(); return this; }
  disconnect() { this.connected = false; }
  send() { throw Object.assign(new Error("Channel closed"), { code: "ERR_IPC_CHANNEL_CLOSED" }); }
}
const spawn = (file, args, options) => {
  if (typeof file !== "string") throw invalid("file", file);
  const [list, o] = parted(args, options);
  return new ChildProcess()._begin(file, list, o);
};

const gathered = (file, list, o, command, done) => {
  const child = new ChildProcess()._begin(file, list, { ...o, stdio: "pipe", timeout: 0 });
  const parts = { stdout: [], stderr: [] }, sizes = { stdout: 0, stderr: 0 };
  const most = o.maxBuffer ?? 1024 * 1024;
  let failed, late, over = false;
  const stop = (e) => { failed ??= e; child.kill(o.killSignal); };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (c) => {
    sizes[name] += c.length;
    if (sizes[name] > most) { parts[name].push(c.subarray(0, c.length - (sizes[name] - most))); return stop(Object.assign(new RangeError(`${name} maxBuffer length exceeded`), { code: "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" })); }
    parts[name].push(c);
  });
  if (o.timeout > 0) late = setTimeout(() => { child.kill(o.killSignal); }, o.timeout);
  const text = (name) => { const all = Buffer.concat(parts[name]); return o.encoding === "buffer" || o.encoding === null ? all : all.toString(o.encoding ?? "utf8"); };
  const end = (e) => {
    if (over) return;
    over = true;
    clearTimeout(late);
    done(e, text("stdout"), text("stderr"));
  };
  child.on("error", (e) => { failed ??= e; if (child.pid === undefined) end(Object.assign(e, { cmd: command })); });
  child.on("close", (code, signal) => {
    if (!failed && code === 0 && !signal) return end(null);
    failed ??= Object.assign(new Error(`Command failed: ${command}\n${text("stderr")}`), { code: code ?? null, killed: child.killed, signal });
    end(Object.assign(failed, { cmd: command }));
  });
  return child;
};
const exec = (command, options, done) => {
  if (typeof command !== "string") throw invalid("command", command);
  if (typeof options === "function") [options, done] = [{}, options];
  return gathered(command, [], { ...options, shell: options?.shell ?? true }, command, done ?? (() => {}));
};
const execFile = (file, ...rest) => {
  if (typeof file !== "string") throw invalid("file", file);
  const done = rest.find((r) => typeof r === "function") ?? (() => {}), list = rest.find(Array.isArray) ?? [];
  const o = rest.find((r) => r && typeof r === "object" && !Array.isArray(r)) ?? {};
  return gathered(file, list, o, [file, ...list].join(" "), done);
};
for (const fn of [exec, execFile]) fn[own] = (...args) => {
  let child;
  const promise = new Promise((resolve, reject) => { child = fn(...args, (e, stdout, stderr) => (e ? reject(Object.assign(e, { stdout, stderr })) : resolve({ stdout, stderr }))); });
  promise.child = child;
  return promise;
};
const fork = (module, args, options) => {
  const [list, o] = parted(args, options);
  if (typeof process.send === "function" || list.ipc) throw new Error("unreachable");
  const child = spawn(process.execPath, [...(o.execArgv ?? []), String(module), ...list], { ...o, stdio: o.stdio ?? (o.silent ? "pipe" : ["inherit", "inherit", "inherit"]) });
  child.send = () => { throw Object.assign(new Error("messages to a forked program are not to be had here"), { code: "ERR_IPC_CHANNEL_CLOSED" }); };
  return child;
};
export default { spawnSync, execFileSync, execSync, spawn, exec, execFile, fork, ChildProcess };
