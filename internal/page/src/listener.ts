// Is told what is put on record, and sees to it that it is told each record once.

import { pause } from "./backoff";
import { sleep, under } from "./signal";
import type { Said } from "./sse";

/** What came after a record. Without events it says that all is well. */
export interface Told {
  after: number; // the record before the first; -1: the log began anew
  at: number; // the last
  events: Said[];
}

/** Reads what is put on record after a record. It ends by itself or with the signal. */
export type Read = (after: number, said: (events: Said[]) => void, stop: AbortController) => Promise<void>;

/**
 * Knows the last record that it was told. What it was told already it passes over; what it
 * lacks it reads by itself, and is told the rest after that.
 */
export class Listener {
  readonly gone = new AbortController();
  private later: Told[] | null = null; // while it reads what it lacks

  constructor(private at: number, private readonly tell: (one: Said | null) => void, private readonly read: Read, private readonly tries = 5) {}

  take(told: Told): void {
    if (this.later) return void this.later.push(told);
    if (told.after < 0 && told.events.length > 0) this.at = -1;
    if (this.at < 0 || told.after <= this.at) return this.give(told);
    this.later = [told];
    void this.catchUp(told.after);
  }

  private give({ events, at }: Told): void {
    let missed: Said | null = null; // it is of the record that follows
    for (const one of events) {
      if (one.event === "missed") missed = one;
      if (one.event !== "outcome") continue;
      if (Number(one.id) > this.at) {
        this.at = Number(one.id);
        if (missed) this.tell(missed);
        this.tell(one);
      }
      missed = null;
    }
    this.at = Math.max(this.at, at);
    if (events.length === 0) this.tell(null);
  }

  private async catchUp(until: number): Promise<void> {
    for (let tries = 0; tries < this.tries && this.at < until && !this.gone.signal.aborted; tries++) {
      if (tries > 0) await sleep(pause(tries), this.gone.signal);
      const stop = under(this.gone.signal);
      const take = (events: Said[]) => {
        if (events.length > 0) this.give({ after: this.at, at: this.at, events });
        if (this.at >= until) stop.abort();
      };
      await this.read(this.at, take, stop).catch(() => undefined); // it is asked again
      stop.abort();
    }
    if (this.gone.signal.aborted) return;
    if (this.at < until) {
      this.tell({ event: "missed", id: "", data: JSON.stringify({ count: until - this.at }) });
      this.at = until;
    }
    const later = this.later ?? [];
    this.later = null;
    for (const told of later) this.take(told);
  }
}
