// What comes from the API is looked at member by member: an older or a newer daemon, or a
// record that somebody broke, may have anything anywhere, and a view shows the rest.

/** An object of JSON. */
export type Obj = Record<string, unknown>;

/** The object, or one without members. */
export function obj(v: unknown): Obj {
  return typeof v === "object" && v !== null && !Array.isArray(v) ? (v as Obj) : {};
}

/** The text; of a number or a truth value how it is written; of all else none. */
export function str(v: unknown): string {
  if (typeof v === "string") return v;
  return typeof v === "number" || typeof v === "boolean" ? String(v) : "";
}

/** The number, or this one. */
export function num(v: unknown, or = 0): number {
  return typeof v === "number" && Number.isFinite(v) ? v : or;
}

/** Whether it is true. */
export function yes(v: unknown): boolean {
  return v === true;
}

/** The list, each element read so; of all else an empty one. */
export function list<T>(v: unknown, of: (v: unknown) => T): T[] {
  return Array.isArray(v) ? v.map(of) : [];
}

/** The texts of a list, without those that are none. */
export function strs(v: unknown): string[] {
  return list(v, str).filter((s) => s !== "");
}

/** The numbers of an object by their names. */
export function counts(v: unknown): Record<string, number> {
  return Object.fromEntries(Object.entries(obj(v)).map(([name, n]) => [name, num(n)]));
}

/** A time in milliseconds; NaN if it is none, or the zero time of Go. */
export function time(v: unknown): number {
  const at = typeof v === "string" ? Date.parse(v) : NaN;
  return at > -6e13 ? at : NaN;
}

/** A value as people read it: a text as it is, all else as JSON. */
export function plain(v: unknown): string {
  if (typeof v === "string") return v;
  if (v === undefined) return "";
  try {
    return JSON.stringify(v, null, 2) ?? "";
  } catch {
    return String(v);
  }
}

/** The elements of a list that can be read, and in place of the others what is wrong with them. */
export function each<T>(v: unknown, of: (v: unknown) => T): (T | Broken)[] {
  if (!Array.isArray(v)) return [];
  return v.map((one) => {
    try {
      return of(one);
    } catch (err) {
      return new Broken(err instanceof Error ? err.message : String(err), plain(one));
    }
  });
}

/** Something that cannot be read, as it came. */
export class Broken {
  constructor(readonly why: string, readonly raw: string) {}
}

/** Insists on an object; each of a list that is shown as a row begins so. */
export function must(v: unknown, what: string): Obj {
  if (typeof v !== "object" || v === null || Array.isArray(v)) throw new Error(`this is not ${what}`);
  return v as Obj;
}
