// Sessions: all there are, of the record and of the agents' own transcripts.

import type { VNode } from "preact";
import { Broken } from "./decode";
import { Problems, Total, since } from "./decisions";
import { html } from "./element";
import { counted, folder, length, short } from "./format";
import { LongList } from "./longlist";
import { leftOf, usePages } from "./pages";
import { Button, BrokenRow, Export, Head, Search, Select, Time, Waiting } from "./parts";
import { link, refine, route } from "./route";
import { session, type Session } from "./session";
import { useSignal } from "./signal";
import { clip } from "./visible";

export const agents = [["", "Every agent"], "claude", "codex", "gemini", "qwen", "copilot", "opencode", "cursor", "antigravity"] as const;

export function Sessions(): VNode {
  const { params } = useSignal(route);
  const query = new URLSearchParams(Object.entries({ q: params.q ?? "", agent: params.agent ?? "", cwd: params.cwd ?? "", since: since(params.since ?? "") }).filter(([, v]) => v)).toString();
  const path = "/v1/sessions" + (query && "?" + query), pages = usePages<Session>(path, "sessions", session);
  return html`<section class="view view-list">
    <${Head} title="Sessions" sub=${html`<${Total} of=${pages} word="session" />`}>
      <${Search} value=${params.q ?? ""} onChange=${(q: string) => refine({ q })} label="Search sessions" />
      <${Select} label="Agent" value=${params.agent ?? ""} options=${agents} onChange=${(agent: string) => refine({ agent })} />
      <${Select} label="Time" value=${params.since ?? ""} options=${[["", "Any time"], ["24h", "Last 24 hours"], ["7d", "Last 7 days"], ["30d", "Last 30 days"]]} onChange=${(v: string) => refine({ since: v })} />
      <${Button} icon="reload" label="Ask again" onClick=${pages.reload} />
      <${Export} name="sessions" items=${pages.all} />
    <//>
    <${Problems} of=${pages} what="sessions" />
    <div class="row row-session row-head" aria-hidden="true"><span>Last</span><span>Agent</span><span>Session</span><span>Folder</span><span class="right">Calls</span><span class="right">Stopped</span><span class="right">On trial</span><span class="right">Tokens</span><span class="right">Length</span></div>
    <div class="fill"><${LongList} key=${path} label="Sessions" items=${pages.items} rowHeight=${36} phoneHeight=${60} onEnd=${pages.more} scroll=${leftOf(path)?.scroll} onScroll=${pages.scrolled} id=${(s: Session | Broken, i: number) => (s instanceof Broken ? "broken-" + i : s.agent + "/" + s.id)}
      row=${(s: Session | Broken) => (s instanceof Broken ? html`<${BrokenRow} of=${s} />` : html`<${Row} s=${s} />`)} empty=${pages.problem ? null : pages.loading ? html`<${Waiting} />` : html`<${Nothing} sought=${query !== ""} />`} /></div>
  </section>`;
}

function Nothing({ sought }: { sought: boolean }): VNode {
  return sought ? html`There is no session like this.` : html`<h2>No sessions yet</h2><p>Those that agents had before hookway came are here, too, and the next one will be.</p>`;
}

function Row({ s }: { s: Session }): VNode {
  const stopped = s.blocks + s.asks;
  return html`<a class="row row-session" href=${link("sessions", s.id, { agent: s.agent })} tabindex="-1">
    <${Time} at=${s.last} /><span class="agent">${clip(s.agent || "–", 40)}</span>
    <span class="what">${s.parent && html`<span class="dim">↳ </span>`}${s.from.length === 1 && s.from[0] === "transcript" && html`<span class="tag" title="It is known from the agent's own record only">before hookway</span> `}${clip(s.title || s.id, 200)}</span>
    <span class="dim folder" title=${clip(s.folder, 300)}>${folder(s.folder, 26)}</span><span class="right num calls">${short(s.calls || s.events)}<span class="unit"> ${(s.calls || s.events) === 1 ? "call" : "calls"}</span></span>
    <span class="right num stops">${stopped > 0 && html`<span class="stopped" title=${`${counted(s.blocks, "block")}, ${counted(s.asks, "ask")}`}>${short(stopped)}<span class="unit"> stopped</span></span>`}</span>
    <span class="right num trial-count" title=${s.would > 0 ? "would have been stopped, if the rules were not on trial" : undefined}>${s.would > 0 && html`${short(s.would)}<span class="unit"> on trial</span>`}</span>
    <span class="right num dim tokens">${s.tokens > 0 && html`${short(s.tokens)}<span class="unit"> tokens</span>`}</span><span class="right num dim lasted">${s.last > s.first ? length(s.last - s.first) : ""}</span></a>`;
}
