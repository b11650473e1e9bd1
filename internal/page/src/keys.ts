// Keys that hold everywhere, and the list of all.

import type { VNode } from "preact";
import { signOut, who } from "./daemon";
import { time } from "./decode";
import { html } from "./element";
import { when } from "./format";
import { Button, Dialog } from "./parts";
import { go } from "./route";
import { useSignal } from "./signal";

const places: Record<string, string> = { n: "now", s: "sessions", d: "decisions", a: "approvals", g: "guards", h: "hooks", m: "messages", r: "memory", e: "agents" };

/** Listens to the keys. What it gives back ends that. */
export function keysFor(help: () => void): () => void {
  let led = 0;
  const down = (e: KeyboardEvent) => {
    const at = e.target instanceof HTMLElement ? e.target : document.body;
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    if (at.closest("input, textarea, select")) {
      if (e.key === "Escape") at.blur();
      return;
    }
    if (Date.now() - led < 1200 && places[e.key]) {
      led = 0;
      e.preventDefault();
      e.stopImmediatePropagation();
      go("#/" + places[e.key]!);
    } else if (e.key === "g") led = Date.now();
    else if (e.key === "?") help();
    else if (e.key === "/") (e.preventDefault(), document.querySelector<HTMLInputElement>("main .search input")?.select(), document.querySelector<HTMLInputElement>("main .search input")?.focus());
    else if (e.key === "p") document.getElementById("pause")?.click();
    else if ((e.key === "j" || e.key === "k") && !at.closest(".longlist, .approval")) document.querySelector<HTMLElement>("main .longlist")?.dispatchEvent(new KeyboardEvent("keydown", { key: e.key, bubbles: false, cancelable: true }));
  };
  addEventListener("keydown", down, true);
  return () => removeEventListener("keydown", down, true);
}

const all: [string, string][] = [
  ["j / k", "next, previous row or card"], ["Enter", "open it"], ["/", "search"], ["p", "pause and go on, in Now"], ["a, d", "go to Allow, to Deny of a card; Enter presses it"], ["j / k", "in a decision: the one before, after"], ["+ − 0 ← →", "zoom and move a timeline that has the focus"],
  ["g, then n s d a g h m r e", "Now, Sessions, Decisions, Approvals, Guards, Hooks, Messages, Memory, Agents"], ["Esc", "leave a field, close a dialog or what a row opened"], ["?", "this list"],
];

export function Keys({ onClose }: { onClose: () => void }): VNode {
  const { version } = useSignal(who);
  return html`<${Dialog} title="Keys" onClose=${onClose}><dl class="keys">${all.map(([key, does], i) => html`<div key=${i}><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`)}</dl>
    <div class="dialog-foot"><span class="dim grow">${version && `hookway ${version}`}</span></div><//>`;
}

/** Says how long this browser is signed in, and ends that. */
export function SignOut({ onClose }: { onClose: () => void }): VNode {
  const { until } = useSignal(who);
  const leave = () => (onClose(), void signOut());
  return html`<${Dialog} title="Sign out?" onClose=${onClose}><p>${until && `This browser is signed in until ${when(time(until))}, and longer if the page is used before: 12 hours from its last use, 7 days at most. `}To come back, run <code>hookway ui</code> in a terminal.</p>
    <div class="dialog-foot"><${Button} onClick=${onClose}>Stay<//><${Button} kind="primary" onClick=${leave}>Sign out<//></div><//>`;
}
