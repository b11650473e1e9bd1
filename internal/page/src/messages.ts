// Messages between agents: to read, to search, to send.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { json, told } from "./daemon";
import { Broken, list, must, obj, str, time } from "./decode";
import { Problems, Total } from "./decisions";
import { html, names } from "./element";
import { usePages } from "./pages";
import { Button, BrokenRow, Dialog, Export, Head, Notice, Search, Text, Time, Waiting } from "./parts";
import { refine, route } from "./route";
import { say } from "./say";
import { useSignal } from "./signal";
import { clip } from "./visible";

interface Message {
  id: string;
  from: string;
  to: string;
  content: string;
  thread: string;
  priority: string;
  sent: number;
  receipts: { to: string; state: string; reason: string; how: string }[];
  raw: unknown;
}

function message(v: unknown): Message {
  const o = must(v, "a message"), m = o.message ? obj(o.message) : o;
  return {
    id: str(m.id) || str(o.id), from: str(m.from), to: str(m.to), content: str(m.content), thread: str(m.thread), priority: str(m.priority), sent: time(m.sent), raw: v,
    receipts: list(o.receipts, (r) => ({ to: str(obj(r).to), state: str(obj(r).state), reason: str(obj(r).reason), how: str(obj(r).how) })),
  };
}

export function Messages(): VNode {
  const { params } = useSignal(route);
  const query = new URLSearchParams(Object.entries({ q: params.q ?? "", agent: params.agent ?? "", channel: params.channel ?? "" }).filter(([, v]) => v)).toString();
  const pages = usePages<Message>("/v1/messages" + (query && "?" + query), "messages", message);
  const [writing, setWriting] = useState(false);
  return html`<section class="view view-page">
    <${Head} title="Messages" sub=${html`<${Total} of=${pages} word="message" />`}><${Search} value=${params.q ?? ""} onChange=${(q: string) => refine({ q })} label="Search messages" />
      <${Button} kind="primary" icon="plus" onClick=${() => setWriting(true)}>Write<//><${Button} icon="reload" label="Ask again" onClick=${pages.reload} /><${Export} name="messages" items=${pages.all} /><//>
    <${Problems} of=${pages} what="messages" />
    ${(params.agent || params.channel) && html`<div class="chips">${["agent", "channel"].filter((n) => params[n]).map((n) => html`<button key=${n} class="chip" onClick=${() => refine({ [n]: "" })}>${n}: <b>${params[n]}</b> ×</button>`)}</div>`}
    <ul class="plain-list stack-small">${pages.items.map((m, i) => (m instanceof Broken ? html`<li key=${i}><${BrokenRow} of=${m} /></li>` : html`<${One} key=${m.id || i} m=${m} />`))}</ul>
    ${!pages.end && pages.items.length > 0 && html`<${Button} onClick=${pages.more} disabled=${pages.loading}>More<//>`}
    ${pages.items.length === 0 && pages.loading && html`<${Waiting} />`}
    ${pages.items.length === 0 && !pages.loading && !pages.problem && html`<div class="empty card"><h2>No messages${query && " like this"}</h2><p>Agents write to each other with <code>@relay:NAME text</code>, and you with <code>hookway send</code> or here.</p></div>`}
    ${writing && html`<${Write} onClose=${() => setWriting(false)} onSent=${pages.reload} />`}
  </section>`;
}

function One({ m }: { m: Message }): VNode {
  return html`<li class="card message"><div class="message-head"><b>${clip(m.from || "somebody", 60)}</b><span class="dim">to</span><button type="button" class="as-link" onClick=${() => refine(m.to.startsWith("#") ? { channel: m.to.slice(1) } : { agent: m.to })}>${clip(m.to, 60)}</button>${m.priority && m.priority !== "normal" && html`<span class="tag">${clip(m.priority, 20)}</span>`}<span class="right dim"><${Time} at=${m.sent} past /></span></div>
    <${Text} of=${m.content} most=${1500} class="prose" />${m.receipts.length > 0 && html`<div class="receipts">${m.receipts.slice(0, 20).map((r, i) => html`<span key=${i} class=${names("receipt", "receipt-" + r.state)} title=${clip(r.reason || r.how, 300)}>${clip(r.to, 40)}: ${clip(r.state, 20)}</span>`)}</div>`}</li>`;
}

function Write({ onClose, onSent }: { onClose: () => void; onSent: () => void }): VNode {
  const [to, setTo] = useState("");
  const [content, setContent] = useState("");
  const [problem, setProblem] = useState("");
  const send = async (e: Event) => {
    e.preventDefault();
    try {
      await json("/v1/messages", { send: { from: "page", to, content } });
      say("Sent.");
      onSent();
      onClose();
    } catch (err) {
      setProblem(told(err));
    }
  };
  return html`<${Dialog} title="Write a message" onClose=${onClose}><form onSubmit=${send}><label>To<input class="input" required maxlength="200" value=${to} placeholder="Alice, #channel or *" onInput=${(e: Event) => setTo((e.currentTarget as HTMLInputElement).value)} /></label>
    <label>Text<textarea class="input" required rows="6" maxlength="60000" value=${content} onInput=${(e: Event) => setContent((e.currentTarget as HTMLTextAreaElement).value)}></textarea></label>${problem && html`<${Notice} kind="bad">${clip(problem, 600)}<//>`}
    <div class="dialog-foot"><${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" submit disabled=${!to || !content}>Send<//></div></form><//>`;
}
