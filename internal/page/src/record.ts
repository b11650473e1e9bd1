// A record, as a line of hookway log --json, and what explains it.

import { list, must, num, obj, str, strs, time, yes, plain, type Obj } from "./decode";

export interface Span {
  from: number;
  to: number;
}

export interface Fact {
  does: string;
  by: string;
  at: Span;
  sure: boolean;
  rest: [string, string][]; // all else that it says
}

export interface Step {
  hook: string;
  lane: string;
  action: string;
  reason: string;
  rule: string;
  ms: number;
  changed: boolean;
  injected: boolean;
  failed: boolean;
  error: string;
  note: string;
  would: { action: string; reason: string; rule: string } | null;
}

export interface Change {
  path: string;
  from: unknown;
  to: unknown;
  diff: string;
}

export interface Rec {
  seq: number;
  at: number;
  event: string;
  eventID: string;
  native: string;
  via: string;
  session: string;
  agent: string;
  source: string;
  cwd: string;
  workspace: string;
  tool: string;
  call: string;
  input: Obj;
  what: string;
  ran: string;
  action: string;
  answer: string;
  reason: string;
  by: string;
  rule: string;
  would: string;
  said: string; // to the user
  inject: string;
  result: unknown;
  facts: Fact[];
  steps: Step[];
  changes: Change[];
  degraded: string[];
  warnings: string[];
  failure: string;
  ms: number;
  cut: string[];
  lost: number;
  torn: boolean;
  kept: boolean;
  unkept: string;
  hash: string;
  code: string; // of the request that was answered
  scope: string; // how far that answer reaches
  from: string; // where the answer came from
  waited: number; // ms, until the answer
  raw: Obj;
}

const ownOfFact = new Set(["does", "by", "at", "sure"]);

export function span(v: unknown): Span {
  const o = obj(v);
  return { from: num(o.from), to: num(o.to) };
}

export function fact(v: unknown): Fact {
  const o = obj(v);
  return {
    does: str(o.does), by: str(o.by), at: span(o.at), sure: o.sure !== false,
    rest: Object.entries(o).filter(([name]) => !ownOfFact.has(name)).map(([name, value]) => [name, Array.isArray(value) ? value.map(plain).join(" ") : value === true ? "" : plain(value)]),
  };
}

export function step(v: unknown): Step {
  const o = obj(v);
  const w = typeof o.would === "string" ? { action: o.would } : o.would ? obj(o.would) : null;
  return {
    hook: str(o.hook), lane: str(o.lane), action: str(o.action), reason: str(o.reason), rule: str(o.rule), ms: num(o.duration_ms),
    changed: yes(o.changed), injected: yes(o.injected), failed: yes(o.failed), error: str(o.error), note: str(o.note),
    would: w && { action: str(w.action), reason: str(w.reason), rule: str(w.rule) },
  };
}

export function change(v: unknown): Change {
  const o = obj(v);
  return { path: str(o.path), from: o.from, to: o.to, diff: str(o.diff) };
}

/** Reads a record. One without a number is none. */
export function record(v: unknown): Rec {
  const o = must(v, "a record");
  if (!Number.isSafeInteger(o.seq)) throw new Error("a record without a number");
  return {
    seq: num(o.seq), at: time(o.time), event: str(o.event), eventID: str(o.event_id), native: str(o.native), via: str(o.via),
    session: str(o.session), agent: str(o.agent), source: str(o.source), cwd: str(o.cwd), workspace: str(o.workspace),
    tool: str(o.tool), call: str(o.tool_use_id), input: obj(o.tool_input), what: str(o.what), ran: str(o.ran),
    action: str(o.action), answer: str(o.answer), reason: str(o.reason), by: str(o.by), rule: str(o.rule), would: str(o.would),
    said: str(o.user_message), inject: str(o.inject), result: o.result,
    facts: list(o.facts, fact), steps: list(o.steps, step), changes: list(o.changes, change),
    degraded: strs(o.degraded), warnings: strs(o.warnings), failure: str(o.failure), ms: num(o.duration_ms), cut: strs(o.cut),
    lost: num(o.lost), torn: o.torn != null, kept: str(o.kept) !== "", unkept: str(o.unkept), hash: str(o.hash), code: str(obj(o.metadata).code), scope: str(obj(o.metadata).scope), from: str(obj(o.metadata).from), waited: num(obj(o.metadata).after_s) * 1000, raw: o,
  };
}

/** What the owner did, where a record is no decision of hooks: an answer to a call that waited, or something that only the owner may do; "" is a decision. */
export function answerOf(r: { event: string; action: string; by: string; code: string }): string {
  if (r.event !== "Approval") return "";
  if (r.by === "hookway") return "refused";
  return r.code === "" ? "done" : r.action === "allow" ? "allowed" : "denied";
}

/** Whether hooks stopped a call, to block it or to ask somebody. */
export function isStopped(r: Rec): boolean {
  return r.event !== "Approval" && (r.action === "block" || r.action === "ask");
}

const stages: Record<string, string> = { PostToolUse: ", done", PostToolUseFailure: ", failed", PermissionRequest: ", permission" };

/** What was called, and how far it was: or else what happened. */
export function called(r: Rec): string {
  return r.tool ? r.tool + (stages[r.event] ?? "") : r.event;
}

const reaches: Record<string, string> = { once: "this once", session: "for the session", shape: "and calls like it" };

/** What a row says of a record besides: what it is about, or else its reason. */
export function about(r: Rec): string {
  if (r.event === "Approval") return answerOf(r) !== "refused" && r.code && r.scope ? [r.code, reaches[r.scope] ?? r.scope, r.from].filter(Boolean).join(" · ") : r.reason || r.what;
  return r.what || r.reason || (r.native !== r.event ? r.native : "");
}

/** Who decided: a rule or a hook, or what was on trial where nobody else said anything. */
export function deciderOf(r: Rec): string {
  if (r.event === "Approval") return r.by;
  if (r.rule) return ruleName(r.rule);
  return (r.action !== "continue" && r.by) || ruleName((r.would && r.steps.find((s) => s.would)?.would?.rule) || "") || r.by;
}

/** The rule without the version of its pack. */
export function ruleName(rule: string): string {
  const at = rule.lastIndexOf("@");
  return at > 0 ? rule.slice(0, at) : rule;
}
