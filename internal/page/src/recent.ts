// The newest records, as many as a page can hold without growing: what comes is gathered,
// and taken over once for each frame.

import { Broken } from "./decode";
import { isStopped, type Rec } from "./record";

/** How many are held. */
export const bound = 1000;

export class Recent {
  /** The newest first. The list is another one when something came. */
  items: readonly (Rec | Broken)[] = [];
  /** How many came since the page was opened. */
  seen = 0;
  /** How many came in each of the last 120 seconds, the newest last; and of them, stopped. */
  readonly pulse = { all: new Array<number>(120).fill(0), stopped: new Array<number>(120).fill(0), second: 0 };

  private gathered: (Rec | Broken)[] = [];
  private highest = 0;

  fill(items: readonly (Rec | Broken)[]): void {
    this.items = this.items.concat(items).slice(0, bound);
    for (const r of items) if (!(r instanceof Broken)) this.highest = Math.max(this.highest, r.seq);
  }

  /** Takes one. What was there already, as after a connection that broke, is passed over. */
  add(one: Rec | Broken, now = Date.now()): void {
    if (!(one instanceof Broken)) {
      if (one.seq <= this.highest) return;
      this.highest = one.seq;
    }
    this.seen++;
    this.tick(now);
    this.pulse.all[119]!++;
    if (!(one instanceof Broken) && isStopped(one)) this.pulse.stopped[119]!++;
    this.gathered.push(one);
    if (this.gathered.length > bound * 2) this.gathered = this.gathered.slice(-bound);
  }

  /** Takes over what was gathered, and says whether there was something. */
  flush(): boolean {
    if (this.gathered.length === 0) return false;
    this.items = this.gathered.reverse().concat(this.items).slice(0, bound);
    this.gathered = [];
    return true;
  }

  /** How many came after the newest of these. */
  since(items: readonly (Rec | Broken)[] | null): number {
    const newest = items?.[0];
    const at = newest === undefined ? -1 : this.items.indexOf(newest);
    return (at < 0 ? this.items.length : at) + this.gathered.length;
  }

  /** Moves the seconds on. */
  tick(now = Date.now()): void {
    const second = Math.floor(now / 1000);
    const steps = Math.min(120, Math.max(0, second - (this.pulse.second || second)));
    this.pulse.second = Math.max(second, this.pulse.second);
    for (let i = 0; i < steps; i++) {
      for (const row of [this.pulse.all, this.pulse.stopped]) {
        row.shift();
        row.push(0);
      }
    }
  }
}

/** What finds a text in others, whatever its case; null finds all. It makes no copies of long texts. */
export function sought(text: string | undefined): RegExp | null {
  return text ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i") : null;
}

/** Whether a record passes the filters of the view. */
export function passes(r: Rec, f: Record<string, string>): boolean {
  const kind = f.action ?? "";
  if (kind === "decided" && (r.action === "continue" || r.action === "observed" || r.action === "repeat") && !r.would && !r.steps.some((s) => s.failed)) return false;
  if ((kind === "block" || kind === "ask") && !isStopped(r)) return false;
  if (kind === "would" ? !r.would : kind !== "" && kind !== "decided" && r.action !== kind) return false;
  if (f.session && r.session !== f.session) return false;
  if (f.agent && r.agent !== f.agent) return false;
  const q = sought(f.q);
  return q === null || [r.what, r.tool, r.reason, r.rule, r.agent, r.session, r.event, r.cwd, r.by].some((s) => q.test(s));
}
