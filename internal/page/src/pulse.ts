// A small chart beside the title: decisions of the last two minutes, second by second.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./element";
import { count } from "./format";
import type { Recent } from "./recent";
import { color } from "./theme";

export function Pulse({ recent }: { recent: Recent }): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [rate, setRate] = useState({ now: 0, seen: 0 });
  useEffect(() => {
    const draw = () => {
      recent.tick();
      if (!canvas.current) return; // the view was left
      paint(canvas.current, recent.pulse.all, recent.pulse.stopped);
      const five = recent.pulse.all.slice(-6, -1).reduce((a, b) => a + b, 0) / 5;
      setRate({ now: five, seen: recent.seen });
    };
    draw();
    const timer = setInterval(draw, 1000);
    return () => clearInterval(timer);
  }, []);
  return html`<span class="pulse" title="Decisions of the last two minutes; how many a second"><canvas ref=${canvas} width="240" height="44" aria-hidden="true"></canvas>
    <span class="num">${rate.now < 10 ? rate.now.toFixed(1) : Math.round(rate.now)}/s</span><span class="dim"> ${count(rate.seen)} since opened</span></span>`;
}

function paint(canvas: HTMLCanvasElement, all: readonly number[], stopped: readonly number[]): void {
  const g = canvas.getContext("2d")!;
  const { width, height } = canvas, w = width / all.length, top = Math.max(4, ...all);
  g.clearRect(0, 0, width, height);
  const bars = (values: readonly number[], fill: string) => {
    g.fillStyle = fill;
    values.forEach((n, i) => n > 0 && g.fillRect(i * w, height - Math.max(2, (n / top) * height), w - 0.5, height));
  };
  g.fillStyle = color("--line");
  g.fillRect(0, height - 1, width, 1);
  bars(all, color("--bar"));
  bars(stopped, color("--block-bar"));
}
