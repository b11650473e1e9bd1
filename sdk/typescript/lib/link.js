// Requests to hookway over connections that are kept. A request is sent again
// when a connection breaks, or a daemon ends. Within one daemon its key makes that
// safe; the next daemon knows no keys, and asks hooks a second time.

import http from "node:http";
import https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { start } from "./daemon.js";
import { HookwayError, NoDaemon, problemOf, TimeoutError } from "./errors.js";
import { check } from "./place.js";

const most = 64; // connections at a time; further requests wait for one
const tries = 5;
const maxAnswer = 64 << 20;

const pause = (failures) => Math.min(50 * 2 ** failures, 1000);
export { pause, tries };

export class Link {
  #agent;
  constructor(place) {
    this.place = place;
    const { Agent } = place.tls ? https : http;
    this.#agent = new Agent({ keepAlive: true, maxSockets: most, maxFreeSockets: most, timeout: 0 });
  }

  // ask sends a request and gives the answer, read from JSON.
  async ask(request, signal) {
    for (let n = 0; ; n++) {
      signal.throwIfAborted();
      try {
        const { status, headers, text } = await this.#once(request, signal);
        if (status === 200) return parsed(text);
        if (status !== 503 || !headers["retry-after"] || n === tries) throw problemOf(status, text);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof HookwayError) throw error;
        if (n === tries) throw this.unreachable(error);
        if (absent(error)) {
          if (!this.place.own) throw this.unreachable(error);
          await settled(start(this.place), signal);
          continue;
        }
      }
      await sleep(pause(n), undefined, { signal }).catch(() => {});
    }
  }

  // open sends a request and gives the response, which goes on.
  open(request, signal, agent = false) {
    const { place } = this;
    if (place.own) check(place);
    return new Promise((done, fail) => {
      const headers = { ...request.headers, ...(place.token ? { authorization: `Bearer ${place.token}` } : {}) };
      if (request.body) headers["content-length"] = request.body.length;
      const to = place.path ? { socketPath: place.path, host: "localhost" } : { host: place.host, port: place.port };
      const r = (place.tls ? https : http).request({ ...to, method: request.method, path: request.path, headers, agent, signal });
      r.on("response", done).on("error", fail).end(request.body);
    });
  }

  async #once(request, signal) {
    const response = await this.open(request, signal, this.#agent);
    const parts = [];
    let size = 0;
    for await (const part of response) {
      if ((size += part.length) > maxAnswer) throw new HookwayError(`what answers sent more than ${maxAnswer >> 20} MiB`);
      parts.push(part);
    }
    return { status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString("utf8") };
  }

  unreachable(why) {
    const { place } = this;
    const said = why.message || why.code;
    const text = place.own
      ? `hookway's daemon at ${place.path} cannot be reached: ${said}; hookway status and hookway doctor find out why`
      : `${place.text} cannot be reached: ${said}; is hookway serve ${place.host ? `--listen ${place.host}:${place.port} ` : ""}running, and HOOKWAY_URL right?`;
    return new NoDaemon(text, { cause: why });
  }

  close() { this.#agent.destroy(); }
}

// absent is whether no daemon is there.
const absent = (error) => ["ENOENT", "ECONNREFUSED"].includes(error.code);

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HookwayError(`hookway's answer is not JSON: ${error.message}`);
  }
};

// settled waits for a promise, or for the signal.
const settled = (promise, signal) =>
  new Promise((done, fail) => {
    const stop = () => fail(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(done, fail).finally(() => signal.removeEventListener("abort", stop));
  });

// within gives a signal that ends with another one, or after so long, and what
// takes it away.
export const within = (ms, outer, why) => {
  outer?.throwIfAborted();
  const stop = new AbortController();
  const passOn = () => stop.abort(outer.reason);
  outer?.addEventListener("abort", passOn, { once: true });
  const timer = setTimeout(() => stop.abort(new TimeoutError(why)), Math.min(ms, 2 ** 31 - 1));
  return {
    signal: stop.signal,
    done: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", passOn);
    },
  };
};
