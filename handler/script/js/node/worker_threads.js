// node:worker_threads: a script has one thread, its main one. Ports join two places of it.
import web from "hookway:web";

const { MessageChannel, MessagePort } = web;
const none = () => { throw Object.assign(new Error("worker threads are not to be had here"), { code: "ERR_WORKER_UNSUPPORTED_OPERATION" }); };
export default {
  isMainThread: true, threadId: 0, parentPort: null, workerData: null, resourceLimits: {}, SHARE_ENV: Symbol.for("nodejs.worker_threads.SHARE_ENV"),
  Worker: class Worker { constructor() { none(); } }, MessageChannel, MessagePort, markAsUncloneable: () => {}, markAsUntransferable: () => {},
};
