// What is put on record, as it is: one stream for all pages of this browser.
//
// A browser opens six connections to a host, and a stream keeps one. So of the pages that
// want it one holds the stream, and tells the others over a channel. Which one is settled
// by a lock of the browser: it is free again when its page is closed, crashes, is frozen or
// wants it no more, and the next page goes on. A hidden page may hold it, since what comes
// over a connection is not held back there, as timers are. A page that is looked at and gets
// no sign from who holds the lock takes it away. Where there are no locks each page has a
// stream of its own, and lets go of it while it is hidden.
//
// What is told says after which record it comes, so that nothing is lost and nothing told
// twice, whoever holds the stream: see listener.ts.

import { pause } from "./backoff";
import { greet, json, request, state } from "./daemon";
import { each, num, obj } from "./decode";
import { bundle } from "./door";
import { Listener, type Told } from "./listener";
import { sleep, under } from "./signal";
import { readStream, type Said } from "./sse";

const name = "hookway-live-" + bundle; // pages of two versions do not share
const silence = 45_000; // three times as long as the daemon is silent
const answerTime = 2_000; // for who holds the stream to give a sign

const listeners = new Set<Listener>();
let known = -1; // the last record that this page heard of
let heard = 0; // when something was told
let holding = false;
let channel: BroadcastChannel | null = null;
let taking: AbortController | null = null; // this page wants the stream, until that is aborted
let queued: AbortController | null = null; // it waits for the lock
let unanswered: ReturnType<typeof setTimeout> | undefined;

/**
 * Tells what is put on record after a record, or from now on (-1), until what it gives back
 * is called. Null says that all is well; it comes every 15 seconds at least.
 */
export function listen(tell: (one: Said | null) => void, after = -1): () => void {
  const one = new Listener(after, tell, read);
  listeners.add(one);
  if (taking === null) begin((taking = new AbortController()).signal);
  else if (holding) one.take({ after: known, at: known, events: [] });
  else channel?.postMessage("who");
  return () => {
    listeners.delete(one);
    one.gone.abort();
    setTimeout(() => listeners.size === 0 && end(), 1000); // the next view may want it, too
  };
}

async function read(after: number, said: (events: Said[]) => void, stop: AbortController): Promise<void> {
  const headers: HeadersInit = after >= 0 ? { "Last-Event-ID": String(after) } : {};
  const answer = await request("/v1/watch", { headers, signal: stop.signal });
  said([]);
  await readStream(answer, silence, said, stop);
}

function begin(signal: AbortSignal): void {
  if (!("locks" in navigator) || !("BroadcastChannel" in globalThis)) return void alone(signal);
  channel = new BroadcastChannel(name);
  channel.onmessage = (e) => hear(e.data as Told | "who" | "over");
  void queue(signal, false);
  callOut();
}

function end(): void {
  taking?.abort();
  channel?.close();
  taking = channel = null;
  known = -1;
}

function hear(said: Told | "who" | "over"): void {
  if (said === "who") {
    if (holding) channel!.postMessage({ after: known, at: known, events: [] });
  } else if (holding) {
    return; // it was said before this page got the lock
  } else if (said === "over") void greet();
  else take(said);
}

function take(told: Told): void {
  heard = Date.now();
  clearTimeout(unanswered);
  known = told.at;
  for (const one of [...listeners]) one.take(told);
}

/** Waits for a sign of who holds the stream. Where there is none, they are stopped or stuck. */
function callOut(): void {
  if (holding || !channel) return;
  channel.postMessage("who");
  clearTimeout(unanswered);
  unanswered = setTimeout(() => !holding && taking && !document.hidden && void queue(taking.signal, true), answerTime);
}

document.addEventListener("visibilitychange", () => !document.hidden && callOut());
document.addEventListener("freeze", () => channel && queued?.abort()); // nothing runs here until it is resumed
document.addEventListener("resume", () => channel && taking && (void queue(taking.signal, false), callOut()));
setInterval(() => !document.hidden && Date.now() - heard > silence && callOut(), 10_000);

/** Waits for the lock, or takes it away, and holds the stream as long as it has it. */
async function queue(signal: AbortSignal, away: boolean): Promise<void> {
  queued?.abort();
  const mine = (queued = under(signal));
  while (!mine.signal.aborted) {
    const holds = under(mine.signal);
    const options = away ? { steal: true } : { signal: mine.signal };
    const over = new Promise<void>((done) => holds.signal.addEventListener("abort", () => done())); // the lock is free at once
    const taken = await navigator.locks.request(name, options, () => Promise.race([hold(holds.signal), over])).then(() => false, () => true);
    holds.abort();
    if (taken) await sleep(300, mine.signal);
    away = false;
  }
}

/** Each page for itself, while somebody looks at it. */
async function alone(signal: AbortSignal): Promise<void> {
  const looks = (look: () => void) => (document.addEventListener("visibilitychange", look), () => document.removeEventListener("visibilitychange", look));
  while (!signal.aborted) {
    const looked = under(signal);
    await until(() => !document.hidden, looks, signal);
    void until(() => document.hidden, looks, looked.signal).then(() => looked.abort());
    await hold(looked.signal);
  }
}

/** Keeps a stream open, and tells what comes to this page and to the others. */
async function hold(signal: AbortSignal): Promise<void> {
  let failures = 0;
  holding = !signal.aborted;
  signal.addEventListener("abort", () => (holding = false));
  while (!signal.aborted) {
    await until(() => state.value.is === "here", (look) => state.listen(look), signal);
    const began = Date.now(), stop = under(signal);
    try {
      if (known < 0) known = await newest(stop.signal);
      await read(known, (events) => !signal.aborted && share(events), stop);
      void greet(); // it may be another daemon that comes next
    } catch {
      // The state says so already, where the daemon is gone.
    }
    stop.abort();
    if (signal.aborted) return;
    channel?.postMessage("over");
    failures = Date.now() - began > 5000 ? 0 : failures + 1;
    await sleep(pause(failures), signal);
  }
}

function share(events: Said[]): void {
  const seqs = events.filter((one) => one.event === "outcome").map((one) => Number(one.id));
  const told: Told = { after: seqs.length > 0 && seqs[0]! <= known ? -1 : known, at: seqs.at(-1) ?? known, events };
  channel?.postMessage(told);
  take(told);
}

/** The number of the newest record, as far as the index has come; -1: that is not known yet. */
async function newest(signal: AbortSignal): Promise<number> {
  const o = obj(await json("/v1/record?limit=1", { signal }));
  const seqs = each(o.records, (r) => num(obj(r).seq, -1));
  return typeof seqs[0] === "number" ? seqs[0] : num(o.behind) > 0 ? -1 : 0;
}

/** Waits until something holds; it is looked at when that is told. */
function until(holds: () => boolean, listen: (look: () => void) => () => void, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const look = () => (holds() || signal.aborted) && (unlisten(), done());
    const unlisten = listen(look);
    signal.addEventListener("abort", look, { once: true });
    look();
  });
}
