// The timeline of a session, painted. What it shows is also in the list below it, which is
// what a screen reader and the keys use.

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { html } from "./element";
import { clock, count, day } from "./format";
import { Button, Choice } from "./parts";
import type { Item, Lane } from "./session";
import { useSignal } from "./signal";
import { color, theme } from "./theme";
import { hit, layout, move, ticks, toward, zoom, type Axis, type Layout, type Stretch } from "./timeline";
import { clip, line } from "./visible";

const rowHeight = 30, head = 22, mostLanes = 60;

export interface TimelineProps {
  items: readonly Item[];
  lanes: readonly Lane[];
  selected: number;
  onSelect: (index: number) => void;
}

export function Timeline({ items, lanes, selected, onSelect }: TimelineProps): VNode {
  const [axis, setAxis] = useState<Axis>("time");
  const l = useMemo(() => layout(items, lanes, axis), [items, lanes, axis]);
  const [stretch, setStretch] = useState<Stretch | null>(null);
  const s = stretch ?? l.whole;
  const dark = useSignal(theme);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const now = useRef({ l, s });
  now.current = { l, s };
  const tall = head + Math.min(lanes.length, mostLanes) * rowHeight;

  useEffect(() => setStretch(null), [axis]);
  useEffect(() => {
    if (selected >= 0 && selected < l.from.length) setStretch((was) => (was ? toward(was, l.whole, l.from[selected]!) : was));
  }, [selected, l]);
  useLayoutEffect(() => {
    const el = canvas.current!;
    const measure = new ResizeObserver(() => setWidth(el.clientWidth));
    measure.observe(el);
    setWidth(el.clientWidth);
    const wheel = (e: WheelEvent) => {
      const { l, s } = now.current;
      const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
      if (!sideways && !e.ctrlKey && !e.metaKey) return; // the page scrolls
      e.preventDefault();
      const at = s.from + (e.offsetX / el.clientWidth) * (s.to - s.from);
      setStretch(sideways ? move(s, l.whole, ((e.deltaX || e.deltaY) / el.clientWidth) * (s.to - s.from)) : zoom(s, l.whole, Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200))), at));
    };
    el.addEventListener("wheel", wheel, { passive: false });
    return () => (measure.disconnect(), el.removeEventListener("wheel", wheel));
  }, []);
  useLayoutEffect(() => {
    if (width > 0) paint(canvas.current!, width, tall, items, lanes, l, s, axis, selected);
  }, [width, tall, items, lanes, l, s, selected, dark]);

  const drag = useRef<{ x: number; s: Stretch; moved: boolean } | null>(null);
  const down = (e: PointerEvent) => {
    (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId);
    drag.current = { x: e.offsetX, s, moved: false };
  };
  const dragged = (e: PointerEvent) => {
    const d = drag.current;
    if (!d || (!d.moved && Math.abs(e.offsetX - d.x) < 4)) return;
    d.moved = true;
    setStretch(move(d.s, l.whole, ((d.x - e.offsetX) / width) * (d.s.to - d.s.from)));
  };
  const up = (e: PointerEvent) => {
    const d = drag.current;
    drag.current = null;
    if (!d || d.moved) return;
    const found = hit(l, Math.floor((e.offsetY - head) / rowHeight), s.from + (e.offsetX / width) * (s.to - s.from), (12 / width) * (s.to - s.from));
    if (found >= 0) onSelect(found);
  };
  const by = (factor: number) => setStretch(zoom(s, l.whole, factor, selected >= 0 && l.from[selected]! >= s.from && l.from[selected]! <= s.to ? l.from[selected]! : (s.from + s.to) / 2));
  const key = (e: KeyboardEvent) => {
    const far = (s.to - s.from) / 5;
    const does: Record<string, () => void> = { ArrowLeft: () => setStretch(move(s, l.whole, -far)), ArrowRight: () => setStretch(move(s, l.whole, far)), "+": () => by(0.5), "=": () => by(0.5), "-": () => by(2), "0": () => setStretch(null) };
    if (does[e.key] && !e.ctrlKey && !e.metaKey) (e.preventDefault(), does[e.key]!());
  };
  return html`<div class="timeline">
    <div class="timeline-tools"><${Choice} small label="What the axis counts" value=${axis} options=${[["time", "Time"], ["steps", "Steps"]]} onChange=${setAxis} />
      <${Button} icon="plus" label="Zoom in" onClick=${() => by(0.5)} /><${Button} icon="minus" label="Zoom out" onClick=${() => by(2)} disabled=${stretch === null} /><${Button} icon="fit" label="Show all" onClick=${() => setStretch(null)} disabled=${stretch === null} />
      <span class="legend" aria-hidden="true"><i class="k k-prompt"></i>prompt <i class="k k-call"></i>call <i class="k k-failed"></i>failed <i class="k k-answer"></i>answer <i class="k k-ask"></i>asked <i class="k k-block"></i>blocked <i class="k k-would"></i>on trial</span></div>
    <div class="timeline-box"><div class="lanes" aria-hidden="true"><div class="lanes-head"></div>${lanes.slice(0, mostLanes).map((lane) => html`<div key=${lane.id} class="lane-name" title=${clip(lane.name, 200)}>${lane.parent && "↳ "}${clip(lane.name, 40)}</div>`)}</div>
      <canvas ref=${canvas} class="timeline-canvas" style=${{ height: tall + "px" }} tabindex="0" role="img" aria-label=${`Timeline of ${count(items.length)} items in ${lanes.length} lanes. Arrow keys move, plus and minus zoom. The list below has the same.`}
        onPointerDown=${down} onPointerMove=${dragged} onPointerUp=${up} onPointerCancel=${() => (drag.current = null)} onKeyDown=${key}></canvas></div>
  </div>`;
}

/** The colour of an item: of its decision, or else of its kind. */
export function toneOf(i: Item): string {
  if (i.action === "block") return "block";
  if (i.action === "ask") return "ask";
  if (i.would === "block" || i.would === "ask") return "would";
  if (i.failed) return "failed";
  return { prompt: "prompt", answer: "answer", message: "message", approval: "ask", compact: "note", usage: "note", note: "note" }[i.kind] ?? "call";
}

// Later ones are painted over earlier ones, and what was stopped over all.
const order = ["note", "call", "answer", "message", "prompt", "failed", "would", "ask", "block"];

function paint(canvas: HTMLCanvasElement, width: number, tall: number, items: readonly Item[], lanes: readonly Lane[], l: Layout, s: Stretch, axis: Axis, selected: number): void {
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = tall * ratio;
  const g = canvas.getContext("2d")!;
  g.scale(ratio, ratio);
  g.font = "11px system-ui, sans-serif";
  grid(g, width, tall, s, axis);
  const per = width / (s.to - s.from);
  const byTone = new Map<string, number[]>(order.map((t) => [t, []]));
  for (let i = 0; i < items.length; i++) if (l.to[i]! >= s.from && l.from[i]! <= s.to && l.row[i]! < mostLanes) byTone.get(toneOf(items[i]!))?.push(i);
  for (const tone of order) {
    const painted = new Int32Array(mostLanes).fill(-1), fill = color("--t-" + tone); // of each row, the last pixel
    g.fillStyle = fill;
    for (const i of byTone.get(tone)!) {
      const row = l.row[i]!, x = (l.from[i]! - s.from) * per, w = Math.max(3, (l.to[i]! - l.from[i]!) * per - 1);
      const pixel = Math.floor(x);
      if (w <= 3 && painted[row] === pixel) continue; // one is there already
      painted[row] = pixel;
      const y = head + row * rowHeight, high = tone === "prompt" || tone === "block" || tone === "ask";
      bar(g, x, y + (high ? 4 : 8), w, high ? rowHeight - 8 : rowHeight - 16);
      const what = items[i]!.title || items[i]!.tool;
      if (w > 46 && what) {
        label(g, what, x + 4, y + rowHeight / 2 + 4, w - 8);
        g.fillStyle = fill;
      }
    }
  }
  if (selected >= 0 && selected < items.length) {
    const x = (l.from[selected]! - s.from) * per;
    g.fillStyle = color("--accent");
    g.fillRect(x - 1, 0, 2, tall);
    g.strokeStyle = color("--accent");
    g.lineWidth = 2;
    g.strokeRect(x - 2, head + l.row[selected]! * rowHeight + 2, Math.max(6, (l.to[selected]! - l.from[selected]!) * per + 3), rowHeight - 4);
  }
}

function bar(g: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
  if (w <= 3) return g.fillRect(x, y, w, h);
  g.beginPath();
  g.roundRect(x, y, w, h, 2);
  g.fill();
}

function label(g: CanvasRenderingContext2D, text: string, x: number, y: number, width: number): void {
  g.save();
  g.beginPath();
  g.rect(x, y - 14, width, 20);
  g.clip();
  g.fillStyle = color("--on-bar");
  g.fillText(line(clip(text, 60)), x, y);
  g.restore();
}

function grid(g: CanvasRenderingContext2D, width: number, tall: number, s: Stretch, axis: Axis): void {
  g.strokeStyle = color("--line");
  g.fillStyle = color("--dim");
  g.lineWidth = 1;
  const all = ticks(s, axis, Math.max(2, Math.floor(width / 100)));
  const long = axis === "time" && s.to - s.from > 2 * 86_400_000, fine = axis === "time" && all.length > 1 && all[1]! - all[0]! < 1000;
  for (const at of all) {
    const x = Math.round(((at - s.from) / (s.to - s.from)) * width) + 0.5;
    g.beginPath();
    g.moveTo(x, 16);
    g.lineTo(x, tall);
    g.stroke();
    const text = axis === "steps" ? count(at + 1) : long ? day(at) : clock(at) + (fine ? "." + String(new Date(at).getMilliseconds()).padStart(3, "0") : "");
    if (x + 3 + g.measureText(text).width <= width) g.fillText(text, x + 3, 12); // no half of one
  }
}
