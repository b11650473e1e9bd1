// The page: a frame with the ways to all views, what is said of the daemon, and the view.

import { render, type ComponentType, type VNode } from "preact";
import { useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import "uplot/dist/uPlot.min.css";
import { Agents } from "./agents";
import { approvals, Approvals, open } from "./approvals";
import { again, begin, clockOff, state, useQuery, who } from "./daemon";
import { Decision } from "./decision";
import { Decisions } from "./decisions";
import { html, names } from "./element";
import { length } from "./format";
import { GuardsView } from "./guards";
import { Hooks } from "./hooks";
import { Icon, Mark, type Sign } from "./icons";
import { keysFor, Keys, SignOut } from "./keys";
import { listen } from "./live";
import { markRoot } from "./mark";
import { MemoryView } from "./memory";
import { Messages } from "./messages";
import { Now } from "./now";
import { Button, Waiting } from "./parts";
import { followAddress, link, route } from "./route";
import { speakIn } from "./say";
import { Sessions } from "./sessions";
import { SessionView } from "./sessionview";
import { useSignal } from "./signal";
import { StandingView } from "./standing";
import { beginTheme, choose, theme, type Theme } from "./theme";
import { clip, line } from "./visible";
import "./page.css";

const views: { view: string; name: string; all: ComponentType; one?: ComponentType }[] = [
  { view: "now", name: "Now", all: Now },
  { view: "sessions", name: "Sessions", all: Sessions, one: SessionView },
  { view: "decisions", name: "Decisions", all: Decisions, one: Decision },
  { view: "approvals", name: "Approvals", all: Approvals, one: StandingView },
  { view: "guards", name: "Guards", all: GuardsView },
  { view: "hooks", name: "Hooks", all: Hooks },
  { view: "messages", name: "Messages", all: Messages },
  { view: "memory", name: "Memory", all: MemoryView },
  { view: "agents", name: "Agents", all: Agents },
];

function Page(): VNode {
  const at = useSignal(route), link_ = useSignal(state);
  const [help, setHelp] = useState(false), [leaving, setLeaving] = useState(false);
  const main = useRef<HTMLElement>(null);
  const known = views.find((v) => v.view === at.view);
  const View = known && (at.id !== "" && known.one ? known.one : known.all);
  const place = at.view + "/" + at.id;
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    main.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }, [place]);
  useEffect(() => keysFor(() => setHelp(true)), []);
  const waiting = useSignal(open);
  useEffect(() => {
    const one = known?.one && known.view !== "approvals" && at.id !== "" ? ` ${line(clip(at.id, 40))}` : ""; // which tab or bookmark it is
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${known?.name ?? "Not here"}${one} · hookway`;
  }, [known, at.id, waiting]);
  return html`<div class="frame"><${Navigation} here=${at.view} onHelp=${() => setHelp(true)} onLeave=${() => setLeaving(true)} onSkip=${() => main.current?.focus()} />
    <main ref=${main} tabindex="-1"><${Banners} />
      ${link_.is === "outside" ? html`<${Outside} why=${link_.why} />` : link_.is === "waiting" ? html`<${Waiting} />` : View ? html`<${Guarded} key=${place}><${View} /><//>` : html`<section class="view view-page"><h1 tabindex="-1">There is nothing here</h1><p>This page has no view called ${clip(at.view, 60)}. <a href="#/now">Now</a></p></section>`}</main>
    ${help && html`<${Keys} onClose=${() => setHelp(false)} />`}${leaving && html`<${SignOut} onClose=${() => setLeaving(false)} />`}</div>`;
}

/** A view that fails takes nothing else with it. */
function Guarded({ children }: { children?: unknown }): VNode {
  const [error, reset] = useErrorBoundary();
  if (!error) return html`<div class="contents">${children}</div>`;
  return html`<section class="view view-page"><h1 tabindex="-1">This view could not be shown</h1><p>Something in it is not as the page knows it: <span class="mono">${clip(String((error as Error)?.message ?? error), 300)}</span></p><${Button} onClick=${reset}>Try again<//></section>`;
}

function Navigation({ here, onHelp, onLeave, onSkip }: { here: string; onHelp: () => void; onLeave: () => void; onSkip: () => void }): VNode {
  const q = useQuery(["outside", "waiting"].includes(useSignal(state).is) ? null : "/v1/approvals", approvals, 4000);
  useEffect(() => {
    // A page that is open counts as somebody who is there, by its stream; so calls wait for
    // it. Browsers hold back the timers of hidden pages, and not what comes over a stream.
    let asked = Date.now();
    return listen(() => {
      if (document.hidden && Date.now() - asked > 10_000) (asked = Date.now()), q.reload();
    });
  }, []);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "center" }), [here]); // in a low window not all are in sight
  const waiting = useSignal(open), is = useSignal(state).is, dark = useSignal(theme), { version } = useSignal(who);
  const next: Record<Theme, Theme> = { "": "light", light: "dark", dark: "" };
  return html`<nav class="nav" aria-label="Views"><button type="button" class="skip" onClick=${onSkip}>To the content</button><a class="brand" href="#/now"><${Mark} /><span>hookway</span></a>
    <ul ref=${list}>${views.map((v) => html`<li key=${v.view}><a href=${link(v.view)} class=${names("nav-link", v.view === here && "here")} aria-current=${v.view === here ? "page" : undefined}><${Icon} is=${v.view as Sign} /><span>${v.name}</span>${
      v.view === "approvals" && waiting > 0 && html`<b class="count" aria-label=${`${waiting} wait`}>${waiting}</b>`}</a></li>`)}</ul>
    <div class="nav-foot"><span class=${names("link-state", "link-" + is)} title=${version && `hookway ${version}`}><i></i>${{ here: "live", waiting: "connecting", gone: "no daemon", outside: "signed out" }[is]}</span>
      <${Button} kind="bare" icon=${dark === "" ? "auto" : dark === "dark" ? "moon" : "sun"} label=${`Colours: ${dark || "as the system"}`} onClick=${() => choose(next[dark])} /><${Button} kind="bare" icon="leave" label="Sign out…" disabled=${is !== "here"} onClick=${onLeave} /><${Button} kind="bare" label="Keys (?)" onClick=${onHelp}>?<//></div></nav>`;
}

function Banners(): VNode {
  const s = useSignal(state), w = useSignal(who), off = useSignal(clockOff);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (s.is !== "gone") return;
    const tick = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(tick);
  }, [s.is]);
  const late = s.is === "gone" && now - s.since > 1200;
  return html`<div class="banners"><div role="status">${late && html`<div class="banner"><span>The daemon is not there. What it told last stays; the page goes on when it is back. The next event of an agent starts it, and so does <code>hookway ui</code>.</span> <button class="button small" onClick=${again}>Try now</button></div>`}
    ${w.old && s.is === "here" && html`<div class="banner"><span>The daemon is of another version than this page.</span> <button class="button small" onClick=${() => location.reload()}>Reload the page</button></div>`}
    ${off !== 0 && html`<div class="banner">The daemon's clock is ${length(Math.abs(off))} ${off > 0 ? "ahead of" : "behind"} this computer's, so times here may look odd.</div>`}</div></div>`;
}

function Outside({ why }: { why: string }): VNode {
  return html`<section class="view view-page outside"><h1 tabindex="-1">Open this page from a terminal</h1><p>It shows what your agents do, and can approve it, so it opens only for who asks for it in a terminal of their own:</p><pre class="big">hookway ui</pre><p>That opens a link which is good once, for two minutes.</p>${why && html`<p class="dim" role="status">${clip(why, 400)}</p>`}</section>`;
}

beginTheme();
followAddress();
markRoot((view) => views.some((v) => v.view === view && v.one));
speakIn(document.getElementById("said"));
const root = document.getElementById("page")!;
root.textContent = ""; // the frame that stood there before
render(html`<${Page} />`, root);
begin();
