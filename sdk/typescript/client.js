// A client for agents: it fires events, and keeps connections open between them.

import { randomUUID } from "node:crypto";
import { Link, within } from "./lib/link.js";
import { find } from "./lib/place.js";
import { wrap } from "./lib/tool.js";
import { Watch } from "./lib/watch.js";

export { Blocked, HookwayError, NoDaemon, Refused, TimeoutError, TooManyRetries } from "./lib/errors.js";

const defaultTimeout = 600_000; // longer than any hook
const mostWait = 60_000; // hookway waits for messages; a longer wait is asked for again
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

  // takeInbox gives the messages that wait for an agent, the most urgent first. Who
  // takes them is that agent.
  async takeInbox(name, { max = 20, wait_ms = 0, confirm = true, lease_ms = 60_000, join = false, cwd, signal } = {}) {
    if (!(wait_ms >= 0 && wait_ms < 1e11)) throw new RangeError(`to wait for ${wait_ms} ms is impossible`);
    const end = performance.now() + wait_ms;
    for (;;) {
      const span = Math.max(Math.min(end - performance.now(), mostWait), 0);
      const body = { max, wait_ms: span, confirm, lease_ms, join, cwd: this.#folder(cwd) };
      const { messages } = await this.#post(inbox(name, "take"), body, span, signal);
      if (messages.length || span === 0 || performance.now() >= end) return messages;
    }
  }

  // doneInbox confirms messages that were taken, or their ids, and gives those that
  // could not be.
  async doneInbox(name, messages, { signal } = {}) {
    const ids = Array.from(messages, (m) => (typeof m === "string" ? m : m.id));
    if (!ids.length) return [];
    return (await this.#post(inbox(name, "done"), { ids }, 0, signal)).left ?? [];
  }

  // sendMessage sends a message: it is on disk when this ends. Its id makes it one,
  // however often it is sent.
  async sendMessage(to, content, { from = this.#defaults.agent, reply_to, thread, priority, metadata, cwd, signal } = {}) {
    const body = { id: randomUUID(), to: to ?? undefined, content, from, reply_to, thread, priority, metadata, cwd: this.#folder(cwd) };
    return this.#post("/v1/messages", body, 0, signal);
  }

  // #folder is the one whose hooks see messages; another machine has none of ours.
  #folder(cwd) { return cwd ?? this.#defaults.cwd ?? (this.#link.place.own ? process.cwd() : undefined); }

  async #post(path, message, wait_ms, signal) {
    const limit = within(wait_ms + this.#timeout + grace, signal, "hookway did not answer in time; hookway status says whether its daemon hangs");
    const headers = { "content-type": "application/json" };
    try {
      return await this.#link.ask({ method: "POST", path, headers, body: Buffer.from(JSON.stringify(message)) }, limit.signal);
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

const inbox = (name, what) => {
  if (typeof name !== "string" || name === "") throw new TypeError("an inbox is that of an agent: give its name");
  return `/v1/inbox/${encodeURIComponent(name)}/${what}`;
};

// environment is what hooks find in theirs: on this machine, all that the agent has.
const environment = (place) => {
  const { HOOKWAY_TOKEN: _, HOOKWAY_READY_FD: __, ...all } = process.env;
  const names = place.own ? Object.keys(all) : ["HOOKWAY_SESSION", "HOOKWAY_AGENT", "HOOKWAY_DEPTH"];
  return Object.fromEntries(names.filter((n) => all[n] !== undefined).map((n) => [n, all[n]]));
};
