// A client for agents: it fires events, and keeps connections open between them.

import { randomUUID } from "node:crypto";
import { Link, within } from "./lib/link.js";
import { find } from "./lib/place.js";
import { wrap } from "./lib/tool.js";
import { Watch } from "./lib/watch.js";

export { Blocked, HookwayError, NoDaemon, Refused, TimeoutError, TooManyRetries } from "./lib/errors.js";

const defaultTimeout = 600_000; // longer than any hook
const grace = 5_000; // for hookway to answer beyond the time that it was given

export class Client {
  #link;
  #defaults;
  #env;
  #timeout;

  constructor({ url, token, session_id, agent, source = "typescript", cwd, env, timeout_ms = defaultTimeout } = {}) {
    this.#link = new Link(find({ url, token }));
    this.#defaults = { session_id, agent, source, cwd };
    this.#env = env;
    this.#timeout = timeout_ms;
  }

  // fire asks the hooks of an event. That they refuse is an outcome; an error
  // means that there is none.
  async fire(event, payload, { session_id, agent, source, cwd, metadata, env, timeout_ms = this.#timeout, dry_run, signal } = {}) {
    if (typeof event !== "string" || event === "") throw new TypeError('fire wants the name of an event: fire("PreToolUse", {…})');
    if (!(timeout_ms > 0 && timeout_ms < 1e11)) throw new RangeError(`a timeout of ${timeout_ms} ms is impossible`);
    const own = Object.fromEntries(Object.entries({ session_id, agent, source, cwd, metadata, dry_run }).filter(([, v]) => v !== undefined));
    const message = { ...this.#defaults, ...own, event, payload, timeout_ms, env: env ?? this.#env ?? environment(this.#link.place) };
    message.cwd ??= process.cwd();
    let body;
    try {
      body = Buffer.from(JSON.stringify(message));
    } catch (error) {
      throw new TypeError(`the payload of ${event} cannot be written in JSON: ${error.message}`);
    }
    const limit = within(timeout_ms + grace, signal, "hookway did not answer in time; hookway status says whether its daemon hangs");
    const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
    try {
      return await this.#link.ask({ method: "POST", path: "/v1/events", headers, body }, limit.signal);
    } finally {
      limit.done();
    }
  }

  // watch gives what hooks decide, as it happens.
  watch(filters) { return new Watch(this.#link, filters); }

  // guardTool puts hooks around a tool.
  guardTool(tool, options) { return wrap(this, tool, options); }

  // close closes the connections. The client can still be used.
  close() { this.#link.close(); }
}

// environment is what hooks find in theirs: on this machine, all that the agent has.
const environment = (place) => {
  const { HOOKWAY_TOKEN: _, HOOKWAY_READY_FD: __, ...all } = process.env;
  const names = place.own ? Object.keys(all) : ["HOOKWAY_SESSION", "HOOKWAY_AGENT", "HOOKWAY_DEPTH"];
  return Object.fromEntries(names.filter((n) => all[n] !== undefined).map((n) => [n, all[n]]));
};
