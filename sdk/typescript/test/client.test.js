// Events fired at a daemon that is real, with hooks that are real.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import test from "node:test";
import { Blocked, Client, HookwayError, NoDaemon, Refused, TimeoutError, TooManyRetries } from "../client.js";
import { bin, home, pidOf, readFileSync, until, withSDK } from "./kit.js";

const rules = `
hooks:
  - {id: blocks, on: PreToolUse, match: {tool: Block}, block: "not here"}
  - {id: allows, on: PreToolUse, match: {tool: Allow}, allow: "known"}
  - {id: asks, on: PreToolUse, match: {tool: Ask}, ask: "sure?"}
  - {id: modifies, on: PreToolUse, match: {tool: Modify}, modify: {tool_input: {command: "ls -l"}}}
  - {id: injects, on: PreToolUse, match: {tool: Inject}, inject: "remember"}
  - {id: answers, on: PreToolUse, match: {tool: Answer}, command: 'echo "{\\"action\\":\\"answer\\",\\"result\\":{\\"cached\\":1}}"'}
  - {id: retries, on: PreToolUse, match: {tool: Retry}, command: 'echo "{\\"action\\":\\"retry\\",\\"retry_delay_ms\\":1}"'}
  - {id: withholds, on: PostToolUse, match: {tool: Withhold}, block: "secret"}
  - {id: rewrites, on: PostToolUse, match: {tool: Rewrite}, modify: {tool_response: {output: "[redacted]"}}}
  - {id: recovers, on: Error, match: {fields: {tool_name: Recover}}, command: 'echo "{\\"action\\":\\"answer\\",\\"result\\":\\"instead\\"}"'}
  - {id: hangs, on: PreToolUse, match: {tool: Hang}, command: 'echo $$ >"$HANG"; exec sleep 600'}
`;

const clientOf = (t, options) => {
  const client = new Client(options);
  t.after(() => client.close());
  return client;
};

const use = (tool_name, command = "ls") => ({ tool_name, tool_input: { command } });

test("every decision is an outcome, from a daemon that was not running", async (t) => {
  const { work, dir } = home(t, rules);
  const client = clientOf(t, { cwd: work, session_id: "s-7" });
  const fire = async (tool) => client.fire("PreToolUse", use(tool));
  let out = await fire("Block");
  assert.deepEqual([out.action, out.reason, out.by, out.steps.length], ["block", "not here", "blocks", 1]);
  assert.equal((await fire("Allow")).action, "allow");
  assert.equal((await fire("Ask")).action, "ask");
  out = await fire("Modify");
  assert.deepEqual([out.action, out.payload.tool_input], ["continue", { command: "ls -l" }]);
  assert.equal((await fire("Inject")).inject, "remember");
  assert.deepEqual((await fire("Answer")).result, { cached: 1 });
  out = await fire("Retry");
  assert.deepEqual([out.action, out.retry_delay_ms], ["retry", 1]);
  assert.equal((await fire("Other")).action, "continue");
  const log = spawnSync(bin, ["log", "--json"], { encoding: "utf8", cwd: work }).stdout;
  assert.match(log, /"session":"s-7"/, dir);
});

test("wrong calls say what is wrong", async (t) => {
  const { work } = home(t);
  const client = clientOf(t, { cwd: work });
  const refused = (promise, type, text) => assert.rejects(promise, (e) => e instanceof Refused && e.type === type && text.test(e.message));
  await refused(client.fire("PreToolUze", use("A")), "unknown-event", /PreToolUse/);
  await refused(client.fire("PreToolUse", { tool_name: 5 }), "bad-payload", /tool_name/);
  await refused(client.fire("PreToolUse", use("A"), { cwd: "relative" }), "bad-request", /cwd/);
  await assert.rejects(client.fire(""), TypeError);
  await assert.rejects(client.fire("PreToolUse", { tool_name: 1n }), /cannot be written in JSON/);
  await assert.rejects(client.fire("PreToolUse", use("A"), { timeout_ms: -1 }), RangeError);
});

test("hooks have the environment of the agent, variables of many lines too", async (t) => {
  const { work } = home(t, `hooks:\n  - {id: says, on: PostToolUse, command: 'echo "$TICKET" >&2; exit 2'}\n`);
  const client = clientOf(t, { cwd: work });
  const reason = async () => (await client.fire("PostToolUse", { ...use("A"), tool_response: { success: true, output: "" } })).reason;
  process.env.TICKET = "T-1"; // the daemon, which begins now, has it, too
  assert.equal(await reason(), "T-1");
  process.env.TICKET = "T-1\n\tź";
  assert.equal(await reason(), "T-1\n\tź");
});

test("an event ends with its time or its signal, and so does the hook", async (t) => {
  const { work, dir } = home(t, rules);
  const client = clientOf(t, { cwd: work, env: { ...process.env, HANG: path.join(dir, "pid") } });
  const hanging = () => until("the hook to begin", () => {
    try { return Number(readFileSync(path.join(dir, "pid"), "utf8")) || undefined; } catch { return undefined; }
  });
  const gone = (pid) => until("the hook to end", () => {
    try { process.kill(pid, 0); return false; } catch { return true; }
  });
  const stop = new AbortController();
  const aborted = assert.rejects(client.fire("PreToolUse", use("Hang"), { signal: stop.signal }), (e) => e === stop.signal.reason);
  const pid = await hanging();
  stop.abort(new Error("enough"));
  await aborted;
  await gone(pid);
  await assert.rejects(client.fire("PreToolUse", use("Hang"), { timeout_ms: 500 }), TimeoutError);
  await assert.rejects(client.fire("PreToolUse", use("A"), { signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.equal((await client.fire("PreToolUse", use("A"))).action, "continue");
});

test("1,000 events at once", async (t) => {
  const { work } = home(t, "hooks:\n  - {id: worker, on: PreToolUse, command: [node, hook.mjs], mode: worker}\n", {
    "hook.mjs": withSDK('import { on, inject } from "hookway"; on("PreToolUse", (e) => inject(e.tool_input.command));'),
  });
  const client = clientOf(t, { cwd: work });
  const outs = await Promise.all(Array.from({ length: 1000 }, (_, i) => client.fire("PreToolUse", use("Bash", `call ${i}`))));
  outs.forEach((out, i) => assert.equal(out.inject, `call ${i}`, JSON.stringify(out.steps)));
});

test("a daemon that is killed is replaced", async (t) => {
  const { work } = home(t, rules);
  const client = clientOf(t, { cwd: work });
  for (let i = 0; i < 3; i++) {
    assert.equal((await client.fire("PreToolUse", use("Block"))).action, "block");
    process.kill(pidOf(), "SIGKILL");
  }
  const outs = await Promise.all(Array.from({ length: 50 }, () => client.fire("PreToolUse", use("Block"))));
  assert.ok(outs.every((o) => o.action === "block"));
});

test("no daemon, and none to start, says what to do", async (t) => {
  const { work } = home(t);
  process.env.HOOKWAY_BIN = path.join(work, "missing");
  await assert.rejects(clientOf(t).fire("Idle"), (e) => e instanceof NoDaemon && /HOOKWAY_BIN/.test(e.message));
  process.env.HOOKWAY_HOME += "2";
  delete process.env.HOOKWAY_BIN;
  process.env.PATH = "/nowhere";
  await assert.rejects(clientOf(t).fire("Idle"), /hookway is not on PATH to start it: install it/);
  process.env.HOOKWAY_HOME += "3";
  process.env.HOOKWAY_BIN = "/bin/false";
  await assert.rejects(clientOf(t).fire("Idle"), /ended before it took calls; hookway serve says why/);
  await assert.rejects(clientOf(t, { url: "http://127.0.0.1:1", token: "x" }).fire("Idle"), (e) => e instanceof NoDaemon && /hookway serve --listen 127\.0\.0\.1:1/.test(e.message));
  assert.throws(() => new Client({ url: "http://127.0.0.1:1" }), (e) => e instanceof HookwayError && /HOOKWAY_TOKEN/.test(e.message));
  assert.throws(() => new Client({ url: "ftp://x" }), /write it like http:/);
});

test("a socket in a folder that is open to others is refused", { skip: process.platform === "win32" && "Windows has no such folders" }, async (t) => {
  const { dir } = home(t);
  spawnSync("mkdir", ["-p", "-m", "777", path.join(dir, "home", "run")]);
  await assert.rejects(clientOf(t).fire("Idle"), /open to others; close it with chmod 700/);
});

test("over TCP, with a token", async (t) => {
  const { work, onEnd } = home(t, rules);
  spawnSync(bin, ["trust"], { cwd: work }); // who comes in at a door brings no trust
  const daemon = spawn(bin, ["serve", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "pipe"] });
  onEnd(async () => { daemon.kill(); await once(daemon, "close"); });
  let said = "";
  for (const s of [daemon.stdout, daemon.stderr]) s.setEncoding("utf8").on("data", (text) => { said += text; });
  const port = await until("the daemon to listen", () => /127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
  const token = readFileSync(spawnSync(bin, ["serve", "--token"], { encoding: "utf8" }).stdout.trim(), "utf8").trim();
  process.env.HOOKWAY_URL = `http://127.0.0.1:${port}`;
  process.env.HOOKWAY_TOKEN = token;
  const out = await clientOf(t).fire("PreToolUse", use("Block"), { cwd: work });
  assert.equal(out.action, "block");
  await assert.rejects(clientOf(t, { token: "wrong" }).fire("Idle"), (e) => e instanceof Refused && e.status === 401);
});

test("what hooks decide can be watched, over the end of a daemon", async (t) => {
  const { work } = home(t, rules);
  const client = clientOf(t, { cwd: work });
  const watch = await client.watch({ session: "w" }).open();
  const seen = [];
  const reading = (async () => { for await (const record of watch) seen.push(record.reason); })();
  await client.fire("PreToolUse", use("Block"), { session_id: "other" });
  await client.fire("PreToolUse", use("Block"), { session_id: "w" });
  await until("the first record", () => seen.length === 1);
  process.kill(pidOf(), "SIGKILL");
  await client.fire("PreToolUse", use("Ask"), { session_id: "w" });
  await until("the record of the next daemon", () => seen.length === 2);
  watch.close();
  await reading;
  assert.deepEqual(seen, ["not here", "sure?"]);
  for await (const _ of client.watch({ signal: AbortSignal.abort() })) assert.fail("it was ended before it began");
  await assert.rejects(client.watch({ event: "Nonsense", cwd: "relative" }).open(), Refused);
  const hooks = await client.watch({ event: "hook:completed" }).open();
  await client.fire("PreToolUse", use("Block"), { session_id: "hooks" });
  for await (const change of hooks) {
    assert.deepEqual([change.type, change.hookType], ["hook:completed", "PreToolUse"]);
    break;
  }
  const breaks = client.watch();
  await breaks.open();
  await client.fire("PreToolUse", use("Ask"));
  for await (const record of breaks) {
    assert.equal(record.event, "PreToolUse");
    break;
  }
});

test("a tool with hooks around it", async (t) => {
  const { work } = home(t, rules);
  const client = clientOf(t, { cwd: work });
  const ran = [];
  const wrapped = (name, options) => client.guardTool({ name, execute: async (input, more) => { ran.push([input.command, more]); return `ran ${input.command}`; } }, options).execute({ command: "ls" }, "more");
  assert.equal(await wrapped("Plain"), "ran ls");
  assert.equal(await wrapped("Modify"), "ran ls -l");
  assert.equal(await wrapped("Inject"), "ran ls\n\nremember");
  const told = [];
  assert.equal(await wrapped("Inject", { inject: (text) => told.push(text) }), "ran ls");
  assert.deepEqual(told, ["remember"]);
  assert.equal(await wrapped("Rewrite"), "[redacted]");
  assert.deepEqual(ran.splice(0), [["ls", "more"], ["ls -l", "more"], ["ls", "more"], ["ls", "more"], ["ls", "more"]]);
  assert.deepEqual(await wrapped("Answer"), { cached: 1 });
  await assert.rejects(wrapped("Block"), (e) => e instanceof Blocked && e.message === "not here" && !e.ran);
  await assert.rejects(wrapped("Ask"), (e) => e instanceof Blocked && e.message === "sure?");
  await assert.rejects(wrapped("Retry"), (e) => e instanceof TooManyRetries && /more than 10 retries/.test(e.message));
  assert.deepEqual(ran, []);
  assert.equal(await wrapped("Ask", { ask: async (outcome) => outcome.reason === "sure?" }), "ran ls");
  await assert.rejects(wrapped("Withhold"), (e) => e instanceof Blocked && e.ran && e.message === "secret");
  const fails = (name) => client.guardTool(async () => { throw new Error("broken"); }, { name })({});
  await assert.rejects(fails("Fails"), /^Error: broken$/);
  assert.equal(await fails("Recover"), "instead");
  class Shell { name = "Shell"; run(input) { return { said: input.command, by: this.constructor.name }; } }
  const shell = client.guardTool(new Shell());
  assert.ok(shell instanceof Shell);
  assert.deepEqual(await shell.run({ command: "ls" }), { said: "ls", by: "Shell" });
  assert.throws(() => client.guardTool({}), /a tool is a function, or an object with one of the methods/);
  await assert.rejects(client.guardTool(() => 1, { name: "x" })("text"), /takes one object/);
});
