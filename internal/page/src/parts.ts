// The parts of which views are built.

import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { state } from "./daemon";
import { Broken } from "./decode";
import { html, names } from "./element";
import { ago, moment, when } from "./format";
import { Icon, type Sign } from "./icons";
import { say } from "./say";
import { useSignal } from "./signal";
import { clip } from "./visible";

/** The head of a view. */
export function Head({ title, children, sub }: { title: string; children?: ComponentChildren; sub?: ComponentChildren }): VNode {
  return html`<header class="head">
    <div class="head-title"><h1 tabindex="-1">${title}</h1>${sub && html`<div class="head-sub">${sub}</div>`}</div>
    <div class="tools">${children}</div>
  </header>`;
}

const tones: Record<string, string> = { block: "block", ask: "ask", allow: "allow", answer: "info", retry: "info", change: "info", skip: "quiet", continue: "quiet", observed: "quiet", repeat: "quiet", untaken: "ask", allowed: "allow", denied: "block", refused: "block", done: "quiet" };
const words: Record<string, string> = { continue: "pass", "": "–" };

/** What was decided. */
export function Action({ is, would }: { is: string; would?: string }): VNode {
  return html`<span class="action-of"><span class=${names("action", "tone-" + (tones[is] ?? "quiet"))}>${clip(words[is] ?? is, 12)}</span>${
    would && html`<span class=${names("action", "trial", "tone-" + (tones[would] ?? "quiet"))} title=${`on trial: it would ${would === "continue" ? "change it" : would}`}>would ${would === "continue" ? "change" : clip(would, 12)}</span>`}</span>`;
}

/** A time, with the whole of it in its title. */
export function Time({ at, past, text }: { at: number; past?: boolean; text?: string }): VNode {
  return html`<time class="time" dateTime=${Number.isNaN(at) ? "" : new Date(at).toISOString()} title=${moment(at)}>${text ?? (past ? ago(at) : when(at))}</time>`;
}

/** Text that may be long: the first of it, and all of it if that is asked for. */
export function Text({ of, most = 4000, class: name }: { of: string; most?: number; class?: string }): VNode {
  const [all, setAll] = useState(0);
  const shown = all > 0 ? Math.min(of.length, all) : most;
  const cut = of.length > shown;
  return html`<div class=${names("text", name)}><pre tabindex=${of.length > 1500 || lineCount(of) > 15 ? 0 : undefined}>${cut ? clip(of, shown) : of}</pre>${
    cut && html`<button class="button small" onClick=${() => setAll(Math.max(most, shown) * 10)}>Show ${of.length <= shown * 10 ? "all" : "more"} (${of.length.toLocaleString("en")} characters)</button>`}</div>`;
}

function lineCount(text: string): number {
  let n = 1;
  for (let i = text.indexOf("\n"); i >= 0 && n < 100; i = text.indexOf("\n", i + 1)) n++;
  return n;
}

export function Button(p: { children?: ComponentChildren; icon?: Sign; label?: string; onClick?: (e: Event) => void; kind?: string; disabled?: boolean; pressed?: boolean; id?: string; title?: string; submit?: boolean }): VNode {
  return html`<button type=${p.submit ? "submit" : "button"} id=${p.id} class=${names("button", p.kind, !p.children && "only-icon")} onClick=${p.onClick} disabled=${p.disabled}
    aria-pressed=${p.pressed === undefined ? undefined : String(p.pressed)} aria-label=${p.label} title=${p.title ?? p.label}>
    ${p.icon && html`<${Icon} is=${p.icon} />`}${p.children && html`<span>${p.children}</span>`}</button>`;
}

/** Copies a text, and says so. */
export function Copy({ text, children, label, kind, onProblem = say }: { text: string | (() => Promise<string>); children?: ComponentChildren; label?: string; kind?: string; onProblem?: (text: string) => void }): VNode {
  const [done, setDone] = useState(false);
  const run = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      setDone(true);
      say("Copied.");
      setTimeout(() => setDone(false), 1500);
    } catch (err) {
      onProblem(`It could not be copied: ${err instanceof Error ? err.message : ""}`);
    }
  };
  return html`<${Button} icon=${done ? "tick" : "copy"} kind=${kind} label=${label} onClick=${run}>${children}<//>`;
}

/** Saves a list as a file of JSON. */
export function Export({ name, items }: { name: string; items: () => unknown }): VNode {
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const url = URL.createObjectURL(new Blob([JSON.stringify(await items(), null, 2) + "\n"], { type: "application/json" }));
      const a = document.createElement("a");
      a.href = url;
      a.download = `hookway-${name}.json`;
      a.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
      say("Saved as JSON.");
    } catch (err) {
      say(`It could not be saved: ${err instanceof Error ? err.message : ""}`);
    }
    setBusy(false);
  };
  return html`<${Button} icon="save" label="Export this list as JSON" disabled=${busy} onClick=${run} />`;
}

/** A field to search in. It tells when the typing rests. */
export function Search({ value, onChange, label = "Search" }: { value: string; onChange: (v: string) => void; label?: string }): VNode {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return html`<label class="search"><${Icon} is="search" /><input type="search" value=${typed} placeholder=${label} aria-label=${label} autocomplete="off" spellcheck=${false} maxlength="400"
    onInput=${(e: Event) => {
      const v = (e.currentTarget as HTMLInputElement).value;
      setTyped(v);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => onChange(v), 150);
    }} /></label>`;
}

/** One of many. Where they come later, it has its width before. */
export function Select({ value, onChange, label, options, steady }: { value: string; onChange: (v: string) => void; label: string; options: readonly (string | readonly [string, string])[]; steady?: boolean }): VNode {
  const all = options.map((o) => (typeof o === "string" ? ([o, o] as const) : o));
  const known = all.some(([v]) => v === value) ? all : [...all, [value, value] as const];
  return html`<select class=${names("select", steady && "steady")} aria-label=${label} title=${label} value=${value} onChange=${(e: Event) => onChange((e.currentTarget as HTMLSelectElement).value)}>
    ${known.map(([v, text]) => html`<option key=${v} value=${v} selected=${v === value}>${clip(text, 60)}</option>`)}</select>`;
}

/** One of a few, as buttons side by side. */
export function Choice({ value, options, label, onChange, disabled, small }: { value: string; options: readonly (readonly [string, string])[]; label: string; onChange: (v: string) => void; disabled?: boolean; small?: boolean }): VNode {
  return html`<div class=${names("choice", small && "small")} role="group" aria-label=${label}>${options.map(([v, text]) => html`<button key=${v} type="button" class=${"choice-" + v} aria-pressed=${String(v === value)} disabled=${disabled}
    onClick=${() => v !== value && onChange(v)}>${text}</button>`)}</div>`;
}

/** A line that says something of the view as a whole. */
export function Notice({ kind = "info", children }: { kind?: "info" | "warn" | "bad"; children?: ComponentChildren }): VNode {
  return html`<div class=${"notice notice-" + kind} role=${kind === "bad" ? "alert" : "status"}>${children}</div>`;
}

/** What stands where an answer has not come yet. */
export function Waiting(): VNode {
  const gone = useSignal(state).is === "gone";
  return html`<p class="loading" aria-hidden="true">${gone ? "Not known until the daemon is back." : "Asking the daemon…"}</p>`;
}

/** What stands where an answer is missing: it is on its way, not there in this daemon, or refused. */
export function Missing({ q, what }: { q: { lacking: boolean; problem: string; loading: boolean; data?: unknown }; what: string }): VNode | null {
  if (q.lacking) return html`<${Notice}>This daemon does not offer ${what} yet. A newer hookway does.<//>`;
  if (q.problem) return html`<${Notice} kind="warn">${clip(q.problem.slice(0, 1).toUpperCase() + q.problem.slice(1), 600)}<//>`;
  return q.data === undefined && q.loading ? html`<${Waiting} />` : null;
}

/** In place of a row that cannot be read. */
export function BrokenRow({ of }: { of: Broken }): VNode {
  return html`<div class="row broken" title=${clip(of.raw, 2000)}><span class="action tone-block">unreadable</span> <span class="what">${of.why}: ${clip(of.raw.replace(/\s+/g, " "), 300)}</span></div>`;
}

/** Pairs of a name and what it is. */
export function Pairs({ of }: { of: [string, ComponentChildren][] }): VNode {
  return html`<dl class="pairs">${of.filter(([, v]) => v !== "" && v !== null && v !== undefined && v !== false).map(([name, v]) => html`<div key=${name}><dt>${name}</dt><dd>${v}</dd></div>`)}</dl>`;
}

/** Asks before something is done. The focus goes back to where it was. */
export function Dialog({ title, children, onClose }: { title: string; children: ComponentChildren; onClose: () => void }): VNode {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current!.showModal();
    return () => before?.focus();
  }, []);
  return html`<dialog ref=${box} aria-label=${title} onClose=${onClose} onClick=${(e: MouseEvent) => e.target === box.current && onClose()}>
    <div class="dialog"><div class="dialog-head"><h2>${title}</h2><${Button} icon="cross" label="Close" kind="bare" onClick=${onClose} /></div>${children}</div></dialog>`;
}

/** A unified diff: what goes and what comes. */
export function Diff({ text }: { text: string }): VNode {
  const rows = clip(text, 200_000).replace(/\n$/, "").split("\n");
  const kind = (l: string) => (l.startsWith("@@") ? "at" : l.startsWith("+") ? "add" : l.startsWith("-") ? "del" : "");
  return html`<pre class="diff" tabindex="0" role="group" aria-label="what was changed">${rows.slice(0, 2000).map((l, i) => html`<span key=${i} class=${names("diff-line", kind(l) && "diff-" + kind(l))}>${clip(l, 4000) + "\n"}</span>`)}${
    rows.length > 2000 && html`<span class="diff-line">… ${rows.length - 2000} more lines</span>`}</pre>`;
}
