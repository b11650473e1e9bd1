// Hooks: where each comes from, when it was asked last, and how it does.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useQuery } from "./daemon";
import { Broken, each, must, num, obj, str, strs } from "./decode";
import { html, names } from "./element";
import { Folder, Projects, useProjects } from "./folders";
import { ago, count, counted, length, short } from "./format";
import { Icon } from "./icons";
import { BrokenRow, Export, Head, Missing, Notice, Pairs, Search } from "./parts";
import { link, refine, route } from "./route";
import { useSignal } from "./signal";
import { stats, type HookCount } from "./stats";
import { clip } from "./visible";

interface Hook {
  id: string;
  events: string[];
  lane: string;
  priority: number;
  timeout: number;
  failure: string;
  kind: string;
  command: string;
  description: string;
  state: string;
  layer: string;
  origin: string;
  agents: string[];
  circuit: string;
  raw: unknown;
}

function hook(v: unknown): Hook {
  const o = must(v, "a hook"), c = obj(o.circuit);
  return {
    id: str(o.id), events: strs(o.events), lane: str(o.lane), priority: num(o.priority), timeout: num(o.timeout_ms), failure: str(o.on_failure), kind: str(o.kind), command: str(o.command), description: str(o.description),
    state: str(o.state), layer: str(o.layer), origin: str(o.origin) || str(o.source) || str(o.file), agents: strs(o.agents), circuit: str(o.circuit) || str(c.state), raw: v,
  };
}

const answer = (v: unknown) => ({ hooks: each(obj(v).hooks, hook), problems: [...strs(obj(v).problems), ...strs(obj(v).warnings)], trust: str(obj(v).trust), workspace: str(obj(v).workspace) });

export function Hooks(): VNode {
  const { params } = useSignal(route);
  const cwd = params.cwd ?? "", q = (params.q ?? "").toLowerCase();
  const hooks = useQuery("/v1/hooks" + (cwd && `?cwd=${encodeURIComponent(cwd)}`), answer, 10_000);
  const s = useQuery("/v1/stats" + (cwd && `?cwd=${encodeURIComponent(cwd)}`), stats, 10_000);
  const projects = useProjects(cwd);
  const by = new Map(s.data?.hooks.map((c) => [c.hook, c]));
  const shown = (hooks.data?.hooks ?? []).filter((h) => h instanceof Broken || q === "" || [h.id, h.command, h.description, h.origin, ...h.events].some((t) => t.toLowerCase().includes(q)));
  return html`<section class="view view-page">
    <${Head} title="Hooks" sub=${hooks.data && html`<span class="dim">${counted(hooks.data.hooks.length, "hook")}</span>`}>
      <${Folder} value=${cwd} onChange=${(v: string) => refine({ cwd: v })} /><${Search} value=${params.q ?? ""} onChange=${(v: string) => refine({ q: v })} label="Find a hook" /><${Export} name="hooks" items=${() => shown.map((h) => h.raw)} />
    <//>
    <${Missing} q=${hooks} what="hooks" />
    <div class="notices">${hooks.data && projects.ready && html`<${Projects} of=${projects.all} what="hooks" />`}${hooks.data?.trust === "changed" && html`<${Notice} kind="warn">The hooks of this folder have changed since you trusted them: <code>hookway trust</code> there lets them run.<//>`}
      ${hooks.data?.problems.map((p) => html`<${Notice} key=${p} kind="warn">${clip(p, 600)}<//>`)}</div>
    ${!projects.ready ? null : shown.length > 0 ? html`<div class="table-hooks"><div class="row row-hook row-head" aria-hidden="true"><span></span><span>Hook</span><span class="events">Events</span><span>State</span><span class="right">Runs</span><span class="right">Stopped</span><span class="right">Failed</span><span class="right">p50</span><span class="right">p95</span><span class="right">Last</span></div>
      <ul class="plain-list">${shown.map((h, i) => (h instanceof Broken ? html`<li key=${i}><${BrokenRow} of=${h} /></li>` : html`<${Row} key=${h.id} h=${h} c=${by.get(h.id)} />`))}</ul></div>`
      : hooks.data && html`<div class="empty card"><h2>No hooks${q ? " like this" : projects.all.length > 0 && " in your own configuration"}</h2>${projects.all.length === 0 && html`<p><code>hookway init</code> in a project makes the first ones.</p>`}</div>`}
  </section>`;
}

function Row({ h, c }: { h: Hook; c: HookCount | undefined }): VNode {
  const [open, setOpen] = useState(false);
  const bad = h.circuit === "open" || h.circuit === "half-open";
  return html`<li class=${names("hook", open && "open")}><button type="button" class="row row-hook" aria-expanded=${String(open)} onClick=${() => setOpen(!open)}><span class=${names("turn", open && "turned")}><${Icon} is="right" /></span>
      <span class="hook-id"><b class="mono">${clip(h.id, 80)}</b><span class="dim">${clip(h.description || h.command, 120)}</span></span><span class="dim events">${clip(h.events.join(", "), 80)}</span>
      <span>${bad ? html`<span class="action tone-block">circuit ${h.circuit}</span>` : html`<span class=${names("action", h.state === "active" ? "tone-allow" : "tone-ask")}>${clip(h.state || "active", 24)}</span>`}</span>
      <span class="right num">${c ? count(c.runs) : "–"}</span><span class="right num">${c ? count(c.blocks + c.asks) : "–"}${c && c.would > 0 && html` <span class="trial-count" title=${`${counted(c.would, "call")} more on trial`}>+${short(c.would)}</span>`}</span><span class=${names("right num", c && c.failures > 0 && "stopped")}>${c ? count(c.failures) : "–"}</span>
      <span class="right num">${c ? length(c.p50) : "–"}</span><span class="right num">${c ? length(c.p95) : "–"}</span><span class="right num dim">${c ? ago(c.last) : "never"}</span></button>
    ${open && html`<div class="hook-more"><${Pairs} of=${[["From", html`<span class="mono">${clip(h.origin, 300)}</span>`], ["Whose", h.layer], ["Kind", h.kind], ["Runs", h.command && html`<span class="mono">${clip(h.command, 400)}</span>`], ["Events", h.events.join(", ")], ["Asked under", h.agents.join(", ")], ["Lane", `${h.lane}, priority ${h.priority}`], ["Timeout", length(h.timeout)], ["If it fails", h.failure], ["Circuit", h.circuit], ["p99", c ? length(c.p99) : ""]]} />
      <a href=${link("decisions", "", { hook: h.id })}>Its decisions</a></div>`}</li>`;
}
