import assert from "node:assert/strict";
import test from "node:test";
import { pause } from "../backoff";
import { Broken } from "../decode";
import { bound, passes, Recent } from "../recent";
import { record } from "../record";
import { link, parse } from "../route";
import { Parser } from "../sse";

test("events come whole, however the stream is cut", () => {
  const text = "retry: 1000\n\n:\n\nevent: outcome\nid: 42\ndata: {\"a\":1}\n\ndata: one\r\ndata: two\r\n\r\nevent: end\ndata: {}\n\n";
  const want = [{ event: "outcome", id: "42", data: '{"a":1}' }, { event: "message", id: "42", data: "one\ntwo" }, { event: "end", id: "42", data: "{}" }];
  for (const size of [1, 2, 7, 1000]) {
    const parser = new Parser(), got = [];
    for (let i = 0; i < text.length; i += size) got.push(...parser.feed(text.slice(i, i + size)));
    assert.deepEqual(got, want, `in pieces of ${size}`);
  }
  assert.throws(() => new Parser().feed("x".repeat(9 << 20)), /without an end/);
});

test("Now holds the newest, and no more than it may", () => {
  const recent = new Recent();
  recent.fill([record({ seq: 2 }), record({ seq: 1 })]);
  for (let i = 1; i <= 5000; i++) recent.add(record({ seq: i }));
  assert.ok(recent.flush() && !recent.flush());
  assert.equal(recent.items.length, bound);
  assert.deepEqual(recent.items.slice(0, 2).map((r) => (r instanceof Broken ? 0 : r.seq)), [5000, 4999]);
  const frozen = recent.items;
  recent.add(record({ seq: 5001 }));
  recent.add(new Broken("x", "y"));
  assert.equal(recent.since(frozen), 2);
  assert.equal(recent.pulse.all.length, 120);
});

test("the filters of Now", () => {
  const r = record({ seq: 1, action: "continue", would: "block", agent: "claude", session: "s1", what: "rm -rf X" });
  for (const [f, want] of [[{}, true], [{ action: "would" }, true], [{ action: "block" }, false], [{ action: "decided" }, true], [{ q: "RM -RF" }, true], [{ q: "zz" }, false], [{ q: "(-rf.*" }, false], [{ q: "-rf x" }, true], [{ session: "s2" }, false], [{ agent: "claude", session: "s1" }, true]] as const) assert.equal(passes(r, f), want);
});

test("a link leads where it was made", () => {
  for (const [view, id, params] of [["now", "", {}], ["sessions", "a/b?c#d %é", { q: "x y&z=1", agent: "claude" }], ["decisions", "42", { since: "7d" }]] as const) assert.deepEqual(parse(link(view, id, params)), { view, id, params: { ...params } });
  assert.equal(parse("#/sessions/%E0%A4%A").id, "%E0%A4%A");
  assert.equal(parse("").view, "now");
  assert.equal(link("sessions", "\ud800"), "#/sessions/%EF%BF%BD");
});

test("a page waits longer each time, and not for ever", () => {
  assert.ok(pause(0, 15_000, 0) === 200 && pause(0, 15_000, 1) === 400);
  for (const tries of [5, 10, 1000]) assert.ok(pause(tries, 15_000, 1) <= 15_000 && pause(tries, 15_000, 0) >= 6400 * 0.5);
});
