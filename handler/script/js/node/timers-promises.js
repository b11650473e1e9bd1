// node:timers/promises.
const within = (signal, begin, stop) => new Promise((resolve, reject) => {
  const abort = () => { stop(handle); reject(Object.assign(new Error("The operation was aborted", { cause: signal.reason }), { name: "AbortError", code: "ABORT_ERR" })); };
  if (signal?.aborted) return abort();
  const handle = begin((value) => { signal?.removeEventListener("abort", abort); resolve(value); });
  signal?.addEventListener("abort", abort, { once: true });
});
const held = (handle, options) => (options?.ref === false ? handle.unref() : handle);
const later = (ms, value, options) => within(options?.signal, (resolve) => held(globalThis.setTimeout(() => resolve(value), ms), options), clearTimeout);
const soon = (value, options) => within(options?.signal, (resolve) => held(globalThis.setImmediate(() => resolve(value)), options), clearImmediate);
async function* every(ms, value, options) {
  for (;;) {
    await later(ms, undefined, options);
    yield value;
  }
}
export default { setTimeout: later, setImmediate: soon, setInterval: every, scheduler: { wait: (ms, options) => later(ms, undefined, options), yield: () => soon() } };
