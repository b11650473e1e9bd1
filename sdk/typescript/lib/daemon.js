// Starting the daemon when nobody has.

import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { NoDaemon } from "./errors.js";
import { check } from "./place.js";

const startTime = 15_000; // how long it may take
const otherTime = 3_000; // for one that somebody else has started meanwhile
const afterFailure = 2_000; // nobody tries again so soon: else every event would pay for it

const starting = new Map(); // by socket: one start at a time
const failed = new Map(); // by socket: the error, and when

// start starts the daemon. Of several that do so at once, hookway lets one live.
export const start = (place) => {
  const last = failed.get(place.path);
  if (last && Date.now() - last.at < afterFailure) return Promise.reject(last.error);
  let under = starting.get(place.path);
  if (!under) {
    under = begin(place).then(
      () => void failed.delete(place.path),
      (error) => {
        failed.set(place.path, { error, at: Date.now() });
        throw error;
      },
    );
    under.finally(() => starting.delete(place.path)).catch(() => {});
    starting.set(place.path, under);
  }
  return under;
};

const begin = async (place) => {
  const program = find();
  mkdirSync(place.folder, { recursive: true, mode: 0o700 });
  check(place);
  const windows = process.platform === "win32";
  const child = spawn(program, ["serve", "--on-demand"], {
    cwd: windows ? place.folder : "/", env: environment(windows), detached: true, windowsHide: true,
    stdio: windows ? "ignore" : ["ignore", "ignore", "ignore", "pipe"],
  });
  child.unref();
  const over = new Promise((done, fail) => {
    child.once("exit", done);
    child.once("error", (e) => fail(new NoDaemon(`hookway's daemon cannot be started: ${e.message}; set HOOKWAY_BIN to the place of hookway`)));
  });
  over.catch(() => {}); // told below
  const ready = child.stdio?.[3];
  const closed = ready && new Promise((done) => ready.once("close", done).once("error", done).resume()); // it takes calls, or has ended
  const giveUp = AbortSignal.timeout(startTime);
  try {
    await Promise.race([over, closed ?? up(place, giveUp), late(giveUp)]);
  } finally {
    ready?.destroy();
  }
  if (!(await up(place, AbortSignal.timeout(otherTime)))) throw new NoDaemon("hookway's daemon ended before it took calls; hookway serve says why");
};

const late = (signal) =>
  new Promise((_, fail) => {
    signal.addEventListener("abort", () => fail(new NoDaemon("hookway's daemon did not start in time; hookway serve says why")));
  });

// up waits until something takes calls. It gives false when the signal says so.
const up = async (place, signal) => {
  for (let pause = 1; !signal.aborted; pause = Math.min(2 * pause, 50)) {
    const connected = await new Promise((done) => {
      const s = net.connect(place.path, () => done(true)).on("error", () => done(false));
      s.once("connect", () => s.destroy());
    });
    if (connected) return true;
    await new Promise((done) => setTimeout(done, pause));
  }
  return false;
};

const find = () => {
  const given = process.env.HOOKWAY_BIN;
  if (given) return path.resolve(given);
  const names = process.platform === "win32" ? ["hookway.exe"] : ["hookway"];
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    for (const name of names) {
      const file = path.join(folder, name);
      try {
        if (path.isAbsolute(folder)) accessSync(file, constants.X_OK);
        else continue;
        return file;
      } catch {} // the next one
    }
  }
  throw new NoDaemon(
    "hookway's daemon does not run, and hookway is not on PATH to start it: install it, or set HOOKWAY_BIN to its place, or HOOKWAY_URL to a daemon elsewhere",
  );
};

// environment is ours, but for what belongs to one session or one hook.
const environment = (windows) => {
  const { HOOKWAY_SESSION: _, HOOKWAY_TOKEN: __, HOOK_ACTION: ___, HOOKWAY_WORKER: ____, HOOKWAY_READY_FD: _____, ...env } = process.env;
  if (env.HOOKWAY_HOME) env.HOOKWAY_HOME = path.resolve(env.HOOKWAY_HOME);
  return windows ? env : { ...env, HOOKWAY_READY_FD: "3" };
};
