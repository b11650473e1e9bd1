// What a page shows was written by agents, by programs and by whoever they read. So each
// character that has no shape of its own, or that would turn the order of others round, is
// shown as an escape: as hookway's command lines show it.

// hidden: controls, formats (zero width, bidi, tags), separators of lines, selectors of
// variants that no keyboard has, blanks that look like nothing, and halves of characters.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u{e0100}-\u{e01ef}]|\p{Cs}/gu;
const some = new RegExp(hidden.source, "u");

const named: Record<string, string> = { "\x07": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v" };

function escaped(c: string): string {
  const code = c.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (named[c]) return named[c];
  if (code < 0x80) return "\\x" + hex.padStart(2, "0");
  return code > 0xffff ? "\\U" + hex.padStart(8, "0") : "\\u" + hex.padStart(4, "0");
}

/** A text as one line: line feeds and tabs are escapes, too. */
export function line(text: string): string {
  return some.test(text) ? text.replace(hidden, escaped) : text;
}

/** A text that keeps its lines and tabs. */
export function lines(text: string): string {
  return some.test(text) ? text.replace(hidden, (c) => (c === "\n" || c === "\t" ? c : escaped(c))) : text;
}

/** At most so many characters; a text that had more ends in "…", and no character is halved. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.charCodeAt(most - 1);
  return text.slice(0, end >= 0xd800 && end < 0xdc00 ? most - 1 : most) + "…";
}

/** A part of a text that is to be marked; from and to count the bytes of its UTF-8. */
export interface Mark {
  from: number;
  to: number;
  of: number; // which of what is said of the text
}

/** A run of a text that has the same marks. */
export interface Run {
  text: string;
  of: number[];
}

/** Cuts a text at the ends of its marks. Marks that do not lie in it are left out. */
export function runs(text: string, marks: readonly Mark[]): Run[] {
  const at = indexes(text, marks.flatMap((m) => [m.from, m.to]));
  const good = marks.filter((m) => m.from < m.to && at.has(m.from) && at.has(m.to));
  const cuts = [...new Set([0, text.length, ...good.flatMap((m) => [at.get(m.from)!, at.get(m.to)!])])].sort((a, b) => a - b);
  const out: Run[] = [];
  for (let i = 0; i + 1 < cuts.length; i++) {
    const from = cuts[i]!, to = cuts[i + 1]!;
    out.push({ text: text.slice(from, to), of: good.filter((m) => at.get(m.from)! <= from && to <= at.get(m.to)!).map((m) => m.of) });
  }
  return out;
}

/** Where these bytes lie in a text; those amid a character, or beyond the end, lie nowhere. */
function indexes(text: string, bytes: readonly number[]): Map<number, number> {
  const wanted = new Set(bytes), found = new Map<number, number>();
  let byte = 0, index = 0;
  for (const c of text) {
    if (wanted.has(byte)) found.set(byte, index);
    const code = c.codePointAt(0)!;
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    index += c.length;
  }
  if (wanted.has(byte)) found.set(byte, index);
  return found;
}
