import assert from "node:assert/strict";
import test from "node:test";
import { Listener, type Told } from "../listener";
import type { Said } from "../sse";

const outcome = (n: number): Said => ({ event: "outcome", id: String(n), data: "" });
const told = (after: number, ...seqs: number[]): Told => ({ after, at: seqs.at(-1) ?? after, events: seqs.map(outcome) });

// A listener at a log that has so many records, and what it was told: numbers, and how many it missed.
function at(after: number, records: number, fails = 0): { one: Listener; heard: (number | string)[]; reads: number[] } {
  const heard: (number | string)[] = [], reads: number[] = [];
  const one = new Listener(after, (said) => said && heard.push(said.event === "missed" ? said.data : Number(said.id)), async (from, said) => {
    reads.push(from);
    if (fails-- > 0) throw new Error("no daemon");
    said([]);
    for (let n = from + 1; n <= records; n++) said([outcome(n)]);
  }, 2);
  return { one, heard, reads };
}

const settled = () => new Promise<void>((done) => setTimeout(done, 0));

test("who joins is told what comes after the last that it knows", async () => {
  const { one, heard, reads } = at(3, 9);
  one.take(told(3, 4, 5));
  one.take(told(5, 6));
  assert.deepEqual([heard, reads], [[4, 5, 6], []]);
});

test("what was told already is passed over", async () => {
  const { one, heard } = at(5, 9);
  one.take(told(3, 4, 5, 6));
  one.take(told(3, 4, 5, 6, 7)); // of another page, which was behind
  assert.deepEqual(heard, [6, 7]);
});

test("who lacks some reads them, and is told the rest after them", async () => {
  const { one, heard, reads } = at(3, 8);
  one.take(told(6, 7));
  one.take(told(7, 8));
  one.take(told(8, 9));
  await settled();
  assert.deepEqual([heard, reads], [[4, 5, 6, 7, 8, 9], [3]]);
});

test("a sign alone shows who lacks some", async () => {
  const { one, heard } = at(3, 5);
  one.take(told(5));
  await settled();
  assert.deepEqual(heard, [4, 5]);
});

test("what cannot be read is said to be missed", async () => {
  const { one, heard } = at(3, 4); // 5 to 7 are gone
  one.take(told(7, 8));
  while (heard.length < 3) await settled();
  assert.deepEqual(heard, [4, '{"count":3}', 8]);
});

test("who asks for what comes from now on is told that", async () => {
  const { one, heard, reads } = at(-1, 9);
  one.take(told(4));
  one.take(told(4, 5));
  assert.deepEqual([heard, reads], [[5], []]);
});

test("a log that begins anew is followed", async () => {
  const { one, heard } = at(100, 100);
  one.take(told(-1)); // who tells does not know yet how far it is
  one.take({ ...told(0, 1, 2), after: -1 });
  assert.deepEqual(heard, [1, 2]);
});

test("nobody is told anything after the end", async () => {
  const { one, heard } = at(3, 9, 1);
  one.take(told(6, 7));
  one.gone.abort();
  await settled();
  assert.deepEqual(heard, []);
});
