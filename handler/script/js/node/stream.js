// node:stream.
import EventEmitter from "node:events";
import decoding from "node:string_decoder";
import buffer from "node:buffer";

const { Buffer } = buffer;
const soon = (fn, ...args) => process.nextTick(fn, ...args);
const coded = (error, code) => Object.assign(error, { code });
const premature = () => coded(new Error("Premature close"), "ERR_STREAM_PREMATURE_CLOSE");

class Stream extends EventEmitter {
  constructor(options) { super(); this._begin?.(options ?? {}); }
}

// life is what all streams have: to be destroyed, once.
const life = {
  destroy(error, done) {
    if (this.destroyed) return this;
    this.destroyed = true;
    const end = (e) => {
      this.errored = e ?? error ?? null;
      this.closed = true;
      soon(() => {
        if (e ?? error) this.emit("error", e ?? error);
        if (this._options.emitClose !== false) this.emit("close");
      });
      done?.(e ?? error);
    };
    try { this._destroy(error ?? null, end); } catch (e) { end(e); }
    return this;
  },
  _destroy(error, done) { done(error); },
  _started(options) {
    this._options = options;
    this.destroyed = this.closed = false;
    this.errored = null;
    for (const name of ["read", "write", "writev", "final", "transform", "flush", "destroy", "construct"]) if (typeof options[name] === "function") this["_" + name] = options[name];
    if (options.signal) {
      const abort = () => this.destroy(Object.assign(coded(new Error("The operation was aborted"), "ABORT_ERR"), { name: "AbortError", cause: options.signal.reason }));
      options.signal.aborted ? soon(abort) : options.signal.addEventListener("abort", abort, { once: true });
    }
  },
};

// reading is what can be read has, writing what can be written.
const reading = {
  _reads(options) {
    this._buffer = [];
    this._flowing = null;
    this._ended = this._told = this._asking = false;
    this._object = !!(options.objectMode || options.readableObjectMode);
    this.readableHighWaterMark = options.readableHighWaterMark ?? options.highWaterMark ?? (this._object ? 16 : 65536);
    if (options.encoding) this.setEncoding(options.encoding);
    this.readable = true;
  },
  get readableFlowing() { return this._flowing; },
  get readableEnded() { return this._told; },
  get readableLength() { return this._buffer.reduce((n, c) => n + (this._object ? 1 : c.length), 0); },
  get readableObjectMode() { return this._object; },
  get readableEncoding() { return this._decoder?.encoding ?? null; },
  get readableDidRead() { return this._flowing !== null; },
  get readableAborted() { return this.destroyed && !this._told; },
  setEncoding(encoding) {
    this._decoder = new decoding.StringDecoder(encoding);
    this._buffer = this._buffer.map((c) => (typeof c === "string" ? c : this._decoder.write(c))).filter((c) => c !== "");
    return this;
  },
  push(chunk, encoding) {
    this._asking = false;
    if (chunk === null) {
      if (this._decoder) { const rest = this._decoder.end(); if (rest) this._buffer.push(rest); }
      this._ended = true;
      this._flow();
      return false;
    }
    if (!this._object) {
      if (typeof chunk === "string") chunk = this._decoder && (encoding ?? "utf8") === "utf8" ? chunk : Buffer.from(chunk, encoding);
      else if (!Buffer.isBuffer(chunk)) chunk = Buffer.from(chunk);
      if (this._decoder && typeof chunk !== "string") chunk = this._decoder.write(chunk);
      if (chunk.length === 0) { this._flow(); return true; }
    }
    this._buffer.push(chunk);
    this._flow();
    return this.readableLength < this.readableHighWaterMark;
  },
  unshift(chunk) { this._buffer.unshift(chunk); },
  _read() { throw coded(new Error("The _read() method is not implemented"), "ERR_METHOD_NOT_IMPLEMENTED"); },
  _ask() {
    if (this._asking || this._ended || this.destroyed) return;
    this._asking = true;
    try { this._read(this.readableHighWaterMark); } catch (e) { this.destroy(e); }
  },
  // _flow tells what there is, later and once however often it is called.
  _flow() {
    if (this._planned) return;
    this._planned = true;
    soon(() => {
      this._planned = false;
      if (this.destroyed) return;
      if (this._flowing) {
        while (this._flowing && this._buffer.length && !this.destroyed) this.emit("data", this._buffer.shift());
      } else if ((this._buffer.length || this._ended) && this._readable && !this._told) {
        this.emit("readable");
      }
      this._finish();
      if ((this._flowing || this._readable) && !this._buffer.length) this._ask();
    });
  },
  _finish() {
    if (!this._ended || this._buffer.length || this._told || (this._flowing === null && !this._readable) || this.destroyed) return;
    if (this._flowing === false && !this._readable) return;
    this._told = true;
    this.readable = false;
    soon(() => {
      this.emit("end");
      if (this._options.autoDestroy !== false && (!this._writes || this._finished)) this.destroy();
      else if (this._writes && this.allowHalfOpen === false) this.end();
    });
  },
  read(size) {
    if (this._flowing === null && !this._readable) this._readable = true;
    let out = null;
    if (this._object) out = this._buffer.length ? this._buffer.shift() : null;
    else if (this._buffer.length) {
      const all = this._decoder ? this._buffer.join("") : Buffer.concat(this._buffer);
      if (size === undefined || size >= all.length) {
        if (size !== undefined && size > all.length && !this._ended) { this._ask(); return null; }
        out = all;
        this._buffer = [];
      } else {
        out = all.slice(0, size);
        this._buffer = [all.slice(size)];
      }
    }
    if (this._ended) this._flow();
    else this._ask();
    if (out !== null && this.listenerCount("data")) this.emit("data", out);
    return out;
  },
  resume() { if (this._flowing !== true) { this._flowing = true; this._flow(); soon(() => this.emit("resume")); } return this; },
  pause() { if (this._flowing !== false) { this._flowing = false; this.emit("pause"); } return this; },
  isPaused() { return this._flowing === false; },
  on(name, fn) {
    EventEmitter.prototype.on.call(this, name, fn);
    if (name === "data" && this._flowing !== false) this.resume();
    if (name === "readable") { this._readable = true; this._flowing = false; this._flow(); }
    return this;
  },
  addListener(name, fn) { return this.on(name, fn); },
  once(name, fn) {
    EventEmitter.prototype.once.call(this, name, fn);
    if (name === "data" && this._flowing !== false) this.resume();
    if (name === "readable") { this._readable = true; this._flow(); }
    return this;
  },
  pipe(into, options = {}) {
    const data = (chunk) => { if (into.write(chunk) === false && into !== process.stdout && into !== process.stderr) { this.pause(); into.once("drain", () => this.resume()); } };
    const end = () => { if (options.end !== false && into !== process.stdout && into !== process.stderr) into.end(); };
    (this._pipes ??= []).push({ into, data, end });
    this.on("data", data);
    this.once("end", end);
    into.emit("pipe", this);
    return into;
  },
  unpipe(from) {
    for (const p of (this._pipes ?? []).filter((p) => !from || p.into === from)) { this.off("data", p.data); this.off("end", p.end); p.into.emit("unpipe", this); }
    this._pipes = (this._pipes ?? []).filter((p) => from && p.into !== from);
    return this;
  },
  [Symbol.asyncIterator]() {
    const waiting = [];
    let over = false, failure, ended = false;
    const wake = () => { for (const w of waiting.splice(0)) w(); };
    const close = () => { over = true; wake(); };
    this._readable = true;
    if (this._flowing !== true) this._flowing = false;
    for (const [name, fn] of [["readable", wake], ["end", () => { ended = true; close(); }], ["close", close], ["error", (e) => { failure = e; close(); }]]) EventEmitter.prototype.on.call(this, name, fn);
    const next = async () => {
      for (;;) {
        const chunk = this._object || this._decoder ? (this._buffer.length ? this._buffer.shift() : null) : this.read();
        if (chunk !== null) { if (this._object || this._decoder) this._flow(); return { value: chunk, done: false }; }
        if (failure) { const e = failure; failure = undefined; throw e; }
        if (over || this._told || this.destroyed) {
          if (this.errored && !ended) throw this.errored;
          return { value: undefined, done: true };
        }
        await new Promise((resolve) => { waiting.push(resolve); this._flow(); });
      }
    };
    return { next, return: async () => { this.destroy(); return { value: undefined, done: true }; }, [Symbol.asyncIterator]() { return this; } };
  },
  async toArray() { const out = []; for await (const c of this) out.push(c); return out; },
  async forEach(fn) { for await (const c of this) await fn(c); },
  map(fn) { const self = this; return Readable.from((async function* () { for await (const c of self) yield await fn(c); })()); },
  filter(fn) { const self = this; return Readable.from((async function* () { for await (const c of self) if (await fn(c)) yield c; })()); },
  wrap() { return this; },
};

const writing = {
  _writesOf(options) {
    this._writes = true;
    this._queue = [];
    this._busy = this._ending = this._finished = false;
    this._corked = 0;
    this._objects = !!(options.objectMode || options.writableObjectMode);
    this.writableHighWaterMark = options.writableHighWaterMark ?? options.highWaterMark ?? (this._objects ? 16 : 16384);
    this.writable = true;
  },
  get writableEnded() { return this._ending; },
  get writableFinished() { return this._finished; },
  get writableLength() { return this._queue.reduce((n, q) => n + (this._objects ? 1 : q.chunk.length), 0); },
  get writableNeedDrain() { return !!this._full; },
  get writableObjectMode() { return this._objects; },
  get writableCorked() { return this._corked; },
  setDefaultEncoding(encoding) { this._encoding = encoding; return this; },
  cork() { this._corked++; },
  uncork() { if (this._corked) this._corked--; this._drain(); },
  _write(chunk, encoding, done) {
    if (this._writev) this._writev([{ chunk, encoding }], done);
    else throw coded(new Error("The _write() method is not implemented"), "ERR_METHOD_NOT_IMPLEMENTED");
  },
  write(chunk, encoding, done) {
    if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    if (chunk === null) throw coded(new TypeError("May not write null values to stream"), "ERR_STREAM_NULL_VALUES");
    if (this._ending || this.destroyed) {
      const e = this._ending ? coded(new Error("write after end"), "ERR_STREAM_WRITE_AFTER_END") : coded(new Error("Cannot call write after a stream was destroyed"), "ERR_STREAM_DESTROYED");
      soon(() => { done?.(e); if (this._ending && !this.destroyed) this.destroy(e); });
      return false;
    }
    if (!this._objects) {
      if (typeof chunk === "string") { if (this._options.decodeStrings !== false) { chunk = Buffer.from(chunk, encoding ?? this._encoding); encoding = "buffer"; } }
      else if (ArrayBuffer.isView(chunk)) { chunk = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength); encoding = "buffer"; }
      else throw coded(new TypeError(`The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${chunk === undefined ? "undefined" : typeof chunk === "object" ? `an instance of ${chunk.constructor?.name}` : `type ${typeof chunk} (${String(chunk)})`}`), "ERR_INVALID_ARG_TYPE");
    }
    this._queue.push({ chunk, encoding: encoding ?? this._encoding ?? "utf8", done });
    const room = this.writableLength < this.writableHighWaterMark;
    if (!room) this._full = true;
    this._drain();
    return room;
  },
  _drain() {
    if (this._busy || this._corked || this.destroyed) return;
    const next = this._queue.shift();
    if (!next) {
      if (this._full) { this._full = false; soon(() => { if (!this.destroyed && !this._ending) this.emit("drain"); }); }
      return this._last();
    }
    this._busy = true;
    let called = false;
    const done = (e) => {
      if (called) return;
      called = true;
      this._busy = false;
      if (e) { next.done?.(e); return this.destroy(e); }
      if (next.done) soon(next.done, null);
      this._drain();
    };
    try { this._write(next.chunk, next.encoding, done); } catch (e) { done(e); }
  },
  end(chunk, encoding, done) {
    if (typeof chunk === "function") [chunk, done] = [undefined, chunk];
    if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    if (done) this._finished ? soon(done) : EventEmitter.prototype.once.call(this, "finish", done);
    this._corked = 0;
    this._ending = true;
    this.writable = false;
    this._drain();
    return this;
  },
  _last() {
    if (!this._ending || this._finished || this._busy || this._closing || this._queue.length) return;
    this._closing = true;
    const done = (e) => {
      if (e) return this.destroy(e);
      this._finished = true;
      soon(() => {
        this.emit("finish");
        if (this._options.autoDestroy !== false && (!this._buffer || this._told)) this.destroy();
      });
    };
    if (!this._final) return done();
    soon(() => { try { this._final(done); } catch (e) { done(e); } });
  },
};

const given = (type, ...all) => { for (const of of all) for (const key of Reflect.ownKeys(of)) Object.defineProperty(type.prototype, key, { ...Object.getOwnPropertyDescriptor(of, key), enumerable: false }); };

class Readable extends Stream { _begin(options) { this._started(options); this._reads(options); } }
given(Readable, life, reading);
class Writable extends Stream { _begin(options) { this._started(options); this._writesOf(options); } }
given(Writable, life, writing);
class Duplex extends Readable {
  _begin(options) { super._begin(options); this._writesOf(options); this.allowHalfOpen = options.allowHalfOpen !== false; }
}
given(Duplex, writing);
class Transform extends Duplex {
  _write(chunk, encoding, done) { this._transform(chunk, encoding, (e, out) => { if (e) return done(e); if (out !== undefined && out !== null) this.push(out); done(); }); }
  _transform() { throw coded(new Error("The _transform() method is not implemented"), "ERR_METHOD_NOT_IMPLEMENTED"); }
  _read() { this._asking = false; }
  _final(done) { if (!this._flush) { this.push(null); return done(); } this._flush((e, out) => { if (e) return done(e); if (out !== undefined && out !== null) this.push(out); this.push(null); done(); }); }
}
class PassThrough extends Transform { _transform(chunk, encoding, done) { done(null, chunk); } }

Readable.from = (source, options) => {
  if (typeof source === "string" || Buffer.isBuffer(source)) { const r = new Readable({ objectMode: true, ...options, read() {} }); r.push(source); r.push(null); return r; }
  const iterator = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]();
  return new Readable({ objectMode: true, highWaterMark: 1, ...options, read() {
    Promise.resolve(iterator.next()).then(async ({ value, done }) => { this.push(done ? null : await value); if (!done) this._flow(); }).catch((e) => this.destroy(e));
  }, destroy(e, done) { Promise.resolve(iterator.return?.()).then(() => done(e), done); } });
};
const webOf = () => __hookway.part("web");
Readable.fromWeb = (stream) => Readable.from(stream, { objectMode: false });
Readable.toWeb = (stream) => webOf().ReadableStream.from(stream);
Writable.toWeb = (stream) => new (webOf().WritableStream)({ write: (c) => new Promise((resolve, reject) => stream.write(c, (e) => (e ? reject(e) : resolve()))), close: () => new Promise((resolve) => stream.end(resolve)) });

const finished = (stream, options, done) => {
  if (typeof options === "function") [options, done] = [{}, options];
  let over = false;
  const end = (e) => { if (over) return; over = true; done.call(stream, e); };
  const reads = options?.readable ?? !!stream._buffer, writes = options?.writable ?? !!stream._writes;
  const check = () => { if ((!reads || stream._told || !stream._buffer) && (!writes || stream._finished || !stream._writes)) end(); };
  EventEmitter.prototype.on.call(stream, "end", check);
  EventEmitter.prototype.on.call(stream, "finish", check);
  EventEmitter.prototype.on.call(stream, "error", end);
  EventEmitter.prototype.on.call(stream, "close", () => { check(); end(stream.errored ?? ((reads && stream._buffer && !stream._told) || (writes && stream._writes && !stream._finished) ? premature() : undefined)); });
  if (stream.closed) soon(() => end(stream.errored ?? undefined));
  return () => { over = true; };
};

const isStream = (s) => s && typeof s.pipe === "function" || s && typeof s.write === "function" && typeof s.on === "function";
const pipeline = (...steps) => {
  const done = typeof steps.at(-1) === "function" && steps.length > 2 && !isStream(steps.at(-1)) ? steps.pop() : () => {};
  steps = steps.flat();
  let at = steps[0], over = false, value;
  if (!isStream(at)) at = Readable.from(typeof at === "function" ? at() : at);
  const all = [at];
  const end = (e) => {
    if (over) return;
    over = true;
    if (e) for (const s of all) if (!s.destroyed && s !== process.stdout && s !== process.stderr) { EventEmitter.prototype.on.call(s, "error", () => {}); s.destroy(e); }
    done(e, value);
  };
  for (let i = 1; i < steps.length; i++) {
    const last = i === steps.length - 1;
    if (typeof steps[i] === "function" && !isStream(steps[i])) {
      const out = steps[i](at, {});
      if (last && typeof out?.then === "function") { out.then((v) => { value = v; end(); }, end); return at; }
      at = Readable.from(out);
      all.push(at);
    } else {
      finished(at, { writable: false }, (e) => e && end(e));
      at.pipe(steps[i]);
      at = steps[i];
      all.push(at);
    }
  }
  if (at === process.stdout || at === process.stderr) all.at(-2).once("end", () => end());
  else finished(at, { readable: false }, end);
  return at;
};

const addAbortSignal = (signal, stream) => { signal.addEventListener("abort", () => stream.destroy(signal.reason), { once: true }); return stream; };
Object.assign(Stream, {
  Stream, Readable, Writable, Duplex, Transform, PassThrough, finished, pipeline, addAbortSignal, destroy: (s, e) => s.destroy(e),
  isReadable: (s) => !!s.readable, isWritable: (s) => !!s.writable, isErrored: (s) => !!s.errored, getDefaultHighWaterMark: (o) => (o ? 16 : 65536), setDefaultHighWaterMark: () => {},
});
Stream.prototype.pipe = reading.pipe;
Object.defineProperty(Stream, "promises", { get: () => __hookway.part("stream-promises"), enumerable: true, configurable: true });
export default Stream;
