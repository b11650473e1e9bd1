// Matchers over what a call would do: they mean here what they mean to hookway.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { compile } from "../lib/match.js";
import { bash, once, program } from "./kit.js";

test("facts mean what they mean to hookway", () => {
  const before = process.env.HOOKWAY_PROJECT_DIR;
  process.env.HOOKWAY_PROJECT_DIR = "/w/p";
  for (const line of readFileSync(new URL("../../internal/testdata/facts.jsonl", import.meta.url), "utf8").trim().split("\n")) {
    const row = JSON.parse(line);
    const holds = compile(row.match, { guard: row.guard ?? false });
    assert.equal(holds({ cwd: "/w/p/sub", facts: row.facts }), row.want, line);
  }
  if (before === undefined) delete process.env.HOOKWAY_PROJECT_DIR;
  else process.env.HOOKWAY_PROJECT_DIR = before;
});

test("matchers over facts that cannot be", () => {
  for (const [match, want] of [
    [{ deletes: "a/{b" }, /deletes: glob "a\/\{b": a "\{" is not closed/],
    [{ runs: 5 }, /runs is 5; it must be a text/],
    [{ unknown: false }, /unknown is false; it can only be true/],
    [{ where: "any(facts, true)" }, /in a file of hooks it is a function/],
    [{ not: { sends: "!x" } }, /put the pattern under not/],
    [{ reads: "" }, /an empty pattern/],
  ]) {
    assert.throws(() => compile(match), want);
  }
});

test("a file says of itself what hookway can ask", async (t) => {
  const file = program(t, `import { on } from "hookway";
on("PreToolUse", { deletes: "~/x/**", where: () => true, not: { runs: true }, any: [{ unknown: true }, { where: () => true }] }, () => {});`);
  const out = await once(file, bash("ls"), { HOOK_ACTION: "describe" });
  assert.deepEqual(JSON.parse(out.stdout).match, { deletes: "~/x/**", not: { runs: true } }, out.stderr);
});
