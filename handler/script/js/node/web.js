// What the web platform has for bodies: Blob, File, FormData, and streams.
import { bytesOf } from "hookway:runtime";

const encoder = new TextEncoder();
const joined = (list) => {
  const out = new Uint8Array(list.reduce((n, b) => n + b.length, 0));
  let at = 0;
  for (const b of list) { out.set(b, at); at += b.length; }
  return out;
};

class Blob {
  #bytes;
  constructor(parts = [], options = {}) {
    this.#bytes = joined([...parts].map((p) => (p instanceof Blob ? p.#bytes : p instanceof ArrayBuffer || ArrayBuffer.isView(p) ? bytesOf(p).slice() : encoder.encode(String(p)))));
    Object.defineProperty(this, "type", { value: String(options.type ?? "").toLowerCase(), enumerable: true });
  }
  get size() { return this.#bytes.length; }
  async text() { return new TextDecoder().decode(this.#bytes); }
  async arrayBuffer() { return this.#bytes.slice().buffer; }
  async bytes() { return this.#bytes.slice(); }
  slice(start, end, type = "") { return new Blob([this.#bytes.slice(start, end)], { type }); }
  stream() { const bytes = this.#bytes; return new ReadableStream({ start(c) { if (bytes.length) c.enqueue(bytes.slice()); c.close(); } }); }
  get raw() { return this.#bytes; }
  get [Symbol.toStringTag]() { return "Blob"; }
}
class File extends Blob {
  constructor(parts, name, options = {}) { super(parts, options); this.name = String(name); this.lastModified = options.lastModified ?? Date.now(); }
  get [Symbol.toStringTag]() { return "File"; }
}

class FormData {
  #list = [];
  append(name, value, file) { this.#list.push([String(name), this.#value(value, file)]); }
  set(name, value, file) { const at = this.#list.findIndex((e) => e[0] === String(name)); this.#list = this.#list.filter((e, i) => e[0] !== String(name) || i === at); at < 0 ? this.append(name, value, file) : (this.#list[at] = [String(name), this.#value(value, file)]); }
  #value(value, file) { return value instanceof Blob ? (value instanceof File && file === undefined ? value : new File([value], file ?? "blob", { type: value.type })) : String(value); }
  get(name) { return this.#list.find((e) => e[0] === String(name))?.[1] ?? null; }
  getAll(name) { return this.#list.filter((e) => e[0] === String(name)).map((e) => e[1]); }
  has(name) { return this.#list.some((e) => e[0] === String(name)); }
  delete(name) { this.#list = this.#list.filter((e) => e[0] !== String(name)); }
  forEach(fn, self) { for (const [k, v] of this.#list) fn.call(self, v, k, this); }
  keys() { return this.#list.map((e) => e[0])[Symbol.iterator](); }
  values() { return this.#list.map((e) => e[1])[Symbol.iterator](); }
  entries() { return this.#list.map((e) => [...e])[Symbol.iterator](); }
  [Symbol.iterator]() { return this.entries(); }
  // sent is the form as a body, and its type.
  get sent() {
    const mark = "----formdata-" + globalThis.crypto.randomUUID(), escaped = (t) => t.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
    const parts = this.#list.flatMap(([k, v]) => (typeof v === "string"
      ? [encoder.encode(`--${mark}\r\nContent-Disposition: form-data; name="${escaped(k)}"\r\n\r\n${v.replace(/\r\n|\r|\n/g, "\r\n")}\r\n`)]
      : [encoder.encode(`--${mark}\r\nContent-Disposition: form-data; name="${escaped(k)}"; filename="${escaped(v.name)}"\r\nContent-Type: ${v.type || "application/octet-stream"}\r\n\r\n`), v.raw, encoder.encode("\r\n")]));
    return { type: `multipart/form-data; boundary=${mark}`, bytes: joined([...parts, encoder.encode(`--${mark}--\r\n`)]) };
  }
  get [Symbol.toStringTag]() { return "FormData"; }
}

class ReadableStream {
  #queue = [];
  #waiting = [];
  #state = "open";
  #error;
  #source;
  #pulling = false;
  #reader = null;
  constructor(source = {}) {
    this.#source = source;
    this.controller = {
      enqueue: (chunk) => { if (this.#state !== "open") throw new TypeError("Invalid state: Controller is already closed"); const w = this.#waiting.shift(); w ? w.resolve({ value: chunk, done: false }) : this.#queue.push(chunk); },
      close: () => { if (this.#state === "open") this.#state = "closed"; if (!this.#queue.length) for (const w of this.#waiting.splice(0)) w.resolve({ value: undefined, done: true }); },
      error: (e) => { this.#state = "failed"; this.#error = e; this.#queue = []; for (const w of this.#waiting.splice(0)) w.reject(e); },
      get desiredSize() { return 1; },
    };
    Object.defineProperty(this, "controller", { enumerable: false });
    this.begun = Promise.resolve(source.start?.(this.controller)).catch((e) => this.controller.error(e));
    Object.defineProperty(this, "begun", { enumerable: false });
  }
  static from(source) {
    const it = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]();
    return new ReadableStream({ async pull(c) { const { value, done } = await it.next(); done ? c.close() : c.enqueue(await value); }, cancel: (r) => it.return?.(r) });
  }
  get locked() { return this.#reader !== null; }
  async #next() {
    await this.begun;
    if (this.#queue.length) return { value: this.#queue.shift(), done: false };
    if (this.#state === "failed") throw this.#error;
    if (this.#state === "closed") return { value: undefined, done: true };
    const got = new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#pull();
    return got;
  }
  #pull() {
    if (this.#pulling || !this.#source.pull || this.#state !== "open") return;
    this.#pulling = true;
    Promise.resolve().then(() => this.#source.pull(this.controller)).then(() => { this.#pulling = false; if (this.#waiting.length) this.#pull(); }, (e) => this.controller.error(e));
  }
  async cancel(reason) { this.#state = "closed"; this.#queue = []; for (const w of this.#waiting.splice(0)) w.resolve({ value: undefined, done: true }); await this.#source.cancel?.(reason); }
  getReader() {
    if (this.#reader) throw new TypeError("Invalid state: ReadableStream is locked");
    let over;
    const closed = new Promise((resolve) => { over = resolve; });
    this.#reader = { read: async () => { const r = await this.#next(); if (r.done) over(); return r; }, cancel: (r) => this.cancel(r), releaseLock: () => { this.#reader = null; }, closed };
    return this.#reader;
  }
  async *[Symbol.asyncIterator]() {
    const reader = this.getReader();
    try {
      for (;;) { const { value, done } = await reader.read(); if (done) return; yield value; }
    } finally {
      reader.releaseLock();
      if (this.#state === "open") await this.cancel();
    }
  }
  values() { return this[Symbol.asyncIterator](); }
  tee() {
    const reader = this.getReader(), both = [];
    const pull = async () => { const { value, done } = await reader.read(); for (const c of both) done ? c.close() : c.enqueue(value); };
    const half = () => new ReadableStream({ start(c) { both.push(c); }, pull });
    return [half(), half()];
  }
  async pipeTo(into, options = {}) { const writer = into.getWriter(); for await (const chunk of this) await writer.write(chunk); if (!options.preventClose) await writer.close(); writer.releaseLock(); }
  pipeThrough(pair) { this.pipeTo(pair.writable).catch(() => {}); return pair.readable; }
}
class WritableStream {
  #sink;
  #last;
  #writer = null;
  constructor(sink = {}) { this.#sink = sink; this.#last = Promise.resolve(sink.start?.({ error: () => {} })); }
  get locked() { return this.#writer !== null; }
  #then(fn) { const next = this.#last.then(fn); this.#last = next.catch(() => {}); return next; }
  async abort(reason) { await this.#sink.abort?.(reason); }
  async close() { await this.#then(() => this.#sink.close?.()); }
  getWriter() {
    this.#writer = { write: (c) => this.#then(() => this.#sink.write?.(c, {})), close: () => this.close(), abort: (r) => this.abort(r), releaseLock: () => { this.#writer = null; }, ready: Promise.resolve(), closed: Promise.resolve(), desiredSize: 1 };
    return this.#writer;
  }
}
class TransformStream {
  constructor(t = {}) {
    let c;
    this.readable = new ReadableStream({ start(controller) { c = controller; } });
    const out = { enqueue: (v) => c.enqueue(v), terminate: () => c.close(), error: (e) => c.error(e) };
    this.writable = new WritableStream({ start: () => t.start?.(out), write: (v) => (t.transform ? t.transform(v, out) : out.enqueue(v)), close: async () => { await t.flush?.(out); c.close(); } });
  }
}
class TextDecoderStream extends TransformStream {
  constructor(label) { const d = new (__hookway.part("string_decoder").StringDecoder)(label ?? "utf8"), { Buffer } = __hookway.part("buffer"); super({ transform: (v, c) => { const t = d.write(Buffer.from(v)); if (t) c.enqueue(t); }, flush: (c) => { const t = d.end(); if (t) c.enqueue(t); } }); }
}
class TextEncoderStream extends TransformStream { constructor() { super({ transform: (v, c) => c.enqueue(encoder.encode(v)) }); } }
// Ports join two places of one thread.
class MessagePort extends EventTarget {
  #other; #waiting = []; #open = false; #closed = false; #hears = null;
  static pair(a, b) { a.#other = b; b.#other = a; }
  postMessage(data) {
    const to = this.#other, copy = structuredClone(data);
    if (!to || this.#closed || to.#closed) return;
    to.#open ? to.#tell(copy) : to.#waiting.push(copy);
  }
  #tell(data) { setTimeout(() => { if (!this.#closed) this.dispatchEvent(Object.assign(new Event("message"), { data, ports: [] })); }, 0); }
  start() { if (this.#open) return; this.#open = true; for (const data of this.#waiting.splice(0)) this.#tell(data); }
  close() { if (this.#closed) return; this.#closed = true; this.dispatchEvent(new Event("close")); this.#other?.close(); }
  get onmessage() { return this.#hears; }
  set onmessage(fn) { if (this.#hears) this.removeEventListener("message", this.#hears); this.#hears = typeof fn === "function" ? fn : null; if (this.#hears) { this.addEventListener("message", this.#hears); this.start(); } }
  on(name, fn) { this.addEventListener(name, (event) => fn(event.data)); if (name === "message") this.start(); return this; }
  once(name, fn) { this.addEventListener(name, (event) => fn(event.data), { once: true }); if (name === "message") this.start(); return this; }
  ref() { return this; }
  unref() { return this; }
}
class MessageChannel {
  constructor() { this.port1 = new MessagePort(); this.port2 = new MessagePort(); MessagePort.pair(this.port1, this.port2); }
}
export default { Blob, File, FormData, ReadableStream, WritableStream, TransformStream, TextDecoderStream, TextEncoderStream, MessageChannel, MessagePort };
