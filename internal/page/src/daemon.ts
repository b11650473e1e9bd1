// The daemon as the page sees it: whether it is there, what it answers, what it tells.

import { useEffect, useReducer, useRef } from "preact/hooks";
import { pause } from "./backoff";
import { obj, str, yes } from "./decode";
import { ask, bundle, enter, hasToken, leave, Problem } from "./door";
import { Signal } from "./signal";

export type Link =
  | { is: "waiting" } // for the first answer
  | { is: "here" }
  | { is: "gone"; since: number; next: number }
  | { is: "outside"; why: string }; // no session: somebody has to run hookway ui

export interface Who {
  pin: boolean;
  version: string;
  until: string;
  old: boolean; // the daemon has another page than this one
}

export const state = new Signal<Link>({ is: "waiting" });
export const who = new Signal<Who>({ pin: false, version: "", until: "", old: false });
export const clockOff = new Signal(0); // ms that the daemon's clock is ahead of this one's

/** How often the daemon came back; views ask again what they show. */
export const returned = new Signal(0);

/** How many answers are waited for. */
export const asking = new Signal(0);

let tries = 0;
let timer: ReturnType<typeof setTimeout> | undefined; // until the next try, where the daemon is gone

/** The daemon could not be reached. */
export class Away extends Error {
  constructor() {
    super("The daemon is not there. Try again when it is back.");
  }
}

/** Asks the daemon; what cannot be reached is noted for all views. */
export async function request(path: string, options: RequestInit & { pin?: string } = {}): Promise<Response> {
  try {
    const answer = await ask(path, options);
    const date = Date.parse(answer.headers.get("Date") ?? "");
    if (!Number.isNaN(date)) clockOff.set(Math.abs(date - Date.now()) > 60_000 ? date - Date.now() : 0);
    arrived();
    return answer;
  } catch (err) {
    if (err instanceof Problem) {
      if (err.status === 401) outside(err.message);
      else arrived();
    } else if (!options.signal?.aborted) {
      lost();
      throw new Away();
    }
    throw err;
  }
}

/** Asks for JSON. */
export async function json(path: string, options: RequestInit & { pin?: string; send?: unknown } = {}): Promise<unknown> {
  const { send, ...rest } = options;
  if (send !== undefined) {
    rest.method ??= "POST";
    rest.headers = { "Content-Type": "application/json" };
    rest.body = JSON.stringify(send);
  }
  asking.set(asking.value + 1);
  try {
    return await (await request(path, rest)).json();
  } finally {
    asking.set(asking.value - 1);
  }
}

function rest(): void {
  clearTimeout(timer);
  timer = undefined;
}

function outside(why: string): void {
  rest();
  state.set({ is: "outside", why });
  // Another tab may log in; or what somebody else had put between is gone again.
  if (hasToken()) timer = setTimeout(() => ((timer = undefined), void greet()), 15_000);
}

addEventListener("focus", () => {
  if (state.value.is === "outside" && hasToken()) void greet();
});

function arrived(): void {
  if (state.value.is === "here") return;
  const back = state.value.is !== "waiting";
  tries = 0;
  rest();
  state.set({ is: "here" });
  if (back) {
    returned.set(returned.value + 1);
    void greet();
  }
}

function lost(): void {
  if (timer !== undefined || (state.value.is === "outside" && !hasToken())) return;
  const since = state.value.is === "gone" ? state.value.since : Date.now();
  const wait = pause(tries++);
  timer = setTimeout(() => ((timer = undefined), void greet()), wait);
  state.set({ is: "gone", since, next: Date.now() + wait });
}

/** Asks at once whether the daemon is back. */
export function again(): void {
  tries = 0;
  rest();
  void greet();
}

/** Asks who this page is to the daemon. */
export async function greet(): Promise<void> {
  try {
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), 10_000);
    let o;
    try {
      o = obj(await (await ask("/session", { signal: stop.signal })).json());
    } finally {
      clearTimeout(late);
    }
    const served = str(o.bundle);
    who.set({ pin: yes(o.pin), version: str(o.version), until: str(o.until), old: served !== "" && bundle !== "" && served !== bundle });
    arrived();
  } catch (err) {
    if (err instanceof Problem && err.status === 401) outside(err.message);
    else if (err instanceof Problem) arrived();
    else lost();
  }
}

/** Logs in with the link of the address, if there is one, and begins; also with one that is put there later. */
export function begin(): void {
  addEventListener("hashchange", () => location.hash.startsWith("#link=") && void logIn());
  void logIn();
}

async function logIn(): Promise<void> {
  try {
    await enter();
  } catch (err) {
    if (err instanceof Problem) return outside(err.message);
    return lost();
  }
  await greet();
}

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  try {
    await leave();
  } catch (err) {
    if (!(err instanceof Problem)) return lost();
  }
  outside("You have signed out here.");
}

/** The answer to a question of a view. */
export interface Query<T> {
  data: T | undefined; // the last one that came, also while another is asked for
  problem: string;
  lacking: boolean; // this daemon does not have it
  loading: boolean;
  reload: () => void;
}

/** Whether a problem says that the daemon does not know the path. */
export function isLacking(err: unknown): boolean {
  return err instanceof Problem && ((err.status === 404 && err.kind === "no-such-path") || err.status === 405 || err.status === 501);
}

/** What is wrong with the PIN that was sent; "" if it is something else. */
export function wrongPIN(err: unknown): string {
  return err instanceof Problem && (err.kind === "pin-needed" || err.kind === "too-many") ? told(err) : "";
}

export function told(err: unknown): string {
  if (err instanceof Problem) return err.message || `the daemon answered ${err.status}`;
  return err instanceof Error ? err.message : String(err);
}

/**
 * Asks for JSON while the view is shown: when the path becomes another, when the daemon is
 * back, and every so often, if that is said. What is there stays until its successor is.
 */
export function useQuery<T>(path: string | null, read: (v: unknown) => T, every = 0): Query<T> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const q = useRef<Query<T> & { path: string | null }>({ path: null, data: undefined, problem: "", lacking: false, loading: true, reload: () => undefined });
  useEffect(() => {
    let over = false, stop = new AbortController();
    let next: ReturnType<typeof setTimeout> | undefined;
    if (path === null) return;
    const run = async () => {
      clearTimeout(next);
      stop.abort();
      const mine = (stop = new AbortController());
      try {
        const data = read(await json(path, { signal: mine.signal }));
        if (over || mine.signal.aborted) return;
        Object.assign(q.current, { data, problem: "", lacking: false, loading: false, path });
      } catch (err) {
        if (over || mine.signal.aborted) return;
        const known = err instanceof Problem || state.value.is !== "gone";
        if (q.current.path !== path && known) q.current.data = undefined;
        Object.assign(q.current, { problem: known ? told(err) : "", lacking: isLacking(err), loading: !known && q.current.data === undefined, path });
      }
      redraw(undefined);
      // While the daemon is gone nothing is asked: it is told when it is back.
      if (every > 0 && state.value.is === "here") next = setTimeout(() => void run(), document.hidden ? every * 5 : every);
    };
    q.current.reload = () => void run();
    q.current.loading = true;
    redraw(undefined);
    void run();
    const unlisten = returned.listen(() => void run());
    const seen = () => every > 0 && !document.hidden && void run(); // timers of a hidden page are slow
    document.addEventListener("visibilitychange", seen);
    return () => {
      over = true;
      clearTimeout(next);
      stop.abort();
      unlisten();
      document.removeEventListener("visibilitychange", seen);
    };
  }, [path, every]);
  return q.current;
}
