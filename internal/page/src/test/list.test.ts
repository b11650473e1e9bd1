import assert from "node:assert/strict";
import test from "node:test";
import { unified } from "../diff";
import { second } from "../format";
import { eachDay } from "../stats";
import { height, reveal, windowOf } from "../windowing";

test("the rows in sight are drawn, and a few around them", () => {
  for (const c of [
    { rows: 0, row: 30, scroll: 0, view: 600, want: [0, 0, 0] },
    { rows: 10, row: 30, scroll: 0, view: 600, want: [0, 10, 0] },
    { rows: 1000, row: 30, scroll: 0, view: 600, want: [0, 29, 0] },
    { rows: 1000, row: 30, scroll: 3000, view: 600, want: [92, 129, 2760] },
    { rows: 1000, row: 30, scroll: 1e9, view: 600, want: [1000, 1000, 30000] },
    { rows: 1000, row: 30, scroll: -50, view: 600, want: [0, 29, 0] },
  ]) {
    const w = windowOf(c.rows, c.row, c.scroll, c.view);
    assert.deepEqual([w.from, w.to, w.top], c.want);
  }
});

test("of a list that is higher than an element may be, each row can be reached", () => {
  const rows = 1_000_000, row = 32, view = 700, all = height(rows, row);
  assert.ok(all <= 8_000_000);
  for (const index of [0, 1, 777, 500_000, 999_998, 999_999]) {
    const scroll = reveal(index, rows, row, index < 500 ? all : 0, view);
    const w = windowOf(rows, row, scroll, view);
    const y = w.top + (index - w.from) * row;
    assert.ok(w.from <= index && index < w.to && y >= scroll - 1 && y + row <= scroll + view + 1, `row ${index} lies at ${y - scroll}`);
  }
});

test("a difference has what goes and what comes", () => {
  for (const [from, to, want] of [
    ["a", "a", ""], ["a", "b", "-a\n+b"], ["a\nb\nc", "a\nc", " a\n-b\n c"], ["", "x", "-\n+x"],
    ["1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\n5\n6\n7\n8\nx", " 6\n 7\n 8\n-9\n+x"],
  ] as const) assert.equal(unified(from, to).replace(/^\n/, ""), want);
  assert.ok(unified("a\n".repeat(5000), "b\n".repeat(5000)).length > 10_000);
});

test("an axis of days has those between, too", () => {
  for (const [some, want] of [
    [["2026-02-27", "2026-03-02"], ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]],
    [["2026-11-27", "2026-11-25"], ["2026-11-25", "2026-11-26", "2026-11-27"]],
    [["2026-11-27"], ["2026-11-27"]], [[], []], [["x", "2026-11-27"], ["2026-11-27", "x"]],
    [["0001-01-01", "2026-01-01"], ["0001-01-01", "2026-01-01"]],
  ] as const) assert.deepEqual(eachDay(some), want);
});

test("what happened is told to the second, with its day where there are some", () => {
  const at = new Date(2026, 10, 23, 4, 2, 7).getTime();
  assert.deepEqual([second(at, false), second(at, true), second(NaN, true)], ["04:02:07", "11-23 04:02:07", "no time"]);
});
