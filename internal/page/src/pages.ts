// Lists that come page by page: the next one when the reader gets near the end.

import { useEffect, useReducer, useRef } from "preact/hooks";
import { Broken, each, list, num, obj, str, strs, yes, type Obj } from "./decode";
import { isLacking, json, returned, told } from "./daemon";
import { Problem } from "./door";

/** A list as it was left, for who goes back to it. */
interface Left {
  p: Pages<unknown>;
  next: string;
  scroll: number;
}

const left = new Map<string, Left>(); // by the path; the last few

/** What was left of a list, if the reader came back to it, and did not follow a link there. */
export function leftOf(path: string | null): Left | undefined {
  const state = history.state as { list?: unknown } | null;
  return path !== null && state?.list === path ? left.get(path) : undefined;
}

function leave(path: string, p: Pages<unknown>, next: string): void {
  const scroll = left.get(path)?.scroll ?? 0;
  left.delete(path);
  left.set(path, { p, next, scroll });
  for (const old of left.keys()) if (left.size > 4) left.delete(old);
  if (leftOf(path) === undefined) history.replaceState({ list: path }, "");
}

export interface Pages<T> {
  path: string;
  items: (T | Broken)[];
  total: number; // -1: not told
  atLeast: boolean;
  behind: number;
  problems: string[];
  problem: string;
  lacking: boolean;
  loading: boolean;
  end: boolean;
  more: () => void;
  reload: () => void;
  all: () => Promise<unknown[]>; // as they came, also those that were not asked for yet
  scrolled: (to: number) => void;
}

const most = 20_000; // that a list holds: who wants more narrows it down

/** Reads a list of the API. The path has its filters; member is the list's name in an answer. */
export function usePages<T>(path: string | null, member: string, read: (v: unknown) => T, limit = 100): Pages<T> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const box = useRef<{ p: Pages<T>; next: string; stop: AbortController } | null>(null);
  box.current ??= { p: (leftOf(path)?.p as Pages<T>) ?? empty<T>(), next: leftOf(path)?.next ?? "", stop: new AbortController() };
  useEffect(() => {
    const b = box.current!;
    let failed = false, later: ReturnType<typeof setTimeout> | undefined;
    const load = async (after: string) => {
      if (path === null) return;
      failed = false;
      b.stop.abort();
      const mine = (b.stop = new AbortController());
      b.p.loading = true;
      redraw(undefined);
      try {
        const o = obj(await json(pageOf(path, limit, after), { signal: mine.signal }));
        if (mine.signal.aborted) return;
        const items = each(o[member], read);
        b.next = str(o.next);
        const all = after ? b.p.items.concat(items) : items;
        b.p = { ...b.p, ...header(o, b.p, after), items: all, problem: "", lacking: false, loading: false, end: b.next === "" || all.length >= most };
      } catch (err) {
        if (mine.signal.aborted) return;
        // Where the daemon is gone, what is there stays, and it is asked again when it is back.
        // Until then nobody may say that there is nothing.
        const refused = err instanceof Problem;
        failed = !refused;
        const items = after || !refused ? b.p.items : [];
        b.p = { ...b.p, items, problem: refused ? told(err) : "", lacking: isLacking(err), loading: !refused && items.length === 0, end: refused };
      }
      if (!failed) leave(path, b.p, b.next);
      redraw(undefined);
      clearTimeout(later);
      if (b.p.behind > 0 && b.p.items.length <= limit) later = setTimeout(() => void load(""), 1500);
    };
    const all = async () => {
      const out = b.p.items.map((one): unknown => (one as { raw?: unknown }).raw ?? one);
      for (let after = b.next; after !== "" && path !== null && out.length < most; ) {
        const o = obj(await json(pageOf(path, 500, after)));
        out.push(...list(o[member], (v) => v));
        after = str(o.next);
      }
      return out;
    };
    const scrolled = (to: number) => {
      const was = left.get(path ?? "");
      if (was) was.scroll = to;
    };
    const back = leftOf(path) !== undefined && b.p.path === path;
    b.p = { ...b.p, path: path ?? "", all, scrolled, more: () => void (!b.p.loading && !b.p.end && load(b.next)), reload: () => void load("") };
    if (back) redraw(undefined);
    else void load("");
    const unlisten = returned.listen(() => failed && void load(b.p.items.length > 0 ? b.next : ""));
    return () => {
      unlisten();
      clearTimeout(later);
      b.stop.abort();
    };
  }, [path, member, limit]);
  return box.current.p;
}

function pageOf(path: string, limit: number, after: string): string {
  return path + (path.includes("?") ? "&" : "?") + `limit=${limit}` + (after && `&after=${encodeURIComponent(after)}`);
}

function header(o: Obj, before: Pages<unknown>, after: string): Partial<Pages<never>> {
  return {
    total: num(o.total, after ? before.total : -1), atLeast: yes(o.total_at_least), behind: num(o.behind),
    problems: strs(o.problems),
  };
}

function empty<T>(): Pages<T> {
  return {
    path: "", items: [], total: -1, atLeast: false, behind: 0, problems: [], problem: "", lacking: false, loading: true, end: false,
    more: () => undefined, reload: () => undefined, all: async () => [], scrolled: () => undefined,
  };
}
