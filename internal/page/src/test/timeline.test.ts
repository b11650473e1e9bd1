import assert from "node:assert/strict";
import test from "node:test";
import { item, ordered, type Lane } from "../session";
import { hit, layout, move, ticks, toward, zoom } from "../timeline";

const at = (s: number) => new Date(1_790_000_000_000 + s * 1000).toISOString();
const lanes: Lane[] = [{ id: "main", name: "main", parent: "" }, { id: "b", name: "b", parent: "a" }, { id: "a", name: "a", parent: "main" }];
const items = [{ id: "1", at: at(0), lane: "main", kind: "prompt" }, { id: "2", at: at(10), end: at(40), lane: "a", kind: "call" }, { id: "3", at: "?", lane: "b" }, { id: "4", at: at(60), lane: "gone" }].map(item);

test("lanes stand below the one that they come from, and none is lost", () => {
  assert.deepEqual(ordered(lanes, items).map((l) => l.id), ["main", "a", "b", "gone"]);
  assert.deepEqual(ordered([{ id: "x", name: "x", parent: "y" }, { id: "y", name: "y", parent: "x" }], []).map((l) => l.id), ["x", "y"]);
});

test("items lie where they were, also one without a time", () => {
  const all = ordered(lanes, items), l = layout(items, all, "time"), zero = Date.parse(at(0));
  assert.deepEqual([...l.from].map((t) => (t - zero) / 1000), [0, 10, 10, 60]);
  assert.deepEqual([...l.to].map((t) => (t - zero) / 1000), [0, 40, 10, 60]);
  assert.deepEqual([...l.row], [0, 1, 2, 3]);
  assert.deepEqual([...layout(items, all, "steps").from], [0, 1, 2, 3]);
  assert.ok(layout([], [], "time").whole.to > layout([], [], "time").whole.from);
});

test("an item is found at its place, the nearest one near it", () => {
  const l = layout(items, ordered(lanes, items), "time"), zero = Date.parse(at(0));
  for (const [row, s, near, want] of [[1, 25, 0, 1], [1, 45, 6, 1], [1, 45, 2, -1], [0, 1, 2, 0], [9, 0, 99, -1]] as const) assert.equal(hit(l, row, zero + s * 1000, near * 1000), want);
});

test("zoom and moves end where there is nothing more", () => {
  const whole = { from: 0, to: 1000 };
  assert.deepEqual(zoom(whole, whole, 0.5, 500), { from: 250, to: 750 });
  assert.deepEqual(zoom({ from: 250, to: 750 }, whole, 9, 500), whole);
  assert.deepEqual(move({ from: 0, to: 100 }, whole, -50), { from: 0, to: 100 });
  assert.deepEqual(move({ from: 0, to: 100 }, whole, 2000), { from: 900, to: 1000 });
  assert.deepEqual(toward({ from: 0, to: 100 }, whole, 500), { from: 450, to: 550 });
  assert.deepEqual(toward({ from: 0, to: 100 }, whole, 50), { from: 0, to: 100 });
  assert.ok(zoom(whole, whole, 1e-12, 500).to > zoom(whole, whole, 1e-12, 500).from);
});

test("the axis has a few lines, however long it is", () => {
  for (const length of [5, 900, 60_000, 7_200_000, 9 * 86_400_000, 1e12]) {
    const n = ticks({ from: 1_790_000_000_123, to: 1_790_000_000_123 + length }, "time", 8).length;
    assert.ok(n >= 1 && n <= 10, `${length}: ${n}`);
  }
});

test("a session of 50,000 calls is laid out", () => {
  const many = Array.from({ length: 50_000 }, (_, i) => item({ id: "i" + i, at: at(i), lane: i % 3 ? "main" : "a", kind: "call" }));
  const l = layout(many, lanes, "time");
  assert.equal(hit(l, 0, l.from[49_999]!, 1000), 49_999);
});
