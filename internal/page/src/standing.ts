// Answers that stand: they hold for more calls than one, until they expire or are taken back.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { inShort } from "./approval";
import { json, useQuery, type Query } from "./daemon";
import { Broken, each, must, num, obj, str, time, yes } from "./decode";
import { html, names } from "./element";
import { useFocusKept } from "./focus";
import { ago, counted, folder, length } from "./format";
import { listen } from "./live";
import { BrokenRow, Button, Dialog, Export, Head, Missing, Pairs, Search, Text, Time } from "./parts";
import { useDeed } from "./pin";
import { sought } from "./recent";
import { link, refine, route } from "./route";
import { say } from "./say";
import { useSignal } from "./signal";
import { clip } from "./visible";

interface Standing {
  code: string;
  yes: boolean;
  scope: string;
  agent: string;
  session: string; // "": of every one
  workspace: string;
  tool: string;
  hook: string;
  rule: string;
  does: string;
  input: string;
  note: string;
  by: string;
  from: string;
  since: number;
  after: number; // ms, from the question to the answer
  until: number;
  uses: number;
  used: number;
  raw: unknown;
}

function standing(v: unknown): Standing {
  const o = must(v, "an answer");
  if (str(o.code) === "") throw new Error("an answer without a code");
  return {
    code: str(o.code), yes: yes(o.yes), scope: str(o.scope), agent: str(o.agent), session: str(o.session), workspace: str(o.workspace), tool: str(o.tool), hook: str(o.hook), rule: str(o.rule), does: str(o.does), input: str(o.input),
    note: str(o.note), by: str(o.by), from: str(o.from), since: time(o.since), after: num(o.after_s) * 1000, until: time(o.until), uses: num(o.uses), used: time(o.used), raw: v,
  };
}

type All = (Standing | Broken)[];

const read = (v: unknown): All => each(obj(v).standing, standing);

/** What stands, as it is: each answer is put on record, from wherever it was given or taken back. */
export function useStanding(): Query<All> {
  const q = useQuery("/v1/standing", read, 10_000);
  useEffect(() => listen((one) => one?.event === "outcome" && one.data.includes('"event":"Approval"') && q.reload()), []);
  return q;
}

const few = 10; // that are shown beside the calls that wait

/** What stands, as a part of a view. */
export function StandingPart({ q }: { q: Query<All> }): VNode | null {
  const all = q.data ?? [];
  if (all.length === 0) return null;
  return html`<section class="part"><div class="part-head"><h2>Answers that stand</h2><a href=${link("approvals", "standing")}>${all.length > few ? `Show all ${all.length}` : "Search them"}</a></div><${List} all=${all.slice(0, few)} again=${q.reload} /></section>`;
}

export function StandingView(): VNode {
  const { params } = useSignal(route);
  const q = useStanding(), seek = sought(params.q);
  const all = (q.data ?? []).filter((a) => a instanceof Broken || seek === null || [a.code, a.agent, a.session, a.workspace, a.tool, a.hook, a.rule, a.does, a.input, a.note, a.by, a.from].some((s) => seek.test(s)));
  return html`<section class="view view-page">
    <${Head} title="Answers that stand" sub=${html`<span class="dim" role="status">${q.data ? counted(all.length, "answer") : ""}</span>`}><${Search} value=${params.q ?? ""} onChange=${(text: string) => refine({ q: text })} label="Search answers" /><${Export} name="approvals-standing" items=${() => all.map((a) => a.raw)} /><//>
    <p class="dim">They decide calls that do the same, without a question. What is taken back is asked about again. <a href=${link("approvals")}>What waits for an answer</a></p>
    <${Missing} q=${q} what="answers that stand" />
    <${List} all=${all} again=${q.reload} />
    ${q.data && all.length === 0 && html`<div class="empty card"><h2>No answer stands${params.q ? " like this" : ""}</h2><p>An answer for a session, or for calls like it, is listed here until it expires or is taken back.</p></div>`}
  </section>`;
}

function List({ all, again }: { all: All; again: () => void }): VNode {
  const [going, setGoing] = useState<{ a: Standing; at: number } | null>(null);
  const list = useFocusKept<HTMLUListElement>(".standing", all.map((a) => (a instanceof Broken ? "" : a.code)).join(" "));
  const close = () => {
    const at = going?.at ?? 0;
    setGoing(null);
    // The row whose button opened the dialog may be gone already.
    requestAnimationFrame(() => {
      const left = list.current?.children ?? [];
      if (document.activeElement === document.body) ((left[Math.min(at, left.length - 1)] ?? document.querySelector("main h1")) as HTMLElement | null)?.focus();
    });
  };
  return html`<ul class="plain-list stack-small" ref=${list}>${all.map((a, i) => html`<li key=${a instanceof Broken ? i : a.code} class=${names(!(a instanceof Broken) && "card standing")} tabindex="-1" data-standing=${a instanceof Broken ? undefined : a.code}>${a instanceof Broken ? html`<${BrokenRow} of=${a} />` : html`<${Row} a=${a} onGo=${() => setGoing({ a, at: i })} />`}</li>`)}</ul>
    ${going && html`<${TakeBack} a=${going.a} onClose=${close} onDone=${again} />`}`;
}

function Row({ a, onGo }: { a: Standing; onGo: () => void }): VNode {
  const what = clip(inShort(a.input), 200);
  const said = [a.by && `by ${a.by}`, a.from, ago(a.since), a.uses === 0 ? "not used yet" : `${counted(a.uses, "call")}, the last ${ago(a.used)}`, a.note && `“${a.note}”`];
  return html`<div class="approval-head"><span class=${names("action", a.yes ? "tone-allow" : "tone-block")}>${a.yes ? "allows" : "refuses"}</span><b>${clip(a.agent || "an agent", 40)}</b><span class="dim">${clip(a.tool, 60)}</span><span class="tag">${a.session ? "in a session" : "in a folder"}</span><span class="right dim">until <${Time} at=${a.until} /></span><${Button} label=${`Take back: it ${a.yes ? "allows" : "refuses"} ${clip(what, 80)}`} onClick=${onGo}>Take back<//></div>
    <div class="mono standing-what">${what}</div><div class="dim">${said.filter(Boolean).map((s) => clip(s as string, 160)).join(" · ")}</div>
    <details><summary>Which calls</summary>${a.does ? html`<p class="dim">Each that does the same, however it is written:</p><${Text} of=${a.does} class="code" />` : html`<p class="dim">This very call:</p><${Text} of=${a.input} most=${3000} class="code" />`}
      <${Pairs} of=${[["Rule", a.rule], ["Hook", a.rule ? "" : a.hook], ["Folder", a.workspace && html`<span title=${a.workspace}>${folder(a.workspace, 48)}</span>`], ["Session", a.session && html`<a href=${link("sessions", a.session, { agent: a.agent })}>${clip(a.session, 28)}</a>`], ["Answered", html`<${Time} at=${a.since} />${a.after > 0 ? `, after ${length(a.after)}` : ""}`], ["Code", html`<span class="mono">${a.code}</span>`]]} /></details>`;
}

function TakeBack({ a, onClose, onDone }: { a: Standing; onClose: () => void; onDone: () => void }): VNode {
  const deed = useDeed("to take back a no", async (pin) => {
    try {
      await json(`/v1/standing/${encodeURIComponent(a.code)}`, { method: "DELETE", pin });
      say("Taken back.");
      onClose();
    } finally {
      onDone(); // also where somebody else was faster
    }
  });
  return html`<${Dialog} title="Take this back?" onClose=${onClose}><p>${a.yes ? "Calls like this pass now. They will be asked about again:" : "Calls like this are refused now. They will be asked about again, and may be allowed:"}</p><${Text} of=${clip(inShort(a.input), 600)} class="code" />${deed.problem}
    <div class="dialog-foot"><${Button} onClick=${onClose}>Keep it<//><${Button} kind="deny" disabled=${deed.busy} onClick=${() => deed.run(!a.yes)}>Take it back<//></div>${deed.dialog}<//>`;
}
