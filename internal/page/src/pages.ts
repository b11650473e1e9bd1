// Lists that come page by page: the next one when the reader gets near the end.

import { useEffect, useReducer, useRef } from "preact/hooks";
import { Broken, each, num, obj, str, strs, yes, type Obj } from "./decode";
import { isLacking, json, returned, told } from "./daemon";
import { Problem } from "./door";

export interface Pages<T> {
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
}

const most = 20_000; // that a list holds: who wants more narrows it down

/** Reads a list of the API. The path has its filters; member is the list's name in an answer. */
export function usePages<T>(path: string | null, member: string, read: (v: unknown) => T, limit = 100): Pages<T> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const box = useRef<{ p: Pages<T>; next: string; stop: AbortController }>({ p: empty<T>(), next: "", stop: new AbortController() });
  useEffect(() => {
    const b = box.current;
    let failed = false;
    const load = async (after: string) => {
      if (path === null) return;
      failed = false;
      b.stop.abort();
      const mine = (b.stop = new AbortController());
      b.p.loading = true;
      redraw(undefined);
      try {
        const url = path + (path.includes("?") ? "&" : "?") + `limit=${limit}` + (after && `&after=${encodeURIComponent(after)}`);
        const o = obj(await json(url, { signal: mine.signal }));
        if (mine.signal.aborted) return;
        const items = each(o[member], read);
        b.next = str(o.next);
        const all = after ? b.p.items.concat(items) : items;
        b.p = { ...b.p, ...header(o, b.p, after), items: all, problem: "", lacking: false, loading: false, end: b.next === "" || all.length >= most };
      } catch (err) {
        if (mine.signal.aborted) return;
        // Where the daemon is gone, what is there stays, and it is asked again when it is back.
        const refused = err instanceof Problem;
        failed = !refused;
        b.p = { ...b.p, items: after || !refused ? b.p.items : [], problem: refused ? told(err) : "", lacking: isLacking(err), loading: false, end: refused };
      }
      redraw(undefined);
    };
    b.p = { ...b.p, more: () => void (!b.p.loading && !b.p.end && load(b.next)), reload: () => void load("") };
    void load("");
    const unlisten = returned.listen(() => failed && void load(b.p.items.length > 0 ? b.next : ""));
    return () => {
      unlisten();
      b.stop.abort();
    };
  }, [path, member, limit]);
  return box.current.p;
}

function header(o: Obj, before: Pages<unknown>, after: string): Partial<Pages<never>> {
  return {
    total: num(o.total, after ? before.total : -1), atLeast: yes(o.total_at_least), behind: num(o.behind),
    problems: strs(o.problems),
  };
}

function empty<T>(): Pages<T> {
  return {
    items: [], total: -1, atLeast: false, behind: 0, problems: [], problem: "", lacking: false, loading: true, end: false,
    more: () => undefined, reload: () => undefined,
  };
}
