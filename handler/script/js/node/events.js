// node:events.
import { named } from "hookway:runtime";

const errorMonitor = Symbol.for("events.errorMonitor");

const check = (fn) => {
  if (typeof fn !== "function") throw Object.assign(new TypeError(`The "listener" argument must be of type function. Received ${fn === null ? "null" : typeof fn}`), { code: "ERR_INVALID_ARG_TYPE" });
};

function EventEmitter() { start(this); }
const start = (self) => {
  if (!Object.hasOwn(self, "_events") || !self._events) {
    Object.defineProperty(self, "_events", { value: new Map(), writable: true, configurable: true });
  }
  return self._events;
};

const add = (self, name, fn, first, once) => {
  check(fn);
  const events = start(self);
  if (events.has("newListener")) self.emit("newListener", name, fn);
  const entry = once ? { fn, once: true } : { fn };
  const list = events.get(name) ?? [];
  events.set(name, first ? [entry, ...list] : [...list, entry]);
  return self;
};

Object.assign(EventEmitter.prototype, {
  on(name, fn) { return add(this, name, fn, false, false); },
  addListener(name, fn) { return add(this, name, fn, false, false); },
  once(name, fn) { return add(this, name, fn, false, true); },
  prependListener(name, fn) { return add(this, name, fn, true, false); },
  prependOnceListener(name, fn) { return add(this, name, fn, true, true); },
  off(name, fn) {
    const events = start(this), list = events.get(name) ?? [];
    const at = list.findLastIndex((l) => l.fn === fn || l.fn.listener === fn);
    if (at < 0) return this;
    if (list.length === 1) events.delete(name);
    else events.set(name, list.toSpliced(at, 1));
    if (events.has("removeListener")) this.emit("removeListener", name, list[at].fn);
    return this;
  },
  removeListener(name, fn) { return this.off(name, fn); },
  removeAllListeners(name) {
    const events = start(this);
    if (name === undefined) events.clear();
    else events.delete(name);
    return this;
  },
  emit(name, ...args) {
    const events = start(this), list = events.get(name);
    if (name === "error" && events.has(errorMonitor)) this.emit(errorMonitor, ...args);
    if (!list) {
      if (name !== "error") return false;
      if (args[0] instanceof Error) throw args[0];
      throw Object.assign(new Error(`Unhandled error. (${typeof args[0] === "string" ? `'${args[0]}'` : args[0]})`), { code: "ERR_UNHANDLED_ERROR", context: args[0] });
    }
    for (const l of list) {
      if (l.once) {
        const now = events.get(name) ?? [], left = now.filter((o) => o !== l);
        if (left.length === now.length) continue; // it was removed, or called, meanwhile
        if (left.length) events.set(name, left);
        else events.delete(name);
      }
      Reflect.apply(l.fn, this, args);
    }
    return true;
  },
  listeners(name) { return (start(this).get(name) ?? []).map((l) => l.fn); },
  rawListeners(name) { return this.listeners(name); },
  listenerCount(name, fn) { return (start(this).get(name) ?? []).filter((l) => !fn || l.fn === fn).length; },
  eventNames() { return [...start(this).keys()]; },
  setMaxListeners(n) { Object.defineProperty(this, "_max", { value: n, writable: true, configurable: true }); return this; },
  getMaxListeners() { return this._max ?? EventEmitter.defaultMaxListeners; },
});
for (const name of Object.keys(EventEmitter.prototype)) Object.defineProperty(EventEmitter.prototype, name, { enumerable: false });

const ends = (signal, reject) => {
  const abort = () => reject(Object.assign(named(new Error("The operation was aborted"), "AbortError"), { code: "ABORT_ERR", cause: signal.reason }));
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
};

const once = (emitter, name, { signal } = {}) => new Promise((resolve, reject) => {
  ends(signal, reject);
  if (typeof emitter.addEventListener === "function" && typeof emitter.on !== "function") return emitter.addEventListener(name, (e) => resolve([e]), { once: true });
  const failed = (e) => { emitter.off(name, came); reject(e); };
  const came = (...args) => { emitter.off("error", failed); resolve(args); };
  emitter.once(name, came);
  if (name !== "error") emitter.once("error", failed);
});

const on = (emitter, name, { signal, close = [] } = {}) => {
  const queue = [], waiting = [];
  let over = false, failure;
  const came = (...args) => { const w = waiting.shift(); w ? w.resolve({ value: args, done: false }) : queue.push(args); };
  const failed = (e) => { failure = e; const w = waiting.shift(); if (w) { failure = undefined; w.reject(e); } };
  const finish = () => { over = true; emitter.off(name, came); emitter.off("error", failed); for (const w of waiting.splice(0)) w.resolve({ value: undefined, done: true }); return Promise.resolve({ value: undefined, done: true }); };
  emitter.on(name, came);
  if (name !== "error") emitter.on("error", failed);
  for (const c of close) emitter.on(c, finish);
  ends(signal, failed);
  return {
    next: () => {
      if (queue.length) return Promise.resolve({ value: queue.shift(), done: false });
      if (failure) { const e = failure; failure = undefined; return Promise.reject(e); }
      if (over) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return: finish, throw: (e) => { failed(e); return finish(); },
    [Symbol.asyncIterator]() { return this; },
  };
};

Object.assign(EventEmitter, {
  EventEmitter, defaultMaxListeners: 10, errorMonitor, captureRejectionSymbol: Symbol.for("nodejs.rejection"), once, on,
  getEventListeners: (emitter, name) => emitter.listeners(name), listenerCount: (emitter, name) => emitter.listenerCount(name),
  setMaxListeners: (n, ...emitters) => { for (const e of emitters) e.setMaxListeners?.(n); },
  getMaxListeners: (emitter) => emitter.getMaxListeners(),
  EventEmitterAsyncResource: EventEmitter, usingDomains: false,
});

export default EventEmitter;
