// An agent that gets its messages with a client, from a daemon that is real.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { Client, Refused } from "../client.js";
import { bin, home } from "./kit.js";

const rules = `
hooks:
  - {id: spam, on: MessageReceived, match: {fields: {content: "*spam*"}}, block: "no spam"}
  - {id: mark, on: MessageReceived, match: {fields: {content: "mark me"}}, modify: {content: "marked"}}
`;

const start = (t) => {
  const { work } = home(t, rules);
  const client = new Client({ cwd: work, agent: "Zoë" });
  t.after(() => client.close());
  const hookway = (...args) => spawnSync(bin, args, { encoding: "utf8", cwd: work }).stdout;
  hookway("trust");
  return { client, hookway };
};

test("a loop takes its messages, answers and confirms them", async (t) => {
  const { client, hookway } = start(t);
  await assert.rejects(client.takeInbox("Zoë"), (e) => e instanceof Refused && e.type === "unknown-name" && /"join": true/.test(e.message));
  assert.deepEqual(await client.takeInbox("Zoë", { join: true }), []);
  for (const text of ["spam", "mark me", "/quit"]) hookway("send", "zoë", text);
  const got = [];
  while (got.length < 2) {
    const some = await client.takeInbox("ZOË", { wait_ms: 30_000, max: 1 });
    assert.deepEqual(await client.doneInbox("Zoë", some), []);
    got.push(...some);
  }
  assert.deepEqual(got.map((m) => m.text), ["marked", "/quit"]);
  assert.match(got[1].shown, /^Message from user \[\w{8}\]: \/quit$/);
  const { message, short } = await client.sendMessage(null, "answer", { reply_to: got[0].id });
  assert.deepEqual([message.from, message.to], ["Zoë", "user"]);
  assert.ok(hookway("receipts", got[0].id).includes(short));
  assert.match((await client.doneInbox("Zoë", ["7k2fq9xm"]))[0].reason, /there is no message/);
});

test("what is not confirmed comes again, also from the next daemon", async (t) => {
  const { client, hookway } = start(t);
  await client.takeInbox("Bob", { join: true });
  hookway("send", "Bob", "hello");
  const first = await client.takeInbox("Bob", { wait_ms: 30_000 });
  hookway("stop");
  const again = await client.takeInbox("Bob", { wait_ms: 30_000 });
  assert.deepEqual(again.map((m) => [m.id, m.repeat]), [[first[0].id, true]]);
  assert.deepEqual(await client.doneInbox("Bob", again), []);
  assert.match(hookway("inbox", "Bob"), /seen +user: hello/);
});

test("a wait ends with a message, or its signal", async (t) => {
  const { client } = start(t);
  await client.takeInbox("Bob", { join: true });
  const stop = new AbortController();
  const ended = assert.rejects(client.takeInbox("Bob", { wait_ms: 60_000, signal: stop.signal }), { name: "AbortError" });
  stop.abort();
  await ended;
  const waits = client.takeInbox("Bob", { wait_ms: 90_000, confirm: false });
  await client.sendMessage("Bob", "hello", { from: "ci" });
  assert.deepEqual((await waits).map((m) => [m.from, m.text]), [["ci", "hello"]]);
  assert.deepEqual(await client.takeInbox("Bob", { wait_ms: 5 }), []);
});
