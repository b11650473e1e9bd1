// A home of hookway's own for a test, with hooks and a daemon that is real.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const bin = process.env.HOOKWAY_BIN ?? fileURLToPath(new URL("../../../bin/hookway", import.meta.url));
const sdk = fileURLToPath(new URL("..", import.meta.url));

// home gives a folder with a workspace in it, and takes both away after the test.
// The environment of this process leads there, so tests with one run one by one.
export const home = (t, hooks = "hooks: []\n", files = {}) => {
  const dir = mkdtempSync(path.join(tmpdir(), "hw-"));
  const work = path.join(dir, "work");
  mkdirSync(path.join(work, "node_modules"), { recursive: true });
  const before = { ...process.env };
  Object.assign(process.env, {
    HOOKWAY_HOME: path.join(dir, "home"), HOOKWAY_BIN: bin, HOOKWAY_TRUST: "1", XDG_CONFIG_HOME: path.join(dir, "config"), HOME: dir,
  });
  for (const name of ["HOOKWAY_URL", "HOOKWAY_TOKEN"]) delete process.env[name];
  write(work, { "hookway.yaml": hooks, ...files });
  const stops = [];
  t.after(async () => {
    for (const stop of stops) await stop();
    spawnSync(bin, ["stop"], { env: process.env });
    process.env = before;
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  return { dir, work, onEnd: (stop) => stops.unshift(stop) };
};

const write = (folder, files) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  }
};

// program writes a hook, with the package where Node finds it.
export const program = (t, text, name = "hook.mjs") => {
  const dir = mkdtempSync(path.join(tmpdir(), "hw-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  write(dir, { [name]: withSDK(text) });
  return path.join(dir, name);
};

// withSDK has a text import the package from here.
export const withSDK = (text) => text.replaceAll(/(["'])hookway(\/client)?\1/g, (_, q, c) => JSON.stringify(new URL(`../${c ? "client" : "index"}.js`, import.meta.url).href));

// start runs a program as hookway does. ended settles with what came of it.
export const start = (file, env = {}, args = []) => {
  const { NODE_TEST_CONTEXT: _, HOOK_ACTION: __, ...own } = process.env;
  const child = spawn(process.execPath, [...args, file], { cwd: sdk, env: { ...own, HOOK_ACTION: "execute", ...env } });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => { out[name] += text; });
  child.stdin.on("error", () => {}); // it need not read
  const ended = new Promise((done) => child.on("close", (code, signal) => done({ code, signal, ...out, last: out.stderr.trimEnd().split("\n").at(-1) })));
  return { child, ended, out };
};

// once gives a program one event.
export const once = (file, event, env) => {
  const { child, ended } = start(file, env);
  child.stdin.end(typeof event === "string" ? event : JSON.stringify(event));
  return ended;
};

// worker starts a program as a worker, and speaks with it.
export const worker = (t, file) => {
  const { child, ended, out } = start(file, { HOOKWAY_WORKER: "1" });
  t.after(() => child.kill("SIGKILL"));
  const waiting = new Map();
  let rest = "";
  child.stdout.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const m = JSON.parse(line);
      waiting.get(m.id)?.(m);
      waiting.delete(m.id);
    }
  });
  let id = 0;
  const send = (message) => child.stdin.write(`${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answerTo = (n) => new Promise((done) => waiting.set(n, done));
  const ask = (params) => {
    send({ id: ++id, method: "hook", params });
    return Object.assign(answerTo(id), { id });
  };
  return { child, ended, out, ask, send, answerTo, cancel: (n) => send({ method: "cancel", params: { id: n } }) };
};

export const bash = (command, more) => ({
  hook_event_name: "PreToolUse", session_id: "s-1", transcript_path: "", cwd: "/tmp", event_id: "e", time: "2026-01-01T00:00:00Z",
  tool_name: "Bash", tool_input: { command }, ...more,
});

// until waits for something that nobody tells of.
export const until = async (what, holds, patience = 60_000) => {
  for (const end = Date.now() + patience; Date.now() < end; ) {
    const got = await holds();
    if (got) return got;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`${what}: not within ${patience} ms`);
};

export const pidOf = () => JSON.parse(spawnSync(bin, ["status", "--json"], { encoding: "utf8" }).stdout).pid;
export { readFileSync };
