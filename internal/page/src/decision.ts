// One decision, explained: what was asked, what it would do, who said what, and how long
// that took.

import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { list, num, obj, plain, str, strs, yes } from "./decode";
import { json, told, useQuery } from "./daemon";
import { unified } from "./diff";
import { html, names } from "./element";
import { length, moment } from "./format";
import { Action, Button, Copy, Diff, Head, Missing, Notice, Pairs, Text } from "./parts";
import { answerOf, change, fact, record, ruleName, span, step, type Change, type Fact, type Rec, type Step } from "./record";
import { go, link, route } from "./route";
import { useSignal } from "./signal";
import { clip, runs, type Mark } from "./visible";

interface One {
  r: Rec;
  event: unknown;
  notKept: string;
  newer: number;
  older: number;
  revised: Rec[];
  problems: string[];
}

function one(v: unknown): One {
  const o = obj(v);
  return { r: record(o.record), event: o.event, notKept: str(o.not_kept), newer: num(o.newer), older: num(o.older), revised: list(o.revised_by, record), problems: strs(o.problems) };
}

/** What is said of a part of the text. */
interface Said {
  at: Mark;
  kind: string;
  says: string;
  sure: boolean;
  verdict: string;
}

interface Explained {
  text: string;
  said: Said[];
  facts: Fact[];
  steps: Step[];
  changes: Change[];
  verdict: string;
}

function explained(v: unknown): Explained {
  const o = obj(v);
  const facts = list(o.facts, fact);
  const verdict = typeof o.verdict === "string" ? o.verdict : str(obj(o.verdict).action ?? obj(o.verdict).verdict);
  return {
    text: str(o.text), facts, steps: list(o.steps, step), changes: list(o.changes, change), verdict,
    said: list(o.spans, obj).map((s, i) => {
      const f = typeof s.fact === "number" ? facts[s.fact] : undefined;
      return { at: { ...span(s), of: i }, kind: str(s.kind), says: [str(s.says) || (f ? saysFact(f) : plain(s.fact)), str(s.rule)].filter(Boolean).join("\n"), sure: f ? f.sure : true, verdict: str(s.verdict) };
    }),
  };
}

export function Decision(): VNode {
  const { id } = useSignal(route);
  const seq = /^\d{1,15}$/.test(id) ? id : "";
  const q = useQuery(seq ? `/v1/record/${seq}` : null, one);
  const x = useQuery(seq && q.data && q.data.r.event !== "Approval" ? `/v1/record/${seq}/explain` : null, explained);
  const d = q.data && String(q.data.r.seq) === seq ? q.data : undefined;
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || (e.target as HTMLElement).closest("input, textarea, select, dialog")) return;
      if (e.key === "j" && d?.older) go(link("decisions", d.older));
      if (e.key === "k" && d?.newer) go(link("decisions", d.newer));
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [d]);
  return html`<section class="view view-page">
    <${Head} title=${`${!d || !answerOf(d.r) ? "Decision" : d.r.code ? "Answer" : "Record"} ${seq ? "#" + seq : ""}`} sub=${d && html`<span class="dim">${moment(d.r.at)}</span>`}>
      <${Button} icon="left" label="The one before (j)" disabled=${!d?.older} onClick=${() => go(link("decisions", d!.older))} />
      <${Button} icon="right" label="The one after (k)" disabled=${!d?.newer} onClick=${() => go(link("decisions", d!.newer))} />
      ${d && html`<${Copy} label="Copy the record as JSON" text=${JSON.stringify(d.r.raw, null, 2)}>JSON<//>`}
    <//>
    ${!seq && html`<${Notice} kind="warn">${clip(id, 100)} is no number of a record. <a href="#/decisions">All decisions</a><//>`}
    <${Missing} q=${q} what="a single decision" />
    ${d && (answerOf(d.r) || x.data || x.problem || x.lacking) && html`<${Body} d=${d} x=${x.data} />`}
  </section>`;
}

function Body({ d, x }: { d: One; x: Explained | undefined }): VNode {
  const r = d.r, answer = answerOf(r), tried = r.steps.find((s) => s.would?.reason)?.would?.reason;
  const own = explainedBy(r);
  const shown = x && x.text ? x : own;
  const facts = x && x.facts.length > 0 ? x.facts : r.facts;
  const steps = x && x.steps.length > 0 ? x.steps : r.steps;
  const changes = x && x.changes.length > 0 ? x.changes : r.changes;
  return html`<div class="stack">
    <${Problems} d=${d} />
    <div class="card verdict"><${Action} is=${answer || r.action} would=${r.would} />
      <div class="grow">${r.reason && html`<p class="reason">${clip(r.reason, 4000)}</p>`}${!r.reason && html`<p class="dim">${tried ? `On trial: ${clip(tried, 4000)}` : "No hook gave a reason."}</p>`}</div></div>
    <${Pairs} of=${[
      ["Agent", r.agent && html`<a href=${link("decisions", "", { agent: r.agent })}>${clip(r.agent, 80)}</a>`],
      ["Session", r.session && html`<a href=${link("sessions", r.session, { agent: r.agent })}>${clip(r.session, 60)}</a>`],
      ["Event", !answer && `${r.event}${r.native && r.native !== r.event ? ` (${clip(r.native, 60)})` : ""}`], ["Tool", r.tool && clip(r.tool, 100)],
      ["By", answer ? clip(r.by, 100) : r.by && html`<a href=${link("decisions", "", { hook: r.by })}>${clip(r.by, 100)}</a>`],
      ["Rule", r.rule && html`<a href=${link("decisions", "", { rule: ruleName(r.rule) })}>${clip(r.rule, 100)}</a>`],
      ["Folder", r.cwd && clip(r.cwd, 300)], ["Took", r.ms > 0 && length(r.ms)], ["Told the user", r.said && clip(r.said, 1000)], ["Seen by", r.via && "the screen only"],
      ["Request", answer && r.code && html`<span class="mono">${clip(r.code, 60)}</span>`], ["From", answer && clip(r.from, 200)], ["Waited", answer && r.waited > 0 && length(r.waited)],
    ] as [string, ComponentChildren][]} />
    ${!answer && html`<${Asked} text=${shown.text} said=${shown.said} r=${r} />`}
    ${r.ran && html`<${Part} title="What ran in its place"><${Text} of=${r.ran} class="code" /><//>`}
    ${changes.length > 0 && html`<${Part} title="What hooks changed">${changes.map((c, i) => html`<div key=${i} class="change"><div class="change-path">${clip(c.path, 200)}</div><${Diff} text=${c.diff || unified(plain(c.from), plain(c.to))} /></div>`)}<//>`}
    ${steps.length > 0 && html`<${Steps} of=${steps} whole=${r.ms} said=${r.reason} />`}
    ${facts.length > 0 && html`<${Facts} of=${facts} />`}
    ${r.inject && html`<${Part} title="Given to the agent"><${Text} of=${r.inject} /><//>`}
    ${r.result !== undefined && html`<${Part} title="What stood in for it"><${Text} of=${plain(r.result)} class="code" /><//>`}
    ${!answer && html`<${Today} r=${r} />`}
    <details class="card"><summary>The record as it stands in the log</summary><${Text} of=${JSON.stringify(r.raw, null, 2)} class="code" most=${20_000} /></details>
    ${d.event != null && html`<details class="card"><summary>The event, whole</summary><${Text} of=${plain(d.event)} class="code" most=${20_000} /></details>`}
    ${!answer && d.event == null && (d.notKept || r.unkept) && html`<p class="dim">The event itself is not in the record: ${clip(d.notKept || r.unkept, 300)}.</p>`}
  </div>`;
}

// What a record itself tells, where the daemon explains nothing.
function explainedBy(r: Rec): { text: string; said: Said[] } {
  const command = r.input.command;
  if (typeof command === "string") return { text: command, said: r.facts.map((f, i) => ({ at: { ...f.at, of: i }, kind: f.does, says: saysFact(f), sure: f.sure, verdict: "" })) };
  return { text: r.what || (Object.keys(r.input).length > 0 ? plain(r.input) : ""), said: [] };
}

// That a program runs is said of the whole line; what it does is said of a part.
function telling(said: readonly Said[]): Mark[] {
  const more = said.filter((s) => s.kind !== "run" || s.verdict !== "");
  return (more.length > 0 ? more : said).map((s) => s.at);
}

function Problems({ d }: { d: One }): VNode {
  const r = d.r;
  return html`<div class="notices">${d.problems.map((p) => html`<${Notice} key=${p} kind="bad">${p}<//>`)}
    ${r.failure && html`<${Notice} kind="bad">hookway itself could not decide: ${clip(r.failure, 1000)}<//>`}
    ${[...r.warnings, ...r.degraded].map((w, i) => html`<${Notice} key=${i} kind="warn">${clip(w, 1000)}<//>`)}
    ${d.revised.map((v) => html`<${Notice} key=${v.seq} kind="warn">A later record revises it: <a href=${link("decisions", v.seq)}>#${v.seq}</a> ${v.action === "untaken" ? "the answer did not get to the agent." : v.action}<//>`)}
    ${r.lost > 0 && html`<${Notice} kind="warn">${r.lost} records before this one could not be written.<//>`}
    ${r.torn && html`<${Notice} kind="warn">Before this record stands a piece of one whose writer died.<//>`}
    ${r.cut.length > 0 && html`<${Notice}>Shortened in the log: ${clip(r.cut.join(", "), 300)}<//>`}</div>`;
}

function Part({ title, children, tools }: { title: string; children?: ComponentChildren; tools?: ComponentChildren }): VNode {
  return html`<section class="part"><div class="part-head"><h2>${title}</h2>${tools}</div>${children}</section>`;
}

function Asked({ text, said, r }: { text: string; said: Said[]; r: Rec }): VNode | null {
  if (text === "") return null;
  const shown = clip(text, 20_000);
  const edit = typeof r.input.old_string === "string" && typeof r.input.new_string === "string";
  const look = (all: Said[]) => names("span", all.every((s) => !s.sure) && "unsure", all.some((s) => s.verdict === "block") ? "span-block" : all.some((s) => s.verdict === "ask") && "span-ask");
  return html`<${Part} title="What was asked" tools=${html`<${Copy} label="Copy it" kind="bare" text=${text} />`}>
    <pre class="asked" tabindex="0" role="group" aria-label="What was asked">${runs(shown, telling(said)).map((run, i) => {
      const all = run.of.map((n) => said[n]).filter((s): s is Said => s !== undefined);
      return all.length === 0 ? run.text : html`<mark key=${i} class=${look(all)} title=${clip(all.map((s) => s.says).join("\n"), 600)}>${run.text}</mark>`;
    })}</pre>
    ${text.length > shown.length && html`<${Text} of=${text} most=${200} />`}
    ${edit && html`<${Diff} text=${unified(str(r.input.old_string), str(r.input.new_string))} />`}
  <//>`;
}

function saysFact(f: Fact): string {
  return `${f.does} ${f.rest.map(([n, v]) => (v ? `${n}=${v}` : n)).join(" ")}${f.sure ? "" : " (perhaps)"}`;
}

function Facts({ of }: { of: Fact[] }): VNode {
  return html`<${Part} title="What it would do"><div class="scroll-x" tabindex="0" role="group" aria-label="Facts"><table class="facts"><thead><tr><th>Act</th><th>By</th><th>What</th></tr></thead><tbody>
    ${of.slice(0, 200).map((f, i) => html`<tr key=${i}><td><b>${clip(f.does, 40)}</b>${!f.sure && html` <span class="dim">perhaps</span>`}</td><td class="mono">${clip(f.by, 60)}</td><td>${f.rest.map(([n, v]) => html`<span key=${n} class="fact"><span class="dim">${clip(n, 40)}</span>${v && html` <span class="mono">${clip(v, 300)}</span>`}</span> `)}</td></tr>`)}
  </tbody></table></div><//>`;
}

function Steps({ of, whole, said }: { of: Step[]; whole: number; said: string }): VNode {
  const sum = of.reduce((n, s) => n + s.ms, 0), all = Math.max(whole, sum, 0.001);
  let from = 0;
  return html`<${Part} title="Who was asked"><ol class="steps">${of.map((s, i) => {
    const left = Math.min(from, all - s.ms);
    from += s.ms;
    return html`<li key=${i} class="step"><div class="step-head"><span class="mono step-hook">${clip(s.hook, 100)}</span><span class="dim">${s.lane}</span><${Action} is=${s.action} would=${s.would?.action ?? ""} />
      ${s.changed && html`<span class="tag">changed</span>`}${s.injected && html`<span class="tag">injected</span>`}${s.failed && html`<span class="tag tag-bad">failed</span>`}<span class="right num">${length(s.ms)}</span></div>
      <div class="track" aria-hidden="true"><i style=${{ left: (left / all) * 100 + "%", width: Math.max(0.6, (s.ms / all) * 100) + "%" }}></i></div>
      ${((s.reason && !said.startsWith(s.reason)) || s.error || s.note) && html`<div class="step-said">${[s.error, !said.startsWith(s.reason) && s.reason, s.note].filter((t): t is string => !!t).map((t) => clip(t, 1200)).join(" · ")}</div>`}
      ${s.would && (s.would.reason || s.would.rule) && html`<div class="step-said">On trial: ${clip(s.would.reason, 800)} ${s.would.rule && html`<span class="mono dim">${clip(s.would.rule, 80)}</span>`}</div>`}</li>`;
  })}</ol><//>`;
}

interface Judged {
  action: string;
  by: string;
  rule: string;
  reason: string;
}

const judged = (v: unknown): Judged => ({ action: str(obj(v).action), by: str(obj(v).by), rule: str(obj(v).rule), reason: str(obj(v).reason) });

function Today({ r }: { r: Rec }): VNode {
  const [said, setSaid] = useState<{ then: Judged; now: Judged; same: boolean; not: string } | string | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => setSaid(null), [r.seq]);
  const run = async () => {
    setBusy(true);
    try {
      const o = obj(await json(`/v1/record/${r.seq}/today`, { send: {} }));
      setSaid({ then: judged(o.then), now: judged(o.now), same: yes(o.same), not: str(o.not_replayable) });
    } catch (err) {
      setSaid(told(err));
    }
    setBusy(false);
  };
  return html`<${Part} title="And today?"><div class="row-tools">
      <${Button} icon="reload" onClick=${run} disabled=${busy}>${busy ? "Asking today's hooks…" : "What would today's hooks say?"}<//>
      <${Copy} onProblem=${setSaid} text=${async () => str(obj(await json(`/v1/record/${r.seq}/case`)).yaml)}>Copy as test case<//></div>
    <div role="status">${typeof said === "string" && html`<${Notice} kind="warn">${clip(said, 800)}<//>`}
    ${said && typeof said !== "string" && (said.not ? html`<${Notice}>It cannot be asked again: ${clip(said.not, 600)}<//>` : html`<div class="then-now">
      <div class="card"><h3>Then</h3><${Action} is=${said.then.action} /><p>${clip(said.then.reason || "no reason", 800)}</p><p class="mono dim">${said.then.rule || said.then.by}</p></div>
      <div class="card"><h3>Today ${said.same && html`<span class="dim">the same</span>`}</h3><${Action} is=${said.now.action} /><p>${clip(said.now.reason || "no reason", 800)}</p><p class="mono dim">${said.now.rule || said.now.by}</p></div></div>`)}</div>
  <//>`;
}
