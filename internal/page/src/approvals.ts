// Approvals: what agents ask, as cards to answer.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { approval, argumentsOf, inShort, type Approval } from "./approval";
import { Broken, each, obj } from "./decode";
import { json, useQuery } from "./daemon";
import { html, names } from "./element";
import { useFocusKept } from "./focus";
import { ago, counted, folder, length } from "./format";
import { Button, BrokenRow, Choice, Diff, Export, Head, Missing, Pairs, Text, Time } from "./parts";
import { useDeed } from "./pin";
import { link } from "./route";
import { say } from "./say";
import { Signal, useSignal } from "./signal";
import { chime, sound, switchSound } from "./sound";
import { StandingPart, useStanding } from "./standing";
import { clip } from "./visible";

/** How many wait for an answer: the navigation and the title of the page say it. */
export const open = new Signal(0);

const known = new Set<string>();
let first = true;

/** Reads the list, and tells what is new. */
export function approvals(v: unknown): (Approval | Broken)[] {
  const all = each(obj(v).approvals, approval);
  const now = all.filter((a): a is Approval => !(a instanceof Broken) && a.state === "open");
  const fresh = now.filter((a) => !known.has(a.code));
  known.clear();
  for (const a of now) known.add(a.code);
  open.set(now.length);
  if (fresh.length > 0 && !first) {
    chime(fresh[0]!.code);
    say(fresh.length === 1 ? `${fresh[0]!.agent || "An agent"} asks for an approval.` : `${counted(fresh.length, "new approval")}.`);
  }
  first = false;
  return all;
}

// Cards keep their place: a new one goes below, so that nothing moves under a finger.
function useOrder(all: (Approval | Broken)[]): Approval[] {
  const order = useRef(new Map<string, number>());
  const good = all.filter((a): a is Approval => !(a instanceof Broken));
  for (const a of [...good].sort((x, y) => x.first - y.first)) if (!order.current.has(a.code)) order.current.set(a.code, order.current.size);
  return good.sort((x, y) => order.current.get(x.code)! - order.current.get(y.code)!);
}

export function Approvals(): VNode {
  const q = useQuery("/v1/approvals", approvals, 1500), standing = useStanding();
  const all = useOrder(q.data ?? []);
  const on = useSignal(sound);
  const waiting = all.filter((a) => a.state === "open"), done = all.filter((a) => a.state !== "open").reverse();
  const place = waiting.map((a) => a.code).join(" ");
  const cards = useFocusKept<HTMLDivElement>(".approval", place), below = q.data && !standing.loading; // at once, so that nothing moves
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || (e.target as HTMLElement).closest("input, textarea, select, dialog")) return;
      const cards = [...document.querySelectorAll<HTMLElement>(".approval[data-open]")];
      const here = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>(".approval") ?? null;
      const at = here ? cards.indexOf(here) : -1;
      const card = here && at >= 0 ? here : cards[0];
      if (e.key === "j" || e.key === "k") cards[Math.max(0, Math.min(cards.length - 1, at + (e.key === "j" ? 1 : -1)))]?.focus();
      else if (e.key === "a") card?.querySelector<HTMLElement>(".allow")?.focus();
      else if (e.key === "d") card?.querySelector<HTMLElement>(".deny")?.focus();
      else return;
      e.preventDefault();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  return html`<section class="view view-page">
    <${Head} title="Approvals" sub=${html`<span class="dim" role="status">${q.data ? (waiting.length ? `${counted(waiting.length, "call")} waiting` : "nothing waits") : ""}</span>`}>
      <${Button} icon="bell" pressed=${on} onClick=${switchSound} title="A sound when something is asked">Sound ${on ? "on" : "off"}<//>
      <${Export} name="approvals" items=${() => (q.data ?? []).map((a) => a.raw)} />
    <//>
    <${Missing} q=${q} what="approvals" />
    ${q.data && waiting.length === 0 && html`<div class="empty card"><h2>Nothing waits for you</h2><p>When an agent wants something that a rule asks about or blocks, it is shown here.</p></div>`}
    <div class="cards" ref=${cards}>${waiting.map((a) => html`<${Card} key=${a.code} a=${a} place=${place} again=${q.reload} />`)}</div>
    ${q.data?.filter((a) => a instanceof Broken).map((b, i) => html`<${BrokenRow} key=${i} of=${b} />`)}
    ${below && html`<${StandingPart} q=${standing} />`}
    ${below && done.length > 0 && html`<section class="part"><h2>In the last hour</h2><ul class="plain-list">${done.map((a) => html`<li key=${a.code} class="done"><${Time} at=${Number.isNaN(a.answered) ? a.first : a.answered} /><span class=${names("state", "state-" + a.state)}>${clip(a.state, 20)}</span>
      <span class="agent">${clip(a.agent, 30)}</span><span class="what mono">${clip(inShort(a.input), 200)}</span><span class="dim">${[a.scope && a.scope !== "once" ? `for the ${a.scope}` : "", a.by && `by ${a.by}`, a.from, a.after > 0 ? `after ${length(a.after)}` : "", a.note && `“${a.note}”`].filter(Boolean).map((s) => clip(s, 120)).join(" · ")}</span></li>`)}</ul></section>`}
  </section>`;
}

/** What is asked: a command or a change by itself, and with its name whatever else the call has. */
function Asked({ input }: { input: string }): VNode {
  const all = argumentsOf(input), main = all[0]?.name === "command" || all[0]?.name === "change" ? all[0] : undefined;
  const rest = (main ? all.slice(1) : all).map((one) => (one.name ? `${one.name}: ` : "") + one.text).join("\n");
  return html`${main && (main.name === "change" ? html`<${Diff} text=${main.text} />` : html`<${Text} of=${main.text} most=${3000} class="code" />`)}
    ${rest && html`<${Text} of=${rest} most=${3000} class=${main ? "besides" : "code"} />`}`;
}

function Card({ a, place, again }: { a: Approval; place: string; again: () => void }): VNode {
  const [scope, setScope] = useState("once");
  const [note, setNote] = useState("");
  const answer = useRef("deny");
  const [ready, setReady] = useState(""); // the place in which a person can have seen it
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const soon = setTimeout(() => setReady(place), 600);
    return () => clearTimeout(soon);
  }, [place]);
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(tick);
  }, []);
  const deed = useDeed("to allow this call", async (pin) => {
    try {
      await json(`/v1/approvals/${encodeURIComponent(a.code)}`, { send: { answer: answer.current, scope, note, calls: Math.max(1, a.waiters) }, pin });
      say(answer.current === "allow" ? "Allowed." : "Denied.");
    } finally {
      again();
    }
  });
  const press = (which: "allow" | "deny") => {
    answer.current = which;
    deed.run(which === "allow");
  };
  const still = deed.busy || ready !== place;
  const scopes = [["once", "This once"], ["session", "This session"], ...(a.shape ? [["shape", "Calls like it"]] : [])] as [string, string][];
  return html`<article class="card approval" tabindex="-1" data-open="true" data-code=${a.code} aria-label=${`${a.agent || "An agent"} asks: ${clip(inShort(a.input), 80)}`}>
    <div class="approval-head"><span class=${names("action", a.kind === "block" ? "tone-block" : "tone-ask")}>${a.kind === "block" ? "blocked" : "asks"}</span><b>${clip(a.agent || "an agent", 40)}</b><span class="dim">${clip(a.tool, 60)}</span>
      ${a.waiters > 0 && html`<span class="tag tag-live">${a.waiters === 1 ? "waits now" : `${a.waiters} wait now`}</span>`}<span class="right dim num">${ago(a.first, now)}${!Number.isNaN(a.until) && a.until > now ? ` · ${length(a.until - now)} left` : ""}</span></div>
    <${Asked} input=${a.input} />
    ${a.reason && html`<p class="reason">${clip(a.reason, 2000)}</p>`}
    ${a.does && html`<details><summary>What it would do</summary><${Text} of=${a.does} class="code" /></details>`}
    <${Pairs} of=${[["Rule", a.rule], ["Hook", a.rule ? "" : a.hook], ["Folder", a.workspace && html`<span title=${a.workspace}>${folder(a.workspace, 48)}</span>`], ["Session", a.session && html`<a href=${link("sessions", a.session, { agent: a.agent })}>${clip(a.session, 28)}</a>`], ["Sub-agent", clip(a.subagent, 60)], ["Code", html`<span class="mono">${a.code}</span>`]]} />
    <div class="answer">
      <div class="answer-how"><${Choice} label="How far an approval reaches" value=${scope} options=${scopes} onChange=${setScope} small /><input class="input grow" type="text" maxlength="500" placeholder="A note to the agent" aria-label="A note to the agent" value=${note} onInput=${(e: Event) => setNote((e.currentTarget as HTMLInputElement).value)} /></div>
      <div class="answer-what"><${Button} icon="cross" kind="deny" disabled=${still} onClick=${() => press("deny")}>Deny<//><${Button} icon="tick" kind="allow" disabled=${still} onClick=${() => press("allow")}>${deed.busy && answer.current === "allow" ? "Allowing…" : "Allow"}<//></div></div>
    ${deed.problem}${deed.dialog}
  </article>`;
}
