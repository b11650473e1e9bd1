// Numbers that JavaScript cannot hold keep their digits: where an answer has the
// number of the event, as far as JavaScript can tell, the event's is written.

import { randomBytes } from "node:crypto";

// parse reads JSON. raw is the same value with a text in place of each number
// that JavaScript may write in another way; it is undefined if there is none.
export const parse = (text) => {
  const value = JSON.parse(text);
  const mark = inexact(text) ? `\u0000${randomBytes(8).toString("hex")}:` : undefined;
  return { value, raw: mark && JSON.parse(marked(text, mark)), mark };
};

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const suspect = /\d{16}|\d[.eE]/;

// outside gives the parts of a JSON text that are in no string, or with strings
// as they are: each is a call of one of the two.
const split = (text, plain, quoted) => {
  let out = "";
  for (let at = 0; at < text.length; ) {
    let start = text.indexOf('"', at);
    if (start < 0) start = text.length;
    out += plain(text.slice(at, start));
    let end = start;
    do end = text.indexOf('"', end + 1);
    while (end > 0 && escaped(text, end));
    at = end < 0 ? text.length : end + 1;
    if (start < text.length) out += quoted(text.slice(start, at));
  }
  return out;
};

const escaped = (text, at) => {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
};

const inexact = (text) => {
  if (!suspect.test(text)) return false;
  let found = false;
  split(text, (part) => ((found ||= suspect.test(part)), ""), () => "");
  return found;
};

const marked = (text, mark) => {
  const open = JSON.stringify(mark).slice(0, -1);
  return split(text, (part) => part.replace(number, (n) => `${open}${n}"`), (part) => part);
};

// stringify writes an answer, with the event's numbers in what it changes.
export const stringify = (answer, { raw, mark }) => {
  const text = JSON.stringify(answer);
  if (raw === undefined || !text.includes('"modified"')) return text;
  const plain = JSON.parse(text);
  if (plain === null || typeof plain !== "object" || !plain.modified) return text;
  plain.modified = restored(raw, plain.modified, mark);
  const open = JSON.stringify(mark).slice(0, -1);
  return JSON.stringify(plain).replaceAll(new RegExp(`${open.replaceAll("\\", "\\\\")}([-+.0-9eE]+)"`, "g"), "$1");
};

// restored puts the marked numbers where the answer has the same ones.
const restored = (was, now, mark) => {
  if (typeof was === "string" && was.startsWith(mark)) {
    const n = Number(was.slice(mark.length));
    return now === n || (now === null && !Number.isFinite(n)) ? was : now; // null: no number is so large
  }
  if (now === null || typeof now !== "object" || was === null || typeof was !== "object") return now;
  if (Array.isArray(now)) return now.map((v, i) => restored(was[i], v, mark));
  return Object.fromEntries(Object.entries(now).map(([k, v]) => [k, restored(Object.hasOwn(was, k) ? was[k] : undefined, v, mark)]));
};
