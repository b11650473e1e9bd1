import assert from "node:assert/strict";
import test from "node:test";
import { clip, line, lines, runs } from "../visible";

test("what is hidden is shown as hookway's command lines show it", () => {
  for (const [given, want] of [
    ["plain ä 漢 🎉", "plain ä 漢 🎉"],
    ["\x1b[31mred", "\\x1b[31mred"],
    ["a\tb\r\nc", "a\\tb\\r\\nc"],
    ["\u202etfel\u200b", "\\u202etfel\\u200b"],
    ["\u009b31m\x7f", "\\u009b31m\\x7f"],
    ["\u2028\u2029", "\\u2028\\u2029"],
    ["\ufeff\u2066x\u2069\u061c", "\\ufeff\\u2066x\\u2069\\u061c"],
    ["a\u{e0041}b", "a\\U000e0041b"],
    ["a\u{e0101}b", "a\\U000e0101b"],
    ["\ud800", "\\ud800"],
    ["\u3164\u2800", "\\u3164\\u2800"],
    ["\ufffd", "\ufffd"],
  ] as const) assert.equal(line(given), want);
  assert.equal(lines("a\tb\r\nc\x1b"), "a\tb\\r\nc\\x1b");
});

test("a text is cut between characters", () => {
  for (const [text, most, want] of [["", 0, ""], ["abcd", 4, "abcd"], ["abcde", 4, "abcd…"], ["ab🎉cd", 3, "ab…"], ["ab🎉cd", 4, "ab🎉…"]] as const) assert.equal(clip(text, most), want);
});

test("marks count bytes", () => {
  for (const { text, marks, want } of [
    { text: "rm -rf /", marks: [{ from: 7, to: 8, of: 0 }], want: ["rm -rf |", "/|0"] },
    { text: "ä🎉 rm x", marks: [{ from: 7, to: 9, of: 1 }], want: ["ä🎉 |", "rm|1", " x|"] },
    { text: "abcd", marks: [{ from: 0, to: 3, of: 0 }, { from: 2, to: 4, of: 1 }], want: ["ab|0", "c|0,1", "d|1"] },
    { text: "ä", marks: [{ from: 1, to: 2, of: 0 }], want: ["ä|"] },
    { text: "ab", marks: [{ from: 1, to: 99, of: 0 }, { from: 2, to: 1, of: 1 }, { from: -1, to: 1, of: 2 }], want: ["ab|"] },
  ]) assert.deepEqual(runs(text, marks).map((r) => `${r.text}|${r.of}`), want);
});
