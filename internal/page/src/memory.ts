// Memory: what agents were told to remember.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { json, request, told } from "./daemon";
import { Broken, must, num, str, strs, time } from "./decode";
import { Problems, Total } from "./decisions";
import { html } from "./element";
import { folder } from "./format";
import { usePages } from "./pages";
import { Button, BrokenRow, Dialog, Export, Head, Notice, Search, Select, Text, Time, Waiting } from "./parts";
import { refine, route } from "./route";
import { say } from "./say";
import { useSignal } from "./signal";
import { clip } from "./visible";

interface Memory {
  id: string;
  text: string;
  scope: string;
  workspace: string;
  agent: string;
  at: number;
  tags: string[];
  file: string;
  score: number;
  raw: unknown;
}

function memory(v: unknown): Memory {
  const o = must(v, "a memory");
  return { id: str(o.id), text: str(o.text), scope: str(o.scope), workspace: str(o.workspace), agent: str(o.agent), at: time(o.time), tags: strs(o.tags), file: str(o.file), score: num(o.score), raw: v };
}

const scopes = [["", "Every scope"], ["workspace", "Of a project"], ["agent", "Of an agent"], ["user", "Everywhere"]] as const;

export function MemoryView(): VNode {
  const { params } = useSignal(route);
  const query = new URLSearchParams(Object.entries({ q: params.q ?? "", scope: params.scope ?? "" }).filter(([, v]) => v)).toString();
  const pages = usePages<Memory>("/v1/memories" + (query && "?" + query), "memories", memory);
  const [adding, setAdding] = useState(false);
  const [going, setGoing] = useState<Memory | null>(null);
  return html`<section class="view view-page">
    <${Head} title="Memory" sub=${html`<${Total} of=${pages} word="memory" />`}><${Search} value=${params.q ?? ""} onChange=${(q: string) => refine({ q })} label="Search memories" /><${Select} label="Scope" value=${params.scope ?? ""} options=${scopes} onChange=${(scope: string) => refine({ scope })} />
      <${Button} kind="primary" icon="plus" onClick=${() => setAdding(true)}>Remember<//><${Export} name="memory" items=${pages.all} /><//>
    <${Problems} of=${pages} what="memories" />
    <ul class="plain-list stack-small">${pages.items.map((m, i) => (m instanceof Broken ? html`<li key=${i}><${BrokenRow} of=${m} /></li>` : html`<li key=${m.id} class="card message"><div class="message-head">${m.agent && html`<b>${clip(m.agent, 60)}</b>`}<span class="dim" title=${clip(m.workspace, 300)}>${m.scope === "user" || !m.workspace ? "everywhere" : folder(m.workspace, 26)}</span>${m.tags.slice(0, 8).map((t) => html`<span key=${t} class="tag">${clip(t, 40)}</span>`)}<span class="right dim"><${Time} at=${m.at} past /></span><${Button} kind="bare" icon="cross" label=${`Forget: ${clip(m.text, 60)}`} onClick=${() => setGoing(m)} /></div>
      <${Text} of=${m.text} most=${1500} class="prose" />${m.file && html`<div class="dim mono">${clip(m.file, 200)}</div>`}</li>`))}</ul>
    ${!pages.end && pages.items.length > 0 && html`<${Button} onClick=${pages.more} disabled=${pages.loading}>More<//>`}
    ${pages.items.length === 0 && pages.loading && html`<${Waiting} />`}
    ${pages.items.length === 0 && !pages.loading && !pages.problem && html`<div class="empty card"><h2>No memories${query && " like this"}</h2><p>Agents keep them with <code>@memory:save text</code>, and you with <code>hookway memory</code> or here.</p></div>`}
    ${adding && html`<${Remember} onClose=${() => setAdding(false)} onDone=${pages.reload} />`}
    ${going && html`<${Forget} m=${going} onClose=${() => setGoing(null)} onDone=${pages.reload} />`}
  </section>`;
}

function Remember({ onClose, onDone }: { onClose: () => void; onDone: () => void }): VNode {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const save = async (e: Event) => {
    e.preventDefault();
    try {
      await json("/v1/memories", { send: { text, scope: "user" } });
      say("Remembered.");
      onDone();
      onClose();
    } catch (err) {
      setProblem(told(err));
    }
  };
  return html`<${Dialog} title="Remember something" onClose=${onClose}><form onSubmit=${save}><label>For every project<textarea class="input" required rows="5" maxlength="8000" value=${text} onInput=${(e: Event) => setText((e.currentTarget as HTMLTextAreaElement).value)}></textarea></label>${problem && html`<${Notice} kind="bad">${clip(problem, 600)}<//>`}
    <div class="dialog-foot"><${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" submit disabled=${!text}>Remember<//></div></form><//>`;
}

function Forget({ m, onClose, onDone }: { m: Memory; onClose: () => void; onDone: () => void }): VNode {
  const [problem, setProblem] = useState("");
  const forget = async () => {
    try {
      await request(`/v1/memories/${encodeURIComponent(m.id)}`, { method: "DELETE" });
      say("Forgotten.");
      onDone();
      onClose();
    } catch (err) {
      setProblem(told(err));
    }
  };
  return html`<${Dialog} title="Forget this?" onClose=${onClose}><${Text} of=${m.text} most=${600} class="prose" />${problem && html`<${Notice} kind="bad">${clip(problem, 600)}<//>`}
    <div class="dialog-foot"><${Button} onClick=${onClose}>Keep it<//><${Button} kind="deny" onClick=${() => void forget()}>Forget it<//></div><//>`;
}
