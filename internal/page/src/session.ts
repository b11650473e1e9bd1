// A session as the API tells of it: its head, its lanes, and what happened in them.

import { list, must, num, obj, str, strs, time, yes } from "./decode";

export interface Session {
  id: string;
  agent: string;
  folder: string;
  title: string;
  first: number;
  last: number;
  events: number;
  calls: number;
  blocks: number;
  asks: number;
  would: number;
  tokens: number;
  model: string;
  parent: string;
  from: string[];
  raw: unknown;
}

export function session(v: unknown): Session {
  const o = must(v, "a session");
  if (str(o.id) === "") throw new Error("a session without an id");
  const t = obj(o.tokens);
  return {
    id: str(o.id), agent: str(o.agent), folder: str(o.folder), title: str(o.title), first: time(o.first), last: time(o.last),
    events: num(o.events), calls: num(o.calls), blocks: num(o.blocks), asks: num(o.asks), would: num(o.would),
    tokens: num(o.tokens, num(t.input) + num(t.output)), model: str(o.model), parent: str(o.parent), from: strs(o.from), raw: v,
  };
}

export interface Lane {
  id: string;
  name: string;
  parent: string;
}

export interface Item {
  id: string;
  at: number;
  end: number;
  lane: string;
  kind: string;
  title: string;
  text: string;
  tool: string;
  action: string;
  by: string;
  rule: string;
  would: string;
  failed: boolean;
  input: number; // tokens
  output: number;
  model: string;
  record: number;
  ms: number;
  raw: unknown;
}

export function item(v: unknown): Item {
  const o = must(v, "a part of a session");
  const at = time(o.at), end = time(o.end), t = obj(o.tokens), ms = num(o.duration_ms);
  return {
    id: str(o.id), at, end: end > at ? end : ms > 0 ? at + ms : at, lane: str(o.lane), kind: str(o.kind) || "note", title: str(o.title), text: str(o.text), tool: str(o.tool),
    action: str(o.action), by: str(o.by), rule: str(o.rule), would: str(o.would), failed: yes(o.failed), input: num(t.input), output: num(t.output), model: str(o.model),
    record: num(o.record), ms, raw: v,
  };
}

export function lane(v: unknown): Lane {
  const o = obj(v);
  return { id: str(o.id), name: str(o.name) || str(o.agent) || str(o.id), parent: str(o.parent) };
}

/** Lanes in the order in which they are drawn: each below the one that it comes from. */
export function ordered(lanes: readonly Lane[], items: readonly Item[]): Lane[] {
  const all = [...lanes], ids = new Set(lanes.map((l) => l.id));
  for (const i of items) {
    if (!ids.has(i.lane)) {
      ids.add(i.lane);
      all.push({ id: i.lane, name: i.lane || "session", parent: "" });
    }
  }
  const out: Lane[] = [], taken = new Set<string>();
  const add = (l: Lane) => {
    if (taken.has(l.id)) return;
    taken.add(l.id);
    out.push(l);
    for (const child of all) if (child.parent === l.id) add(child);
  };
  for (const l of all) if (l.parent === "" || !ids.has(l.parent)) add(l);
  for (const l of all) add(l);
  return out;
}

/** What /v1/sessions/{id} answers. */
export interface Part {
  session: Session | null;
  lanes: Lane[];
  next: string;
  problems: string[];
}

export function part(v: unknown): Part {
  const o = obj(v);
  return { session: o.session ? session(o.session) : null, lanes: list(o.lanes, lane), next: str(o.next), problems: strs(o.problems) };
}
