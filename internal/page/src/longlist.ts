// A list that may be long. Only what is in sight is there; to a screen reader each row says
// which of how many it is. The keys j, k, arrows, Home and End go from row to row.

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { html, names } from "./element";
import { height, reveal, windowOf } from "./windowing";

export interface LongListProps<T> {
  label: string;
  items: readonly T[];
  row: (item: T, index: number) => VNode; // its first link or button is what the keys go to
  id: (item: T, index: number) => string | number;
  rowHeight?: number;
  phoneHeight?: number;
  onEnd?: () => void;
  anchor?: boolean; // what comes above does not move what is looked at
  select?: string | number | undefined; // is brought into sight
  class?: string;
  scroll?: number | undefined; // where it begins
  onScroll?: (to: number) => void;
  empty?: VNode | string | null;
}

/** Whether rows have two lines, as on a phone. */
export const narrow = matchMedia("(max-width: 720px)");

export function LongList<T>(props: LongListProps<T>): VNode {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const box = useRef<HTMLDivElement>(null);
  const at = useRef({ scroll: props.scroll ?? 0, view: 600, first: undefined as string | number | undefined, focus: -1 });
  const { items } = props;
  const row = narrow.matches ? (props.phoneHeight ?? props.rowHeight ?? 30) : (props.rowHeight ?? 30);

  useEffect(() => {
    const el = box.current!;
    const seen = new ResizeObserver(() => {
      at.current.view = el.clientHeight;
      redraw(undefined);
    });
    seen.observe(el);
    const turned = () => redraw(undefined);
    narrow.addEventListener("change", turned);
    return () => (seen.disconnect(), narrow.removeEventListener("change", turned));
  }, []);

  useLayoutEffect(() => {
    if (props.scroll) at.current.scroll = box.current!.scrollTop = props.scroll;
  }, []);

  // What came above is passed over, if the reader is not at the top.
  useLayoutEffect(() => {
    const el = box.current!, a = at.current;
    const first = items.length > 0 ? props.id(items[0]!, 0) : undefined;
    if (props.anchor && a.first !== undefined && a.first !== first && el.scrollTop > 2) {
      const moved = items.findIndex((item, i) => props.id(item, i) === a.first);
      if (moved > 0) a.scroll = el.scrollTop = el.scrollTop + moved * row;
    }
    a.first = first;
  });

  useEffect(() => {
    if (props.select === undefined) return;
    const index = items.findIndex((item, i) => props.id(item, i) === props.select);
    if (index >= 0) box.current!.scrollTop = reveal(index, items.length, row, box.current!.scrollTop, box.current!.clientHeight);
  }, [props.select]);

  const w = windowOf(items.length, row, at.current.scroll, at.current.view);
  useEffect(() => {
    if (w.to >= items.length - 20) props.onEnd?.();
  }, [w.to, items.length]);

  const focus = (index: number) => {
    const el = box.current!, to = Math.max(0, Math.min(items.length - 1, index));
    el.scrollTop = at.current.scroll = reveal(to, items.length, row, el.scrollTop, el.clientHeight);
    redraw(undefined);
    requestAnimationFrame(() => el.querySelector<HTMLElement>(`[data-index="${to}"] a, [data-index="${to}"] button`)?.focus({ preventScroll: true }));
  };
  const key = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey || items.length === 0) return;
    const here = Number((e.target as HTMLElement).closest<HTMLElement>("[data-index]")?.dataset.index ?? -1);
    const page = Math.max(1, Math.floor(at.current.view / row) - 1);
    const steps: Record<string, number> = { j: here + 1, ArrowDown: here + 1, k: here - 1, ArrowUp: here - 1, Home: 0, End: items.length - 1, PageDown: here + page, PageUp: here - page };
    const to = steps[e.key];
    if (to === undefined || (e.target as HTMLElement).closest("input, select, textarea")) return;
    e.preventDefault();
    e.stopPropagation();
    focus(to);
  };

  return html`<div class=${names("longlist", props.class)} ref=${box} onKeyDown=${key} tabindex=${items.length > 0 ? 0 : -1} role="group" aria-label=${props.label}
      onScroll=${(e: Event) => ((at.current.scroll = (e.currentTarget as HTMLElement).scrollTop), props.onScroll?.(at.current.scroll), redraw(undefined))}>
    ${items.length === 0 && props.empty
      ? html`<div class="empty">${props.empty}</div>`
      : html`<div class="longlist-all" role="list" aria-label=${props.label} style=${{ height: height(items.length, row) + "px" }}>
        ${items.slice(w.from, w.to).map((item, i) => html`<div key=${props.id(item, w.from + i)} role="listitem" class="longlist-row" data-index=${w.from + i}
          aria-posinset=${w.from + i + 1} aria-setsize=${items.length} style=${{ height: row + "px", transform: `translateY(${w.top + i * row}px)` }}>${props.row(item, w.from + i)}</div>`)}
      </div>`}
  </div>`;
}
