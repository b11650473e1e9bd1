// A record as a row of a list.

import type { VNode } from "preact";
import { Broken } from "./decode";
import { html, names } from "./element";
import { length } from "./format";
import { Action, BrokenRow, Time } from "./parts";
import { about, answerOf, called, deciderOf, isStopped, type Rec } from "./record";
import { link } from "./route";
import { clip } from "./visible";

export function RecordHead(): VNode {
  return html`<div class="row row-record row-head" aria-hidden="true"><span>Time</span><span>Decision</span><span>Agent</span><span>Call</span><span>What</span><span>By</span><span class="right">Took</span></div>`;
}

export function RecordRow({ r, follow }: { r: Rec | Broken; follow?: boolean }): VNode {
  if (r instanceof Broken) return html`<${BrokenRow} of=${r} />`;
  const stopped = isStopped(r), answer = answerOf(r);
  return html`<a class=${names("row row-record", stopped && "row-" + r.action)} href=${link("decisions", r.seq)} tabindex="-1" data-seq=${r.seq} data-session=${follow ? r.session : undefined}>
    <${Time} at=${r.at} /><${Action} is=${answer || r.action} would=${r.would} /><span class="agent">${clip(r.agent || r.source || "–", 40)}</span>
    <span class="tool">${answer ? (r.code ? "answer" : "owner") : clip(called(r), 60)}</span><span class=${names("what", answer && "words")}>${clip(about(r), 300)}</span><span class="rule">${clip(deciderOf(r), 80)}</span><span class="right num dim">${r.ms > 0 ? length(r.ms) : ""}</span></a>`;
}
