// Decisions: all of the record, to search and to filter.

import type { VNode } from "preact";
import { Broken } from "./decode";
import { html } from "./element";
import { counted } from "./format";
import { LongList } from "./longlist";
import { leftOf, usePages, type Pages } from "./pages";
import { Button, Export, Head, Notice, Search, Select, Waiting } from "./parts";
import { record, type Rec } from "./record";
import { RecordHead, RecordRow } from "./recordrow";
import { refine, route } from "./route";
import { useSignal } from "./signal";

const actions = [["", "Any decision"], ["block", "Blocked"], ["ask", "Asked"], ["allow", "Allowed"], ["continue", "Passed"], ["answer", "Answered"], ["retry", "Retry"], ["skip", "Skipped"], ["observed", "Observed"], ["repeat", "Repeated"], ["untaken", "Not taken"]] as const;
const events = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "AgentStart", "AgentStop", "SessionStart", "SessionEnd", "SubagentStart", "SubagentStop", "MessageReceived", "MessageSending", "GenerateStart", "GenerateEnd", "PreCompact", "Directive", "Output", "Notification"];
const spans = [["", "Any time"], ["1h", "Last hour"], ["24h", "Last 24 hours"], ["7d", "Last 7 days"], ["30d", "Last 30 days"]] as const;
const filters = ["q", "session", "agent", "event", "action", "hook", "rule", "cwd", "since", "until", "would", "order"];

/** The time that is so long ago, as the API takes it; a time stays what it is. */
export function since(text: string, now = Date.now()): string {
  const m = /^(\d+)([mhd])$/.exec(text);
  if (!m) return text;
  const minute = 60_000, unit = { m: minute, h: 60 * minute, d: 1440 * minute }[m[2] as "m" | "h" | "d"];
  return new Date(Math.floor((now - Number(m[1]) * unit) / minute) * minute).toISOString();
}

function pathOf(params: Record<string, string>): string {
  const q = new URLSearchParams();
  for (const name of filters) if (params[name]) q.set(name, name === "since" || name === "until" ? since(params[name]!) : params[name]!);
  const text = q.toString();
  return "/v1/record" + (text && "?" + text);
}

export function Decisions(): VNode {
  const { params } = useSignal(route);
  const path = pathOf(params), pages = usePages<Rec>(path, "records", record);
  const set = (name: string) => (value: string) => refine({ [name]: value });
  const others = ["session", "agent", "hook", "rule", "cwd"].filter((name) => params[name]);
  return html`<section class="view view-list">
    <${Head} title="Decisions" sub=${html`<${Total} of=${pages} word="decision" />`}>
      <${Search} value=${params.q ?? ""} onChange=${set("q")} label="Search all decisions" />
      <${Select} label="Decision" value=${params.action ?? ""} onChange=${set("action")} options=${actions} />
      <${Select} label="Event" value=${params.event ?? ""} onChange=${set("event")} options=${[["", "Any event"], ...events]} />
      <${Select} label="Time" value=${params.since ?? ""} onChange=${set("since")} options=${spans} />
      <${Button} pressed=${params.would === "true"} onClick=${() => refine({ would: params.would === "true" ? "" : "true" })} title="What rules on trial would have decided otherwise">On trial<//>
      <${Button} icon="reload" label="Ask again" onClick=${pages.reload} />
      <${Export} name="decisions" items=${pages.all} />
    <//>
    ${others.length > 0 && html`<div class="chips">${others.map((name) => html`<button key=${name} class="chip" onClick=${() => refine({ [name]: "" })} aria-label=${`Remove the filter ${name}: ${params[name]}`}>${name}: <b>${params[name]}</b> ×</button>`)}</div>`}
    <${Problems} of=${pages} what="the list of decisions" />
    <${RecordHead} />
    <div class="fill"><${LongList} key=${path} label="Decisions" items=${pages.items} rowHeight=${32} phoneHeight=${56} onEnd=${pages.more} scroll=${leftOf(path)?.scroll} onScroll=${pages.scrolled}
      id=${(r: Rec | Broken, i: number) => (r instanceof Broken ? "broken-" + i : r.seq)} row=${(r: Rec | Broken) => html`<${RecordRow} r=${r} />`}
      empty=${pages.problem ? null : pages.loading ? html`<${Waiting} />` : "No decision is like this."} /></div>
  </section>`;
}

/** How many there are. */
export function Total({ of, word }: { of: Pages<unknown>; word: string }): VNode {
  const n = of.total >= 0 ? of.total : of.items.length;
  if (of.loading && of.items.length === 0) return html`<span class="dim">…</span>`;
  return html`<span class="dim" role="status">${counted(n, word, word.replace(/y$/, "ie") + "s")}${of.atLeast || (of.total < 0 && !of.end) ? " or more" : ""}</span>`;
}

/** What is wrong with a list, in plain words. */
export function Problems({ of, what }: { of: Pages<unknown>; what: string }): VNode {
  return html`<div class="notices">
    ${of.lacking && html`<${Notice}>This daemon does not offer ${what} yet. A newer hookway does.<//>`}
    ${of.problem && !of.lacking && html`<${Notice} kind="warn">${of.problem} <button class="button small" onClick=${of.reload}>Try again</button><//>`}
    ${of.behind > 0 && html`<${Notice}>${counted(of.behind, "record")} ${of.behind === 1 ? "is" : "are"} not looked at yet; the list grows as they are.<//>`}
    ${of.problems.slice(0, 5).map((p) => html`<${Notice} key=${p} kind="warn">${p}<//>`)}
    ${of.problems.length > 5 && html`<${Notice} kind="warn">${of.problems.length - 5} more problems<//>`}
  </div>`;
}
