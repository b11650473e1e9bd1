// The file as a program, in whichever way hookway has started it: for one event,
// as a worker, or to describe itself.

import { realpathSync } from "node:fs";
import { isatty } from "node:tty";
import { pathToFileURL } from "node:url";
import { judge } from "./chain.js";
import { describe } from "./describe.js";
import { parse, stringify } from "./digits.js";
import { report } from "./failure.js";
import { fromDefault, hooks } from "./hooks.js";
import { answer, divert, leave } from "./output.js";
import { serve } from "./worker.js";

const action = process.env.HOOK_ACTION;
let running = false;

// begin waits for the program's own file to be read, and runs its hooks if it is
// a program of hooks: hookway has started it, or it registers some itself. What a
// test imports is none.
export const begin = () => {
  const main = process.argv[1];
  const { NODE_TEST_CONTEXT, VITEST, JEST_WORKER_ID } = process.env;
  if (!main || (!action && (NODE_TEST_CONTEXT || VITEST || JEST_WORKER_ID))) return;
  if (action) prepare(); // also of an agent that is being tested
  setImmediate(async () => {
    let file, exported;
    try {
      file = realpathSync(main);
      exported = await import(pathToFileURL(file).href); // it is there already
    } catch {
      return; // what it threw is uncaught, too
    }
    if (action || hooks.some((h) => h.file === file)) await run(exported, file);
  });
};

// prepare keeps standard output for the answer, and the last line of standard
// error for what went wrong.
const prepare = () => {
  divert();
  process.removeListener("uncaughtException", uncaught);
  process.on("uncaughtException", uncaught);
};

const uncaught = (error) => {
  const { stack, line } = report(error, hooks);
  leave(1, `${stack}${line}\n`);
};

// run runs the hooks. Of itself it happens in a program that hookway has started.
export const run = async (exported = {}, file = process.argv[1]) => {
  if (running) return;
  running = true;
  prepare();
  try {
    fromDefault(exported, file);
    if (hooks.length === 0) await leave(1, `${file}: it has no hooks; begin with on("PreToolUse", (event) => …)\n`);
    else if (action === "describe") await describeAll();
    else if (process.env.HOOKWAY_WORKER) await serve(hooks);
    else await once();
  } catch (error) {
    const { stack, line } = report(error, hooks);
    await leave(1, `${stack}${line}\n`);
  }
};

const describeAll = async () => {
  await answer(`${JSON.stringify(describe(hooks))}\n`);
  await leave(0);
};

const once = async () => {
  if (isatty(0)) await leave(1, `an event in JSON is read from stdin; try: hookway fire ${hooks[0].events[0]}, or hookway test\n`);
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"]) process.once(name, () => stop.abort(ended(name)));
  const parts = [];
  for await (const part of process.stdin) parts.push(part);
  let event;
  try {
    event = parse(Buffer.concat(parts).toString("utf8").replace(/^\ufeff/, ""));
  } catch (error) {
    return leave(1, `stdin is not JSON: ${error.message}\n`);
  }
  const { value } = event;
  if (value === null || typeof value !== "object" || Array.isArray(value)) return leave(1, "stdin is not an event; an event is a JSON object\n");
  const name = process.env.HOOKWAY_EVENT || value.hook_event_name;
  if (typeof name !== "string" || name === "") return leave(1, "the event has no name; hook_event_name says what has happened\n");
  const text = stringify(await judge(hooks, value, name, stop.signal), event);
  if (text !== "{}") await answer(`${text}\n`);
  await leave(0);
};

// ended is why an event ends at a signal. The hook may clean up for a moment.
const ended = (name) => {
  setTimeout(() => process.exit(name === "SIGINT" ? 130 : 143), 1500).unref();
  return new DOMException("nobody waits for the answer any more", "AbortError");
};
