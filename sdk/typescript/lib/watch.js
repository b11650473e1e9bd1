// What hooks decide, as it happens: a stream of server-sent events, opened again
// when it breaks.

import { setTimeout as sleep } from "node:timers/promises";
import { HookwayError, NoDaemon, problemOf } from "./errors.js";
import { start } from "./daemon.js";
import { pause, tries } from "./link.js";

const silence = 45_000; // after it a stream counts as broken; hookway says something each 15 s
const maxEvent = 64 << 20;

export class Watch {
  #link;
  #filters;
  #missed;
  #stop = new AbortController();
  #last = "";
  #response; // of the stream that is open
  #was = false; // it has been open

  constructor(link, { session, event, cwd, hooks, signal, onMissed } = {}) {
    this.#link = link;
    this.#filters = Object.entries({ session, event, cwd, hooks }).filter(([, v]) => v);
    this.#missed = onMissed ?? ((n) => process.emitWarning(`${n} records came faster than they were read, and were left out; hookway log has them`));
    if (signal?.aborted) this.close();
    signal?.addEventListener("abort", () => this.close(), { once: true });
  }

  // open connects now, so that nothing that happens from here on is missed.
  async open() {
    if (this.#response || this.#stop.signal.aborted) return this;
    const headers = { accept: "text/event-stream", ...(this.#last ? { "last-event-id": this.#last } : {}) };
    const query = this.#filters.length ? `?${new URLSearchParams(this.#filters)}` : "";
    const request = { method: "GET", path: `/v1/watch${query}`, headers };
    let response;
    try {
      response = await this.#link.open(request, this.#stop.signal);
    } catch (error) {
      if (this.#was || !this.#link.place.own || !["ENOENT", "ECONNREFUSED"].includes(error.code)) throw error;
      await start(this.#link.place);
      response = await this.#link.open(request, this.#stop.signal);
    }
    if (response.statusCode !== 200) {
      let text = "";
      for await (const part of response.setEncoding("utf8")) text += part;
      throw problemOf(response.statusCode, text);
    }
    response.setTimeout(silence, () => response.destroy(new Error("hookway said nothing for long")));
    [this.#response, this.#was] = [response, true];
    return this;
  }

  // close ends it, also for who waits for the next record.
  close() {
    this.#stop.abort();
    this.#response?.destroy();
  }

  async *[Symbol.asyncIterator]() {
    const { signal } = this.#stop;
    try {
      for (let failures = 0; !signal.aborted; ) {
        try {
          await this.open();
          failures = 0;
          yield* this.#records();
        } catch (error) { // whoever ended the daemon may not want another one: it is waited for
          if (signal.aborted) return;
          if (error instanceof HookwayError && !(error instanceof NoDaemon) && error.status !== 503) throw error;
          const mayReturn = this.#link.place.own && this.#was;
          if (++failures > tries && !mayReturn) throw error instanceof HookwayError ? error : this.#link.unreachable(error);
        }
        this.#response = undefined;
        await sleep(pause(failures), undefined, { signal }).catch(() => {});
      }
    } finally {
      this.close();
    }
  }

  async *#records() {
    let rest = "";
    for await (const part of this.#response.setEncoding("utf8")) {
      const events = (rest + part).split("\n\n");
      rest = events.pop();
      if (rest.length > maxEvent) throw new HookwayError(`hookway's stream has an event of more than ${maxEvent >> 20} MiB`);
      for (const text of events) {
        const record = this.#recordOf(text);
        if (record) yield record;
      }
    }
  }

  // recordOf reads one event of the stream.
  #recordOf(text) {
    const fields = { event: "message", id: this.#last, data: "" };
    for (const line of text.split("\n")) {
      const [, name, value] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
      if (name === "data") fields.data += (fields.data && "\n") + value;
      else if (name) fields[name] = value;
    }
    this.#last = fields.id;
    if (fields.event !== "outcome" && fields.event !== "missed" && !fields.event.startsWith("hook:")) return undefined;
    let value;
    try {
      value = JSON.parse(fields.data);
    } catch (error) {
      throw new HookwayError(`hookway's stream has a record that cannot be read (${error.message}); is the hookway that runs newer than this package?`);
    }
    if (fields.event !== "missed") return value;
    this.#missed(value.count);
    return undefined;
  }
}
