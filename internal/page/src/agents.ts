// Agents: what doctor finds, and what mends it.

import type { VNode } from "preact";
import { useQuery } from "./daemon";
import { list, obj, str, yes } from "./decode";
import { html } from "./element";
import { Folder, Projects, useProjects } from "./folders";
import { counted } from "./format";
import { Button, Copy, Export, Head, Missing, Notice } from "./parts";
import { link, refine, route } from "./route";
import { useSignal } from "./signal";
import { clip } from "./visible";

interface Finding {
  level: "ok" | "note" | "warn" | "fail";
  text: string;
  mend: string;
  command: string;
}

interface Agent {
  name: string;
  title: string;
  version: string;
  installed: boolean | null;
  findings: Finding[];
}

function finding(v: unknown): Finding {
  const o = obj(v), level = str(o.level).toLowerCase();
  return { level: level.startsWith("fail") ? "fail" : level.startsWith("warn") ? "warn" : level === "note" ? "note" : "ok", text: str(o.text), mend: str(o.mend), command: str(o.command) };
}

const titles: Record<string, string> = { claude: "Claude Code", codex: "Codex CLI", gemini: "Gemini CLI", qwen: "Qwen Code", copilot: "Copilot CLI", opencode: "OpenCode", cursor: "Cursor", antigravity: "Antigravity CLI" };

function agent(v: unknown): Agent {
  const o = obj(v);
  return { name: str(o.agent) || str(o.name), title: str(o.title) || (Object.hasOwn(titles, str(o.agent)) ? titles[str(o.agent)]! : str(o.agent) || str(o.name)), version: str(o.version), installed: typeof o.installed === "boolean" ? yes(o.installed) : null, findings: list(o.findings, finding) };
}

const itself = (v: unknown) => v;
const report = (v: unknown) => ({ agents: list(obj(v).agents, agent), rest: list(obj(v).sections, agent), raw: [...list(obj(v).agents, itself), ...list(obj(v).sections, itself)] });

export function Agents(): VNode {
  const { params } = useSignal(route), cwd = params.cwd ?? "";
  const q = useQuery("/v1/doctor" + (cwd && `?cwd=${encodeURIComponent(cwd)}`), report, 60_000), projects = useProjects(cwd);
  const d = projects.ready ? q.data : undefined; // at once, so that nothing moves
  const all = [...(d?.agents ?? []), ...(d?.rest ?? [])];
  const failures = all.reduce((n, a) => n + a.findings.filter((f) => f.level === "fail").length, 0), warnings = all.reduce((n, a) => n + a.findings.filter((f) => f.level === "warn").length, 0);
  return html`<section class="view view-page">
    <${Head} title="Agents" sub=${d && html`<span class="dim" role="status">${failures + warnings === 0 ? "all is well" : `${counted(failures, "failure")}, ${counted(warnings, "warning")}`}</span>`}><${Folder} value=${cwd} onChange=${(v: string) => refine({ cwd: v })} /><${Button} icon="reload" onClick=${q.reload}>Look again<//><${Export} name="agents" items=${() => q.data?.raw ?? []} /><//>
    <${Missing} q=${q} what="doctor's findings" />
    ${d && all.length === 0 && html`<div class="empty card"><h2>No agent is known here</h2><p><code>hookway install</code> connects those that are installed.</p></div>`}
    <div class="notices">${d && (cwd ? html`<${Notice}>Run the commands in <span class="mono">${clip(cwd, 200)}</span>.<//>` : html`<${Projects} of=${projects.all} what="problems" />`)}</div>
    <div class="cards cards-agents">${all.map((a) => html`<${Card} key=${a.name} a=${a} />`)}</div>
  </section>`;
}

const rank = { fail: 0, warn: 1, note: 2, ok: 3 };

function Card({ a }: { a: Agent }): VNode {
  const worst = a.findings.reduce<Finding["level"]>((w, f) => (rank[f.level] < rank[w] ? f.level : w), "ok");
  const known = /^[a-z-]+$/.test(a.name) && a.installed !== null;
  return html`<article class="card agent-card" aria-label=${a.title}><div class="part-head"><h2><span class=${"dot dot-" + worst} aria-hidden="true"></span> ${clip(a.title, 60)} <span class="dim">${clip(a.version, 40)}</span></h2>
      ${a.installed === false ? html`<span class="tag">not installed</span>` : known && html`<a href=${link("sessions", "", { agent: a.name })}>Sessions</a>`}</div>
    <ul class="plain-list findings">${[...a.findings].sort((x, y) => rank[x.level] - rank[y.level]).map((f, i) => html`<li key=${i} class=${"finding finding-" + f.level}><span class="level">${f.level === "fail" ? "failure" : f.level === "warn" ? "warning" : f.level}</span><div class="grow"><span>${clip(f.text, 800)}</span>${f.mend && f.mend !== f.command && html`<div class="dim">${clip(f.mend, 800)}</div>`}
      ${f.command && html`<div class="with-copy"><code>${clip(f.command, 600)}</code><${Copy} text=${f.command} label="Copy the command that mends it" kind="bare" /></div>`}</div></li>`)}</ul></article>`;
}
