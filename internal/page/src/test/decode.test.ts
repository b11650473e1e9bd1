import assert from "node:assert/strict";
import test from "node:test";
import { Broken, counts, each, list, num, obj, plain, str, strs, time, yes } from "../decode";
import { approval } from "../approval";
import { fact, record, step } from "../record";
import { item, part, session } from "../session";
import { stats } from "../stats";

const anything: unknown[] = [undefined, null, true, 0, -1.5, NaN, Infinity, "", "x", "\ud800", [], [null], [[]], {}, { toString: 1 }, { constructor: "x" }, Object.create(null)];

test("members are what they should be, or nothing", () => {
  for (const v of anything) {
    assert.equal(typeof str(v), "string");
    assert.ok(Number.isFinite(num(v)));
    assert.equal(typeof yes(v), "boolean");
    assert.ok(Array.isArray(list(v, str)) && Array.isArray(strs(v)));
    assert.equal(typeof plain(v), "string");
    assert.equal(typeof obj(v), "object");
    assert.equal(typeof time(v), "number");
    counts(v);
  }
  assert.equal(time("2026-11-23T13:46:31.934638617Z"), Date.UTC(2026, 10, 23, 13, 46, 31, 934));
  assert.ok(Number.isNaN(time("0001-01-01T00:00:00Z")));
});

// Each reads anything at any place, or says that it cannot.
test("whatever stands in an answer, it is read or refused", () => {
  const readers: [string, (v: unknown) => unknown, string[]][] = [
    ["record", record, ["seq", "time", "facts", "steps", "changes", "tool_input", "would", "torn", "result", "warnings", "what"]],
    ["item", item, ["at", "end", "tokens", "text", "id"]], ["session", session, ["id", "first", "tokens", "from"]],
    ["part", part, ["lanes", "session", "items", "problems"]], ["step", step, ["would", "hook"]], ["fact", fact, ["at", "args", "sure"]],
    ["stats", stats, ["days", "hooks", "rules"]], ["approval", approval, ["code", "first", "input"]],
  ];
  for (const [name, read, members] of readers) {
    const whole: Record<string, unknown> = { seq: 1, id: "x", code: "A" };
    for (const member of members) {
      for (const v of [...anything, [{}], [{ at: 1, would: "block", days: {} }]]) {
        const one = each([{ ...whole, [member]: v }], read)[0];
        assert.ok(one !== undefined, `${name}.${member}`);
      }
    }
    for (const v of anything) each([v], read);
  }
});

test("one that is broken stands in its place", () => {
  const all = each([{ seq: 1 }, "no", null, { seq: "2" }, { seq: 3, time: 7, steps: "none" }], record);
  assert.deepEqual(all.map((r) => (r instanceof Broken ? r.why : r.seq)), [1, "this is not a record", "this is not a record", "a record without a number", 3]);
});
