// What was counted of the record: GET /v1/stats.

import { day } from "./format";
import { counts, list, num, obj, str, time } from "./decode";

export interface HookCount {
  hook: string;
  runs: number;
  blocks: number;
  asks: number;
  would: number;
  failures: number;
  p50: number;
  p95: number;
  p99: number;
  last: number;
  raw: unknown;
}

export interface RuleCount {
  rule: string;
  hits: number;
  would: number;
  days: Map<string, { hits: number; would: number }>;
}

export interface Stats {
  decisions: number;
  days: { day: string; by: Record<string, number>; would: number }[];
  hooks: HookCount[];
  rules: Map<string, RuleCount>;
}

export function stats(v: unknown): Stats {
  const o = obj(v);
  const rules = list(o.rules, (r): RuleCount => ({
    rule: str(obj(r).rule).replace(/@\d+$/, ""), hits: num(obj(r).hits), would: num(obj(r).would),
    days: new Map(list(obj(r).days, (d) => [str(obj(d).day), { hits: num(obj(d).hits), would: num(obj(d).would) }] as const)),
  }));
  return {
    decisions: num(o.decisions),
    days: list(o.days, (d) => ({ day: str(obj(d).day), by: counts(obj(d).by_action), would: typeof obj(d).would === "number" ? num(obj(d).would) : Object.values(counts(obj(d).would)).reduce((a, b) => a + b, 0) })),
    hooks: list(o.hooks, (h) => {
      const c = obj(h);
      return { hook: str(c.hook), runs: num(c.runs), blocks: num(c.blocks), asks: num(c.asks), would: num(c.would), failures: num(c.failures), p50: num(c.p50_ms, NaN), p95: num(c.p95_ms, NaN), p99: num(c.p99_ms, NaN), last: time(c.last), raw: h };
    }),
    rules: new Map(rules.map((r) => [r.rule, r])),
  };
}

/** The last so many days, each with what is known of it. */
export function lastDays(n: number, now = Date.now()): string[] {
  const out: string[] = [];
  for (let i = n - 1; i >= 0; i--) {
    const d = new Date(now);
    d.setDate(d.getDate() - i);
    out.push(day(d.getTime()));
  }
  return out;
}

const mostDays = 400;

/** All days from the first of some to the last, those between them, too: an axis has no gaps. */
export function eachDay(some: readonly string[]): string[] {
  const sorted = [...some].sort(), out: string[] = [], last = sorted.at(-1) ?? "";
  const at = new Date(`${sorted[0]}T12:00:00`);
  while (out.length < mostDays && out.at(-1) !== last && !Number.isNaN(at.getTime())) {
    out.push(day(at.getTime()));
    at.setDate(at.getDate() + 1);
  }
  return out.at(-1) === last ? out : sorted;
}
