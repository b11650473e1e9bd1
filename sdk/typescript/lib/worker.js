// The file as a worker: one process for many events, several at a time.

import { judge } from "./chain.js";
import { parse, stringify } from "./digits.js";
import { report } from "./failure.js";
import { answer, Exit, leave, trapExit } from "./output.js";

// hookway ends a worker two seconds after it has closed its stdin.
const patience = 800;

// serve answers until stdin ends.
export const serve = async (hooks) => {
  trapExit();
  process.on("unhandledRejection", (reason) => log(reason, hooks)); // it must not end the events of others
  const worker = new Worker(hooks);
  let rest = [];
  for await (const part of process.stdin) {
    let from = 0;
    for (let end; (end = part.indexOf(10, from)) >= 0; from = end + 1) {
      rest.push(part.subarray(from, end));
      const line = Buffer.concat(rest).toString("utf8");
      rest = [];
      if (line.trim() !== "") worker.take(line);
    }
    if (from < part.length) rest.push(part.subarray(from));
  }
  await worker.end();
  await leave(0);
};

// log says what was thrown where no event waits for it.
const log = (error, hooks) => {
  const { stack, line } = error instanceof Exit ? { stack: "", line: error.message } : report(error, hooks);
  process.stderr.write(`${stack}${line}; nothing awaits it\n`);
};

class Worker {
  #hooks;
  #calls = new Map(); // by id: what ends it
  #written; // settled when the last answer is out
  #idle; // told when no call is open any more

  constructor(hooks) { this.#hooks = hooks; }

  // take reads one message.
  take(line) {
    let message;
    try {
      message = parse(line);
    } catch (error) {
      this.#fail(null, -32700, `the worker was sent a line that is not JSON: ${error.message}`);
      return;
    }
    const { id, method, params } = message.value ?? {};
    if (method === "hook" && params !== null && typeof params === "object") this.#start(id, params, { ...message, raw: message.raw?.params });
    else if (method === "cancel") this.#calls.get(params?.id)?.(new DOMException("nobody waits for the answer any more", "AbortError"));
    else if (id !== undefined) this.#fail(id, -32601, `the worker was sent ${JSON.stringify(method)}; it knows hook and cancel`);
  }

  async #start(id, event, numbers) {
    const stop = new AbortController();
    const cancelled = new Promise((_, reject) => {
      this.#calls.set(id, (reason) => {
        stop.abort(reason);
        reject(reason);
      });
    });
    cancelled.catch(() => {}); // it is told below, if anybody waits
    try {
      const given = typeof event.hook_event_name === "string" ? event.hook_event_name : "";
      // Who was cancelled and does not listen is not waited for: the process is not hung.
      const text = stringify(await Promise.race([judge(this.#hooks, event, given, stop.signal), cancelled]), numbers);
      this.#send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}\n`);
    } catch (error) {
      this.#failed(id, error, stop.signal.aborted);
    } finally {
      this.#calls.delete(id);
      if (this.#calls.size === 0) this.#idle?.();
    }
  }

  #failed(id, error, cancelled) {
    if (cancelled) return this.#fail(id, 1, "cancelled");
    if (error instanceof Exit && error.code === 2) return this.#send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"action":"block"}}\n`);
    if (error instanceof Exit && error.code === 0) return this.#send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}\n`);
    const { stack, line } = error instanceof Exit ? { stack: "", line: error.message } : report(error, this.#hooks);
    process.stderr.write(stack);
    this.#fail(id, 1, line);
  }

  #fail(id, code, message) {
    this.#send(`${JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } })}\n`);
  }

  #send(line) { this.#written = answer(line); }

  // end waits for open calls: nobody asks any more. After a while they are
  // cancelled, and the rest is left to the end of the process.
  async end() {
    if (this.#calls.size > 0) await this.#settle();
    await this.#written;
  }

  async #settle() {
    const idle = new Promise((done) => { this.#idle = done; });
    const wait = () => new Promise((done) => setTimeout(done, patience).unref());
    await Promise.race([idle, wait()]);
    for (const cancel of this.#calls.values()) cancel(new DOMException("the worker ends", "AbortError"));
    await Promise.race([idle, wait()]);
  }
}
