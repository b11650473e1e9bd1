// Where things lie on the timeline of a session. All of it is arithmetic.

import type { Item, Lane } from "./session";

export type Axis = "time" | "steps";

/** A part of the axis: times in milliseconds, or numbers of items. */
export interface Stretch {
  from: number;
  to: number;
}

export interface Layout {
  from: Float64Array; // of each item, on the axis
  to: Float64Array;
  row: Uint16Array;
  rows: number;
  whole: Stretch;
}

/** Lays the items out. An item without a time lies where the one before it does. */
export function layout(items: readonly Item[], lanes: readonly Lane[], axis: Axis): Layout {
  const rows = new Map(lanes.map((l, i) => [l.id, i]));
  const out: Layout = { from: new Float64Array(items.length), to: new Float64Array(items.length), row: new Uint16Array(items.length), rows: Math.max(1, lanes.length), whole: { from: 0, to: 1 } };
  let before = items.find((i) => !Number.isNaN(i.at))?.at ?? 0, low = Infinity, high = -Infinity;
  items.forEach((item, i) => {
    const at = Number.isNaN(item.at) ? before : item.at;
    before = at;
    out.from[i] = axis === "time" ? at : i;
    out.to[i] = axis === "time" ? Math.max(at, item.end || at) : i + 0.8;
    out.row[i] = rows.get(item.lane) ?? 0;
    low = Math.min(low, out.from[i]!);
    high = Math.max(high, out.to[i]!);
  });
  if (low <= high) out.whole = { from: low, to: Math.max(high, low + (axis === "time" ? 50 : 10)) };
  const margin = (out.whole.to - out.whole.from) * 0.01;
  out.whole = { from: out.whole.from - margin, to: out.whole.to + margin };
  return out;
}

/** Zooms by a factor, so that what lies at this place stays there; never beyond the whole. */
export function zoom(s: Stretch, whole: Stretch, factor: number, at: number): Stretch {
  const least = (whole.to - whole.from) / 1e6, length = Math.min(whole.to - whole.from, Math.max(least, (s.to - s.from) * factor));
  const share = s.to > s.from ? (at - s.from) / (s.to - s.from) : 0.5;
  return within({ from: at - share * length, to: at + (1 - share) * length }, whole);
}

/** Moves by a distance, as far as there is something. */
export function move(s: Stretch, whole: Stretch, by: number): Stretch {
  return within({ from: s.from + by, to: s.to + by }, whole);
}

function within(s: Stretch, whole: Stretch): Stretch {
  const length = Math.min(s.to - s.from, whole.to - whole.from);
  const from = Math.max(whole.from, Math.min(s.from, whole.to - length));
  return { from, to: from + length };
}

/** A stretch in whose middle an item lies, as long as the one before; the same, if it is in sight. */
export function toward(s: Stretch, whole: Stretch, from: number): Stretch {
  const length = s.to - s.from;
  return from >= s.from + length * 0.02 && from <= s.to - length * 0.02 ? s : within({ from: from - length / 2, to: from + length / 2 }, whole);
}

/** The item at a place, or the nearest one in its row within so much of the axis; -1 if there is none. */
export function hit(l: Layout, row: number, at: number, near: number): number {
  let best = -1, distance = near;
  for (let i = 0; i < l.from.length; i++) {
    if (l.row[i] !== row) continue;
    const d = at < l.from[i]! ? l.from[i]! - at : at > l.to[i]! ? at - l.to[i]! : 0;
    if (d <= distance) {
      if (d < distance || best < 0 || l.to[i]! - l.from[i]! <= l.to[best]! - l.from[best]!) best = i;
      distance = d;
    }
  }
  return best;
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000];

/** Where the axis has its lines. */
export function ticks(s: Stretch, axis: Axis, most: number): number[] {
  const length = s.to - s.from;
  let step = steps.find((n) => length / n <= most) ?? Math.ceil(length / most / 604_800_000) * 604_800_000;
  if (axis === "steps") step = Math.max(1, step);
  const shift = axis === "time" ? new Date(s.from).getTimezoneOffset() * 60_000 : 0;
  const out: number[] = [];
  for (let at = Math.ceil((s.from - shift) / step) * step + shift; at <= s.to && out.length <= most + 1; at += step) out.push(at);
  return out;
}
