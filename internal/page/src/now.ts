// Now: decisions as they fall.

import type { VNode } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { Broken, each, obj } from "./decode";
import { Away, isLacking, json, returned } from "./daemon";
import { html } from "./element";
import { count, counted } from "./format";
import { listen } from "./live";
import { LongList } from "./longlist";
import { Button, Choice, Export, Head, Notice, Search, Select, Waiting } from "./parts";
import { Pulse } from "./pulse";
import { answerOf, isStopped, record, type Rec } from "./record";
import { RecordHead, RecordRow } from "./recordrow";
import { passes, Recent } from "./recent";
import { link, refine, route } from "./route";
import { say } from "./say";
import { useSignal } from "./signal";
import { clip } from "./visible";

const kinds = [["", "All"], ["decided", "Decided"], ["block", "Blocked"], ["ask", "Asked"], ["would", "On trial"]] as const;

export function Now(): VNode {
  const { params } = useSignal(route);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const recent = useMemo(() => new Recent(), []);
  const [frozen, setFrozen] = useState<readonly (Rec | Broken)[] | null>(null);
  const [missed, setMissed] = useState(0);
  const [began, setBegan] = useState(false);
  const reading = useRef(false); // a row has the focus: it stays where it is
  const paused = frozen !== null;

  useEffect(() => {
    const stop = new AbortController();
    let frame = 0, unwatch = () => undefined as void;
    let told = { block: 0, ask: 0 };
    let timer: ReturnType<typeof setTimeout> | undefined, before = 0;
    const flush = () => {
      frame = 0;
      before = performance.now();
      if (!reading.current && recent.flush()) redraw(undefined);
    };
    // Ten times a second is as often as anybody reads, and each time within one frame.
    const later = () => {
      if (frame !== 0 || timer !== undefined) return;
      timer = setTimeout(() => ((timer = undefined), (frame = requestAnimationFrame(flush))), Math.max(0, 100 - (performance.now() - before)));
    };
    const follow = () => {
      unwatch = listen((said) => {
        if (!said) return;
        if (said.event === "missed") return setMissed((n) => n + Number(obj(safe(said.data)).count ?? 0));
        const one = each([safe(said.data)], record)[0]!;
        if (!(one instanceof Broken) && isStopped(one)) told[one.action as "block" | "ask"]++;
        recent.add(one);
        later();
      }, at);
    };
    let filled = false, away = false, at = -1;
    const fill = () => json("/v1/record?limit=200", { signal: stop.signal }).then((v) => {
      const all = each(obj(v).records, record);
      const newest = all.find((r): r is Rec => !(r instanceof Broken));
      filled = true;
      away = false;
      recent.fill(all);
      if (newest) at = newest.seq;
    }, (err) => {
      filled = isLacking(err);
      away = err instanceof Away;
    }).then(() => {
      if (stop.signal.aborted) return;
      setBegan(!away);
      redraw(undefined);
    });
    void fill().then(() => !stop.signal.aborted && follow());
    const unlisten = returned.listen(() => !filled && void fill());
    const speak = setInterval(() => {
      if (told.block + told.ask > 0) say([told.block && `${counted(told.block, "call")} blocked`, told.ask && `${counted(told.ask, "call")} asked about`].filter(Boolean).join(", ") + ".");
      told = { block: 0, ask: 0 };
    }, 10_000);
    return () => {
      stop.abort();
      unlisten();
      unwatch();
      clearInterval(speak);
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, []);

  const held = frozen ?? recent.items;
  // That the owner opened this page is on record, and nothing that they look for here.
  const all = useMemo(() => held.filter((r) => r instanceof Broken || answerOf(r) !== "done"), [held]);
  const shown = useMemo(() => all.filter((r) => r instanceof Broken || passes(r, params)), [all, params]);
  const names = sessionsOf(all, params.session ?? ""), sessions = useMemo(() => names.split("\n").filter(Boolean).map((l) => l.split("\t") as [string, string]), [names]);
  const waiting = paused ? recent.since(frozen) : 0;
  const toggle = () => setFrozen(paused ? null : recent.items);

  return html`<section class="view view-list">
    <${Head} title="Now" sub=${html`<${Pulse} recent=${recent} />`}>
      <${Choice} label="Which decisions" value=${params.action ?? ""} options=${kinds} onChange=${(v: string) => refine({ action: v })} />
      <${Select} steady label="Follow a session" value=${params.session ?? ""} onChange=${(session: string) => refine({ session })} options=${[["", "Every session"], ...sessions]} />
      <${Search} value=${params.q ?? ""} onChange=${(v: string) => refine({ q: v })} label="Filter" />
      <${Button} id="pause" icon=${paused ? "play" : "pause"} kind=${paused ? "primary" : ""} pressed=${paused} onClick=${toggle} title="Pause or go on (p)">${paused ? (waiting > 0 ? `Go on, ${count(waiting)} new` : "Go on") : "Pause"}<//>
      <${Export} name="now" items=${() => shown.map((r) => (r instanceof Broken ? r.raw : r.raw))} />
    <//>
    ${(params.session || params.agent) && html`<${Notice}>Following ${params.session ? `session ${params.session}` : `agent ${params.agent}`}. <a href=${link("now", "", { ...params, session: "", agent: "" })}>Show all</a>${
      params.session && html` · <a href=${link("sessions", params.session, { agent: params.agent ?? "" })}>Its timeline</a>`}<//>`}
    ${missed > 0 && html`<${Notice}>${counted(missed, "decision")} fell while the page was not connected and are not in this list. <a href="#/decisions">All decisions</a><//>`}
    <${RecordHead} />
    <div class="fill" onFocusIn=${(e: FocusEvent) => (reading.current = (e.target as HTMLElement).closest(".longlist-row") !== null)} onFocusOut=${() => ((reading.current = false), recent.flush() && redraw(undefined))}>
      <${LongList} label="Decisions" items=${shown} anchor rowHeight=${32} phoneHeight=${56} id=${(r: Rec | Broken, i: number) => (r instanceof Broken ? "broken-" + i : r.seq)}
        row=${(r: Rec | Broken) => html`<${RecordRow} r=${r} follow />`} empty=${!began ? html`<${Waiting} />` : html`<${Nothing} all=${all.length} />`} />
    </div>
  </section>`;
}

// The sessions of these records, the newest first, a line each: as text, so that the choice
// is drawn anew only when it is another.
function sessionsOf(all: readonly (Rec | Broken)[], chosen: string): string {
  const found = new Map<string, string>();
  for (const r of all) {
    if (r instanceof Broken || r.session === "" || found.has(r.session)) continue;
    found.set(r.session, `${clip(r.agent || r.source, 16)} · ${r.session.length > 22 ? "…" + r.session.slice(-20) : r.session}`);
    if (found.size === 30) break;
  }
  if (chosen !== "" && !found.has(chosen)) found.set(chosen, chosen);
  return [...found].filter(([id]) => !/[\n\t]/.test(id)).map(([id, name]) => `${id}\t${name.replace(/[\n\t]/g, " ")}`).join("\n");
}

function Nothing({ all }: { all: number }): VNode {
  if (all > 0) return html`<p>None of the last ${count(all)} decisions is one of these. <a href="#/now">Show all</a></p>`;
  return html`<div class="welcome"><h2>Nothing yet</h2>
    <p>Each call of your agents shows up here as it is judged.</p>
    <ol><li><code>hookway init</code> in a project connects your agents.</li><li>Start an agent there, and give it something to do.</li>
    <li><a href="#/guards">Guards</a> shows what hookway's own rules would have done in the last 30 days.</li></ol></div>`;
}

function safe(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
