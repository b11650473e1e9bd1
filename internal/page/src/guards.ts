// Guards: hookway's own rules, what they did, and their switches.

import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Days, Spark } from "./chart";
import { json, useQuery } from "./daemon";
import { list, num, obj, str, strs } from "./decode";
import { html, names } from "./element";
import { Folder, Projects, useProjects } from "./folders";
import { short } from "./format";
import { Icon } from "./icons";
import { Button, Choice, Dialog, Export, Head, Missing, Notice, Search, Select } from "./parts";
import { useDeed } from "./pin";
import { Preview } from "./preview";
import { link, refine, route } from "./route";
import { say } from "./say";
import { useSignal } from "./signal";
import { lastDays, stats, type Stats } from "./stats";
import { clip } from "./visible";

interface Rule {
  rule: string;
  title: string;
  mode: string;
  verdict: string;
  source: string;
  hits: number;
  would: number;
}

interface Pack {
  name: string;
  title: string;
  version: string;
  mode: string;
  rules: Rule[];
}

interface Guards {
  mode: string;
  where: string[];
  packs: Pack[];
  problems: string[];
  raw: unknown;
}

function guards(v: unknown): Guards {
  const o = obj(v);
  return {
    mode: str(o.mode), where: list(o.where, (w) => (typeof w === "string" ? w : str(obj(w).file ?? obj(w).path))).filter(Boolean), problems: strs(o.problems).concat(strs(o.warnings)), raw: v,
    packs: list(o.packs, (p) => ({
      name: str(obj(p).name), title: str(obj(p).title), version: str(obj(p).version), mode: str(obj(p).mode),
      rules: list(obj(p).rules, (r) => ({ rule: str(obj(r).rule), title: str(obj(r).title), mode: str(obj(r).mode), verdict: str(obj(r).verdict), source: str(obj(r).source), hits: num(obj(r).hits_7d), would: num(obj(r).would_7d) })),
    })),
  };
}

const modes = [["enforce", "Enforce"], ["auto", "Auto"], ["monitor", "Monitor"], ["off", "Off"]] as const;
const strength: Record<string, number> = { off: 0, allow: 0, monitor: 1, auto: 2, ask: 2, enforce: 3, block: 3 };
const means: Record<string, string> = { enforce: "Everything counts: what a rule says is done.", auto: "What is blocked and sure counts; the rest passes and is put on record.", monitor: "Nothing is stopped; what would have been is put on record.", off: "No call is judged.", mixed: "Its rules have modes of their own." };

interface Wish {
  target: string;
  mode: string;
  from: string;
}

export function GuardsView(): VNode {
  const { params } = useSignal(route);
  const cwd = params.cwd ?? "";
  const q = useQuery("/v1/guards" + (cwd && `?cwd=${encodeURIComponent(cwd)}`), guards, 30_000);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  const days = useMemo(() => lastDays(14), []);
  const s = useQuery(`/v1/stats?since=${encodeURIComponent(new Date(days[0] + "T00:00:00").toISOString())}&tz=${encodeURIComponent(zone)}${cwd && `&cwd=${encodeURIComponent(cwd)}`}`, stats, 30_000);
  const [wish, setWish] = useState<Wish | null>(null);
  const g = q.data, projects = useProjects(cwd);
  return html`<section class="view view-page">
    <${Head} title="Guards" sub=${g && html`<span class="dim">${g.packs.length} packs, ${g.packs.reduce((n, p) => n + p.rules.length, 0)} rules</span>`}>
      <${Folder} value=${cwd} onChange=${(v: string) => refine({ cwd: v })} />
      <${Search} value=${params.q ?? ""} onChange=${(v: string) => refine({ q: v })} label="Find a rule" />
      <${Export} name="guards" items=${() => obj(g?.raw).packs ?? []} />
    <//>
    <${Missing} q=${q} what="guards" />
    ${projects.ready && (g || !q.loading) && html`<div class="stack">
      <${Projects} of=${projects.all} what="rules" />
      ${g && html`<div class="card mode-card"><div class="grow"><h2>All rules</h2><p class="dim">${g.mode === "off" ? "They are off here, and judge no call. Preview shows what they would have done to past calls; Monitor puts on record what they would do from now on, and stops nothing." : means[g.mode] ?? ""} ${g.where.length > 0 && html`Set in ${clip(g.where.join(", "), 300)}.`}</p></div><${Choice} label="Mode of all rules" value=${g.mode} options=${modes} onChange=${(mode: string) => setWish({ target: "all", mode, from: g.mode })} /></div>`}
      ${g?.problems.map((p) => html`<${Notice} key=${p} kind="warn">${clip(p, 600)}<//>`)}
      <${Chart} s=${s.data} days=${days} />
      <${Preview} />
      ${g && html`<${Packs} g=${g} s=${s.data} days=${days} q=${(params.q ?? "").toLowerCase()} open=${params.pack ?? ""} onWish=${setWish} />`}
    </div>`}
    ${wish && html`<${Confirm} wish=${wish} cwd=${cwd} onDone=${() => (q.reload(), s.reload())} onClose=${() => setWish(null)} />`}
  </section>`;
}

function Chart({ s, days }: { s: Stats | undefined; days: string[] }): VNode {
  const series = useMemo(() => {
    const by = new Map(s?.days.map((d) => [d.day, d]));
    const of = (name: string) => days.map((d) => by.get(d)?.by[name] ?? 0);
    return [{ name: "blocked", color: "--block-bar", values: of("block") }, { name: "asked", color: "--ask-bar", values: of("ask") }, { name: "on trial", color: "--would-bar", values: days.map((d) => by.get(d)?.would ?? 0) }];
  }, [s, days]);
  return html`<div class="card"><${Days} days=${days} series=${series} label="Stopped calls by day" none=${s && "No call was stopped in these days, and none was on trial."} /></div>`;
}

function Packs({ g, s, days, q, open, onWish }: { g: Guards; s: Stats | undefined; days: string[]; q: string; open: string; onWish: (w: Wish) => void }): VNode {
  const matches = (r: Rule) => q === "" || r.rule.toLowerCase().includes(q) || r.title.toLowerCase().includes(q);
  const shown = g.packs.map((p) => ({ ...p, rules: p.rules.filter((r) => matches(r) || p.name.includes(q)) })).filter((p) => p.rules.length > 0);
  return html`<div class="packs">${shown.map((p) => {
    const all = q !== "" || open === p.name;
    const hits = p.rules.reduce((n, r) => n + r.hits, 0), would = p.rules.reduce((n, r) => n + r.would, 0);
    return html`<section key=${p.name} class="pack card"><div class="pack-head"><button type="button" class="pack-name" aria-expanded=${String(all)} onClick=${() => refine({ pack: all ? "" : p.name })}><span class=${names("turn", all && "turned")}><${Icon} is="right" /></span><b>${clip(p.name, 60)}</b>
        <span class="dim pack-title">${clip(p.title, 160)}</span></button><${Tally} hits=${hits} would=${would} />
        ${p.mode === "mixed" && html`<span class="tag" title=${means.mixed}>mixed</span>`}<${Choice} small label=${`Mode of the pack ${p.name}`} value=${p.mode} options=${modes} onChange=${(mode: string) => onWish({ target: p.name, mode, from: p.mode })} /></div>
      ${all && html`<ul class="plain-list rules">${p.rules.map((r) => html`<${RuleRow} key=${r.rule} r=${r} s=${s} days=${days} onWish=${onWish} />`)}</ul>`}</section>`;
  })}</div>`;
}

function Tally({ hits, would }: { hits: number; would: number }): VNode {
  if (hits + would === 0) return html`<span class="tally dim">none stopped in 7 days</span>`;
  return html`<span class="tally" title="in the last 7 days">${hits > 0 && html`<span class="num stopped">${short(hits)}</span> <span class="dim">stopped</span>`}${would > 0 && html` <span class="num trial-count">${short(would)}</span> <span class="dim">on trial</span>`}</span>`;
}

function RuleRow({ r, s, days, onWish }: { r: Rule; s: Stats | undefined; days: string[]; onWish: (w: Wish) => void }): VNode {
  const c = s?.rules.get(r.rule);
  const verdicts = [["block", "block"], ["ask", "ask"], ["allow", "say nothing"]] as [string, string][];
  return html`<li class="rule-row"><div class="rule-what"><a class="mono" href=${link("decisions", "", { rule: r.rule })}>${clip(r.rule, 80)}</a><span class="dim">${clip(r.title, 240)}</span></div>
    <${Spark} hits=${days.map((d) => c?.days.get(d)?.hits ?? 0)} would=${days.map((d) => c?.days.get(d)?.would ?? 0)} /><${Tally} hits=${r.hits} would=${r.would} />
    <${Select} label=${`Verdict of ${r.rule}`} value=${r.verdict} options=${verdicts} onChange=${(mode: string) => onWish({ target: r.rule, mode, from: r.verdict })} />
    <${Choice} small label=${`Mode of ${r.rule}`} value=${r.mode} options=${modes} onChange=${(mode: string) => onWish({ target: r.rule, mode, from: r.mode })} /></li>`;
}

function Confirm({ wish, cwd, onDone, onClose }: { wish: Wish; cwd: string; onDone: () => void; onClose: () => void }): VNode {
  const milder = (strength[wish.mode] ?? 0) < (strength[wish.from] ?? 3); // of what is mixed, some may be strict
  const deed = useDeed("to change guards", async (pin) => {
    await json("/v1/guards", { send: { target: wish.target, mode: wish.mode, cwd }, pin });
    say(`${wish.target} is ${wish.mode} now.`);
    onDone();
    onClose();
  });
  return html`<${Dialog} title=${milder ? "Make it milder?" : "Change the guards?"} onClose=${onClose}>
    <p><b class="mono">${wish.target === "all" ? "All rules" : clip(wish.target, 100)}</b>: from <b>${wish.from || "unset"}</b> to <b>${wish.mode}</b>, ${cwd ? html`in <span class="mono">${clip(cwd, 200)}</span>` : "in every project"}.</p>
    <p class="dim">${means[wish.mode] ?? ""} It counts at once.</p>${deed.problem}
    <div class="dialog-foot"><${Button} onClick=${onClose}>Cancel<//><${Button} kind=${milder ? "deny" : "primary"} disabled=${deed.busy} onClick=${() => deed.run(true)}>${milder ? "Make it milder" : "Change"}<//></div>${deed.dialog}<//>`;
}
