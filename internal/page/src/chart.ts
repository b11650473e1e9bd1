// Bars by day, drawn by uPlot. The same numbers stand in a table for who cannot see them.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { html } from "./element";
import { count } from "./format";
import { Button } from "./parts";
import { useSignal } from "./signal";
import { color, theme } from "./theme";

export interface Series {
  name: string;
  color: string; // a variable of the style sheet
  values: readonly number[];
}

/** Days as stacked bars. */
export function Days({ days, series, label, none, height = 150 }: { days: readonly string[]; series: readonly Series[]; label: string; none?: string | undefined; height?: number }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const dark = useSignal(theme);
  const [table, setTable] = useState(false);
  useEffect(() => {
    const el = box.current;
    if (!el || days.length === 0) return;
    const chart = new uPlot(options(el.clientWidth, height, days, series), stacked(days.length, series), el);
    const measure = new ResizeObserver(() => chart.setSize({ width: el.clientWidth, height }));
    measure.observe(el);
    return () => (measure.disconnect(), chart.destroy());
  }, [days, series, dark, table]);
  return html`<figure class="chart"><figcaption><span>${label}</span>${series.map((s) => html`<span key=${s.name} class="legend-item"><i style=${{ background: `var(${s.color})` }}></i>${s.name}</span>`)}
      <${Button} kind="bare small" pressed=${table} onClick=${() => setTable(!table)}>Table<//></figcaption>
    ${table
      ? html`<div class="scroll-x chart-table" tabindex="0" role="group" aria-label=${label}><table><thead><tr><th>Day</th>${series.map((s) => html`<th key=${s.name} class="right">${s.name}</th>`)}</tr></thead><tbody>${days.map((d, i) => html`<tr key=${d}><td>${d}</td>${series.map((s) => html`<td key=${s.name} class="right num">${count(s.values[i] ?? 0)}</td>`)}</tr>`)}</tbody></table></div>`
      : html`<div ref=${box} class="chart-box" style=${{ height: height + "px" }} role="img" aria-label=${`${label}: ${series.map((s) => `${count(s.values.reduce((a, b) => a + b, 0))} ${s.name}`).join(", ")}`}></div>`}${none && series.every((s) => s.values.every((n) => n === 0)) && html`<p class="chart-none dim">${none}</p>`}</figure>`;
}

function stacked(days: number, series: readonly Series[]): uPlot.AlignedData {
  const xs = Array.from({ length: days }, (_, i) => i);
  const sums = series.map((_, s) => xs.map((i) => series.slice(0, s + 1).reduce((n, one) => n + (one.values[i] ?? 0), 0)));
  return [xs, ...sums.reverse()] as uPlot.AlignedData; // the tallest is painted first
}

function options(width: number, height: number, days: readonly string[], series: readonly Series[]): uPlot.Options {
  const axis = { stroke: color("--dim"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
  return {
    width: Math.max(120, width), height, legend: { show: false }, cursor: { show: false }, padding: [8, 4, 0, 0],
    scales: { x: { time: false, range: [-0.6, days.length - 0.4] }, y: { range: (_u, _min, max) => [0, Math.max(4, max * 1.05)] } },
    axes: [{ ...axis, grid: { show: false }, size: 24, space: 56, values: (_u, at) => at.map((i) => (Number.isInteger(i) ? (days[i] ?? "").slice(5) : "")) }, { ...axis, size: 44, space: 28, values: (_u, at) => at.map((n) => (Number.isInteger(n) ? count(n) : "")) }],
    series: [{}, ...[...series].reverse().map((s) => ({ fill: color(s.color), stroke: "transparent", width: 0, points: { show: false }, paths: uPlot.paths.bars!({ size: [0.72, 26] }) }))],
  };
}

/** A row of small bars, as many as there are days. */
export function Spark({ hits, would }: { hits: readonly number[]; would: readonly number[] }): VNode {
  const top = Math.max(1, ...hits.map((n, i) => n + (would[i] ?? 0))), n = Math.max(1, hits.length), w = 84 / n;
  return html`<svg class="spark" viewBox="0 0 84 20" width="84" height="20" aria-hidden="true" focusable="false">${hits.map((h, i) => {
    const a = (h / top) * 18, b = ((would[i] ?? 0) / top) * 18;
    return html`<g key=${i}><rect class="spark-hit" x=${i * w} y=${20 - a} width=${Math.max(1, w - 1)} height=${a} /><rect class="spark-would" x=${i * w} y=${20 - a - b} width=${Math.max(1, w - 1)} height=${b} /></g>`;
  })}<rect class="spark-line" x="0" y="19.5" width="84" height="0.5" /></svg>`;
}
