import assert from "node:assert/strict";
import test from "node:test";
import { argumentsOf } from "../approval";
import { result, saves } from "../previewed";
import { about, answerOf, called, deciderOf, record } from "../record";

test("a suggestion tells what it saves by itself, and with the others", () => {
  for (const [spares, shared, want] of [
    [1, 0, "Up to 1 call would not be stopped."],
    [1200, 0, "Up to 1,200 calls would not be stopped."],
    [12, 3, "Up to 12 calls would not be stopped, and with the others here 3 more."],
    [0, 1, "By itself it changes nothing; with the others here up to 1 call would not be stopped."],
  ] as const) assert.equal(saves({ spares, shared }), want);
});

test("calls that were not judged are not among those that were", () => {
  const r = result({ calls: 100, no_folder: 7, programs: 3, more_problems: 2, problems: ["x"], suggestions: [{ rule: "r", spares: 2, shared: 1 }] });
  assert.deepEqual([r.judged, r.unjudged, r.more, r.suggestions[0]!.shared], [90, 10, 2, 1]);
  for (const v of [null, 7, [], { days: 1, rules: [null] }]) assert.equal(result(v).judged, 0);
});

test("an answer is told from a decision", () => {
  for (const [r, want] of [
    [{ event: "PreToolUse", action: "allow", by: "ann" }, ""],
    [{ event: "Approval", action: "allow", by: "ann", metadata: { code: "AB12" } }, "allowed"],
    [{ event: "Approval", action: "block", by: "ann", metadata: { code: "AB12" } }, "denied"],
    [{ event: "Approval", action: "block", by: "hookway", metadata: { code: "AB12" } }, "refused"],
    [{ event: "Approval", action: "allow", by: "ann" }, "done"],
  ] as const) assert.equal(answerOf(record({ seq: 1, ...r })), want);
});

test("a call that waits is read argument by argument", () => {
  for (const [input, want] of [
    ["command: touch x\n", ["command=touch x"]],
    ["command: cat <<E\n  one: 1\n  E\ndescription: Make it\n", ["command=cat <<E\none: 1\nE", "description=Make it"]],
    ["file_path: /a: b\n(3 more arguments are not shown)\n", ["file_path=/a: b", "=(3 more arguments are not shown)"]],
    ["", ["="]],
  ] as const) assert.deepEqual(argumentsOf(input).map((a) => `${a.name}=${a.text}`), want);
});

test("who decided stands before what was on trial", () => {
  const steps = [{ hook: "g", would: { action: "ask", rule: "files/x@1" } }];
  for (const [r, want] of [
    [{ action: "block", by: "keep", would: "ask", steps }, "keep"], [{ action: "block", by: "g", rule: "git/push@2" }, "git/push"],
    [{ action: "continue", would: "ask", steps }, "files/x"], [{ action: "continue", by: "h" }, "h"], [{ event: "Approval", action: "allow", by: "me" }, "me"],
  ] as const) assert.equal(deciderOf(record({ seq: 1, ...r })), want);
});

test("the stages of a call are told apart, and an event is named once", () => {
  for (const [r, call, what] of [
    [{ event: "PreToolUse", tool: "Bash", what: "ls" }, "Bash", "ls"], [{ event: "PostToolUse", tool: "Bash", what: "ls" }, "Bash, done", "ls"],
    [{ event: "PostToolBatch", native: "PostToolBatch" }, "PostToolBatch", ""], [{ event: "AgentStop", native: "Stop" }, "AgentStop", "Stop"],
  ] as const) assert.deepEqual([called(record({ seq: 1, ...r })), about(record({ seq: 1, ...r }))], [call, what]);
});
