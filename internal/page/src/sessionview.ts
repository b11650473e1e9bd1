// One session: a timeline, and below it all that happened.

import type { VNode } from "preact";
import { useEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { Away, json, isLacking, returned, told } from "./daemon";
import { Broken, each, obj, str } from "./decode";
import { html, names } from "./element";
import { count, counted, day, folder, length, moment, second, short } from "./format";
import { Icon, type Sign } from "./icons";
import { listen } from "./live";
import { LongList } from "./longlist";
import { Action, Button, BrokenRow, Choice, Export, Head, Notice, Pairs, Search, Text, Time, Waiting } from "./parts";
import { sought } from "./recent";
import { answerOf } from "./record";
import { link, refine, route } from "./route";
import { item, ordered, part, type Item, type Lane, type Session } from "./session";
import { useSignal } from "./signal";
import { Timeline } from "./timelineview";
import { clip } from "./visible";

const kinds = [["", "All"], ["prompt", "Prompts"], ["call", "Calls"], ["stopped", "Stopped"], ["message", "Messages"]] as const;
const most = 100_000; // items that are held

interface Held {
  session: Session | null;
  lanes: Lane[];
  items: Item[];
  broken: Broken[];
  problems: string[];
  problem: string;
  lacking: boolean;
  loading: boolean;
}

/** Reads a session, page by page, and what comes later when the record tells of it. */
function useSession(id: string, agent: string): Held {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const held = useRef<Held>(nothing());
  useEffect(() => {
    const stop = new AbortController(), byID = new Map<string, Item>();
    let after = "", busy = false, again = false, timer: ReturnType<typeof setTimeout> | undefined;
    held.current = nothing();
    const page = async (): Promise<string> => {
      const query = new URLSearchParams({ limit: "1000", ...(agent && { agent }), ...(after && { after }) });
      const answer = await json(`/v1/sessions/${encodeURIComponent(id)}?${query}`, { signal: stop.signal });
      const p = part(answer), all = each(obj(answer).items, item), h = held.current;
      for (const one of all) if (!(one instanceof Broken)) byID.set(one.id || `#${byID.size}`, one);
      held.current = {
        ...h, session: p.session ?? h.session, lanes: p.lanes.length > 0 ? p.lanes : h.lanes, items: [...byID.values()], broken: after ? h.broken.concat(all.filter((b) => b instanceof Broken)) : all.filter((b) => b instanceof Broken),
        problems: [...new Set([...h.problems, ...p.problems])], problem: "", lacking: false, loading: p.next !== "",
      };
      return p.next;
    };
    const load = async () => {
      if (busy) return void (again = true);
      busy = true;
      try {
        for (let next = await page(); next !== "" && byID.size < most; next = await page()) {
          after = next;
          redraw(undefined);
        }
      } catch (err) {
        const away = err instanceof Away, h = held.current; // it is asked again when the daemon is back
        if (!stop.signal.aborted) held.current = { ...h, problem: away ? "" : told(err), lacking: isLacking(err), loading: away && h.items.length === 0 };
      }
      busy = false;
      if (stop.signal.aborted) return;
      redraw(undefined);
      if (again) soon();
      again = false;
    };
    const soon = () => (timer ??= setTimeout(() => ((timer = undefined), void load()), 1000));
    void load();
    const unwatch = listen((said) => {
      if (said?.event === "outcome" && said.data.includes(id) && sessionOf(said.data) === id) soon();
    });
    const unlisten = returned.listen(() => void load());
    redraw(undefined);
    return () => (stop.abort(), clearTimeout(timer), unwatch(), unlisten());
  }, [id, agent]);
  return held.current;
}

function sessionOf(data: string): string {
  try {
    return str(obj(JSON.parse(data)).session);
  } catch {
    return "";
  }
}

const nothing = (): Held => ({ session: null, lanes: [], items: [], broken: [], problems: [], problem: "", lacking: false, loading: true });

function passes(i: Item, kind: string, q: RegExp | null): boolean {
  if (kind === "stopped" ? !(i.action === "block" || i.action === "ask" || i.would) : kind !== "" && i.kind !== kind) return false;
  return q === null || q.test(i.title) || q.test(i.text) || q.test(i.tool) || q.test(i.rule);
}

export function SessionView(): VNode {
  const { id, params } = useSignal(route);
  const h = useSession(id, params.agent ?? "");
  const lanes = useMemo(() => ordered(h.lanes, h.items), [h.lanes, h.items]);
  const shown = useMemo(() => {
    const q = sought(params.q);
    return h.items.filter((i) => passes(i, params.kind ?? "", q));
  }, [h.items, params.kind, params.q]);
  const rows = useMemo(() => (h.broken.length > 0 ? [...h.broken, ...shown] : shown), [h.broken, shown]);
  const picked = params.item ?? "", setPicked = (item: string) => refine({ item });
  const selected = shown.findIndex((i) => i.id === picked);
  const s = h.session, chosen = shown[selected], days = s !== null && day(s.first) !== day(s.last);
  const leave = (e: KeyboardEvent) => {
    const part = e.currentTarget as HTMLElement;
    part.querySelector<HTMLElement>(part.querySelector(".row-on") ? ".row-on" : ".longlist")?.focus();
    setPicked("");
  };
  // All of it comes at once, so that nothing moves under who reads already.
  if (h.loading && !s && h.items.length === 0) return html`<section class="view view-list view-session"><${Head} title="Session" /><${Waiting} /></section>`;
  return html`<section class="view view-list view-session">
    <${Head} title=${clip(s?.title || "Session", 120)} sub=${html`<span class="dim mono">${clip(id, 60)}</span>`}>
      <a class="button" href=${link("now", "", { session: id })}>Follow</a>
      <a class="button" href=${link("decisions", "", { session: id })}>Decisions</a>
      <${Export} name=${"session-" + id.replace(/[^\w-]+/g, "_").slice(0, 60)} items=${() => shown.map((i) => i.raw)} />
    <//>
    ${s && html`<${Pairs} of=${[["Agent", clip(s.agent, 60)], ["Folder", s.folder && html`<span title=${clip(s.folder, 300)}>${folder(s.folder, 40)}</span>`], ["Model", clip(s.model, 60)], ["Began", html`<${Time} at=${s.first} />`],
      ["Length", s.last > s.first ? length(s.last - s.first) : ""], ["Calls", count(s.calls)], ["Blocked", s.blocks > 0 ? count(s.blocks) : ""], ["Asked", s.asks > 0 ? count(s.asks) : ""], ["On trial", s.would > 0 ? count(s.would) : ""], ["Tokens", s.tokens > 0 ? short(s.tokens) : ""],
      ["Part of", s.parent && html`<a href=${link("sessions", s.parent, { agent: s.agent })}>${clip(s.parent, 30)}</a>`]]} />`}
    <div class="notices">${h.lacking && html`<${Notice}>This daemon does not offer sessions yet. A newer hookway does. Its <a href=${link("decisions", "", { session: id })}>decisions</a> are there.<//>`}
      ${h.problem && !h.lacking && html`<${Notice} kind="warn">${clip(h.problem, 600)}<//>`}${h.problems.slice(0, 5).map((p) => html`<${Notice} key=${p} kind="warn">${clip(p, 600)}<//>`)}
      ${h.items.length >= most && html`<${Notice} kind="warn">The session is longer than a page holds; the first ${count(most)} items are shown.<//>`}</div>
    ${h.items.length > 0 && html`<${Timeline} items=${shown} lanes=${lanes} selected=${selected} onSelect=${(i: number) => setPicked(shown[i]!.id)} />`}
    <div class="subtools"><${Choice} small label="Which items" value=${params.kind ?? ""} options=${kinds} onChange=${(kind: string) => refine({ kind })} /><${Search} value=${params.q ?? ""} onChange=${(v: string) => refine({ q: v })} label="Search this session" />
      <span class="dim num" role=${h.loading ? undefined : "status"}>${h.loading ? `reading… ${count(h.items.length)}` : counted(shown.length, "item")}</span></div>
    <div class=${names("fill", "split", chosen && "has-detail")} onKeyDown=${(e: KeyboardEvent) => e.key === "Escape" && chosen && leave(e)}>
      <${LongList} label="What happened" items=${rows} rowHeight=${30} phoneHeight=${48} select=${chosen ? picked : undefined} id=${(i: Item | Broken, n: number) => (i instanceof Broken ? "broken-" + n : i.id || n)}
        row=${(i: Item | Broken) => (i instanceof Broken ? html`<${BrokenRow} of=${i} />` : html`<${ItemRow} i=${i} days=${days} lane=${lanes.length > 1 && i.lane !== lanes[0]?.id ? lanes.find((l) => l.id === i.lane)?.name ?? "" : ""} on=${i.id === picked} onPick=${() => setPicked(i.id === picked ? "" : i.id)} />`)} empty=${h.loading || h.problem ? null : "Nothing here is like this."} />
      ${chosen && html`<${Detail} i=${chosen} onClose=${() => setPicked("")} />`}</div>
  </section>`;
}

const signs: Record<string, Sign> = { prompt: "prompt", answer: "answer", call: "call", decision: "guards", message: "messages", approval: "approvals", compact: "memory", usage: "now", note: "decisions" };

// What was decided, or answered.
const said = (i: Item) => (i.kind === "approval" ? answerOf({ ...i, event: "Approval", code: i.title }) : i.action);

// What a row says of an item: of what a model took, how much of it was its answer.
function aboutItem(i: Item): string {
  if (i.kind === "usage") return `${i.model && i.model + ": "}${short(i.input)} read, ${short(i.output)} written`;
  return (i.kind !== "approval" && i.title) || i.text || i.title;
}

function ItemRow({ i, days, lane, on, onPick }: { i: Item; days: boolean; lane: string; on: boolean; onPick: () => void }): VNode {
  return html`<button type="button" tabindex="-1" class=${names("row row-item", on && "row-on", (i.action === "block" || i.action === "ask") && "row-" + i.action)} aria-pressed=${String(on)} onClick=${onPick}>
    <${Time} at=${i.at} text=${second(i.at, days)} /><span class=${"kind kind-" + i.kind}><${Icon} is=${signs[i.kind] ?? "decisions"} /><span>${clip(i.kind, 12)}</span></span>
    ${(i.action || i.would) && !(i.action === "continue" && !i.would) ? html`<${Action} is=${said(i)} would=${i.would} />` : html`<span>${i.failed && html`<span class="action tone-failed">failed</span>`}</span>`}
    <span class="what">${lane && html`<span class="dim">${clip(lane, 30)} · </span>`}${i.tool && html`<b>${clip(i.tool, 40)}</b> `}<span class=${{ prompt: "", answer: "", usage: "dim" }[i.kind] ?? "mono"}>${clip(aboutItem(i).replace(/\s+/g, " "), 240)}</span></span>
    <span class="right num dim">${i.input + i.output > 0 ? `${short(i.input + i.output)} tokens` : i.ms > 0 ? length(i.ms) : ""}</span></button>`;
}

function Detail({ i, onClose }: { i: Item; onClose: () => void }): VNode {
  return html`<aside class="detail" aria-label="What was picked"><div class="part-head"><h2>${clip(i.tool || i.kind, 60)}</h2><${Button} icon="cross" label="Close" kind="bare" onClick=${onClose} /></div>
    <${Pairs} of=${[["When", moment(i.at)], ["Took", i.ms > 0 ? length(i.ms) : i.end > i.at ? length(i.end - i.at) : ""], ["Decision", i.action && html`<${Action} is=${said(i)} would=${i.would} />`], ["By", clip(i.rule || i.by, 100)], ["Model", clip(i.model, 60)],
      ["Tokens", i.input + i.output > 0 ? `${count(i.input)} in, ${count(i.output)} out` : ""], ["Explained", i.record > 0 && html`<a href=${link("decisions", i.record)}>Decision #${i.record}</a>`]]} />
    ${i.title && i.title !== i.text && html`<${Text} of=${i.title} class=${i.kind === "call" ? "code" : ""} />`}${i.text && html`<${Text} of=${i.text} class=${i.kind === "call" ? "code" : ""} />`}</aside>`;
}
