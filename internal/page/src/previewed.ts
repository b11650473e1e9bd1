// What the preview found: the result of GET /v1/preview.

import { list, num, obj, str, strs, time } from "./decode";
import { count, counted } from "./format";

const stops = (v: unknown) => ({ block: num(obj(v).block), ask: num(obj(v).ask) });
const named = (v: unknown) => ({ name: str(obj(v).name), calls: num(obj(v).calls), enforce: stops(obj(v).enforce), auto: stops(obj(v).auto) });
const sample = (v: unknown) => ({ call: str(obj(v).call), says: str(obj(v).says), verdict: str(obj(v).verdict), agent: str(obj(v).agent), project: str(obj(v).project), at: time(obj(v).time), times: num(obj(v).times, 1) });
const rule = (v: unknown) => ({ rule: str(obj(v).rule), enforce: stops(obj(v).enforce), auto: stops(obj(v).auto), fine: num(obj(v).ran_fine), failed: num(obj(v).failed), refused: num(obj(v).refused), samples: list(obj(v).samples, sample) });

export function result(v: unknown) {
  const o = obj(v), sum = obj(o.counts ?? o.total ?? o);
  return {
    raw: v, sessions: num(sum.sessions), judged: num(sum.calls) - num(sum.no_folder) - num(sum.programs), unjudged: num(sum.no_folder) + num(sum.programs), auto: stops(sum.auto), enforce: stops(sum.enforce), days: list(o.days, named), projects: list(o.projects, named), rules: list(o.rules, rule),
    suggestions: list(o.suggestions, (s) => ({ rule: str(obj(s).rule), why: str(obj(s).why), yaml: str(obj(s).yaml), spares: num(obj(s).spares), shared: num(obj(s).shared) })), problems: strs(o.problems), more: num(o.more_problems),
  };
}

export type Result = ReturnType<typeof result>;

/** What a suggestion saves, by itself and with the others. */
export function saves({ spares, shared }: { spares: number; shared: number }): string {
  if (spares === 0) return `By itself it changes nothing; with the others here up to ${counted(shared, "call")} would not be stopped.`;
  return `Up to ${counted(spares, "call")} would not be stopped${shared > 0 ? `, and with the others here ${count(shared)} more` : ""}.`;
}
