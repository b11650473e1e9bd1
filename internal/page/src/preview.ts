// The preview: what the rules would have done to the agents' past.

import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Days } from "./chart";
import { isLacking, request, told } from "./daemon";
import { num, obj, plain, str } from "./decode";
import { Problem } from "./door";
import { html } from "./element";
import { count, counted } from "./format";
import { Action, Button, Copy, Export, Notice, Select, Time } from "./parts";
import { result, saves, type Result } from "./previewed";
import { refine, route } from "./route";
import { agents } from "./sessions";
import { sleep, useSignal } from "./signal";
import { readStream } from "./sse";
import { eachDay } from "./stats";
import { clip } from "./visible";

interface Progress {
  done: number;
  all: number;
  said: string;
}

// How far it is counts bytes of records.
function progressOf(v: unknown): Progress {
  const done = num(obj(v).done), all = num(obj(v).all), mega = (n: number) => (n / 1e6).toFixed(n < 1e7 ? 1 : 0);
  return { done, all, said: all > 0 ? `${mega(done)} of ${mega(all)} MB of records` : "" };
}

// There is one at a time, and one that was stopped may still be ending.
async function begin(path: string, signal: AbortSignal): Promise<Response> {
  for (let tries = 0; ; tries++) {
    try {
      return await request(path, { signal });
    } catch (err) {
      if (!(err instanceof Problem && err.kind === "busy") || tries === 4) throw err;
    }
    await sleep(300, signal);
  }
}

export function Preview(): VNode {
  const { params } = useSignal(route), since = params.since || "30d", agent = params.agent ?? "", use = params.use || "default";
  const set = (name: string) => (value: string) => refine({ [name]: value });
  const [progress, setProgress] = useState<Progress | null>(null);
  const [found, setFound] = useState<Result | null>(null);
  const [problem, setProblem] = useState("");
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => (running.current?.abort(), (running.current = null)), []);
  const run = async () => {
    const stop = (running.current = new AbortController());
    setProblem("");
    setFound(null);
    setProgress({ done: 0, all: 0, said: "" });
    let told_ = false;
    try {
      const query = new URLSearchParams(Object.entries({ since, agent, use }).filter(([, v]) => v));
      await readStream(await begin(`/v1/preview?${query}`, stop.signal), 45_000, (events) => events.forEach((one) => {
        const data = JSON.parse(one.data || "{}") as unknown;
        if (one.event === "progress") setProgress(progressOf(data));
        if (one.event === "result") (told_ = true), setFound(result(data));
        if (one.event === "problem" || one.event === "error") (told_ = true), setProblem(str(obj(data).detail) || plain(data));
      }), stop);
      if (!told_ && running.current === stop) setProblem("The daemon ended before the preview did. Try again.");
    } catch (err) {
      if (running.current === stop) setProblem(isLacking(err) ? "This daemon does not offer a preview yet. hookway guards preview does, in a terminal." : told(err));
    }
    setProgress(null);
  };
  const end = () => {
    running.current?.abort();
    running.current = null;
    setProblem("Stopped before the end, so there is nothing to show.");
  };
  return html`<section class="card preview"><div class="part-head"><div><h2>What would the rules have done?</h2><p class="dim">Judges your agents' own records of the past. Nothing is run, changed or sent.</p></div>
      <div class="tools"><${Select} label="How far back" value=${since} onChange=${set("since")} options=${[["7d", "7 days"], ["30d", "30 days"], ["90d", "90 days"], ["all", "All"]]} /><${Select} label="Agent" value=${agent} onChange=${set("agent")} options=${agents} /><${Select} label="Packs" value=${use} onChange=${set("use")} options=${[["default", "Default packs"], ["strict", "Strict packs"]]} />
      ${progress ? html`<${Button} icon="cross" onClick=${end}>Stop<//>` : html`<${Button} kind="primary" icon="play" onClick=${run}>Preview<//>`}${found && html`<${Export} name="preview" items=${() => found.raw} />`}</div></div>
    ${progress && html`<div class="progress"><progress aria-label="Preview" ...${progress.all > 0 ? { max: progress.all, value: progress.done } : {}}></progress><span class="dim num">${progress.said || "reading…"}</span></div>`}
    ${problem && html`<${Notice} kind="warn">${clip(problem, 600)}<//>`}
    ${found && html`<${Found} r=${found} />`}</section>`;
}

function Found({ r }: { r: Result }): VNode {
  const days = useMemo(() => eachDay(r.days.map((d) => d.name)), [r]);
  const series = useMemo(() => {
    const by = new Map(r.days.map((d) => [d.name, d.enforce]));
    return [{ name: "blocked", color: "--block-bar", values: days.map((d) => by.get(d)?.block ?? 0) }, { name: "asked", color: "--ask-bar", values: days.map((d) => by.get(d)?.ask ?? 0) }];
  }, [r, days]);
  return html`<div class="stack" role="status">${r.judged > 0 && html`<div class="figures"><${Figure} n=${r.judged} word="calls judged" /><${Figure} n=${r.auto.block} word="blocked in mode auto" tone="block" /><${Figure} n=${r.auto.ask} word="asked in mode auto" tone="ask" /><${Figure} n=${r.enforce.block + r.enforce.ask} word="stopped if all is enforced" /></div>`}
    ${r.judged + r.unjudged === 0 && html`<${Notice}>There are no records of agents in this time. Look further back, or come again when an agent has worked.<//>`}
    ${r.judged > 0 && r.rules.length === 0 && html`<p>No rule would have stopped any of them.</p>`}
    ${r.unjudged > 0 && html`<p class="dim">${counted(r.unjudged, "more call")} could not be judged: it is not known in which folder they ran, or they are programs that call tools.</p>`}
    ${days.length > 1 && html`<${Days} days=${days} series=${series} label="By day, if all is enforced" />`}
    ${r.rules.map((one) => html`<details key=${one.rule} class="preview-rule"><summary><span class="mono">${clip(one.rule, 80)}</span><span class="dim num">${counted(one.enforce.block + one.enforce.ask, "call")} · ${count(one.fine)} ran fine${one.refused > 0 && ` · ${count(one.refused)} refused by a person`}</span></summary>
      ${one.samples.map((s, i) => html`<div key=${i} class="sample"><div><${Action} is=${s.verdict} /> <span class="dim">${clip(s.agent, 30)} · ${clip(s.project, 80)} · <${Time} at=${s.at} />${s.times > 1 && ` · ${counted(s.times, "call")} like it`}</span></div><pre tabindex="0" role="group" aria-label="A call">${clip(s.call, 600)}</pre><p>${clip(s.says, 400)}</p></div>`)}</details>`)}
    ${r.suggestions.length > 0 && html`<h3>What would quiet calls that were fine</h3>${r.suggestions.map((s, i) => html`<div key=${i} class="sample"><p>${clip(s.why, 400)}. <b>${saves(s)}</b></p><div class="with-copy"><pre tabindex="0" role="group" aria-label="Settings">${clip(s.yaml, 2000)}</pre><${Copy} text=${s.yaml} label="Copy the settings" /></div></div>`)}`}
    ${r.problems.length > 0 && html`<details><summary>${counted(r.problems.length + r.more, "record")} could not be read</summary><ul>${r.problems.slice(0, 100).map((p, i) => html`<li key=${i}>${clip(p, 400)}</li>`)}</ul></details>`}</div>`;
}

function Figure({ n, word, tone }: { n: number; word: string; tone?: string }): VNode {
  return html`<div class="figure"><b class=${"num" + (tone && n > 0 ? " text-" + tone : "")}>${count(n)}</b><span class="dim">${word}</span></div>`;
}

