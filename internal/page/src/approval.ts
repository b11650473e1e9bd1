// A request for an approval, as GET /v1/approvals has it.

import { must, num, str, time, yes } from "./decode";

export interface Approval {
  code: string;
  state: string;
  kind: string;
  route: string;
  agent: string;
  session: string;
  subagent: string;
  workspace: string;
  tool: string;
  input: string;
  hook: string;
  rule: string;
  reason: string;
  does: string;
  shape: boolean;
  waiters: number;
  first: number;
  until: number;
  scope: string;
  note: string;
  by: string;
  from: string;
  answered: number;
  after: number; // ms, from the question to the answer
  used: number;
  raw: unknown;
}

/** An argument of a call. */
export interface Argument {
  name: string;
  text: string;
}

/** The arguments of a text in which each begins a line with its name, and goes on in lines that are indented. */
export function argumentsOf(input: string): Argument[] {
  const out: Argument[] = [];
  for (const line of input.replace(/\n$/, "").split("\n")) {
    const last = out.at(-1), colon = line.indexOf(": ");
    if (last && line.startsWith("  ")) last.text += "\n" + line.slice(2);
    else out.push(colon > 0 ? { name: line.slice(0, colon), text: line.slice(colon + 2) } : { name: "", text: line });
  }
  return out;
}

/** A call on a line. */
export function inShort(input: string): string {
  const all = argumentsOf(input);
  return (all[0]?.name === "command" ? all[0].text : input).replace(/\s+/g, " ");
}

export function approval(v: unknown): Approval {
  const o = must(v, "an approval");
  if (str(o.code) === "") throw new Error("an approval without a code");
  return {
    code: str(o.code), state: str(o.state), kind: str(o.kind), route: str(o.route), agent: str(o.agent), session: str(o.session), subagent: str(o.subagent), workspace: str(o.workspace),
    tool: str(o.tool), input: str(o.input), hook: str(o.hook), rule: str(o.rule), reason: str(o.reason), does: str(o.does), shape: yes(o.has_shape), waiters: num(o.waiters),
    first: time(o.first), until: time(o.until), scope: str(o.scope), note: str(o.note), by: str(o.by), from: str(o.from), answered: time(o.answered), after: num(o.after_s) * 1000, used: time(o.used), raw: v,
  };
}
